"""Plug-ins by name: a table of "module:Name" strings, imported when used; a user's own string goes, too.

What others must know of a plug-in before it is imported stands here as well: nothing compares its name.
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
    """Where a plug-in is and what it is like, see table.toml; a user's own is like none of these."""

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
"""What AUTOMATIC means with a model, and without one."""


def plugin_named(kind: str, name: str) -> Plugin:
    """The plug-in registered as `name`, or that of a user's own `package.module:Name`."""
    return PLUGINS[kind].get(name) or Plugin(name)


EXTRA_OF_MODULE: dict[str, tuple[str, str]] = {
    name: (what, extra) for name, (what, extra) in _TABLE["extras"].items()
}
"""For an optional package, by import name: what it is for, and the extra that installs it."""


@contextlib.contextmanager
def extras_named() -> Iterator[None]:
    """Raise MissingExtraError if our imports fail because an optional package is not installed."""
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        for module, extra in EXTRA_OF_MODULE.items():
            if module.partition(".")[0] == missing:
                raise MissingExtraError(*extra) from error
        raise


MOST_NAMED = 50
"""Known names up to which a message lists all of them."""


def nearest(name: str, known: list[str]) -> str:
    """A remedy for an unknown name: the nearest known one, or all of them; of many, the nearest three.

    One with the same letters comes first: swapped letters are the most common slip.
    """
    close = difflib.get_close_matches(name, known)
    close.sort(key=lambda other: sorted(other) != sorted(name))
    if close:
        return f"did you mean {close[0]!r}?"
    if len(known) > MOST_NAMED:
        return f"the nearest of {len(known)}: {', '.join(difflib.get_close_matches(name, known, cutoff=0.0))}"
    return f"known: {', '.join(sorted(known))}"
