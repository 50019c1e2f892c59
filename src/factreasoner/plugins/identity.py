"""Fingerprints of custom components: two objects of one class may judge differently."""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
from collections.abc import Mapping

from pydantic_core import to_jsonable_python

from factreasoner.plugins.kinds import load, named
from factreasoner.plugins.table import PLUGINS

UNKNOWN = "unknown"
"""The fingerprint of an argument that can't be compared."""
_MISSING = object()


def component_fingerprints(parts: Mapping[str, object]) -> dict[str, str]:
    """The fingerprints of a custom component's constructor arguments and class attributes.

    Their keys are such as "judge.threshold". A component with a `version` has only that. An argument is read
    from the attribute of its name, with or without a leading underscore. Without one, or if JSON can't hold
    it, it is UNKNOWN. A class is one made without arguments, and so is its name. A model has its class too;
    components of this package have none.
    """
    found: dict[str, object] = {}
    for kind, given in parts.items():
        part = load(kind, given) if isinstance(given, str) else given
        if not named(part).startswith("factreasoner."):
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
    made = part if inspect.isclass(part) else type(part)
    methods = (value.__code__ for value in vars(made).values() if inspect.isfunction(value))
    own = [code for code in methods if code.co_qualname.startswith(f"{made.__qualname__}.")]  # no decorator's
    if any(not name.startswith("__") for code in own for name in code.co_freevars):
        return {"variables": _MISSING}  # a class made in a function, whose methods use its variables
    state = _class_attributes(part, made)
    try:
        parameters = inspect.signature(made).parameters
    except (TypeError, ValueError):
        return {"constructor": _MISSING}
    if part is not made:
        return state | {n: getattr(part, n, getattr(part, f"_{n}", _MISSING)) for n in parameters}
    return state | {n: p.default for n, p in parameters.items() if _fingerprint(p.default) != UNKNOWN}


def _class_attributes(part: object, made: type) -> dict[str, object]:
    """The public attributes of a component's class, as the component has them, that JSON can hold.

    None does not count: it may be replaced on first use.
    """
    own = [item for owner in reversed(made.__mro__[:-1]) for item in vars(owner).items()]
    names = [name for name, value in own if not name.startswith("_") and _fingerprint(value) != UNKNOWN]
    unlike = (UNKNOWN, _fingerprint(None))
    values = {name: inspect.getattr_static(part, name) for name in names}
    return {name: value for name, value in values.items() if _fingerprint(value) not in unlike}
