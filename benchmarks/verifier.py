"""Pairs a second of a verifier beside those of onnxruntime alone on the same batches, made beforehand.

Both run on one thread and are timed by the CPU's clock, so that a busy machine changes little. Without
arguments a classifier with random weights is built, a transformer (its cost counts here, not its verdicts);
`python benchmarks/verifier.py MODEL [NAME]` takes a real one: a folder, or an id in the local cache, of the
verifier NAME (nli). The goal is a ratio of at least 0.9.
"""

from __future__ import annotations

import json
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from factreasoner.judges.encoder.judge import VerifierJudge
from factreasoner.judges.encoder.local import OnnxRuntime
from factreasoner.judges.encoder.runtime import use_one_thread
from factreasoner.models import Claim, Premise
from factreasoner.pipeline.config import Config

LAYERS, WIDTH, HEADS, VOCABULARY, POSITIONS = 4, 256, 4, 2000, 512
PREMISE_WORDS, CLAIMS = (20, 40, 80, 120, 700), 8
ROUNDS = 5
GOAL = 0.9
SPECIAL = ["[PAD]", "[CLS]", "[SEP]", "[UNK]"]


def words(draw: random.Random, number: int) -> str:
    """So many made-up words of a vocabulary with few frequent ones."""
    return " ".join(f"w{min(int(draw.paretovariate(0.6)), VOCABULARY)}" for _ in range(number))


def workload() -> list[tuple[Premise, list[Claim]]]:
    """Passages, of which the longest takes windows, and claims of 5 to 20 words."""
    draw = random.Random(0)
    claims = [Claim(f"a{n}", words(draw, draw.randint(5, 20)) + ".") for n in range(CLAIMS)]
    passages = (". ".join(words(draw, 20) for _ in range(size // 20)) for size in PREMISE_WORDS)
    return [(Premise(f"c{n}", passage), claims) for n, passage in enumerate(passages)]


def build(folder: Path) -> Path:
    """A transformer with random weights and a tokenizer, laid out as exported ones are."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(vocab_size=VOCABULARY, special_tokens=SPECIAL, show_progress=False)
    tokenizer.train_from_iterator([words(random.Random(1), 50_000)], trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 1), ("[SEP]", 2)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    labels = {"0": "contradiction", "1": "entailment", "2": "neutral"}
    config = {"id2label": labels, "pad_token_id": 0, "max_position_embeddings": POSITIONS}
    (folder / "config.json").write_text(json.dumps(config))
    onnx.save(transformer(), folder / "model.onnx")
    return folder


class Drawing:
    """A graph in the making: its nodes, and its tensors with weights drawn at random."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.tensors: list[onnx.TensorProto] = []
        self._draw = np.random.default_rng(0)

    def tensor(self, name: str, value: Any) -> str:
        """Keep a tensor under its name."""
        self.tensors.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def weights(self, name: str, *shape: int) -> str:
        """Keep a tensor of random weights."""
        return self.tensor(name, (self._draw.normal(size=shape) / np.sqrt(shape[0])).astype(np.float32))

    def add(self, kind: str, *inputs: str, out: str, **attributes: Any) -> str:
        """Keep a node, named by its output."""
        self.nodes.append(helper.make_node(kind, list(inputs), [out], **attributes))
        return out


def transformer() -> onnx.ModelProto:
    """input_ids and attention_mask to logits."""
    drawing = Drawing()
    add, tensor = drawing.add, drawing.tensor
    tensor("split", np.array([0, 0, HEADS, WIDTH // HEADS], dtype=np.int64))
    tensor("whole", np.array([0, 0, WIDTH], dtype=np.int64))
    tensor("scale", np.float32(1 / np.sqrt(WIDTH // HEADS)))
    tensor("ones", np.ones(WIDTH, np.float32))
    tensor("zeros", np.zeros(WIDTH, np.float32))
    add("Cast", "attention_mask", out="mask", to=TensorProto.FLOAT)
    add("Sub", "mask", tensor("one", np.float32(1)), out="hidden_places")
    add("Mul", "hidden_places", tensor("large", np.float32(1e4)), out="minus")
    add("Unsqueeze", "minus", tensor("axes", np.array([1, 2], dtype=np.int64)), out="bias")
    x = add("Gather", drawing.weights("embedding", VOCABULARY, WIDTH), "input_ids", out="x0")
    for number in range(LAYERS):
        x = add_layer(drawing, x, number)
    first = add("Gather", x, tensor("zero", np.int64(0)), out="first", axis=1)
    add("MatMul", first, drawing.weights("classes", WIDTH, 3), out="logits")
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "sequence"])
        for name in ("input_ids", "attention_mask")
    ]
    outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])]
    graph = helper.make_graph(drawing.nodes, "transformer", inputs, outputs, drawing.tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def add_layer(drawing: Drawing, x: str, n: int) -> str:
    """Add attention and the feed-forward step after the node `x`; returns what they end in."""
    add, weights = drawing.add, drawing.weights
    heads = {}
    for name in "qkv":
        projected = add("MatMul", x, weights(f"{name}{n}w", WIDTH, WIDTH), out=f"{name}{n}p")
        split = add("Reshape", projected, "split", out=f"{name}{n}s")
        order = [0, 2, 3, 1] if name == "k" else [0, 2, 1, 3]
        heads[name] = add("Transpose", split, out=f"{name}{n}", perm=order)
    scores = add("Mul", add("MatMul", heads["q"], heads["k"], out=f"qk{n}"), "scale", out=f"scaled{n}")
    shares = add("Softmax", add("Add", scores, "bias", out=f"masked{n}"), out=f"shares{n}", axis=-1)
    mixed = add("MatMul", shares, heads["v"], out=f"mixed{n}")
    back = add("Transpose", mixed, out=f"back{n}", perm=[0, 2, 1, 3])
    joined = add("Reshape", back, "whole", out=f"joined{n}")
    attended = add("MatMul", joined, weights(f"o{n}w", WIDTH, WIDTH), out=f"o{n}")
    summed = add("Add", x, attended, out=f"r{n}")
    x = add("LayerNormalization", summed, "ones", "zeros", out=f"n{n}", axis=-1)
    wide = add("MatMul", x, weights(f"up{n}w", WIDTH, 4 * WIDTH), out=f"up{n}")
    lifted = add("Relu", wide, out=f"relu{n}")
    fed = add("MatMul", lifted, weights(f"down{n}w", 4 * WIDTH, WIDTH), out=f"down{n}")
    return add(
        "LayerNormalization", add("Add", x, fed, out=f"f{n}"), "ones", "zeros", out=f"x{n + 1}", axis=-1
    )


class Recorder:
    """A session that keeps what it is fed."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.feeds: list[tuple[list[str], dict[str, Any]]] = []

    def run(self, outputs: list[str], feed: dict[str, Any]) -> Any:
        """The session's outputs."""
        self.feeds.append((outputs, feed))
        return self._session.run(outputs, feed)


def seconds_of(judge: VerifierJudge, work: list[tuple[Premise, list[Claim]]]) -> float:
    """CPU seconds of judging everything."""
    start = time.process_time()
    for premise, claims in work:
        judged = judge.judge(premise, claims)
        assert not judged.failures, judged.failures[0]
    return time.process_time() - start


def compared(config: Config) -> Iterator[tuple[int, float, float]]:
    """Pairs, seconds of the judge and of onnxruntime alone, by turns; a judge scores nothing twice."""
    runtime = VerifierJudge(config).runtime
    assert isinstance(runtime, OnnxRuntime)
    work, session = workload(), runtime.session
    recorder = Recorder(session)
    runtime.session = recorder
    seconds_of(VerifierJudge(config), work)
    runtime.session = session
    pairs = sum(len(feed["input_ids"]) for _, feed in recorder.feeds)
    for _ in range(ROUNDS):
        mine = seconds_of(VerifierJudge(config), work)
        start = time.process_time()
        for outputs, feed in recorder.feeds:
            session.run(outputs, feed)
        yield pairs, mine, time.process_time() - start


def main() -> None:
    """Print both rates and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        model = sys.argv[1] if len(sys.argv) > 1 else str(build(Path(folder)))
        name = sys.argv[2] if len(sys.argv) > 2 else "nli"
        config = Config(judge="verifier", verifier=name, verifier_model=model)
        use_one_thread()
        rows = list(compared(config))
        shown = str(VerifierJudge(config).runtime).replace(f"{folder}/", "")
    pairs = rows[0][0]
    ratios = [alone / mine for _, mine, alone in rows]
    mine, alone = (statistics.median(row[place] for row in rows) for place in (1, 2))
    print(shown)
    print(f"{pairs} pairs: the judge {pairs / mine:,.1f} a second, onnxruntime alone {pairs / alone:,.1f}")
    ratio = statistics.median(ratios)
    print(f"ratio {ratio:.3f} (of {ROUNDS} rounds {min(ratios):.3f} to {max(ratios):.3f}); goal {GOAL}")
    sys.exit(ratio < GOAL)


if __name__ == "__main__":
    main()
