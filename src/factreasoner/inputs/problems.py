"""What is wrong with input, in words that help to mend it, and values checked one by one."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from factreasoner.errors import InputError, InputProblem

SAME_PROBLEM = 3
"""Places from which on a problem they share is reported once."""
STANDS_IN = "?"
"""Used for a missing text or id while the rest of its record is checked."""
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


class Draft:
    """Checks the values of one record and notes what is wrong, so that all of it is reported at once.

    `where` is the place in the input ("file.jsonl:12"); `names` are what it calls the fields of a Record.
    """

    def __init__(self, where: str, names: Mapping[str, str]) -> None:
        self.where = where
        self.names = names
        self.problems: list[InputProblem] = []

    def problem(self, field: str, message: str) -> None:
        """Note what is wrong with `field`."""
        self.problems.append(InputProblem(self.where, field, message))

    def finish(self) -> None:
        """Raise InputError with all that is wrong, if anything is."""
        if self.problems:
            raise InputError(self.problems)

    def text(self, value: object, field: str) -> str | None:
        """A text, or None for null."""
        if value is None or isinstance(value, str):
            return value
        self.problem(field, f"is {describe(value)}; it must be a text in quotes")
        return None

    def id(self, value: object, field: str, default: str | None = None) -> str:
        """An id: a text that is not blank, or an integer made one; `default` for null."""
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is None and default is not None:
            return default
        found = "missing" if value is None else "blank" if isinstance(value, str) else f"is {describe(value)}"
        self.problem(field, f"{found}; an id is a text or an integer")
        return default or STANDS_IN

    def ids(self, value: object, field: str) -> tuple[str, ...]:
        """Different ids, in order; none for null."""
        items = self.listed(value, field, "ids")
        return tuple(dict.fromkeys(self.id(item, f"{field}[{index}]") for index, item in enumerate(items)))

    def listed(self, value: object, field: str, of: str) -> Sequence[object]:
        """A list; an empty one for null."""
        if isinstance(value, list | tuple):
            return value
        if value is not None:
            self.problem(field, f"is {describe(value)}; it must be a list of {of}: [...]")
        return ()

    def conversation(self, value: Sequence[object], field: str) -> str:
        """A list of turns {role, content} as one text, a turn a line."""
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


DEEPEST = 190
"""Levels of lists and objects in a record."""


def unwritable(value: object, depth: int = 0) -> str | None:
    """What keeps a value, or a part of it, out of every file, and the remedy; None for all others."""
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        if depth == DEEPEST:
            return f"is nested more than {DEEPEST} levels deep; leave it out"
        return next(filter(None, (unwritable(part, depth + 1) for part in value)), None)
    if isinstance(value, str) and (half := _HALF_CHARACTER.search(value)):
        code = f"U+{ord(half[0]):04X}, a lone surrogate"
        return f"has half a character ({code}) at {half.start()}; leave it out"
    if isinstance(value, float) and math.isinf(value):
        return "holds a number that is too large; write it as a text"
    return None


def reworded(error: ValidationError, where: str, names: Mapping[str, str]) -> Iterator[InputProblem]:
    """The problems in pydantic's error; `names` are what the input calls the fields of a Record."""
    for item in error.errors(include_url=False):
        made = _MESSAGES.get(item["type"])
        message = made(item["input"]) if made else item["msg"].removeprefix("Value error, ")
        yield InputProblem(where, _place(item["loc"], names), message)


def _place(parts: Sequence[int | str], names: Mapping[str, str]) -> str:
    """A place as the input shows it: contexts[1].title."""
    if not parts:
        return ""
    first, *rest = parts
    name = names.get(str(first), str(first))
    return name + "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)


def _probability(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"is {describe(value)}; it must be a number from 0 to 1, or null"
    return f"is {value}; a probability lies between 0 and 1"


_MESSAGES: dict[str, Callable[[Any], str]] = {
    "missing": lambda _: "missing",
    "list_type": lambda value: f"is {describe(value)}; it must be a list: [...]",
    "string_type": lambda value: f"is {describe(value)}; it must be a text in quotes",
    "float_type": _probability,
    "greater_than_equal": _probability,
    "less_than_equal": _probability,
    "finite_number": _probability,
}


def merged(problems: Sequence[InputProblem]) -> list[InputProblem]:
    """The problems in order; one that three places or more share is reported once, at the first."""
    places = Counter((problem.field, problem.message) for problem in problems)
    found: list[InputProblem] = []
    for problem in problems:
        shared = places[problem.field, problem.message]
        if shared >= SAME_PROBLEM:
            places[problem.field, problem.message] = 0
            found.append(problem._replace(where=f"{problem.where} and {shared - 1} more"))
        elif shared:
            found.append(problem)
    return found


def by_place(problems: Sequence[InputProblem]) -> list[InputProblem]:
    """The problems, those of one place as one."""
    return [
        InputProblem(where, "", "; ".join(str(problem._replace(where="")) for problem in here))
        for where, here in itertools.groupby(problems, key=lambda problem: problem.where)
    ]
