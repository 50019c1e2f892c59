"""Convert callers' objects to mappings and lists: pydantic, dataclasses, pandas, LangChain and others."""

from __future__ import annotations

import contextlib
import dataclasses
import math
from collections.abc import Collection, Iterable, Mapping
from numbers import Real
from typing import Any

from pydantic_core import PydanticSerializationError, to_jsonable_python


def mapping_of(item: object, known: Collection[str] = ()) -> dict[Any, Any] | None:
    """The keys of a mapping, or the fields of an object; None for a string, number or list.

    Of an object's properties, only those in `known` are read. A document with a score has the key `score`.
    """
    if isinstance(item, tuple) and not hasattr(item, "_asdict"):
        if len(item) != 2 or not isinstance(item[1], Real) or isinstance(item[1], bool):
            return None
        found = {"text": item[0]} if isinstance(item[0], str) else mapping_of(item[0], known)
        return found and found | {"score": _plain(item[1])}
    keys = _keys_of(item)
    if isinstance(keys, Mapping):
        return {key: _plain(value) for key, value in keys.items()}
    if keys is None:
        return None
    values = {name: _plain(getattr(item, name, None)) for name in dict.fromkeys((*keys, *known))}
    return {name: value for name, value in values.items() if value is not None and not callable(value)}


def _keys_of(item: Any) -> Mapping[Any, Any] | list[str] | None:  # noqa: ANN401 - whatever a caller has
    """The keys and values of a mapping or row, or the names of an object's fields."""
    if isinstance(item, Mapping):
        return item
    if callable(item):
        return None
    if callable(getattr(item, "keys", None)) and hasattr(item, "__getitem__"):
        return {key: item[key] for key in item.keys()}  # noqa: SIM118 - a row is no mapping
    if hasattr(item, "_asdict"):
        return dict(item._asdict())
    if dataclasses.is_dataclass(item):
        return [field.name for field in dataclasses.fields(item)]
    if (given_fields := getattr(item, "model_fields_set", None)) is not None:
        return sorted(given_fields)
    names = (*getattr(item, "__dict__", ()), *getattr(type(item), "__slots__", ()))
    public = [name for name in names if not name.startswith("_")]
    return None if isinstance(item, Iterable) else public or None


def as_list(value: Any) -> object:  # noqa: ANN401 - whatever a caller has
    """A list from an array, DataFrame rows or any iterable; other values unchanged."""
    if hasattr(value, "columns") and hasattr(value, "to_dict"):
        rows = value.to_dicts() if hasattr(value, "to_dicts") else value.to_dict("records")  # polars, pandas
        return [drop_missing({str(key): cell for key, cell in row.items()}) for row in rows]
    if hasattr(value, "tolist"):
        return value.tolist()
    single = isinstance(value, str | bytes) or not isinstance(value, Iterable)
    return value if single or _keys_of(value) is not None else list(value)


def drop_missing(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """A row without missing values: None, NaN, NaT and NA."""
    named = ("NoneType", "NAType", "NaTType")
    return {
        key: cell
        for key, cell in row.items()
        if type(cell).__name__ not in named and not (isinstance(cell, float) and math.isnan(cell))
    }


def _plain(value: Any) -> object:  # noqa: ANN401 - whatever a caller has
    """An array as a list, and objects that stand for a string or number as that: a URL, path, enum member."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, str | int | float | Iterable):
        return value
    with contextlib.suppress(PydanticSerializationError, ValueError):
        plain = to_jsonable_python(value)
        return plain if isinstance(plain, str | int | float) else value
    return value
