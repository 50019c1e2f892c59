"""What a file is by its first bytes, whatever its name says."""

from __future__ import annotations

import re
from typing import NamedTuple

from factreasoner.corpus.files import Kind

HEAD = 65_536
"""Bytes of a file's beginning that tell."""
_HTML = re.compile(
    rb"(\xef\xbb\xbf)?\s*(<!--.{0,2000}?-->\s*)?<(!doctype\s+html|html[\s>])", re.IGNORECASE | re.DOTALL
)


class Content(NamedTuple):
    """What the bytes are, in words, and their kind; None where it is none of those that are read."""

    what: str
    kind: Kind | None = None


ARCHIVE = Content("a ZIP archive; unpack it")
OLD_OR_ENCRYPTED = Content(
    "an Office document of the old format, or an encrypted one; save it as docx, pptx or csv, "
    "without a password"
)
_MAGIC = {
    b"{\\rtf": Content("a Rich Text document; save it as docx"),
    b"\x89PNG\r\n": Content("a picture"),
    b"\xff\xd8\xff": Content("a picture"),
    b"GIF8": Content("a picture"),
    b"\x1f\x8b\x08": Content("a gzip archive; unpack it"),
    b"7z\xbc\xaf": Content("an archive; unpack it"),
    b"Rar!": Content("an archive; unpack it"),
    b"SQLite format 3\0": Content("a database"),
}
_PARTS = {
    b"word/": Content("a Word document", "docx"),
    b"ppt/": Content("a PowerPoint presentation", "pptx"),
    b"xl/": Content("an Excel workbook; save its sheets as csv"),
}
_MEDIA_TYPES = {
    b"application/epub+zip": Content("an EPUB book", "epub"),
    b"application/vnd.oasis.opendocument.text": Content("an OpenDocument text", "odt"),
    b"application/vnd.oasis.opendocument.presentation": Content("an OpenDocument presentation", "odp"),
    b"application/vnd.oasis.opendocument.spreadsheet": Content("a spreadsheet; save its sheets as csv"),
}


def content_of(data: bytes) -> Content | None:
    """What `data`, the beginning of a file or all of it, is; None for plain text and what is not known."""
    if b"%PDF-" in data[:1024]:
        return Content("a PDF", "pdf")
    if data.startswith(b"PK\x03\x04"):
        return _zip_content(data[:HEAD])
    if data.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"):
        return OLD_OR_ENCRYPTED
    if _HTML.match(data[:4096]):
        return Content("an HTML page", "html")
    return next((content for magic, content in _MAGIC.items() if data.startswith(magic)), None)


def _zip_content(head: bytes) -> Content:
    for media_type, content in _MEDIA_TYPES.items():
        if head[30:38] == b"mimetype" and media_type in head[38:200]:
            return content
    names = re.findall(rb"PK\x03\x04.{26}([\x20-\x7e]{3,60})", head, re.DOTALL)
    found = (content for start, content in _PARTS.items() if any(name.startswith(start) for name in names))
    return next(found, ARCHIVE)
