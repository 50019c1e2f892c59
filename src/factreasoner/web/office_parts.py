"""The parts of an office document, and what their elements show, as HTML."""

from __future__ import annotations

import html
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import unquote

from lxml import etree

from factreasoner.web.tree import ABOVE

_TAGS = {"tbl": "table", "tr": "tr", "rt": "rt"}
_SIGNS = {"br": "<br>", "cr": "<br>", "tab": " ", "ptab": " ", "noBreakHyphen": "-"}
_SKIPPED = frozenset({"del", "moveFrom", "instrText", "delText", "delInstrText", "fldData"})
_SHAPES = frozenset({"sp", "pic", "graphicFrame", "grpSp", "cxnSp", "wsp", "anchor", "inline"})
_NOT_READ = {
    "altChunk": "a document inside it",
    "subDoc": "a document inside it",
    "object": "an embedded object",
    "oleObj": "an embedded object",
}
_MATH = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/math}",
    "{http://purl.oclc.org/ooxml/officeDocument/math}",
)


class _PartRelation(NamedTuple):
    kind: str
    target: str


def xml_of(archive: zipfile.ZipFile, name: str) -> Any:
    """A part's root; entities are not resolved, and nothing is fetched."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    return etree.fromstring(archive.read(name), parser)


def local_name(element: Any) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Any, name: str, other: str = "") -> str:
    """An attribute, whatever its namespace."""
    return next((str(value) for key, value in element.items() if key.rpartition("}")[2] == name), other)


def child(element: Any, *names: str) -> Any:
    """The element below `element` on the path of these names; None if there is none."""
    for name in names:
        element = next((inner for inner in element if local_name(inner) == name), None)
        if element is None:
            return None
    return element


class OfficePart:
    """One part of an archive; the one without a name is the archive itself."""

    def __init__(self, archive: zipfile.ZipFile, name: str = "") -> None:
        self._archive = archive
        self._name = name
        self.root: Any = xml_of(archive, name) if name else None

    @cached_property
    def _relations(self) -> dict[str, _PartRelation]:
        folder, base = posixpath.split(self._name)
        name = posixpath.join(folder, "_rels", f"{base}.rels")
        if name not in self._archive.namelist():
            return {}
        found = {}
        for row in xml_of(self._archive, name):
            path = posixpath.join("/", folder, unquote(row.get("Target", "")))
            kind = row.get("Type", "").rpartition("/")[2]
            found[row.get("Id", "")] = _PartRelation(kind, posixpath.normpath(path).lstrip("/"))
        return found

    def linked(self, relation_id: str) -> OfficePart | None:
        """The part that an id points to."""
        relation = self._relations.get(relation_id)
        there = relation is not None and relation.target in self._archive.namelist()
        return OfficePart(self._archive, relation.target) if relation is not None and there else None

    def of_kind(self, kind: str) -> list[OfficePart]:
        """The parts of a kind that it points to."""
        found = (self.linked(i) for i, relation in self._relations.items() if relation.kind == kind)
        return [part for part in found if part is not None]


class PartReader:
    """Turns the elements of a document into HTML; `unread` collects what it can't read."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        (self.main,) = OfficePart(archive).of_kind("officeDocument")
        self.unread: list[str] = []
        self._boxes: list[str] = []
        self._initial = ""
        """A drop cap, a paragraph of its own: the next one begins with it."""

    def inside(self, element: Any, part: OfficePart) -> str:
        """The HTML of what an element contains."""
        return "".join(piece for inner in element for piece in self._read(inner, part))

    def _read(self, element: Any, part: OfficePart) -> Iterator[str]:
        name = local_name(element)
        if name in _SIGNS:
            yield _SIGNS[name]
        elif name in _NOT_READ:
            self.unread.append(_NOT_READ[name])
        elif name.endswith("Pr") or self.unseen(element):
            return
        elif name in ("t", "v") and not len(element):
            yield html.escape(element.text or "")
        elif name in _TAGS:
            yield f"<{_TAGS[name]}>{self.inside(element, part)}</{_TAGS[name]}>"
        elif element.tag.startswith(_MATH):
            yield from self._formula(element, name, part)
        elif hasattr(self, f"_read_{name}"):
            yield getattr(self, f"_read_{name}")(element, part)
        elif name not in _SKIPPED:
            yield self.inside(element, part)

    def unseen(self, element: Any) -> bool:
        """Whether an element is struck, hidden or deleted."""
        name = local_name(element)
        properties = child(element, f"{name}Pr")
        if name == "r" and properties is not None:
            return attribute(properties, "strike", "noStrike") != "noStrike"
        if name in ("tr", "tc") and properties is not None:
            return child(properties, "del") is not None or child(properties, "cellDel") is not None
        if name in _SHAPES:
            shown = (
                inner for child in element if local_name(child).endswith("Pr") for inner in (child, *child)
            )
            return any(attribute(inner, "hidden") in ("1", "true") for inner in shown)
        return name == "tc" and attribute(element, "hMerge") in ("1", "true")

    def _read_p(self, element: Any, part: OfficePart) -> str:
        outside, self._boxes = self._boxes, []
        initial, self._initial = self._initial, ""
        text = initial + self.inside(element, part)
        boxes, self._boxes = "".join(self._boxes), outside
        frame = child(element, "pPr", "framePr")
        if frame is not None and attribute(frame, "dropCap", "none") != "none":
            self._initial = text
            return boxes
        return f"<p>{text}</p>{boxes}"

    def _read_txbxContent(self, element: Any, part: OfficePart) -> str:  # noqa: N802 - a name of the format
        self._boxes.append(self.inside(element, part))
        return ""

    def _read_AlternateContent(self, element: Any, part: OfficePart) -> str:  # noqa: N802
        before = len(self._boxes)
        branches = (self.inside(branch, part) for branch in element)
        return next((text for text in branches if text.strip() or len(self._boxes) > before), "")

    def _read_ruby(self, element: Any, part: OfficePart) -> str:
        base, above = child(element, "rubyBase"), child(element, "rt")
        texts = ["" if inner is None else self.inside(inner, part) for inner in (base, above)]
        return "<ruby>{}<rt>{}</rt></ruby>".format(*texts)

    def _read_sym(self, element: Any, part: OfficePart) -> str:
        code = int(attribute(element, "char", "20"), 16)
        return "" if 0xE000 <= code < 0xF900 else html.escape(chr(code))  # a sign of a font of its own

    def _read_tc(self, element: Any, part: OfficePart) -> str:
        merge, span = child(element, "tcPr", "vMerge"), child(element, "tcPr", "gridSpan")
        goes_on = merge is not None and attribute(merge, "val", "continue") == "continue"
        above = ABOVE if goes_on or attribute(element, "vMerge") in ("1", "true") else ""
        columns = attribute(element, "gridSpan", "1") if span is None else attribute(span, "val", "1")
        return f'<td colspan="{html.escape(columns)}" {above}>{self.inside(element, part)}</td>'

    def _read_r(self, element: Any, part: OfficePart) -> str:
        text, properties = self.inside(element, part), child(element, "rPr")
        if properties is None or not text.strip():
            return text
        aligned = child(properties, "vertAlign")
        above = attribute(properties, "baseline", "0").lstrip("+").rstrip("%")
        raised = aligned is not None and attribute(aligned, "val") == "superscript"
        return f"<sup>{text}</sup>" if raised or (above.isdecimal() and int(above) > 0) else text

    def _read_ddList(self, element: Any, part: OfficePart) -> str:  # noqa: N802
        entries = [attribute(entry, "val") for entry in element if local_name(entry) == "listEntry"]
        chosen = child(element, "result")
        place = 0 if chosen is None else int(attribute(chosen, "val", "0"))
        return "".join(html.escape(entry) for entry in entries[place : place + 1])

    def _read_textpath(self, element: Any, part: OfficePart) -> str:
        return html.escape(attribute(element, "string"))

    def _read_relIds(self, element: Any, part: OfficePart) -> str:  # noqa: N802
        data = part.linked(attribute(element, "dm"))
        if data is None:
            self.unread.append("a SmartArt graphic")
            return ""
        return self.inside(data.root, data)

    def _read_chart(self, element: Any, part: OfficePart) -> str:
        chart = part.linked(attribute(element, "id"))
        if chart is None:
            self.unread.append("a chart")
            return ""
        series = [ser for ser in chart.root.iter() if local_name(ser) == "ser"]
        rows: dict[int, list[str]] = {}
        for column, ser in enumerate(series):
            for place, value in _points(ser, "cat", "xVal"):
                rows.setdefault(place, [value, *[""] * len(series)])
            for place, value in _points(ser, "val", "yVal"):
                rows.setdefault(place, [str(place + 1), *[""] * len(series)])[column + 1] = value
        if not rows:
            self.unread.append("a chart")
        names = ["".join(value for _, value in _points(ser, "tx")) for ser in series]
        table = "".join(map(_html_row, [["", *names], *(rows[place] for place in sorted(rows))]))
        titles = [self.inside(title, chart) for title in chart.root.iter() if local_name(title) == "title"]
        return f"{''.join(titles)}<table>{table}</table>"

    def _formula(self, element: Any, name: str, part: OfficePart) -> Iterator[str]:
        """A formula on one line: a/b, x^2, √(x)."""

        def inside(name: str) -> str:
            inner = child(element, name)
            return "" if inner is None else self.inside(inner, part)

        if name == "f":
            yield f"{_bracketed(inside('num'))}/{_bracketed(inside('den'))}"
        elif name in ("sSup", "sSubSup"):
            yield f"{inside('e')}{inside('sub')}^{_bracketed(inside('sup'))}"
        elif name == "rad":
            degree = inside("deg")
            yield f"√{degree and f'[{degree}]'}{_bracketed(inside('e'))}"
        elif name == "d":
            pieces = [self.inside(inner, part) for inner in element if local_name(inner) == "e"]
            first, between, last = (
                _sign(element, f"{sign}Chr", usual)
                for sign, usual in (("beg", "("), ("sep", "|"), ("end", ")"))
            )
            yield f"{first}{between.join(pieces)}{last}"
        elif name == "mr":
            yield f"({', '.join(self.inside(cell, part) for cell in element)})"
        else:
            yield _sign(element, "chr", "∫") if name == "nary" else ""
            yield self.inside(element, part)


def _sign(element: Any, name: str, usual: str) -> str:
    """A sign that the properties of a part of a formula give it, as HTML."""
    sign = child(element, f"{local_name(element)}Pr", name)
    return usual if sign is None else html.escape(attribute(sign, "val"))


def _bracketed(text: str) -> str:
    return text if text.isalnum() else f"({text})"


def _points(series: Any, *names: str) -> Iterator[tuple[int, str]]:
    """The values that a chart keeps of one of its ranges, by their places."""
    for element in series:
        if local_name(element) in names:
            for point in element.iter():
                if local_name(point) == "pt":
                    yield int(attribute(point, "idx", "0")), "".join(point.itertext()).strip()


def _html_row(cells: Iterable[str]) -> str:
    return f"<tr>{''.join(f'<td>{html.escape(cell)}</td>' for cell in cells)}</tr>"
