"""Scores that a run has none of because its records lack the keys for them, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from factreasoner.metrics.table import Place, Table

KEYS = {"gold_contexts": "'gold_contexts' (or 'relevant' in its contexts)"}
"""Keys of records of which there is more to say than their names."""


class Lacking(NamedTuple):
    """Names of the metrics that records lack the keys for, and what would bring them in words."""

    metrics: frozenset[str]
    sentences: tuple[str, ...]


def lacking_of(table: Table[Any], place: Place, given: Mapping[str, int]) -> Lacking:
    """Which metrics shown at `place` no record has the keys for.

    `given` counts the records that have each key; where none has any there is nothing to tell them by.
    """
    found = table.lacking(place, given) if given else {}
    return Lacking(
        frozenset(metric.name for metrics in found.values() for metric in metrics),
        tuple(
            f"no record has {' and '.join(KEYS.get(key, repr(key)) for key in keys)}, which would bring: "
            + "; ".join(metric.caption(None, room=True) for metric in metrics)
            for keys, metrics in found.items()
        ),
    )
