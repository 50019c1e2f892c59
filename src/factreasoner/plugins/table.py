"""Plug-ins by name: a table of "module:Name" strings, imported when used.

Properties needed before the import are in the table as well.
"""

from __future__ import annotations

import contextlib
import difflib
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from factreasoner.errors import MissingExtraError


class Plugin(NamedTuple):
    """A plug-in's location and properties, see table.toml; custom ones have none of these."""

    target: str
    prompts: bool = False
    parses: bool = False
    replays: bool = False
    classifies: bool = False
    takes_given: bool = False
    waits: bool = False
    builds_graph: bool = False
    is_none: bool = False


_TABLE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PLUGINS: dict[str, dict[str, Plugin]] = {
    kind: {name: Plugin(**row) for name, row in rows.items()} for kind, rows in _TABLE["plugins"].items()
}
AUTOMATIC = "auto"
AUTO: dict[str, tuple[str, str]] = {kind: (llm, other) for kind, (llm, other) in _TABLE["auto"].items()}
"""The meaning of AUTOMATIC with a model, and without one."""


def plugin_named(kind: str, name: str) -> Plugin:
    """The plug-in registered as `name`, or the custom `package.module:Name`."""
    return PLUGINS[kind].get(name) or Plugin(name)


EXTRA_OF_MODULE: dict[str, tuple[str, str]] = {
    name: (what, extra) for name, (what, extra) in _TABLE["extras"].items()
}
"""Import name of an optional package -> its purpose, and the extra that installs it."""


@contextlib.contextmanager
def extras_named() -> Iterator[None]:
    """Raise MissingExtraError if an import inside fails for lack of an optional package."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        for module, extra in EXTRA_OF_MODULE.items():
            if module.partition(".")[0] == missing:
                raise MissingExtraError(*extra) from error
        raise


MOST_NAMED = 50
"""Maximum number of known names that a message lists in full."""


def meant(name: str, known: list[str]) -> str:
    """The question whether the nearest known name was meant; empty if none is near.

    One with the same letters comes first, since swapped letters are the most common slip.
    """
    close = difflib.get_close_matches(name, known)
    close.sort(key=lambda other: sorted(other) != sorted(name))
    return f"did you mean {close[0]!r}?" if close else ""


def nearest(name: str, known: list[str]) -> str:
    """The fix for an unknown name: the nearest known one, or all; of many, the nearest three."""
    if question := meant(name, known):
        return question
    if len(known) > MOST_NAMED:
        return f"the nearest of {len(known)}: {', '.join(difflib.get_close_matches(name, known, cutoff=0.0))}"
    return f"known: {', '.join(sorted(known))}"
