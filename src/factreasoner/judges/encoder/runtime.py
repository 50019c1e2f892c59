"""What a loaded or served verifier offers, and what its outputs mean."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.adapter import Adapter, Texts
from factreasoner.models import Label

Array: TypeAlias = npt.NDArray[np.float64]
REMEDY = (
    'name a TOML file as --verifier that defines them, such as labels = { 0 = "entailment", '
    '1 = "neutral" } (docs/verifiers.md)'
)
BATCH = 32
"""Pairs run at once; of long ones fewer."""
threads = 0
"""CPU threads of a verifier loaded in this process; 0: one per core."""


def take_one_thread() -> None:
    """Load verifiers with one CPU thread from now on: other work goes on beside it."""
    global threads
    threads = 1


_NOTHING_ELSE = re.compile(r"[\W_]+")
_NAMES: tuple[tuple[re.Pattern[str], Label], ...] = (
    (re.compile(r"(not?|non)(entail(ment|ed|s)?|support(ed|s)?|enoughinfo(rmation)?)"), "neutral"),
    (re.compile(r"neutral|unknown|unrelated|nei|unverifiable"), "neutral"),
    (re.compile(r"entail(ment|ed|s)?|support(ed|s)?"), "entailment"),
    (re.compile(r"contradict(ion|ory|ed|s)?|refute[ds]?"), "contradiction"),
)


class Unscored(NamedTuple):
    """Why a text, or a pair of texts, has no scores."""

    kind: str
    message: str


class Runtime(Protocol):
    """A loaded or served verifier; many threads may use it.

    `labels` are what its outputs mean, in their order; `longest` is how many tokens a text or pair may have,
    special ones included; `identity` distinguishes it from every other.
    """

    labels: tuple[Label, ...]
    longest: int
    identity: str

    def starts(self, text: str) -> Sequence[int]:
        """Where the tokens of a text start, special ones left out, in characters."""
        ...

    def taken(self, texts: Texts) -> int:
        """How many tokens the model reads for them, special ones included."""
        ...

    def scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        """P(label) for each: shape (tokens of the claim, labels) for a head "token", else (1, labels)."""
        ...


def meanings(adapter: Adapter, settings: Mapping[str, Any], source: str) -> tuple[Label, ...]:
    """What the outputs that count mean, in their order: by the adapter, or `settings` of `source`.

    Raises ConfigError: neither says it.
    """
    if adapter.labels is not None:
        return tuple(adapter.labels[n] for n in sorted(adapter.labels))
    return labels_of(settings, source)


def labels_of(settings: Mapping[str, Any], source: str) -> tuple[Label, ...]:
    """What each output of a classifier means, in the order of its outputs.

    `id2label` of `settings`, the model's config.json at `source`, says it. Case and punctuation do not
    matter. What a two-way model does not entail is neutral.

    Raises ConfigError: a name that can mean anything (LABEL_0), or not exactly one output of entailment.
    """
    names: list[str] = []
    table = settings.get("id2label") or {}
    with contextlib.suppress(KeyError, TypeError):
        names = [str(table[str(number)]) for number in range(len(table))]
    labels = [label_of(name) for name in names]
    if not names:
        problem = "missing, or it does not number the outputs from 0 on"
    elif None in labels:
        problem = f"{names[labels.index(None)]!r} does not say what the model's output means"
    elif labels.count("entailment") != 1 or len(labels) < 2:
        listed = ", ".join(map(repr, names))
        problem = f"{listed}: one output must be entailment, and there must be another"
    else:
        return tuple(filter(None, labels))
    raise ConfigError(f"{source}: id2label: {problem}; {REMEDY}")


def label_of(name: str) -> Label | None:
    """What a name of an output means; None where it can mean anything."""
    letters = _NOTHING_ELSE.sub("", name.casefold())
    return next((label for pattern, label in _NAMES if pattern.fullmatch(letters)), None)
