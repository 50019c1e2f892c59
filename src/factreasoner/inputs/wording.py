"""What is wrong with input, in words that help to mend it: our own checks, and pydantic's errors reworded."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from factreasoner.errors import InputProblem

SAME_PROBLEM = 3
"""Places from which on a problem they share is told once."""
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


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


def half_character(text: str) -> str | None:
    """What is wrong with a text that holds half a surrogate pair; None for every other text."""
    half = _HALF_CHARACTER.search(text)
    if half is None:
        return None
    return f"has half a character (U+{ord(half[0]):04X}, a lone surrogate) at {half.start()}; leave it out"


def reworded(error: ValidationError, where: str, names: Mapping[str, str]) -> Iterator[InputProblem]:
    """The problems in an error of pydantic's; `names` are what the input calls the fields of a Record."""
    for item in error.errors(include_url=False):
        yield InputProblem(where, _place(item["loc"], names), _message(item))


def _place(parts: Sequence[int | str], names: Mapping[str, str]) -> str:
    """A place as input shows it: contexts[1].title."""
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


def _message(item: ErrorDetails) -> str:
    made = _MESSAGES.get(item["type"])
    return made(item["input"]) if made else item["msg"].removeprefix("Value error, ")


def merged(problems: Sequence[InputProblem]) -> list[InputProblem]:
    """The problems in order; one that three places or more share is told once."""
    places: dict[tuple[str, str], list[str]] = {}
    for problem in problems:
        places.setdefault((problem.field, problem.message), []).append(problem.where)
    told: list[InputProblem] = []
    for (field, message), where in places.items():
        if len(where) < SAME_PROBLEM:
            told += [InputProblem(place, field, message) for place in where]
        else:
            told.append(InputProblem(f"{where[0]} and {len(where) - 1} more", field, message))
    return told
