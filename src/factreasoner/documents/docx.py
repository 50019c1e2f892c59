"""Word documents as HTML: the text, its notes, headers and footers."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator, Mapping
from typing import Any

from factreasoner.documents.office_elements import PartReader
from factreasoner.documents.office_parts import OFF, OfficePart, attribute, child, local_name

_STRUCK = frozenset({"vanish", "strike", "dstrike"})


class WordDocument(PartReader):
    """A Word document: its text, then its notes, then its headers and footers."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        super().__init__(archive)
        known = (style for part in self.main.of_kind("styles") for style in part.root.iter("{*}style"))
        styles = {attribute(style, "styleId"): style for style in known}
        self._looks = {name: _looks(name, styles) for name in styles}
        self._notes: list[str] = []
        self._known_notes = {
            (f"{kind}Reference", attribute(note, "id")): (part, note)
            for kind in ("footnote", "endnote")
            for part in self.main.of_kind(f"{kind}s")
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
        if local_name(element) != "r":
            return super().unseen(element)
        paragraph = next(element.iterancestors("{*}p"), None)
        styles = (child(paragraph, "pPr", "pStyle"), child(element, "rPr", "rStyle"))
        of_paragraph, of_run = (self._looks.get(attribute(style, "val"), {}) for style in styles)
        return any((of_paragraph | of_run | _struck(element)).values())

    def _read_footnoteReference(self, element: Any, part: OfficePart) -> str:  # noqa: N802 - a name of the format
        """The mark of a note, whose text goes to the end of the document."""
        key = (local_name(element), attribute(element, "id"))
        holder, note = self._known_notes.get(key, (None, None))
        if holder is None:
            self.unread.append("a note")
            return ""
        number = len(self._notes) + 1
        self._notes.append("")
        text = self.story(note, holder).removeprefix("<p>")
        self._notes[number - 1] = f"<p>[{number}] {text}"
        return f"[{number}]"

    _read_endnoteReference = _read_footnoteReference  # noqa: N815 - as above


def _struck(element: Any) -> dict[str, bool]:
    """What the properties of a run or style say on whether it is struck or hidden."""
    found = (one for properties in element.iterchildren("{*}rPr") for one in properties)
    return {local_name(p): attribute(p, "val", "1") not in OFF for p in found if local_name(p) in _STRUCK}


def _looks(style: str, styles: Mapping[str, Any], below: tuple[str, ...] = ()) -> dict[str, bool]:
    """Whether text of a style is struck or hidden; styles may be based on one another in a circle."""
    if style not in styles or style in below:
        return {}
    basis = _looks(attribute(child(styles[style], "basedOn"), "val"), styles, (*below, style))
    return basis | _struck(styles[style])
