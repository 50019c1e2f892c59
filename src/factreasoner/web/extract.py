"""The text of a page: HTML by trafilatura, PDF by pypdf, documents by `office`, plain text as it is.

Runs in the calling process and takes the time it takes: for pages from hosts nobody vouches for, use
:class:`factreasoner.web.reader.PageReader`.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pypdf
import trafilatura
from lxml import etree
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError
from trafilatura.settings import Document

from factreasoner.web.junk import junk
from factreasoner.web.office import MEDIA_TYPES, READERS, office_text
from factreasoner.web.page import WIDE, Extracted, decode
from factreasoner.web.superscripts import PARTS, text_before, write_superscripts

if TYPE_CHECKING:
    from lxml.html import HtmlElement

_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_TAGS = re.compile(rb"<(p|div|article|section|table|h[1-6]|span)[\s>]", re.IGNORECASE)
_NO_TEXT = re.compile(
    r"\0|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])|[xX]0*(?:[0-8bcef]|1[0-9a-f]|fff[ef]))(?![0-9a-fA-F]);?",
    re.IGNORECASE,
)
"""NUL, and references to characters that HTML has none of: one is enough to make the parser lose the page."""


def extract(
    data: bytes, media_type: str = "", charset: str = "", *, pages: int = 20, sift: bool = True
) -> Extracted:
    """The main text of a page: what it is, is told from its bytes first and from `media_type` second.

    An office document is told by `media_type` alone, which may be its kind ("docx"). Of a PDF the first
    `pages` pages are read. Never raises for what `data` holds: the reason is in `dropped` ("binary",
    "encrypted PDF", "damaged PDF", "damaged HTML", those of `office_text` or one of :func:`junk`). Without
    `sift` the text may be of any kind, and there may be none.
    """
    if (kind := MEDIA_TYPES.get(media_type, media_type)) in READERS:
        found = office_text(data, kind)
    elif b"%PDF-" in data[:1024]:
        found = pdf_text(data, pages)
    elif b"\0" in data[:4096] and not (data.startswith(WIDE) or _HTML.search(data[:2048])):
        return Extracted("", dropped="binary")
    elif _is_html(data, media_type):
        found = html_text(data, charset)
    else:
        found = decode(data, charset)
        found = found._replace(text=found.text.strip())
    reason = found.dropped or (junk(found.text) if sift else "")
    return found._replace(text="", dropped=reason) if reason else found


def _is_html(data: bytes, media_type: str) -> bool:
    if _HTML.search(data[:2048]):
        return True
    return media_type in ("text/html", "application/xhtml+xml") or (
        media_type not in ("text/plain", "text/markdown") and _TAGS.search(data[:2048]) is not None
    )


def html_text(data: bytes, charset: str = "") -> Extracted:
    """Main text and title of an HTML page, without menus, footers and comments."""
    source = decode(data, charset)
    if source.dropped:
        return source
    try:
        document = _main_text(_NO_TEXT.sub(" ", source.text))
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError, AssertionError):
        # The parser's errors on bytes that are not a page; each concerns this page only.
        return Extracted("", dropped="damaged HTML")
    if document is None:
        return Extracted("")
    canonical = document.url if isinstance(document.url, str) else ""
    text, title = (document.text or "").strip(), _one_line(document.title)
    return Extracted(text, title, canonical=canonical, guessed=source.guessed)


def _main_text(source: str) -> Document | None:
    """The text that trafilatura finds on a page whose sentences no tag cuts; None if it finds none."""
    tree = trafilatura.load_html(source)
    if tree is None:
        return None
    write_superscripts(tree)
    found = trafilatura.bare_extraction(tree, include_comments=False, with_metadata=True)
    if isinstance(found, Document) and is_torn(tree, found.text or ""):
        etree.strip_tags(tree, *PARTS)
        found = trafilatura.bare_extraction(tree, include_comments=False, with_metadata=True)
    return found if isinstance(found, Document) else None


def pdf_text(data: bytes, pages: int) -> Extracted:
    """Text of the first `pages` pages and the title of a PDF; words cut at a line's end are joined."""
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        texts = [page.extract_text() for page in reader.pages[:pages]]
        title = reader.metadata.title if reader.metadata else None
    except (FileNotDecryptedError, DependencyError):
        return Extracted("", dropped="encrypted PDF")
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OSError):
        # A damaged file makes pypdf fail in any of these ways.
        return Extracted("", dropped="damaged PDF")
    text = "\n\n".join(text.strip() for text in texts)
    return Extracted(re.sub(r"(?<=[^\W\d_])-\n(?=[^\W\d_])", "", text).strip(), _one_line(title))


def _one_line(title: object) -> str:
    return " ".join(title.split())[:300] if isinstance(title, str) else ""


def is_torn(tree: HtmlElement, text: str) -> bool:
    """Whether part of a sentence, such as a link, became a separate line of `text`."""
    lines = {line.strip() for line in text.splitlines()}
    return any(
        "".join(element.itertext()).strip() in lines
        and bool((element.tail or "").strip() or text_before(element).strip())
        for element in tree.iter(*PARTS)
    )
