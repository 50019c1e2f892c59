"""What the outputs of a classifier mean: names of labels, as models write them, to verdicts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from factreasoner.errors import ConfigError
from factreasoner.models import Label

REMEDY = (
    "say what they are, in their order, as --verifier-labels entailment,neutral,contradiction "
    "or --verifier-labels entailment,not_entailment"
)
_NOTHING_ELSE = re.compile(r"[\W_]+")
_NAMES: tuple[tuple[re.Pattern[str], Label], ...] = (
    (re.compile(r"(not?|non)(entail(ment|ed|s)?|support(ed|s)?|enoughinfo(rmation)?)"), "neutral"),
    (re.compile(r"neutral|unknown|unrelated|nei|unverifiable"), "neutral"),
    (re.compile(r"entail(ment|ed|s)?|support(ed|s)?"), "entailment"),
    (re.compile(r"contradict(ion|ory|ed|s)?|refute[ds]?"), "contradiction"),
)


def labels_of(config: Mapping[str, Any], given: str | None, source: str) -> tuple[Label, ...]:
    """What each output of a classifier means, in the order of its outputs.

    `given` are names separated by commas, in the place of the `id2label` of the model's config.json, which is
    read from `source`. Case and punctuation do not matter. What is not entailed by a two-way model is
    neutral: it may contradict or not.

    Raises:
        ConfigError: a name that can mean anything (LABEL_0), or no single output of entailment.
    """
    where = "verifier_labels" if given is not None else f"{source}: id2label"
    if given is not None:
        names = given.split(",")
    else:
        table = config.get("id2label") or {}
        try:
            names = [str(table[str(number)]) for number in range(len(table))]
        except (KeyError, TypeError):
            names = []
        if not names:
            raise ConfigError(f"{where}: missing, or it does not number the outputs from 0 on; {REMEDY}")
    found = {name.strip(): label_of(name) for name in names}
    unknown = next((name for name, label in found.items() if label is None), None)
    if unknown is not None:
        raise ConfigError(f"{where}: {unknown!r} does not say what the model's output means; {REMEDY}")
    labels = tuple(label for name in names if (label := label_of(name)) is not None)
    if labels.count("entailment") != 1 or len(labels) < 2:
        raise ConfigError(
            f"{where}: {', '.join(map(repr, found))}: one output must be entailment, and there must be "
            f"another; {REMEDY}"
        )
    return labels


def label_of(name: str) -> Label | None:
    """What a name of an output means; None where it can mean anything."""
    letters = _NOTHING_ELSE.sub("", name.casefold())
    return next((label for pattern, label in _NAMES if pattern.fullmatch(letters)), None)
