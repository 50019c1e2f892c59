"""Flags, settings and values that earlier versions had, each with what replaces it.

One table, removed.toml, for flags, variables, profiles, keyword arguments and manifests.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Removed(NamedTuple):
    """What is gone: what to do instead, as the end of a sentence; and the default that a setting had."""

    instead: str
    default: object = None


REMOVED: Mapping[str, Removed] = {
    key: Removed(**gone)
    for key, gone in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
"""Settings by name. "judge nli" is a value of a setting, and "explain flip_size" a flag of one command."""


def removal_notice(key: str, value: object = None) -> str | None:
    """The sentence on a setting or a flag that is gone, or on a value that is; None if neither is."""
    if (gone := REMOVED.get(key)) is not None:
        return f"removed: {gone.instead}"
    gone = REMOVED.get(f"{key} {value}") if isinstance(value, str) else None
    return gone and f"{value!r} was removed: {gone.instead}"


def was_default(key: str, value: object) -> bool:
    """Whether a setting is gone and had its default, so that a run is as it would be without it."""
    return key in REMOVED and value == REMOVED[key].default


def removed_from(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The settings of a run that are gone and were not at their default, or have a value that is gone.

    Yields their name and the sentence.
    """
    for key, value in values.items():
        if not was_default(key, value) and (message := removal_notice(key, value)):
            yield key, message
