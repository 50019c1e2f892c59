"""Fingerprints of custom components: two objects of one class may judge differently."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Mapping

from pydantic_core import to_jsonable_python

from factreasoner.plugins.kinds import named
from factreasoner.plugins.table import PLUGINS

UNKNOWN = "unknown"
"""The fingerprint of an argument that can't be compared."""
_MISSING = object()


def component_fingerprints(parts: Mapping[str, object]) -> dict[str, str]:
    """The fingerprints of the constructor arguments of custom components, such as "judge.threshold".

    A component with a `version` has only that. An argument is read from the attribute of its name, with or
    without a leading underscore. Without one, or if JSON can't hold it, it is UNKNOWN. A model has its class
    too; components of this package have none.
    """
    found: dict[str, object] = {}
    for kind, part in parts.items():
        if not type(part).__module__.startswith("factreasoner."):
            state = _state(part) if kind in PLUGINS else {"class": named(part), **_state(part)}
            found |= {f"{kind}.{name}": value for name, value in state.items()}
    return {name: _fingerprint(value) for name, value in found.items()}


def _fingerprint(value: object) -> str:
    try:
        text = json.dumps(to_jsonable_python(value), sort_keys=True)
    except (ValueError, TypeError, RecursionError):
        return UNKNOWN
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _state(part: object) -> dict[str, object]:
    """The values that distinguish a component from others of its name."""
    if isinstance(version := getattr(part, "version", None), str | int | float):
        return {"version": version}
    if isinstance(part, functools.partial):
        return {"function": named(part.func), "arguments": part.args, **part.keywords}
    if inspect.isroutine(part):
        fixed = part.__name__ != "<lambda>" and not getattr(part, "__closure__", None)
        return {} if fixed and not inspect.ismethod(part) else {"variables": _MISSING}
    methods = filter(inspect.isfunction, vars(type(part)).values())
    if {name for method in methods for name in method.__code__.co_freevars} - {"__class__"}:
        return {"variables": _MISSING}  # a class made in a function, whose methods use its variables
    try:
        names = () if inspect.isclass(part) else tuple(inspect.signature(type(part)).parameters)
    except (TypeError, ValueError):
        names = ("constructor",)
    return {name: getattr(part, name, getattr(part, f"_{name}", _MISSING)) for name in names}
