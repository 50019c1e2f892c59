"""Trains the network on labelled and synthetic pairs; goes on from its last checkpoint.

python training/train.py --out FOLDER --pairs 400000

The learning rate warms up, stays, and falls to zero over the last fifth of the pairs. Beside the weights
their running mean is kept: `mean.safetensors` is what is judged and exported, at any time.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from safetensors.torch import save_file
from tokenizers import Encoding
from torch import Tensor

from data import ALLOWED, Pair, read, trained
from edits import made
from network import PAD, base_tokenizer, from_base

ROUND, SYNTHETIC = 16_000, 0.45
"""Pairs of a round, and the share of them that is made by edits.py."""
WEIGHTS = {
    "fever": 1.5,
    "summedits": 1.5,
    "begin_wow": 0.8,
    "wice_train": 2.0,
    "snli": 0.5,
    "conjnli": 0.8,
    "conjnli_adversarial": 0.25,
    "breaking_nli": 0.25,
    "med": 0.08,
    "monli": 0.3,
}
"""How often a pair of a source is drawn, beside the others."""
BATCH, GROUP = 32, 64
"""Pairs of a batch; batches that are sorted by length together."""
RATE, WARM, FALL = 1.2e-4, 200, 0.2
SMOOTH, DECAY, MEAN = 0.04, 0.01, 0.998
"""Label smoothing, weight decay, and how much of the running mean stays at a step."""
SAVE = 600
"""Seconds between checkpoints."""


def round_of(number: int) -> list[Pair]:
    """The pairs of round `number`, in their order."""
    rng = random.Random(1000 + number)
    natural = [pair for pair in trained() if pair.source in WEIGHTS]
    weights = [WEIGHTS[pair.source] for pair in natural]
    amount = int(ROUND * SYNTHETIC)
    drawn = [read(pair) for pair in rng.choices(natural, weights, k=ROUND - amount)]
    drawn += [read(pair) for pair, _ in made(amount, seed=number)]
    rng.shuffle(drawn)
    return drawn


def batches(pairs: list[Pair], encodings: list[Encoding], seed: int) -> Iterator[list[int]]:
    """Positions in batches of like lengths, in random order."""
    rng = random.Random(seed)
    for start in range(0, len(pairs), BATCH * GROUP):
        group = sorted(range(start, min(start + BATCH * GROUP, len(pairs))), key=lambda n: len(encodings[n]))
        found = [group[n : n + BATCH] for n in range(0, len(group), BATCH)]
        rng.shuffle(found)
        yield from found


def tensors(encodings: list[Encoding], device: str = "cpu") -> tuple[Tensor, Tensor, Tensor]:
    """Token ids, mask and types, each (pairs, tokens)."""
    longest = max(len(encoding) for encoding in encodings)
    rows = [
        [row + [fill] * (longest - len(row)) for row in found]
        for found, fill in (
            ([e.ids for e in encodings], PAD),
            ([e.attention_mask for e in encodings], 0),
            ([e.type_ids for e in encodings], 0),
        )
    ]
    ids, mask, types = (torch.tensor(part, device=device) for part in rows)
    return ids, mask, types


def loss_of(logits: Tensor, allowed: Tensor) -> Tensor:
    """-log of the summed probability of the allowed labels, smoothed; `allowed` (pairs, labels) is 0 or 1."""
    logs = logits.log_softmax(-1)
    right = torch.logsumexp(logs.masked_fill(allowed == 0, -math.inf), dim=-1)
    return -((1 - SMOOTH) * right + SMOOTH * logs.mean(-1)).mean()


def rate(pairs: int, total: int) -> float:
    """The learning rate after so many pairs of `total`."""
    left = (total - pairs) / (FALL * total)
    return RATE * min(1.0, (pairs / BATCH + 1) / WARM, max(left, 0.0))


class Trainer:
    """The network, its running mean and its optimizer, in a folder that they are kept in."""

    def __init__(self, folder: Path, *, frozen: int, device: str) -> None:
        self._folder, self._device = folder, device
        self.network = from_base().to(device)
        self.network.freeze(frozen)
        self._mean = {name: value.clone() for name, value in self.network.state_dict().items()}
        moving = [value for value in self.network.parameters() if value.requires_grad]
        self._optimizer = torch.optim.AdamW(moving, lr=RATE, weight_decay=DECAY)
        self._moving = [name for name, value in self.network.named_parameters() if value.requires_grad]
        self.round, self.batch, self.pairs = 0, 0, 0
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / "state.pt").exists():
            self._open()

    def _open(self) -> None:
        state = torch.load(self._folder / "state.pt", weights_only=True, map_location=self._device)
        self.network.load_state_dict(state["network"])
        self._mean = state["mean"]
        if state["moving"] == self._moving:  # else other layers are frozen now
            self._optimizer.load_state_dict(state["optimizer"])
        self.round, self.batch, self.pairs = state["round"], state["batch"], state["pairs"]
        torch.set_rng_state(state["random"].cpu())

    def save(self) -> None:
        """Write the state, whole or not at all, and the mean weights beside it."""
        state = {
            "network": self.network.state_dict(),
            "mean": self._mean,
            "optimizer": self._optimizer.state_dict(),
            "moving": self._moving,
            "round": self.round,
            "batch": self.batch,
            "pairs": self.pairs,
            "random": torch.get_rng_state(),
        }
        half = {name: value.half().contiguous().cpu() for name, value in self._mean.items()}
        torch.save(state, self._folder / "state.pt.new")
        save_file(half, self._folder / "mean.safetensors.new")
        for name in ("state.pt", "mean.safetensors"):
            (self._folder / f"{name}.new").replace(self._folder / name)

    def step(self, encodings: list[Encoding], pairs: list[Pair], total: int) -> float:
        """One step; the loss."""
        for group in self._optimizer.param_groups:
            group["lr"] = rate(self.pairs, total)
        allowed = torch.tensor([ALLOWED[pair.label] for pair in pairs], device=self._device)
        loss = loss_of(self.network(*tensors(encodings, self._device)), allowed)
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
        self._optimizer.step()
        # The mean of few steps would be that of the beginning.
        keep = min(MEAN, 1 - 1 / (1 + self.pairs / BATCH / 4))
        with torch.no_grad():
            for name, value in self.network.named_parameters():
                if value.requires_grad:
                    self._mean[name].lerp_(value, 1 - keep)
        self.batch += 1
        self.pairs += len(pairs)
        return loss.item()


def train(trainer: Trainer, total: int) -> None:
    """Go on until `total` pairs have been seen; print the loss of each hundred steps."""
    tokenizer = base_tokenizer()
    trainer.network.train()
    saved, began, losses = time.monotonic(), time.monotonic(), []
    while trainer.pairs < total:
        pairs = round_of(trainer.round)
        encodings = tokenizer.encode_batch([(pair.premise, pair.claim) for pair in pairs])
        done = trainer.batch
        for batch in list(batches(pairs, encodings, trainer.round))[done:]:
            losses.append(trainer.step([encodings[n] for n in batch], [pairs[n] for n in batch], total))
            if len(losses) == 100:
                seconds = time.monotonic() - began
                row = {"pairs": trainer.pairs, "loss": round(sum(losses) / 100, 4)}
                print(json.dumps(row | {"pairs_a_second": round(100 * BATCH / seconds, 1)}), flush=True)
                began, losses = time.monotonic(), []
            if time.monotonic() - saved > SAVE:
                trainer.save()
                saved = time.monotonic()
            if trainer.pairs >= total:
                break
        else:
            trainer.round, trainer.batch = trainer.round + 1, 0
    trainer.save()


def main() -> None:
    """Read the command line and train."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder of the checkpoint")
    parser.add_argument("--pairs", type=int, default=400_000, help="how many pairs in all")
    parser.add_argument("--frozen", type=int, default=0, help="layers that stay as they are")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args()
    torch.manual_seed(20)
    torch.set_num_threads(given.threads)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    train(Trainer(given.out, frozen=given.frozen, device=device), given.pairs)


if __name__ == "__main__":
    main()
