"""Verifiers in this process: P of every head beside the same in numpy, batches, and what is refused."""

import json
import random

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper
from tiny_classifiers import (
    WORDS,
    byte_tokenizer,
    deberta_tokenizer,
    each_token,
    metaspace_tokenizer,
    modernbert_tokenizer,
    one_step,
    pooled,
    save,
)
from tokenizers import Tokenizer

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder import runtime as running
from factreasoner.judges.encoder.adapter import adapter_of
from factreasoner.judges.encoder.chunks import Cutter
from factreasoner.judges.encoder.local import OnnxRuntime, batches, loaded
from factreasoner.judges.encoder.runtime import Unscored
from factreasoner.pipeline.config import Config

TWO = ("entailment", "not_entailment")
BYTES = {"made": modernbert_tokenizer(), "pad_token_id": 1, "max_position_embeddings": 300}
ROBERTA = BYTES | {"made": byte_tokenizer(), "model_type": "roberta"}
T5 = {"made": metaspace_tokenizer(), "model_type": "t5"}


def config(folder, verifier="nli", **settings):
    return Config(judge="verifier", verifier=verifier, verifier_model=str(folder), **settings)


def runtime(folder, verifier="nli", **settings):
    return loaded(adapter_of(verifier), config(folder, verifier, **settings))


def asked(number, verifier="nli", seed=0, longest=20):
    draw = random.Random(seed)
    pairs = (
        [" ".join(draw.choices(WORDS, k=draw.randint(1, longest))) for _ in range(2)] for _ in range(number)
    )
    return [adapter_of(verifier).texts(*pair) for pair in pairs]


def softmax(values):
    powers = np.exp(values - values.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def computed(model, folder, texts, read):
    """P(label) of one text: what the tiny graphs compute, written out; `read` takes the rows of each head."""
    w = {tensor.name: numpy_helper.to_array(tensor) for tensor in model.graph.initializer}
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    encoding = made.encode(texts.first, texts.second)
    x = w["words"][encoding.ids] + w["places"][1 : len(encoding) + 1]
    if any(given.name == "token_type_ids" for given in model.graph.input):
        x = x + w["kinds"][encoding.type_ids]
    hidden = np.tanh(x @ w["w1"])
    return read(hidden, hidden.mean(axis=0), encoding, w)


def of_text(hidden, mean, encoding, w):
    return softmax(mean @ w["w2"])[None, :]


def of_first(hidden, mean, encoding, w):
    return softmax((hidden[:1] + mean) @ w["w2"])


def of_claim(hidden, mean, encoding, w):
    claim = [n for n, part in enumerate(encoding.sequence_ids) if part == 1]
    return softmax((hidden[claim] + mean) @ w["w2"])


def of_step(hidden, mean, encoding, w):
    logits = (w["words"][0] + mean) @ w["w2"]
    return softmax(logits[[3, 209]])[None, :]


def wide(maker, **settings):
    return lambda: maker(positions=300, **settings)


DEBERTA = {"made": deberta_tokenizer(), "position_biased_input": False}
HEADS = {
    "three labels": ("nli", pooled, of_text, {}),
    "two labels": ("nli", lambda: pooled(outputs=2), of_text, {"labels": TWO}),
    "without parts": ("nli", lambda: pooled(parts=False), of_text, {}),
    "32-bit inputs": ("nli", lambda: pooled(dtype=TensorProto.INT32), of_text, {}),
    "alignscore": ("alignscore", wide(pooled, parts=False), of_text, ROBERTA),
    "minicheck-roberta": ("minicheck-roberta", wide(pooled, parts=False, outputs=2), of_text, ROBERTA),
    "minicheck-deberta": ("minicheck-deberta", wide(pooled, outputs=2), of_text, DEBERTA),
    "factcg": ("factcg", wide(pooled, outputs=2), of_text, DEBERTA),
    "minicheck-flan-t5": ("minicheck-flan-t5", wide(one_step), of_step, T5),
    "hhem-2.1": ("hhem-2.1", wide(each_token), of_first, T5 | {"max_position_embeddings": None}),
    "lettucedect-base": ("lettucedect-base", wide(each_token), of_claim, BYTES),
    "lettucedect-large": ("lettucedect-large", wide(each_token), of_claim, BYTES),
}


@pytest.mark.parametrize("name", HEADS)
def test_p_equals_numpy_in_any_batch_size(tmp_path, name, monkeypatch):
    verifier, make, read, settings = HEADS[name]
    model = make()
    folder = save(tmp_path / "m", model, **settings)
    texts = asked(25, verifier)
    expected = [computed(model, folder, one, read) for one in texts]
    assert max(abs(row - expected[0]).max() for row in expected if row.shape == expected[0].shape) > 0.01
    for batch in (1, 3, 32):
        monkeypatch.setattr(running, "BATCH", batch)
        found = OnnxRuntime(adapter_of(verifier), config(folder, verifier)).scores(texts)
        for mine, row in zip(found, expected, strict=True):
            assert mine == pytest.approx(row, abs=1e-5), batch


def test_dynamically_quantized_graph_runs_texts_singly(tmp_path):
    """In a batch all share one scale, so that a text's numbers would hang on its company."""
    found = runtime(save(tmp_path, pooled(quantized=True)))
    texts = asked(20)
    assert [found.scores([one])[0].tolist() for one in texts] == [row.tolist() for row in found.scores(texts)]


def test_any_number_of_texts_in_their_order(tmp_path, monkeypatch):
    found = runtime(save(tmp_path, pooled()))
    expected = found.scores(asked(40))
    monkeypatch.setattr("factreasoner.judges.encoder.local.ENCODED", 7)
    assert np.array(found.scores(asked(40))) == pytest.approx(np.array(expected), abs=1e-6)
    assert found.scores([]) == []


def test_batches_group_similar_lengths_within_limit():
    lengths = [5, 100, 3, 40, 40, 8, 100, 1]
    found = list(batches(lengths, 80))
    assert sorted(n for batch in found for n in batch) == list(range(8))
    assert all(len(batch) == 1 or max(lengths[n] for n in batch) * len(batch) <= 80 for batch in found)
    assert [lengths[n] for batch in found for n in batch] == sorted(lengths)
    assert [len(batch) for batch in batches(lengths, 0)] == [1] * 8


def test_too_long_text_fails_alone(tmp_path):
    found = runtime(save(tmp_path, pooled()))
    assert found.longest == 63
    texts = [adapter_of("nli").texts("a " * 40, "b " * n) for n in (20, 21)]
    fits, too_long = found.scores(texts)
    assert fits.shape == (1, 3)
    assert too_long == Unscored("TooLong", "64 tokens, but the model accepts 63")


def test_window_stays_within_model_positions(tmp_path):
    folder = save(tmp_path, pooled(), max_position_embeddings=None)
    assert runtime(folder).longest == 512

    def longest(tokens):
        adapter = adapter_of("nli").model_copy(update={"max_tokens": tokens})
        return OnnxRuntime(adapter, config(folder)).longest

    assert longest(5000) == 5000
    save(tmp_path, pooled())
    assert longest(5000) == 63
    assert longest(32) == 32


@pytest.mark.parametrize("texts", [None, 1])
def test_fixed_length_graph_gets_its_token_count(tmp_path, texts):
    made = runtime(save(tmp_path, fixed(pooled(), texts=texts, tokens=40)))
    assert made.longest == 40
    long = [adapter_of("nli").texts("a " * n, "b") for n in (36, 37)]
    found = made.scores([*asked(25, longest=18), *long])
    expected = runtime(save(tmp_path / "open", pooled())).scores([*asked(25, longest=18), *long])
    assert found.pop() == Unscored("TooLong", "41 tokens, but the model accepts 40")
    assert np.array(found) == pytest.approx(np.array(expected[:-1]), abs=1e-6)


def test_long_passage_is_cut_for_short_graph(tmp_path):
    made = runtime(save(tmp_path, fixed(pooled(), tokens=40)))
    claim = "a b c d e"
    pieces = Cutter(adapter_of("nli"), made).cut("a " * 200, [claim])
    assert len(pieces) > 5
    scores = made.scores([adapter_of("nli").texts(piece.text, claim) for piece in pieces])
    assert not any(isinstance(score, Unscored) for score in scores)


def test_verifier_is_loaded_once_until_changed(tmp_path):
    folder = save(tmp_path, pooled())
    first = runtime(folder)
    assert runtime(folder, k=3) is first
    save(tmp_path, pooled(seed=1))
    assert runtime(folder) is not first


@pytest.mark.filterwarnings("ignore:Specified provider")
@pytest.mark.parametrize(
    ("provider", "message"),
    [
        ("CPUExecutionProvider", r"no CUDAExecutionProvider: .*onnxruntime-gpu"),
        ("CUDAExecutionProvider", "could not start CUDA"),
    ],
)
def test_missing_cuda_error_names_the_fix(tmp_path, monkeypatch, provider, message):
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: [provider])
    with pytest.raises(ConfigError, match=message):
        runtime(save(tmp_path, pooled()), verifier_device="cuda")


def renamed_input(model, old, new):
    for node in model.graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
    next(given for given in model.graph.input if given.name == old).name = new
    return model


def fixed(model, *, texts=None, tokens=None):
    """The same graph, exported for so many texts, or for so many tokens each."""
    for given in model.graph.input:
        for dim, size in zip(given.type.tensor_type.shape.dim, (texts, tokens), strict=True):
            if size is not None:
                dim.dim_value = size
    return model


def open_width(model):
    """The same graph, whose output's width can't be told before it runs."""
    model.graph.node[-1].output[:] = ["before"]
    keep = numpy_helper.from_array(np.ones(2, dtype=bool), "keep")
    model.graph.initializer.append(keep)
    model.graph.node.append(helper.make_node("Compress", ["before", "keep"], ["logits"], axis=1))
    model.graph.output[0].type.tensor_type.shape.dim[-1].dim_param = "labels"
    return model


def refused(message, model, verifier="nli", **settings):
    return verifier, model, settings, message


REFUSED = [
    refused("input 'pixel_values'", renamed_input(pooled(), "token_type_ids", "pixel_values")),
    refused(r"'input_ids' has the shape \[2, 'seq.*\], .*any .* or 1; .*export", fixed(pooled(), texts=2)),
    refused(r"model\.onnx: output 'logits' .*needs 3 outputs.*`verifier` that defines", pooled(outputs=2)),
    refused(r"'logits' .*3\], .* needs 2 outputs", pooled(parts=False), "minicheck-roberta", **ROBERTA),
    refused(r"head 'sequence' needs \(texts, outputs\)", each_token(outputs=3)),
    refused(r"'first_token' needs \(texts, positions, out", pooled(parts=False, outputs=2), "hhem-2.1", **T5),
    refused("needs 210 outputs", one_step(words=100), "minicheck-flan-t5", **T5),
    refused("needs decoder_input_ids, .*--monolith", each_token(outputs=300), "minicheck-flan-t5", **T5),
    refused(r"tokenizer\.json: has no special token '</s>'", pooled(outputs=2), "minicheck-roberta"),
    refused(r"tokenizer\.json: has ids up to \d+, .* below 20", pooled(), vocab_size=20),
    refused("pad_token_id: missing", pooled(), pad_token_id=None),
    refused("'a' does not say what the model's output means", pooled(), labels=("a", "b", "c")),
]


@pytest.mark.parametrize(("verifier", "model", "settings", "message"), REFUSED)
def test_misfit_adapter_error_names_found_and_needed(tmp_path, verifier, model, settings, message):
    with pytest.raises(ConfigError, match=message):
        runtime(save(tmp_path, model, **settings), verifier)


def test_unknown_output_width_is_checked_at_run(tmp_path):
    found = runtime(save(tmp_path, open_width(pooled(outputs=2))))
    with pytest.raises(ConfigError, match=r"has the shape \[1, 2\], but the verifier needs 3 outputs"):
        found.scores(asked(1))


@pytest.mark.parametrize("spoilt", ["onnx/model.onnx", "tokenizer.json"])
def test_damaged_files_are_named(tmp_path, spoilt):
    folder = save(tmp_path, pooled())
    (folder / spoilt).write_bytes(b"\x08\x01 no such thing")
    with pytest.raises(ConfigError, match=spoilt):
        runtime(folder)


class Watched:
    """A session that keeps what it was fed."""

    def __init__(self, session):
        self.session, self.fed = session, []

    def run(self, names, feed):
        self.fed.append(feed)
        return self.session.run(names, feed)


def test_short_texts_are_padded(tmp_path):
    """Some models number positions by it."""
    for named, number in ((None, 3), (2, 2)):
        folder = save(tmp_path, pooled(), pad_token_id=named)
        (folder / "tokenizer_config.json").write_text(json.dumps({"pad_token": {"content": "[UNK]"}}))
        found = runtime(folder)
        found.session = Watched(found.session)
        found.scores([adapter_of("nli").texts("a", "b"), adapter_of("nli").texts("a b c", "d")])
        (feed,) = found.session.fed
        assert feed["input_ids"][0].tolist()[5:] == [number] * 2
        assert feed["attention_mask"].sum(axis=1).tolist() == [5, 7]


def test_non_finite_outputs_are_reported_per_text(tmp_path):
    model = pooled()
    model.graph.node[-1].output[:] = ["before"]
    model.graph.node.append(helper.make_node("Log", ["before"], ["logits"]))
    found = runtime(save(tmp_path, model)).scores(asked(20))
    assert {one.kind for one in found if isinstance(one, Unscored)} == {"NotFinite"}
