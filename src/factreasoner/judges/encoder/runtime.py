"""The interface of a loaded or served verifier, and the meaning of its outputs."""

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
    'name a TOML file as `verifier` that defines them, such as labels = { 0 = "entailment", '
    '1 = "neutral" } (docs/verifiers.md)'
)
BATCH = 32
"""Pairs per batch; fewer if they are long."""
threads = 0
"""CPU threads of a local verifier; 0: one per core."""


def use_one_thread() -> None:
    """Use one CPU thread for verifiers loaded from now on: other processes run beside it."""
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
    """A loaded or served verifier; thread-safe.

    `labels` are the meanings of its outputs, in order; `longest` is the maximum number of tokens, with
    special ones; `identity` is unique to it.
    """

    labels: tuple[Label, ...]
    longest: int
    identity: str

    def starts(self, text: str) -> Sequence[int]:
        """The character positions of a text's tokens, without special ones."""
        ...

    def taken(self, texts: Texts) -> int:
        """The number of tokens that the model reads for them, with special ones."""
        ...

    def scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        """P(label) for each: shape (tokens of the claim, labels) for a head "token", else (1, labels)."""
        ...


def meanings(adapter: Adapter, settings: Mapping[str, Any], source: str) -> tuple[Label, ...]:
    """The meanings of the outputs used, in order: from the adapter, or `settings` of `source`.

    Raises ConfigError: neither gives them.
    """
    if adapter.labels is not None:
        return tuple(adapter.labels[n] for n in sorted(adapter.labels))
    return labels_of(settings, source)


def labels_of(settings: Mapping[str, Any], source: str) -> tuple[Label, ...]:
    """The meaning of each output of a classifier, in order.

    From `id2label` of `settings`, the model's config.json at `source`, ignoring case and punctuation. With
    two labels, not entailed means neutral.

    Raises ConfigError: an ambiguous name (LABEL_0), or not exactly one output for entailment.
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
    """The meaning of an output's name; None if ambiguous."""
    letters = _NOTHING_ELSE.sub("", name.casefold())
    return next((label for pattern, label in _NAMES if pattern.fullmatch(letters)), None)
