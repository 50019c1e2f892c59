"""Formulas on one line: a/b, x^2, √(x)."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from pathlib import Path
from typing import Any

TABLES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("formulas.toml").read_text(encoding="utf-8"))
_BRACKETS = re.compile(r"[(\[{][^()\[\]{}]*[)\]}]")
_PART = re.compile(r"([_^,]?)([({\[])(\w+)[)}\]]")


def linear(form: str, parts: Mapping[str, str]) -> str:
    """The parts of a formula in a form of the table, with brackets where it needs them."""

    def written(found: re.Match[str]) -> str:
        text, before, bracket = parts.get(found[3], ""), found[1], found[2]
        if not text or bracket == "{":
            return text
        base = parts.get("e", "")[-1:]
        if before == "," and (base + text).isalnum() and not (base + text[0]).isdecimal():
            return text  # H2O, but 10_2
        return f"[{text}]" if bracket == "[" else before.replace(",", "_") + _bracketed(text)

    return _PART.sub(written, TABLES["forms"][form])


def _bracketed(text: str) -> str:
    is_one = len(text) == 1 or all(sign.isalnum() or unicodedata.combining(sign) for sign in text)
    return text if is_one or _BRACKETS.fullmatch(text) else f"({text})"
