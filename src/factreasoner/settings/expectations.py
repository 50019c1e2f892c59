"""Pydantic's errors in our words: what a value must be."""

from __future__ import annotations

import types
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo
    from pydantic_core import ErrorDetails

OWN = "value_error"
"""The type of errors from validators of this package, which have their own message."""

_KINDS: Mapping[Any, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Path: "a path",
    tuple: "a list of texts",
    dict: "a mapping",
}
_REFUSED = {
    "missing": "missing",
    "greater_than_equal": "must be at least {ge:g}",
    "greater_than": "must be above {gt:g}",
    "less_than_equal": "must be at most {le:g}",
    "less_than": "must be below {lt:g}",
    "literal_error": "must be {expected}",
    "string_too_short": "must not be empty",
    "string_pattern_mismatch": "must be of the form {pattern}",
    "finite_number": "must be a finite number",
    "extra_forbidden": "unknown key",
}
"""Pydantic's types of errors, and what to say, filled in from the error's context."""
_WRONG_KINDS = {"int": int, "float": float, "bool": bool, "string": str, "path": Path, "dict": dict}
"""How the type of an error about a wrong kind begins ("int_parsing", "string_type")."""


def must_be(field: FieldInfo) -> str | None:
    """What a field takes ("must be a number from 0 to 2"); None if a few words can't say it."""
    choices: list[str] = []
    for kind in kinds_of(field.annotation):
        if get_origin(kind) is Literal:
            choices += map(str, get_args(kind))
        elif words := _KINDS.get(get_origin(kind) or kind):
            choices.append(" ".join(filter(None, (words, _limits(field)))))
        else:
            return None
    return f"must be {_one_of(choices)}" if choices else None


def refused(error: ErrorDetails) -> str:
    """Why a value is refused, and what it must be."""
    message = error["msg"].removeprefix("Value error, ")
    if error["type"] == OWN:
        return message
    if error["type"] in _REFUSED:
        return _REFUSED[error["type"]].format(**error.get("ctx", {}))
    kind = _WRONG_KINDS.get(error["type"].partition("_")[0])
    return f"must be {_KINDS[kind]}" if kind else message[:1].lower() + message[1:]


def kinds_of(annotation: Any) -> list[Any]:  # noqa: ANN401 - a type, of whatever form
    """The types of a union, without None."""
    if get_origin(annotation) is Annotated:
        return kinds_of(get_args(annotation)[0])
    if get_origin(annotation) in (Union, types.UnionType):
        return [kind for part in get_args(annotation) for kind in kinds_of(part)]
    return [] if annotation is type(None) else [annotation]


def _limits(field: FieldInfo) -> str:
    """The limits of a number or a text, in words."""
    found = {
        name: getattr(rule, name)
        for rule in field.metadata
        for name in ("ge", "gt", "le", "lt", "min_length", "pattern")
        if getattr(rule, name, None) is not None
    }
    if "ge" in found and "le" in found:
        return "from {ge:g} to {le:g}".format(**found)
    words = {
        "ge": "of at least {ge:g}",
        "gt": "above {gt:g}",
        "le": "of at most {le:g}",
        "lt": "below {lt:g}",
        "min_length": "that is not empty",
        "pattern": "of the form {pattern}",
    }
    return " and ".join(text.format(**found) for name, text in words.items() if name in found)


def _one_of(choices: list[str]) -> str:
    return " or ".join(filter(None, (", ".join(choices[:-1]), choices[-1])))
