"""Numbers with nouns, and pydantic's errors in helpful words."""

from __future__ import annotations

import contextlib
import re
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from factreasoner.errors import QUOTED, FactReasonerError, InputError, InputProblem

OWN = "value_error"
"""The error type of this package's validators, which have their own messages."""
KINDS: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a string",
    Path: "a path",
    tuple: "a list of strings",
    dict: "a mapping",
}
_REFUSED = {
    "missing": "missing",
    "model_type": "must be an object: {{...}}",
    **dict.fromkeys(("list_type", "tuple_type"), "must be a list: [...]"),
    "greater_than_equal": "must be at least {ge:g}",
    "greater_than": "must be above {gt:g}",
    "less_than_equal": "must be at most {le:g}",
    "less_than": "must be below {lt:g}",
    "literal_error": "must be {expected}",
    "string_pattern_mismatch": "must be of the form {pattern}",
    "finite_number": "must be a finite number",
    "extra_forbidden": "unknown key",
}
"""Pydantic's error types -> messages, filled in from the error's context."""
_WRONG_KINDS = {"int": int, "float": float, "bool": bool, "string": str, "path": Path, "dict": dict}
"""Prefixes of error types for a wrong kind ("int_parsing", "string_type")."""
_ABOUT_KIND = ("_type", "_parsing", "_from_float", "_size")


SHORTENED = reprlib.Repr()
SHORTENED.maxstring = SHORTENED.maxother = 100

_OUTSIDE = "is {found}; a probability lies between 0 and 1"
OF_PROBABILITIES = {
    "float_type": "is {found}; it must be a number from 0 to 1, or null",
    **dict.fromkeys(("greater_than_equal", "less_than_equal", "finite_number"), _OUTSIDE),
}
"""Messages for `reworded` if every number is a probability."""


def refused(error: ErrorDetails) -> str:
    """Why a value is refused, and what is valid. Never repeats the value, which may be secret."""
    message, context = error["msg"].removeprefix("Value error, "), error.get("ctx", {})
    if error["type"] == OWN:
        return message
    if error["type"] == "string_too_short" and context.get("min_length") == 1:
        return "must not be empty"
    with contextlib.suppress(LookupError, ValueError, TypeError, OverflowError):  # a limit that is a date
        return _REFUSED[error["type"]].format(**context)
    kind = _WRONG_KINDS.get(error["type"].partition("_")[0])
    if kind and error["type"].endswith(_ABOUT_KIND):
        return f"must be {KINDS[kind]}"
    return message[:1].lower() + message[1:]


def number_of(count: int, word: str) -> str:
    """A number with its noun: "1 record", "1,200 processes"."""
    ending = "" if count == 1 else "es" if word.endswith("s") else "s"
    return f"{count:,} {word}{ending}"


def first_of(items: Sequence[str], most: int | None) -> str:
    """The first `most` items (None: all) as text, and how many more there are."""
    more = "" if most is None or len(items) <= most else f" and {len(items) - most} more"
    return ", ".join(items[:most]) + more


def one_of(choices: Sequence[str]) -> str:
    """Alternatives as text: "1, 2 or 3"."""
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))


def reworded(
    error: ValidationError, where: str, names: Mapping[str, str], *above: str, **words: str
) -> Iterator[InputProblem]:
    """The problems in pydantic's error about a value under the keys `above`.

    `names` are the input's names for the fields of a Record; `words` override the usual messages.
    """
    for item in error.errors(include_url=False):
        form, message = words.get(item["type"], ""), refused(item)
        if form:
            found = _given_value(item) if "{found}" in form else ""
            message = form.format(**item.get("ctx", {}), found=found)
        elif message.startswith("must ") and item["type"] != OWN:
            message = f"is {_given_value(item)}; it {message}"
        first, *rest = (*above, *item["loc"]) or ("",)
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)
        yield InputProblem(where, names.get(str(first), str(first)) + "".join(parts), message)


def _given_value(error: ErrorDetails) -> str:
    """The given kind or, if that is right, the shortened value."""
    about_kind = error["type"].endswith(("_type", "_parsing"))
    return describe(error["input"]) if about_kind else SHORTENED.repr(error["input"])


def describe(value: object) -> str:
    """The kind of a JSON value, as text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return f"the number {SHORTENED.repr(value)}"
    if isinstance(value, float):
        return f"the number {value}"
    if value is None:
        return "null"
    if isinstance(value, str):
        return "a string"
    names: dict[type, str] = {list: "a list", tuple: "a list", dict: "an object"}
    name = type(value).__name__
    return names.get(type(value), f"{'an' if name[0] in 'AEIOUaeio' else 'a'} {name}")


_BEFORE = r"(?:(?<=\bis )|(?<=\bbe )|(?<=\bor )|(?<=\bnot )|(?<=\bwrite )|(?<=\bexpected )|(?<=\), ))"
_WORDS = {
    r"must be an object: {...}": "must be a dict",
    rf"{_BEFORE}an object\b|(?<=must be )a mapping\b": "a dict",
    r"(?<=a list of )objects|(?<=strings or )objects": "dicts",
    rf"{_BEFORE}null\b": "None",
    rf"{_BEFORE}true\b": "True",
    rf"{_BEFORE}false\b": "False",
}
"""Words of files and commands -> those of Python."""
_REWORDED = re.compile("|".join(f"({words})" for words in (QUOTED, *_WORDS)))


def in_python(message: str) -> str:
    """A message in Python's terms. What it quotes, such as a text of the user's, stays as it is."""
    others = ["", *_WORDS.values()]
    return _REWORDED.sub(lambda found: others[(found.lastindex or 1) - 1] or found[0], message)


def reworded_for_python(error: FactReasonerError) -> FactReasonerError:
    """The same error, with its messages in Python's terms."""
    if isinstance(error, InputError):
        problems = [problem._replace(message=in_python(problem.message)) for problem in error.problems]
        error.__init__(problems, valid=error.valid, hint=error.hint)  # type: ignore[misc]
    else:
        error.args = tuple(in_python(arg) if isinstance(arg, str) else arg for arg in error.args)
    return error
