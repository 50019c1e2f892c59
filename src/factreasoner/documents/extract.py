"""The text of a page: its bytes tell its kind, and each kind has a module that reads it.

`extract` has no time limit: for pages from unknown hosts use
:class:`factreasoner.documents.reader.PageReader`, whose processes run this module. A process writes `READY`
when it has started. A question is one line of JSON followed by `length` bytes; an answer is one line of JSON.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import sys
from typing import BinaryIO

from lxml import etree

from factreasoner.documents import html
from factreasoner.documents.junk import junk
from factreasoner.documents.markdown import html_of_markdown
from factreasoner.documents.office import office_text
from factreasoner.documents.page import MEDIA_TYPES, WIDE, Extracted, decode

READY = b"ready\n"
MEMORY = 2 * 1024**3
"""Bytes of address space a process may take, where the system can limit it."""
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_TAGS = re.compile(rb"<(p|div|article|section|table|h[1-6]|span)[\s>]", re.IGNORECASE)
_DAMAGE = (ValueError, TypeError, AttributeError, IndexError, RecursionError, AssertionError, etree.LxmlError)
"""The parsers' errors on bytes that are not a page; each concerns this page only."""


def extract(
    data: bytes, media_type: str = "", charset: str = "", *, pages: int = 20, sift: bool = True
) -> Extracted:
    """The main text of a page: what it is, is told from its bytes first and from `media_type` second.

    An office document or Markdown is told by `media_type` alone, which may be its kind ("docx"). Of a PDF the
    first `pages` pages are read. Never raises for what `data` holds: the reason is in `dropped` ("binary",
    "encrypted PDF", "damaged PDF", "damaged HTML", those of `office_text` or one of `junk`). Without
    `sift`, HTML is read whole, menus included, the text may be of any kind, and there may be none.
    """
    if (kind := MEDIA_TYPES.get(media_type, media_type)) in ("docx", "pptx"):
        found = office_text(data, kind)
    elif b"%PDF-" in data[:1024]:
        from factreasoner.documents.pdf import pdf_text

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


def _html_text(source: Extracted, *, whole: bool) -> Extracted:
    """Text and title of a decoded HTML page; unless `whole`, without menus, footers and comments."""
    if source.dropped:
        return source
    try:
        found = html.whole_text(source.text) if whole else _main_text(html.NO_TEXT.sub(" ", source.text))
    except _DAMAGE:
        return Extracted("", dropped="damaged HTML")
    return found._replace(guessed=source.guessed)


def _main_text(source: str) -> Extracted:
    """The text that trafilatura finds on a page whose sentences no tag cuts."""
    import trafilatura
    from trafilatura.settings import Document

    tree = trafilatura.load_html(source)
    if tree is None:
        return Extracted("")
    for element in tree.xpath(html.STRUCK):
        element.drop_tree()
    html.write_superscripts(tree)
    found = trafilatura.bare_extraction(tree, include_comments=False, with_metadata=True)
    if isinstance(found, Document) and html.is_torn(tree, found.text or ""):
        etree.strip_tags(tree, *html.PARTS)
        found = trafilatura.bare_extraction(tree, include_comments=False, with_metadata=True)
    if not isinstance(found, Document):
        return Extracted("")
    canonical = found.url if isinstance(found.url, str) else ""
    return Extracted((found.text or "").strip(), html.one_line(found.title), canonical=canonical)


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Answer every question of a stream."""
    while line := questions.readline():
        question = json.loads(line)
        data = questions.read(question["length"])
        try:
            found = extract(data, **question["about"])
        except MemoryError:
            found = Extracted("", dropped="too large to read")
        answers.write(json.dumps(found).encode() + b"\n")
        answers.flush()


def main() -> None:
    """Serve on the standard streams, which no library gets to write to."""
    with contextlib.suppress(ModuleNotFoundError):  # files of one's own are read without it
        import trafilatura  # noqa: F401 - now, so that a broken one is reported before a page is lost

    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    answers.write(READY)
    answers.flush()
    serve(sys.stdin.buffer, answers)


if __name__ == "__main__":
    main()
