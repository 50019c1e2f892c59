"""The labelled pairs: where they come from, which are trained on, and which are left out."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from factreasoner.judges.encoder.bundled.windows import choose_windows, content_words

SOURCES = {
    "snli": ("Stanford NLI", "CC BY-SA 4.0"),
    "fever": ("FEVER, with evidence sentences", "CC BY-SA 3.0"),
    "fever_symmetric": ("FEVER-symmetric", "MIT; text CC BY-SA 3.0"),
    "conjnli": ("ConjNLI", "MIT"),
    "conjnli_adversarial": ("ConjNLI, adversarial training pairs", "MIT"),
    "breaking_nli": ("Breaking NLI", "CC BY-SA 4.0"),
    "med": ("MED (monotonicity)", "CC BY-SA 4.0"),
    "monli": ("MoNLI", "CC BY-SA 4.0"),
    "begin_wow": ("BEGIN, Wizard of Wikipedia", "Apache-2.0"),
    "summedits": ("SummEdits", "Apache-2.0"),
    "cg2c_doc": ("FactCG, claims from documents", "MIT"),
    "fm2": ("FoolMeTwice", "CC BY-SA 3.0"),
    "scifact_oracle": ("SciFact, with evidence abstracts", "CC BY 4.0; text ODC-BY"),
    "wice_train": ("WiCE, training half", "ODC-BY; text CC BY-SA 4.0"),
}
"""Name of a source -> what it is, and its licence."""
LEFT_OUT = ("cg2c_doc", "fm2", "fever_symmetric", "scifact_oracle")
"""Sources that the network never sees: the last layer is fitted on them."""
LABELS = ("entailment", "neutral", "contradiction")
ALLOWED = {
    "entailment": (1.0, 0.0, 0.0),
    "neutral": (0.0, 1.0, 0.0),
    "contradiction": (0.0, 0.0, 1.0),
    "not_entailment": (0.0, 1.0, 1.0),
}
"""A label -> which of LABELS it allows."""
_START, _OTHERS = 60, 400
"""Characters that tell passages apart, and how many passages a stranger is chosen from."""
_LONG = 90
"""Words of a premise above which it is read in a window."""


class Pair(NamedTuple):
    """A premise, a claim, a label of ALLOWED, and where the pair comes from."""

    premise: str
    claim: str
    label: str
    source: str


def folder() -> Path:
    """The folder of the public data: FACTREASONER_DATA, or ../shared/data beside the checkout."""
    beside = Path(__file__).resolve().parents[1].parent / "shared" / "data"
    found = Path(os.environ.get("FACTREASONER_DATA", beside))
    if not found.is_dir():
        raise SystemExit(f"{found}: no such folder; set FACTREASONER_DATA to the folder of the public data")
    return found


@cache
def pairs() -> tuple[Pair, ...]:
    """All labelled pairs."""
    path = folder() / "judge_training" / "pairs.jsonl.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        rows = map(json.loads, file)
        return tuple(Pair(row["premise"], row["claim"], row["label"], row["source"]) for row in rows)


def trained() -> Iterator[Pair]:
    """The pairs that the network is trained on."""
    return (pair for pair in pairs() if pair.source not in LEFT_OUT)


def left_out() -> Iterator[Pair]:
    """The pairs of the sources that the network never sees."""
    return (pair for pair in pairs() if pair.source in LEFT_OUT)


def strangers(found: Sequence[Pair], amount: int) -> list[Pair]:
    """Claims of some pairs, each with that passage of 400 others which shares most words with it: neutral."""
    rng = random.Random(3)
    premises = sorted({pair.premise for pair in found})
    words = {premise: content_words(premise) for premise in premises}
    own: dict[str, set[str]] = defaultdict(set)
    for pair in found:
        own[pair.claim].add(pair.premise[:_START])
    made = []
    for pair in rng.sample(found, min(amount, len(found))):
        wanted = content_words(pair.claim)
        others = [
            p for p in rng.sample(premises, min(_OTHERS, len(premises))) if p[:_START] not in own[pair.claim]
        ]
        best = max(others, key=lambda premise: len(wanted & words[premise]))
        if wanted & words[best]:
            made.append(Pair(best, pair.claim, "neutral", pair.source))
    return made


def use_of(text: str) -> str:
    """What synthetic pairs of this passage are for: two thirds of all passages are for training."""
    first, second = hashlib.sha256(text.encode()).digest()[:2]
    return "training" if first % 3 else "fitting" if second % 2 else "measuring"


def read(pair: Pair) -> Pair:
    """The pair as the network reads it: of a long premise, the window that shares most with the claim."""
    if len(pair.premise.split()) <= _LONG:
        return pair
    found = choose_windows(pair.premise, pair.claim)
    return pair._replace(premise=found[0].text if found else " ".join(pair.premise.split()[:_LONG]))


def measured(name: str) -> list[dict[str, Any]]:
    """The rows of a measuring set, as dictionaries."""
    with (folder() / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


if __name__ == "__main__":
    counts = Counter(pair.source for pair in pairs())
    for source, (title, licence) in SOURCES.items():
        use = "left out" if source in LEFT_OUT else "trained"
        print(f"{source:20} {counts[source]:6} {use:9} {title}; {licence}")
