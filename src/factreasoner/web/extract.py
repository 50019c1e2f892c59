"""The text of a page: its bytes tell its kind, and each kind has a module that reads it.

Runs in the calling process and takes the time it takes: for pages from hosts nobody vouches for, use
:class:`factreasoner.web.reader.PageReader`.
"""

from __future__ import annotations

import html
import re

from lxml import etree
from markdown_it import MarkdownIt

from factreasoner.web.junk import junk
from factreasoner.web.office import office_text
from factreasoner.web.page import MEDIA_TYPES, WIDE, Extracted, decode
from factreasoner.web.superscripts import PARTS, is_torn, write_superscripts
from factreasoner.web.tree import NO_TEXT, one_line, whole_text

_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_NOTE = re.compile(r"^\[\^(?=[^\]\n]+\]:)", re.MULTILINE)
"""The start of a note's text, which CommonMark may take for the address of a link."""
_FRONT_MATTER = re.compile(r"---\n(\w[\w -]*:.*\n(?:.+\n)*?)---(?:\n|\Z)")
"""Lines of YAML at the start of a Markdown text, none of them blank: other text may stand between rules."""
_TAGS = re.compile(rb"<(p|div|article|section|table|h[1-6]|span)[\s>]", re.IGNORECASE)


def extract(
    data: bytes, media_type: str = "", charset: str = "", *, pages: int = 20, sift: bool = True
) -> Extracted:
    """The main text of a page: what it is, is told from its bytes first and from `media_type` second.

    An office document or Markdown is told by `media_type` alone, which may be its kind ("docx"). Of a PDF the
    first `pages` pages are read. Never raises for what `data` holds: the reason is in `dropped` ("binary",
    "encrypted PDF", "damaged PDF", "damaged HTML", those of `office_text` or one of :func:`junk`). Without
    `sift`, HTML is read whole, menus included, the text may be of any kind, and there may be none.
    """
    if (kind := MEDIA_TYPES.get(media_type, media_type)) in ("docx", "pptx"):
        found = office_text(data, kind)
    elif b"%PDF-" in data[:1024]:
        from factreasoner.web.pdf import pdf_text

        found = pdf_text(data, pages)
    elif b"\0" in data[:4096] and not (data.startswith(WIDE) or _HTML.search(data[:2048])):
        return Extracted("", dropped="binary")
    else:
        found = decode(data, charset)
        if kind == "markdown":
            found = found._replace(text=html_of_markdown(found.text))
        if kind == "markdown" or _is_html(data, media_type):
            found = _html_text(found, whole=not sift)
        else:
            found = found._replace(text=found.text.strip())
    reason = found.dropped or (junk(found.text) if sift else "")
    return found._replace(text="", dropped=reason) if reason else found


def _is_html(data: bytes, media_type: str) -> bool:
    if _HTML.search(data[:2048]):
        return True
    return media_type in ("text/html", "application/xhtml+xml") or (
        media_type not in ("text/plain", "text/markdown") and _TAGS.search(data[:2048]) is not None
    )


def html_of_markdown(text: str) -> str:
    """A Markdown text (CommonMark, tables, struck text) as HTML, its title from the front matter.

    Notes stay where they are, as they stand.
    """
    title = ""
    if front := _FRONT_MATTER.match(text):
        text = text[front.end() :]
        if named := re.search(r"^title:\s*(.+)$", front[1], re.MULTILINE):
            title = html.escape(named[1].strip().strip("\"'"))
    body = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(_NOTE.sub(r"\\[^", text))
    return f"<title>{title}</title>{body}"


def _html_text(source: Extracted, *, whole: bool) -> Extracted:
    """Text and title of a decoded HTML page; unless `whole`, without menus, footers and comments."""
    if source.dropped:
        return source
    try:
        found = whole_text(source.text) if whole else _main_text(NO_TEXT.sub(" ", source.text))
    except (
        ValueError,
        TypeError,
        AttributeError,
        IndexError,
        RecursionError,
        AssertionError,
        etree.LxmlError,
    ):
        # The parsers' errors on bytes that are not a page; each concerns this page only.
        return Extracted("", dropped="damaged HTML")
    return found._replace(guessed=source.guessed)


def _main_text(source: str) -> Extracted:
    """The text that trafilatura finds on a page whose sentences no tag cuts."""
    import trafilatura
    from trafilatura.settings import Document

    tree = trafilatura.load_html(source)
    if tree is None:
        return Extracted("")
    write_superscripts(tree)
    found = trafilatura.bare_extraction(tree, include_comments=False, with_metadata=True)
    if isinstance(found, Document) and is_torn(tree, found.text or ""):
        etree.strip_tags(tree, *PARTS)
        found = trafilatura.bare_extraction(tree, include_comments=False, with_metadata=True)
    if not isinstance(found, Document):
        return Extracted("")
    canonical = found.url if isinstance(found.url, str) else ""
    return Extracted((found.text or "").strip(), one_line(found.title), canonical=canonical)
