"""What the elements of office documents show, as HTML."""

from __future__ import annotations

import html
import tomllib
import zipfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from factreasoner.documents.formulas import TABLES, linear
from factreasoner.documents.html import ABOVE
from factreasoner.documents.office_charts import chart_table
from factreasoner.documents.office_parts import OfficePart, attribute, child, is_on, local_name

_SIGNS = {"br": "<br>", "cr": "<br>", "tab": " ", "ptab": " ", "noBreakHyphen": "-"}
_SIGN_FONTS = ("Symbol", "Wingdings", "Webdings")
_SKIPPED = frozenset({"del", "moveFrom", "instrText", "delText", "delInstrText", "fldData"})
_SHAPES = frozenset({"sp", "pic", "graphicFrame", "grpSp", "cxnSp", "wsp", "anchor", "inline"})
_TABLES = tomllib.loads(Path(__file__).with_name("office.toml").read_text(encoding="utf-8"))


class PartReader:
    """Turns the elements of a document into HTML; `unread` collects what it can't read."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        (self.main,) = OfficePart(archive).of_kind("officeDocument")
        self.unread: list[str] = []
        self._boxes: list[str] = []
        self._fields: list[bool] = []
        """The fields around, outermost first: whether their results have begun."""
        self._begun = ""
        """The start of the next paragraph: a drop cap, or a paragraph whose end was deleted or hidden."""

    def inside(self, element: Any, part: OfficePart) -> str:
        """The HTML of what an element contains."""
        found = () if element is None else element
        return "".join(piece for inner in found for piece in self._read(inner, part))

    def story(self, element: Any, part: OfficePart) -> str:
        """The HTML of an element that holds whole paragraphs."""
        outside, self._begun = self._begun, ""
        text = self.inside(element, part) + self._begun
        self._begun = outside
        return text

    def _read(self, element: Any, part: OfficePart) -> Iterator[str]:
        name = local_name(element)
        if name.endswith("Pr") or name in _SKIPPED or self.unseen(element):
            for mark in element.iter("{*}fldChar"):  # a field begins and ends where it is hidden, too
                self._read_fldChar(mark, part)
        elif name not in ("fldChar", "p", "t") and not all(self._fields):  # in a field's instruction
            yield self.inside(element, part)
        elif name in _SIGNS:
            yield _SIGNS[name]
        elif name in _TABLES["unread"]:
            self.unread.append(_TABLES["unread"][name])
        elif name in ("t", "v") and not len(element):
            if all(self._fields[:-1]):  # the innermost may have lost its end to another
                yield html.escape(element.text or "")
        elif element.tag.partition("}")[0].endswith("/math"):
            yield self._formula(element, name, part)
        elif hasattr(self, f"_read_{name}"):
            yield getattr(self, f"_read_{name}")(element, part)
        else:
            yield self.inside(element, part)

    def unseen(self, element: Any) -> bool:
        """Whether an element is struck, hidden or deleted."""
        name = local_name(element)
        properties = child(element, f"{name}Pr")
        if name == "r" and properties is not None:
            return attribute(properties, "strike", "noStrike") != "noStrike"
        if name in ("tr", "tc") and any(map(partial(is_on, properties), ("del", "cellDel", "hidden"))):
            return True
        if name in _SHAPES:
            return bool(element.xpath("(* | */*)[@hidden = '1' or @hidden = 'true']"))
        return name == "tc" and attribute(element, "hMerge") in ("1", "true")

    def _read_p(self, element: Any, part: OfficePart) -> str:
        outside, self._boxes = self._boxes, []
        begun, self._begun = self._begun, ""
        text = begun + self.inside(element, part)
        boxes, self._boxes = "".join(self._boxes), outside
        joined = any(map(partial(is_on, child(element, "pPr", "rPr")), ("del", "moveFrom", "vanish")))
        if joined or attribute(child(element, "pPr", "framePr"), "dropCap", "none") != "none":
            self._begun = text
            return boxes
        return f"<p>{text}</p>{boxes}"

    def _read_txbxContent(self, element: Any, part: OfficePart) -> str:  # noqa: N802 - a name of the format
        self._boxes.append(self.story(element, part))
        return ""

    def _read_AlternateContent(self, element: Any, part: OfficePart) -> str:  # noqa: N802
        before = len(self._boxes)
        branches = (self.inside(branch, part) for branch in element)
        return next((text for text in branches if text.strip() or len(self._boxes) > before), "")

    def _read_ruby(self, element: Any, part: OfficePart) -> str:
        base, above = (self.inside(child(element, name), part) for name in ("rubyBase", "rt"))
        return f"<ruby>{base}<rt>{above}</rt></ruby>"

    def _read_sym(self, element: Any, part: OfficePart) -> str:
        code, font = int(attribute(element, "char", "20"), 16), attribute(element, "font")
        is_own = 0xE000 <= code < 0xF900 or (code < 0x100 and font.startswith(_SIGN_FONTS))
        sign = _TABLES["symbol"][max(0, code % 0x100 - 0x20)].strip() if is_own and font == "Symbol" else ""
        self.unread += ["a sign of a font of its own"] * (is_own and not sign)
        return html.escape(sign if is_own else chr(code))

    def _read_fldChar(self, element: Any, part: OfficePart) -> str:  # noqa: N802
        """What a field that begins shows itself; the results of those inside belong to its instruction."""
        kind = attribute(element, "fldCharType")
        shown = self.inside(element, part)
        if kind == "begin":
            self._fields.append(False)
        elif kind and self._fields:
            self._fields[-1:] = [True] * (kind == "separate")
        return shown

    def _read_tbl(self, element: Any, part: OfficePart) -> str:
        begun, self._begun = self._begun, ""
        return f"{begun}<table>{self.inside(element, part)}</table>"

    def _read_tr(self, element: Any, part: OfficePart) -> str:
        columns = attribute(child(element, "trPr", "gridBefore"), "val")
        empty = "<td></td>" * min(int(columns) if columns.isdecimal() else 0, 100)
        row = f"<tr>{empty}{self.inside(element, part)}</tr>"
        return f"<thead>{row}</thead>" if is_on(child(element, "trPr"), "tblHeader") else row

    def _read_tc(self, element: Any, part: OfficePart) -> str:
        merge, span = child(element, "tcPr", "vMerge"), child(element, "tcPr", "gridSpan")
        goes_on = merge is not None and attribute(merge, "val", "continue") == "continue"
        above = ABOVE if goes_on or attribute(element, "vMerge") in ("1", "true") else ""
        columns = attribute(element, "gridSpan", "1") if span is None else attribute(span, "val", "1")
        return f'<td colspan="{html.escape(columns)}" {above}>{self.story(element, part)}</td>'

    def _read_r(self, element: Any, part: OfficePart) -> str:
        text, properties = self.inside(element, part), child(element, "rPr")
        above = attribute(properties, "baseline").lstrip("+").rstrip("%")
        raised = attribute(child(properties, "vertAlign"), "val") == "superscript"
        is_above = raised or (above.isdecimal() and int(above) > 0)
        return f"<sup>{text}</sup>" if is_above and text.strip() else text

    def _read_ddList(self, element: Any, part: OfficePart) -> str:  # noqa: N802
        entries = [attribute(entry, "val") for entry in element if local_name(entry) == "listEntry"]
        place = int(attribute(child(element, "result"), "val", "0"))
        return "".join(html.escape(entry) for entry in entries[place : place + 1])

    def _read_textpath(self, element: Any, part: OfficePart) -> str:
        return html.escape(attribute(element, "string"))

    def _read_relIds(self, element: Any, part: OfficePart) -> str:  # noqa: N802
        data = part.linked(attribute(element, "dm"))
        self.unread += ["a SmartArt graphic"] * (data is None)
        return "" if data is None else self.inside(data.root, data)

    def _read_chart(self, element: Any, part: OfficePart) -> str:
        chart = part.linked(attribute(element, "id"))
        table = "" if chart is None else chart_table(chart.root)
        self.unread += ["a chart"] * (not table)
        titles = [] if chart is None else [self.inside(one, chart) for one in chart.root.iter("{*}title")]
        return "".join([*titles, table])

    def _formula(self, element: Any, name: str, part: OfficePart) -> str:
        """A formula on one line: a/b, x^2, √(x)."""
        inner = [one for one in element if not local_name(one).endswith("Pr")]
        if name == "d":
            text = _sign(element, "sepChr", "|").join(self.inside(one, part) for one in inner)
            return _sign(element, "begChr", "(") + text + _sign(element, "endChr", ")")
        if name in TABLES["between"]:
            text = TABLES["between"][name].join(self.inside(one, part) for one in inner)
            return f"({text})" if name == "mr" else text
        sign = _sign(element, "chr", TABLES["signs"].get(name, ""))
        kind = "arrow" if sign and sign in TABLES["arrows"] else name
        if kind not in TABLES["forms"]:
            return self.inside(element, part)
        shown = [one for one in inner if not is_on(child(element, f"{name}Pr"), f"{local_name(one)}Hide")]
        parts = {local_name(one): self.inside(one, part) for one in shown} | {"sign": sign}
        look = _sign(element, "pos", "") or _sign(element, "type", "")
        return linear(f"{kind} {look}" if f"{kind} {look}" in TABLES["forms"] else kind, parts)


def _sign(element: Any, name: str, usual: str) -> str:
    """A property of a part of a formula, as HTML."""
    sign = child(element, f"{local_name(element)}Pr", name)
    return html.escape(attribute(sign, "val", usual if sign is None else ""))
