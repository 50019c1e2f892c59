"""Reads untyped input values as what they must be, collecting problems instead of stopping at the first."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from factreasoner.errors import InputError, InputProblem

_UNIQUE = (
    "ids are unique within a record (those left out are numbered: a0 an atom, c0 a context, f0 a fact, ...)"
)
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class Values:
    """Reads the values found at one place of the input ("file.jsonl:12").

    Every method returns a value usable for further checks and notes what is wrong; `finish` raises it all.
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.problems: list[InputProblem] = []

    def problem(self, field: str, message: str) -> None:
        """Note what is wrong with `field`, to be raised by `finish`."""
        self.problems.append(InputProblem(self.where, field, message))

    def finish(self) -> None:
        """Raise InputError with all problems noted, if there are any."""
        if self.problems:
            raise InputError(self.problems)

    def text(self, value: object, field: str) -> str | None:
        """A text, or None for null."""
        if value is None:
            return None
        if not isinstance(value, str):
            self.problem(field, f"is {describe(value)}; it must be a text in quotes")
            return None
        if half := _HALF_CHARACTER.search(value):
            found = f"U+{ord(half[0]):04X}"
            self.problem(
                field, f"has half a character ({found}, a lone surrogate) at {half.start()}; leave it out"
            )
            return None
        return value

    def conversation(self, value: object, field: str) -> str | None:
        """A text; a list of turns {role, content} becomes one, a turn a line. None for null."""
        if not isinstance(value, list):
            return self.text(value, field)
        turns = []
        for index, turn in enumerate(value):
            place = f"{field}[{index}]"
            if not isinstance(turn, Mapping):
                self.problem(place, f"is {describe(turn)}; a turn is an object {{role, content}}")
                continue
            if "content" not in turn and "tool_calls" not in turn:
                self.problem(f"{place}.content", "missing; a turn is an object {role, content}")
            role = self.text(turn.get("role"), f"{place}.role") or "user"
            turns.append(f"{role}: {self.text(turn.get('content'), f'{place}.content') or ''}")
        return "\n".join(turns)

    def needed_text(self, value: object, field: str, remedy: str) -> str:
        """A text that is not empty; anything else is noted as a problem with `remedy`."""
        if value is None or (isinstance(value, str) and not value.strip()):
            self.problem(field, f"missing or blank; {remedy}")
            return ""
        return self.text(value, field) or ""

    def id(self, value: object, field: str, default: str | None) -> str:
        """An id: a text that is not blank, or an integer made one; `default` for null."""
        if value is None and default is not None:
            return default
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
        found = "missing" if value is None else "blank" if isinstance(value, str) else f"is {describe(value)}"
        self.problem(field, f"{found}; an id is a text or an integer")
        return default or ""

    def ids(self, value: object, field: str) -> tuple[str, ...]:
        """Distinct ids, in order; none for null."""
        items = self.items(value, field, "ids")
        return tuple(
            dict.fromkeys(self.id(item, f"{field}[{i}]", None) for i, item in enumerate(items or ()))
        )

    def items(self, value: object, field: str, of: str) -> Sequence[object] | None:
        """A list, or None for null."""
        if value is None or isinstance(value, list | tuple):
            return value
        self.problem(field, f"is {describe(value)}; it must be a list of {of}: [...]")
        return None

    def probability(self, value: object, field: str) -> float | None:
        """A number in [0, 1], or None for null."""
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.problem(field, f"is {describe(value)}; it must be a number from 0 to 1, or null")
            return None
        if not math.isfinite(value) or not 0 <= value <= 1:
            self.problem(field, f"is {value}; a probability lies between 0 and 1")
            return None
        return float(value)

    def unique(self, ids: Mapping[str, str]) -> None:
        """Note every id (by the field of its item) that an earlier item has too."""
        first: dict[str, str] = {}
        for field, item in ids.items():
            if item in first:
                self.problem(f"{field}.id", f"{item!r} is the id of {first[item]} too; {_UNIQUE}")
            first.setdefault(item, field)


def describe(value: object) -> str:
    """What kind of JSON value this is, in words."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {value}"
    if value is None:
        return "null"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list | tuple) else "an object"
