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
    names = [name.strip() for name in given.split(",")] if given is not None else _in_config(config, source)
    where = "verifier_labels" if given is not None else f"{source}: id2label"
    found = [label_of(name) for name in names]
    if None in found:
        unknown = names[found.index(None)]
        raise ConfigError(f"{where}: {unknown!r} does not say what the model's output means; {REMEDY}")
    labels = tuple(label for label in found if label is not None)
    if labels.count("entailment") != 1 or len(labels) < 2:
        raise ConfigError(
            f"{where}: {', '.join(map(repr, names))}: one output must be entailment, and there must be "
            f"another; {REMEDY}"
        )
    return labels


def _in_config(config: Mapping[str, Any], source: str) -> list[str]:
    table = config.get("id2label")
    if not isinstance(table, Mapping) or not table:
        raise ConfigError(f"{source}: id2label: missing, so it is not known what the outputs mean; {REMEDY}")
    try:
        numbered = sorted((int(number), str(name)) for number, name in table.items())
    except ValueError as error:
        raise ConfigError(f"{source}: id2label: its keys are not numbers; {REMEDY}") from error
    if [number for number, _ in numbered] != list(range(len(numbered))):
        raise ConfigError(f"{source}: id2label: it does not number the outputs from 0 on; {REMEDY}")
    return [name for _, name in numbered]


def label_of(name: str) -> Label | None:
    """What a name of an output means; None where it can mean anything."""
    letters = _NOTHING_ELSE.sub("", name.casefold())
    return next((label for pattern, label in _NAMES if pattern.fullmatch(letters)), None)
