"""Writes the network as an ONNX graph with int8 weights, and checks that it says what torch says.

python training/export.py FOLDER/mean.safetensors --out MODEL --version 1

The last layer is the layer.json beside the weights, as evaluate.py writes it. Weights are int8 with a scale
for each output; activations stay float, so that no result depends on what else is in its batch.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import time
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
import torch
from onnx import TensorProto, helper, numpy_helper

from data import left_out, read
from network import (
    HEADS,
    LABELS,
    LAYERS,
    MAX_TOKENS,
    PAD,
    POSITIONS,
    VOCABULARY,
    WIDTH,
    base_folder,
    base_tokenizer,
    from_file,
)
from train import tensors

OPSET = 21
HEAD = WIDTH // HEADS
CHECKED, TOLERANCE = 1000, 1e-3
LARGEST = 30_000_000


class Graph:
    """A graph under construction; each method adds nodes and returns the name of their output."""

    def __init__(self, weights: dict[str, np.ndarray]) -> None:
        self._weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: dict[str, onnx.TensorProto] = {}

    def add(self, kind: str, *inputs: str, **attributes: object) -> str:
        """One node."""
        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def constant(self, name: str, value: np.ndarray) -> str:
        """A constant, stored once."""
        self._constants.setdefault(name, numpy_helper.from_array(value, name))
        return name

    def integers(self, *values: int) -> str:
        """A list of integers."""
        return self.constant(
            "ints_" + "_".join(map(str, values)).replace("-", "m"), np.array(values, np.int64)
        )

    def weight(self, name: str) -> str:
        """A weight that stays float."""
        return self.constant(name, self._weights[name])

    def linear(self, x: str, name: str) -> str:
        """x W^T + b with int8 W and a scale for each output."""
        codes, scales = quantized(self._weights[f"{name}.weight"])
        codes_of = self.constant(f"{name}.codes", np.ascontiguousarray(codes.T))
        table = self.add("Cast", codes_of, to=TensorProto.FLOAT)  # once, when the graph is loaded
        said = self.add("Mul", self.add("MatMul", x, table), self.constant(f"{name}.scales", scales))
        return self.add("Add", said, self.weight(f"{name}.bias"))

    def embedding(self, ids: str, name: str) -> str:
        """Rows of an int8 table, each with its own scale."""
        codes, scales = quantized(self._weights[f"{name}.weight"])
        rows = self.add("Gather", self.constant(f"{name}.codes", codes), ids)
        scale = self.add("Gather", self.constant(f"{name}.scales", scales[:, None]), ids)
        return self.add("Mul", self.add("Cast", rows, to=TensorProto.FLOAT), scale)

    def norm(self, x: str, name: str) -> str:
        """Layer normalisation."""
        return self.add(
            "LayerNormalization", x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias"), epsilon=1e-12
        )

    def layer(self, x: str, mask: str, n: int) -> str:
        """One transformer layer; `mask` is added to the attention scores."""
        shape = self.integers(0, 0, HEADS, HEAD)
        q, k, v = (self.add("Reshape", self.linear(x, f"layers.{n}.{part}"), shape) for part in "qkv")
        q, v = (self.add("Transpose", part, perm=[0, 2, 1, 3]) for part in (q, v))
        scores = self.add("MatMul", q, self.add("Transpose", k, perm=[0, 2, 3, 1]))
        scores = self.add("Mul", scores, self.constant("root", np.array(HEAD**-0.5, np.float32)))
        read_ = self.add("MatMul", self.add("Softmax", self.add("Add", scores, mask), axis=-1), v)
        read_ = self.add(
            "Reshape", self.add("Transpose", read_, perm=[0, 2, 1, 3]), self.integers(0, 0, WIDTH)
        )
        x = self.norm(self.add("Add", x, self.linear(read_, f"layers.{n}.o")), f"layers.{n}.n1")
        inner = self.add("Gelu", self.linear(x, f"layers.{n}.i"))
        return self.norm(self.add("Add", x, self.linear(inner, f"layers.{n}.d")), f"layers.{n}.n2")

    def model(self) -> onnx.ModelProto:
        """input_ids, attention_mask, token_type_ids (texts, tokens) -> logits (texts, 3)."""
        length = self.add("Shape", "input_ids", start=1, end=2)
        zero, one = (self.constant(str(n), np.array(n, np.int64)) for n in (0, 1))
        places = self.add("Range", zero, self.add("Squeeze", length), one)
        x = self.add("Add", self.embedding("input_ids", "word"), self.embedding(places, "pos"))
        x = self.norm(self.add("Add", x, self.embedding("token_type_ids", "typ")), "norm")
        seen = self.add("Cast", "attention_mask", to=TensorProto.FLOAT)
        hidden = self.add("Sub", self.constant("whole", np.array(1, np.float32)), seen)
        hidden = self.add("Mul", hidden, self.constant("far", np.array(-1e9, np.float32)))
        mask = self.add("Unsqueeze", hidden, self.integers(1, 2))
        for n in range(LAYERS):
            x = self.layer(x, mask, n)
        weights = self.add("Unsqueeze", seen, self.integers(2))
        total = self.add("ReduceSum", self.add("Mul", x, weights), self.integers(1), keepdims=0)
        mean = self.add("Div", total, self.add("ReduceSum", weights, self.integers(1), keepdims=0))
        first = self.add("Gather", x, zero, axis=1)
        hidden = self.add("Gelu", self.linear(self.add("Concat", first, mean, axis=1), "dense"))
        out = self.linear(hidden, "out")
        self._nodes.append(helper.make_node("Identity", [out], ["logits"]))
        shape = ["texts", "tokens"]
        inputs = [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape)
            for name in ("input_ids", "attention_mask", "token_type_ids")
        ]
        outputs = [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["texts", len(LABELS)])]
        graph = helper.make_graph(self._nodes, "judge", inputs, outputs, list(self._constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=10)


def quantized(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int8 codes (rows, columns) and the scale of each row."""
    scales = (np.abs(table).max(axis=1) / 127 + 1e-12).astype(np.float32)
    return np.round(table / scales[:, None]).clip(-127, 127).astype(np.int8), scales


def described(folder: Path, version: str) -> dict[str, object]:
    """What config.json says: what the outputs mean, the sizes of the network, and the files' checksums."""
    names = ("model.onnx", "tokenizer.json", "layer.json")
    layer = json.loads((folder / "layer.json").read_text(encoding="utf-8"))
    return {
        "version": version,
        "measured": layer["measured"],
        "id2label": {str(n): label for n, label in enumerate(LABELS)},
        "vocab_size": VOCABULARY,
        "pad_token_id": PAD,
        "max_position_embeddings": POSITIONS,
        "sha256": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in names},
    }


def session(path: Path) -> onnxruntime.InferenceSession:
    """The graph on one thread."""
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def check(weights: Path, graph: Path) -> None:
    """Compare P with torch's of the same int8 weights, and of the float ones; print the largest differences.

    Raises:
        SystemExit: they differ by more than the tolerance, or a result depends on its batch.
    """
    network = from_file(weights).eval()
    rounded = from_file(weights).eval()
    with torch.no_grad():
        for value in rounded.parameters():
            if value.dim() == 2:
                codes, scales = quantized(value.numpy())
                value.copy_(torch.from_numpy(codes * scales[:, None]))
    opened, tokenizer = session(graph), base_tokenizer()
    pairs = [read(pair) for pair in list(left_out())[:CHECKED]]
    encodings = tokenizer.encode_batch([(pair.premise, pair.claim) for pair in pairs])
    apart, lost, batched, seconds = 0.0, 0.0, 0.0, 0.0
    for n in range(0, len(encodings), 16):
        ids, mask, types = tensors(encodings[n : n + 16])
        feed = {"input_ids": ids.numpy(), "attention_mask": mask.numpy(), "token_type_ids": types.numpy()}
        began = time.process_time()
        found = softmax(opened.run(["logits"], feed)[0])
        seconds += time.process_time() - began
        with torch.inference_mode():
            same, full = (net(ids, mask, types).softmax(-1).numpy() for net in (rounded, network))
        alone = softmax(opened.run(["logits"], {name: part[:1] for name, part in feed.items()})[0])
        apart = max(apart, float(np.abs(found - same).max()))
        lost = max(lost, float(np.abs(found - full).max()))
        batched = max(batched, float(np.abs(found[:1] - alone).max()))
    print(f"P against torch on {len(encodings)} pairs: {apart:.2g}; against float weights: {lost:.2g}")
    print(f"alone against in a batch: {batched:.2g}; {len(encodings) / seconds:.1f} pairs a second of CPU")
    if apart > TOLERANCE or batched > TOLERANCE:
        raise SystemExit("export: the graph does not say what torch says")


def softmax(logits: np.ndarray) -> np.ndarray:
    """P by row."""
    powers = np.exp(logits - logits.max(axis=1, keepdims=True))
    found: np.ndarray = powers / powers.sum(axis=1, keepdims=True)
    return found


def main() -> None:
    """Read the command line, write the files and check them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--version", required=True, help="another one for every export that is published")
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    network = from_file(given.weights)
    weights = {name: value.detach().numpy() for name, value in network.state_dict().items()}
    graph = given.out / "model.onnx"
    onnx.save(Graph(weights).model(), graph)
    onnx.checker.check_model(str(graph))
    shutil.copy(base_folder() / "tokenizer.json", given.out / "tokenizer.json")
    shutil.copy(given.weights.with_name("layer.json"), given.out / "layer.json")
    settings = json.dumps(described(given.out, given.version), indent=1) + "\n"
    (given.out / "config.json").write_text(settings, encoding="utf-8")
    size = sum(path.stat().st_size for path in given.out.iterdir() if path.is_file())
    print(f"{given.out}: {size / 1e6:.1f} MB, at most {MAX_TOKENS} tokens")
    if size > LARGEST:
        raise SystemExit(f"export: {size} bytes, but the package takes {LARGEST}")
    check(given.weights, graph)


if __name__ == "__main__":
    main()
