"""In which states the collections were that a run has searched, and what is to be said of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from factreasoner.runs.store import RunFolder

UNFINISHED = "@unfinished"
"""Stands in the state of a collection that is being written, or where that was cut off."""
_FINISHED = ("ok", "no_atoms")


def note_searched(folder: RunFolder[Any], now: Sequence[str], ids: Sequence[str]) -> Iterator[str]:
    """Keep in the manifest the states of the collections that are searched from now on; yield warnings.

    They are about collections that are not whole, and about those in another state than when records that
    are finished were assessed, where others of `ids` are not.
    """
    before = folder.manifest.keep_searched(now)
    for state in now:
        if UNFINISHED in state:
            yield f"{_unfinished(state)} What is missing can't be found; `factreasoner index` completes it."
    if (before or now) and any(
        i not in folder.entries or folder.entries[i].status not in _FINISHED for i in ids
    ):
        yield from mixed([*before, *now])


def mixed(states: Sequence[str]) -> Iterator[str]:
    """What is to be said of collections that stand among `states` more than once."""
    by_name: dict[str, dict[str, None]] = {}
    for state in states:
        by_name.setdefault(state.partition("@")[0], {})[state] = None
    for name, several in by_name.items():
        if len(several) > 1:
            yield (
                f"Collection {name!r} has changed since this run was begun: records searched for in "
                f"{', '.join(several)} are mixed; --fresh searches for all in one state."
            )


def searched_rows(searched: Mapping[str, int]) -> Iterator[str]:
    """For a table, how many records were searched for in which state, where that is not one whole state."""
    mixes = list(mixed(list(searched)))
    for state, count in searched.items():
        if mixes or UNFINISHED in state:
            records = "record" if count == 1 else "records"
            yield f"{count:,} {records} in {state}" + (" (not whole)" if UNFINISHED in state else "")


def _unfinished(state: str) -> str:
    name, _, passages = state.partition(f"{UNFINISHED}-")
    return f"Collection {name!r} is not whole: indexing is under way or was cut off at {passages} passages."
