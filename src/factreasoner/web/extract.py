"""The text of a page: HTML by trafilatura, PDF by pypdf, plain text as it is.

Runs in the calling process and takes the time it takes: for pages from hosts nobody vouches for, use
:class:`factreasoner.web.reader.PageReader`.
"""

from __future__ import annotations

import io
import re

import pypdf
import trafilatura
from pypdf.errors import DependencyError, FileNotDecryptedError, PyPdfError
from trafilatura.settings import Document

from factreasoner.web.inline_tags import is_torn, join_parts, write_superscripts
from factreasoner.web.junk import junk
from factreasoner.web.page import WIDE, Extracted, decode, is_known

_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_TAGS = re.compile(rb"<(p|div|article|section|table|h[1-6]|span)[\s>]", re.IGNORECASE)
_NO_TEXT = re.compile(
    rb"\0|&#(?:0*(?:[0-8]|1[124-9]|2\d|3[01]|6553[45])|[xX]0*(?:[0-8bcef]|1[0-9a-f]|fff[ef]))(?![0-9a-fA-F]);?",
    re.IGNORECASE,
)
"""NUL, and references to characters that HTML has none of: one is enough to make the parser lose the page."""


def extract(
    data: bytes, media_type: str = "", charset: str = "", *, pages: int = 20, sift: bool = True
) -> Extracted:
    """The main text of a page: what it is, is told from its bytes first and from `media_type` second.

    Of a PDF the first `pages` pages are read. Never raises for what `data` holds: the reason is in
    `dropped` ("binary", "encrypted PDF", "damaged PDF", "damaged HTML" or one of :func:`junk`). Without
    `sift` the text may be of any kind, and there may be none.
    """
    if b"%PDF-" in data[:1024]:
        found = pdf_text(data, pages)
    elif b"\0" in data[:4096] and not (data.startswith(WIDE) or _HTML.search(data[:2048])):
        return Extracted("", dropped="binary")
    elif _is_html(data, media_type):
        found = html_text(data, charset)
    else:
        found = Extracted(decode(data, charset).strip())
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
    if not data.startswith(WIDE):
        data = _NO_TEXT.sub(b" ", data)
    source = data.decode(charset, "replace") if is_known(charset) else data
    try:
        document = _main_text(source)
    except (ValueError, TypeError, AttributeError, IndexError, RecursionError, AssertionError):
        # The parser's ways to fail on a page that is no page; each is a fact about this page alone.
        return Extracted("", dropped="damaged HTML")
    if document is None:
        return Extracted("")
    canonical = document.url if isinstance(document.url, str) else ""
    return Extracted((document.text or "").strip(), _one_line(document.title), canonical=canonical)


def _main_text(source: str | bytes) -> Document | None:
    """What trafilatura finds on a page whose sentences no tag cuts; None where it finds nothing."""
    tree = trafilatura.load_html(source)
    if tree is None:
        return None
    write_superscripts(tree)
    found = trafilatura.bare_extraction(tree, include_comments=False, with_metadata=True)
    if isinstance(found, Document) and is_torn(tree, found.text or ""):
        join_parts(tree)
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
