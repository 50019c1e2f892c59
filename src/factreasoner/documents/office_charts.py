"""Charts of office documents as tables, with dates as their formats show them."""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from factreasoner.documents.office_parts import attribute, child, is_on, local_name

_DATE_PART = re.compile(r'"([^"]*)"|\\(.)|(h)+:m+(?::s+)?(?: ?am/pm)?|(y)+|m+|d+', re.IGNORECASE)
_AXES = ("{*}catAx", "{*}dateAx", "{*}valAx")
_TABLES = tomllib.loads(Path(__file__).with_name("office.toml").read_text(encoding="utf-8"))


def chart_table(root: Any) -> str:
    """The values of a chart as an HTML table, a row for each category; empty if it keeps none."""
    formats = {attribute(child(axis, "axId"), "val"): _own_format(axis) for axis in root.iter(*_AXES)}
    series = list(root.iter("{*}ser"))
    rows: dict[tuple[int, str], list[str]] = {}
    labels: dict[int, str] = {}
    for column, ser in enumerate(series):
        ids = (attribute(one, "val") for one in ser.itersiblings("{*}axId"))
        own = sorted((formats[one] for one in ids if one in formats), key=lambda found: found[0])
        labels = dict(_points(ser, own[0][1] if own else "", "cat", "xVal")) or labels
        values = dict(_points(ser, own[-1][1] if own else "", "val", "yVal"))
        for place in labels | values:
            label = labels.get(place, str(place + 1))
            row = rows.setdefault((place, label), [label, *[""] * len(series)])
            row[column + 1] = values.get(place, "")
    if not rows:
        return ""
    names = ["".join(value for _, value in _points(ser, "", "tx")) for ser in series]
    lines = [["", *names], *(rows[place] for place in sorted(rows))]
    table = "".join(f"<tr><td>{'<td>'.join(map(html.escape, line))}</tr>" for line in lines)
    return f"<table>{table}</table>"


def _own_format(axis: Any) -> tuple[bool, str]:
    """Whether an axis is one of values, and its format; empty if that is the format of its source."""
    form = child(axis, "numFmt")
    code = "" if attribute(form, "sourceLinked") in ("1", "true") else attribute(form, "formatCode")
    return local_name(axis) == "valAx", code.replace("General", "")


def _points(series: Any, own: str, *names: str) -> Iterator[tuple[int, str]]:
    """The values that a chart keeps of a range, by their places; categories with those above them.

    `own` is the format of their axis, before that of the range.
    """
    for element in (one for one in series if local_name(one) in names):
        code = element.findtext(".//{*}formatCode", "")
        levels = list(element.iter("{*}lvl")) or [element]
        texts = [
            {int(attribute(v.getparent(), "idx", "0")): _shown(v, own, code) for v in level.iter("{*}v")}
            for level in levels
        ]
        line = [""] * len(texts)
        for place in sorted(set().union(*texts)):
            line = [texts[0].get(place, ""), *map(dict.get, texts[1:], [place] * len(texts), line[1:])]
            yield place, ", ".join(filter(None, reversed(line)))


def _shown(value: Any, own: str, code: str) -> str:
    """A value of a chart, as the format code of its axis, itself or its range shows it if it is a date."""
    text, point = "".join(value.itertext()).strip(), value.getparent()
    is_number = re.fullmatch(r"-?\d*\.?\d+(E-?\d+)?", text)
    if not is_number or local_name(point.getparent()) in ("strCache", "strLit", "lvl"):
        return text
    code = re.sub(r"\[[^\]]*\]|[_*].|;.*|@", "", own or attribute(point, "formatCode", code))
    if "." in text and re.match(r"-?(?:\.?\d){16}", text):  # the sheet shows fewer
        text = f"{float(text):.15g}"
    if percent := re.fullmatch(r"[0#]*(?:\.(0+))? ?%", code):
        return f"{float(text):.{len(percent[1] or '')}%}"
    signs = re.sub(r'"[^"]*"|\\.|am/pm', "", code.lower())
    is_date = re.search(r"[dy]|mmm", signs) and not re.search(r"[0#?%ent]", signs)
    if not is_date or not re.fullmatch(r"\d{1,6}(\.\d+)?", text):
        return text
    days = float(text) + 1_462 * is_on(value.getroottree().getroot(), "date1904")
    day = datetime(1899, 12, 30) + timedelta(seconds=round(86_400 * days))
    if re.search(r"[^\W\d_]", re.sub(r"h+:m+(:s+)?|y+|m+|d+", "", signs)):  # a sign that is not known
        return f"{day:%Y-%m-%d}"

    def written(part: re.Match[str]) -> str:
        form = _TABLES["dates"].get((part[3] or part[4] or part[0]).lower()[:4], "")
        return part[1] or part[2] or str(form.format(day))

    return _DATE_PART.sub(written, code)
