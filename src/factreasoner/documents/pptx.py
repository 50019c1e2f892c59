"""Presentations as HTML: the slides in their order, each with its notes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from factreasoner.documents.html import whole_text
from factreasoner.documents.office_elements import PartReader
from factreasoner.documents.office_parts import child, local_name

_FURNITURE = ("sldNum", "sldImg", "dt", "ftr", "hdr")


class Presentation(PartReader):
    """A presentation: the slides in their order, each with its notes."""

    def pieces(self) -> Iterator[str]:
        """The presentation as HTML."""
        for number, row in enumerate(self.main.root.iterfind("{*}sldIdLst/*"), 1):
            slide = self.main.linked(next((v for k, v in row.items() if k.endswith("}id")), ""))
            if slide is None or slide.root.get("show") in ("0", "false"):
                self.unread.append(f"slide {number} is {'missing' if slide is None else 'hidden'}")
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
