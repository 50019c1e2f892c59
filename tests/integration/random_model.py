"""Write a small language model with random weights, whose tokenizer and chat template are made on the spot.

Run by the Python that has the `gguf` package: `python random_model.py FOLDER CORPUS...` writes one file a
template. Nothing is downloaded. What such a model says means nothing; how a server asks it is real.
"""

import itertools
import re
import sys
from collections import Counter
from pathlib import Path

import gguf
import numpy as np

WIDTH, LAYERS, HEADS, INNER, CONTEXT = 32, 2, 4, 64, 8192
MERGES = 1200
SHARPNESS = 6.0
"""How far apart the values of tokens lie: so far that rounding does not decide which is the largest."""
DAMPING = 0.3
"""How little a layer adds to what it is given."""
ANSWERS = ("True", "False", "Not clear")
LIKING = 2.0
"""How much likelier than other tokens those are that answers begin with: as if it had been taught them."""

PLAIN = (
    "{% for message in messages %}<|{{ message.role }}|>\n{{ message.content }}\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>\n{% endif %}"
)
TEMPLATES = {
    "tools_shown": "{% if tools %}<|tools|>\n{{ tools | tojson }}\n{% endif %}" + PLAIN,
    "tools_dropped": PLAIN,
    "blind": "{{ messages[0].content[:40] }}{% if add_generation_prompt %}<|assistant|>\n{% endif %}",
}
"""Chat templates by the name of the model's file. `blind` shows next to nothing of what is asked."""


def pieces(texts):
    """Pairs of symbols joined again and again, the most frequent first: what a tokenizer is trained to do."""
    counts = Counter(
        word.replace(" ", "▁") for text in texts for word in re.findall(r" ?\w+| ?[^\w\s]", text)
    )
    words = {word: list(word) for word in counts}
    found = dict.fromkeys(sorted({symbol for word in words for symbol in word}))
    for _ in range(MERGES):
        pairs = Counter()
        for word, symbols in words.items():
            for pair in itertools.pairwise(symbols):
                pairs[pair] += counts[word]
        if not pairs:
            break
        (left, right), _ = max(pairs.items(), key=lambda item: (item[1], item[0]))
        found[left + right] = None
        for word, symbols in words.items():
            if left in symbols:
                words[word] = _joined(symbols, left, right)
    return list(found)


def _joined(symbols, left, right):
    joined = []
    for symbol in symbols:
        if joined and joined[-1] == left and symbol == right:
            joined[-1] = left + right
        else:
            joined.append(symbol)
    return joined


def write(path, template, vocabulary):
    """A model of the llama family in one file."""
    special = [
        ("<unk>", gguf.TokenType.UNKNOWN),
        ("<s>", gguf.TokenType.CONTROL),
        ("</s>", gguf.TokenType.CONTROL),
    ]
    bytes_ = [(f"<0x{number:02X}>", gguf.TokenType.BYTE) for number in range(256)]
    tokens = [*special, *bytes_, *((piece, gguf.TokenType.NORMAL) for piece in vocabulary)]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(INNER)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list([token for token, _ in tokens])
    writer.add_token_scores([0.0] * 259 + [-float(rank) for rank in range(len(vocabulary))])
    writer.add_token_types([kind for _, kind in tokens])
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_chat_template(template)
    random = np.random.default_rng(7)

    def weights(*shape):
        return (random.normal(size=shape) / np.sqrt(shape[-1])).astype(np.float32)

    def add(name, *shape):
        writer.add_tensor(name, DAMPING * weights(*shape))

    embedding, output = weights(len(tokens), WIDTH), SHARPNESS * weights(len(tokens), WIDTH)
    embedding[:, 0] = 3.0  # the same in every token: what makes answers likely anywhere
    answers = [n for n, (token, _) in enumerate(tokens) if any(a.startswith(token) for a in ANSWERS)]
    output[:, 0] = 0.0
    output[answers, 0] = LIKING
    writer.add_tensor("token_embd.weight", embedding)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{layer}.{name}.weight", WIDTH, WIDTH)
        add(f"blk.{layer}.ffn_gate.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_up.weight", INNER, WIDTH)
        add(f"blk.{layer}.ffn_down.weight", WIDTH, INNER)
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{name}.weight", np.ones(WIDTH, dtype=np.float32))
    writer.add_tensor("output_norm.weight", np.ones(WIDTH, dtype=np.float32))
    writer.add_tensor("output.weight", output)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


if __name__ == "__main__":
    folder, *corpus = map(Path, sys.argv[1:])
    vocabulary = pieces(path.read_text(encoding="utf-8") for path in corpus)
    for name, template in TEMPLATES.items():
        write(folder / f"{name}.gguf", template, vocabulary)
