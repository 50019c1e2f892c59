"""Numbers with their nouns; and what pydantic finds wrong with a part of a model, in words that help."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import ValidationError

from factreasoner.errors import InputProblem

_OUTSIDE = "is {value}; a probability lies between 0 and 1"
_MESSAGES = {
    "missing": "missing",
    "model_type": "is {found}; it must be an object: {{...}}",
    "list_type": "is {found}; it must be a list: [...]",
    "string_type": "is {found}; it must be a text",
    "bool_type": "is {found}; write true or false",
    "float_type": "is {found}; it must be a number from 0 to 1, or null",
    "greater_than_equal": _OUTSIDE,
    "less_than_equal": _OUTSIDE,
    "finite_number": _OUTSIDE,
    "literal_error": "is {value!r}; it must be {expected}",
    "extra_forbidden": "there is no such field",
}
"""Pydantic's types of errors, and what to say."""


def number_of(count: int, word: str) -> str:
    """A number of things: "1 record", "1,200 processes"."""
    ending = "" if count == 1 else "es" if word.endswith("s") else "s"
    return f"{count:,} {word}{ending}"


def reworded(
    error: ValidationError, where: str, names: Mapping[str, str], *above: str, **words: str
) -> Iterator[InputProblem]:
    """The problems in pydantic's error about a part that stands under the keys `above`.

    `names` are what the input calls the fields of a Record; `words` go before the usual messages.
    """
    for item in error.errors(include_url=False):
        form = (_MESSAGES | words).get(item["type"], "{said}")
        message = form.format(
            found=describe(item["input"]),
            value=item["input"],
            said=item["msg"].removeprefix("Value error, "),
            expected=item.get("ctx", {}).get("expected"),
        )
        first, *rest = (*above, *item["loc"]) or ("",)
        parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in rest)
        yield InputProblem(where, names.get(str(first), str(first)) + "".join(parts), message)


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
