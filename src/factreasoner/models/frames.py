"""Tables as pandas DataFrames."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from factreasoner.errors import MissingExtraError

if TYPE_CHECKING:
    from pandas import DataFrame

Columns = Mapping[str, type]
"""Column name -> str, int, float, list (of strings), dict (an object as JSON text), or None."""
DTYPES = {str: "string", int: "Int64", float: "Float64", list: "object", dict: "object"}
"""Nullable pandas types: a missing value is <NA>, never 0 or NaN."""


def frame_of(columns: Columns, rows: Iterable[Mapping[str, Any]]) -> DataFrame:
    """Rows as a data frame. Raises MissingExtraError if pandas is not installed."""
    try:
        import pandas
    except ModuleNotFoundError as error:
        raise MissingExtraError("handing out tables as data frames", "frames") from error
    found = list(rows)
    return pandas.DataFrame(
        {
            name: pandas.array(
                [json.loads(row[name]) or None if kind is dict else row[name] for row in found],
                dtype=DTYPES[kind],
            )
            for name, kind in columns.items()
        }
    )
