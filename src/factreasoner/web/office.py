"""Word documents and presentations as HTML, read from their XML: what they show, part by part.

Runs in the calling process and takes the time it takes: for files nobody vouches for, use
:class:`factreasoner.web.reader.PageReader`.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Iterator
from typing import Any

from factreasoner.web.office_parts import OFF, OfficePart, PartReader, attribute, child, local_name, xml_of
from factreasoner.web.page import Extracted
from factreasoner.web.tree import one_line, whole_text

MOST_UNPACKED = 500_000_000
"""Bytes that all parts of a document may come to."""
_STRUCK = frozenset({"vanish", "strike", "dstrike"})
_FURNITURE = ("sldNum", "sldImg", "dt", "ftr", "hdr")


def office_text(data: bytes, kind: str) -> Extracted:
    """Text and title of a docx or pptx. `partly` names what is in it and not read.

    Never raises for what `data` holds: the reason is in `dropped` ("damaged docx", "encrypted docx",
    "unpacks to more than 500 MB"). Raises MemoryError: it takes more than there is.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if sum(part.file_size for part in archive.infolist()) > MOST_UNPACKED:
                return Extracted("", dropped=f"unpacks to more than {MOST_UNPACKED // 1_000_000} MB")
            if any(part.flag_bits & 1 for part in archive.infolist()):
                return Extracted("", dropped=f"encrypted {kind}")
            document = _OfficeDocument(archive) if kind == "docx" else _Slides(archive)
            found = whole_text("".join(document.pieces()))
            title = _title(archive)
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - the parsers' ways to fail on hostile bytes; each is a fact about these alone
        return Extracted("", dropped=f"damaged {kind}")
    return Extracted(found.text, title, partly=tuple(dict.fromkeys(document.unread)), tables=found.tables)


def _title(archive: zipfile.ZipFile) -> str:
    name = "docProps/core.xml"
    titles = xml_of(archive, name).xpath("//*[local-name()='title']") if name in archive.namelist() else []
    return one_line("".join(titles[0].itertext())) if titles else ""


class _OfficeDocument(PartReader):
    """A Word document: its text, then its notes, then its headers and footers."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        super().__init__(archive)
        self._styles = _styles(part.root for part in self.main.of_kind("styles"))
        self._paragraph = dict[str, bool]()
        self._notes: list[str] = []
        self._known_notes = {
            (kind, attribute(note, "id")): (part, note)
            for kind in ("footnotes", "endnotes")
            for part in self.main.of_kind(kind)
            for note in part.root
        }

    def pieces(self) -> Iterator[str]:
        """The document as HTML."""
        yield self.story(self.main.root, self.main)
        yield from self._notes
        kinds = (part for kind in ("header", "footer") for part in self.main.of_kind(kind, self.unread))
        yield from dict.fromkeys(self.story(part.root, part) for part in kinds)

    def unseen(self, element: Any) -> bool:
        """Whether an element is struck, hidden or deleted, by itself or by its style."""
        name = local_name(element)
        if name == "p":
            self._paragraph = self._styles.get(_value(element, "pPr", "pStyle"), {})
        if name != "r":
            return super().unseen(element)
        styled = self._styles.get(_value(element, "rPr", "rStyle"), {})
        own: dict[str, bool] = {}
        for properties in element.iterchildren("{*}rPr"):  # in a formula there are two
            own |= _struck(properties)
        return any((self._paragraph | styled | own).values())

    def _read_footnoteReference(self, element: Any, part: OfficePart) -> str:  # noqa: N802 - names of the format
        return self._noted(element, "footnotes")

    def _read_endnoteReference(self, element: Any, part: OfficePart) -> str:  # noqa: N802
        return self._noted(element, "endnotes")

    def _noted(self, element: Any, kind: str) -> str:
        """The mark of a note, whose text goes to the end of the document."""
        part, note = self._known_notes.get((kind, attribute(element, "id")), (None, None))
        if part is None:
            self.unread.append("a note")
            return ""
        paragraph, number = self._paragraph, len(self._notes) + 1
        self._notes.append("")
        text = self.story(note, part).removeprefix("<p>")
        self._notes[number - 1] = f"<p>[{number}] {text}"
        self._paragraph = paragraph
        return f"[{number}]"


def _value(element: Any, *names: str) -> str:
    found = child(element, *names)
    return "" if found is None else attribute(found, "val")


def _struck(properties: Any) -> dict[str, bool]:
    """What the properties of a run say on whether it is struck or hidden."""
    found = () if properties is None else properties
    return {local_name(p): attribute(p, "val", "1") not in OFF for p in found if local_name(p) in _STRUCK}


def _styles(roots: Iterable[Any]) -> dict[str, dict[str, bool]]:
    """Whether text of a style is struck or hidden, by the style's id."""
    styles = {
        attribute(style, "styleId"): style for root in roots for style in root if local_name(style) == "style"
    }
    found: dict[str, dict[str, bool]] = {}
    for name in styles:
        line: list[str] = []
        above = name
        while above in styles and above not in line:  # they may go round in a circle
            line.append(above)
            above = _value(styles[above], "basedOn")
        found[name] = {}
        for one in reversed(line):
            found[name] |= _struck(child(styles[one], "rPr"))
    return found


class _Slides(PartReader):
    """A presentation: the slides in their order, each with its notes."""

    def pieces(self) -> Iterator[str]:
        """The presentation as HTML."""
        listed = child(self.main.root, "sldIdLst")
        for number, row in enumerate(() if listed is None else listed, 1):
            slide = self.main.linked(next((v for k, v in row.items() if k.endswith("}id")), ""))
            if slide is None:
                self.unread.append(f"slide {number} is missing")
                continue
            if slide.root.get("show") in ("0", "false"):
                self.unread.append(f"slide {number} is hidden")
                continue
            before = len(self.unread)
            pieces = [self.inside(slide.root, slide)]
            pieces += [self.inside(notes.root, notes) for notes in slide.of_kind("notesSlide")]
            self.unread[before:] = [f"slide {number}: {what}" for what in self.unread[before:]]
            if not any(whole_text(piece).text for piece in pieces):
                self.unread.append(f"slide {number} has no text")
            yield from pieces

    def unseen(self, element: Any) -> bool:
        """Whether an element is struck, hidden, or no text of the slide, such as its number."""
        kind = child(element, "nvSpPr", "nvPr", "ph")
        notes = local_name(element.getroottree().getroot()) == "notes"
        left_out = _FURNITURE if notes else _FURNITURE[:1]
        return super().unseen(element) or (kind is not None and kind.get("type") in left_out)
