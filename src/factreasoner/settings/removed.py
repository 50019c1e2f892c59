"""Removed flags, settings and values, each with its replacement.

One table, removed.toml, for flags, variables, profiles, keyword arguments and manifests.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple


class Removed(NamedTuple):
    """A removal: what to do instead, as the end of a sentence; and the setting's former default."""

    instead: str
    default: object = None


REMOVED: Mapping[str, Removed] = {
    key: Removed(**gone)
    for key, gone in tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")).items()
}
"""Removed settings by name; "judge nli" is a value, "explain flip_size" a flag of one command."""


def removal_notice(key: str, value: object = None) -> str | None:
    """The sentence on a removed setting, flag or value; None if not removed."""
    if (gone := REMOVED.get(key)) is not None:
        return f"removed: {gone.instead}"
    gone = REMOVED.get(f"{key} {value}") if isinstance(value, str) else None
    return gone and f"{value!r} was removed: {gone.instead}"


def was_default(key: str, value: object) -> bool:
    """Whether a removed setting had its default, so that it makes no difference."""
    return key in REMOVED and value == REMOVED[key].default


def removed_from(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Settings of a run that are removed and were not at their default, or have a removed value.

    Yields their name and the sentence.
    """
    for key, value in values.items():
        if not was_default(key, value) and (message := removal_notice(key, value)):
            yield key, message
