"""The text of a page or document: its bytes tell its kind, and each kind has a module; Markdown becomes HTML.

`extract` has no time limit: for pages from unknown hosts use
:class:`factreasoner.documents.reader.PageReader`, whose processes run this module. A process writes a line
when it has started. A question is one line of JSON followed by `length` bytes; an answer is one line of JSON.
"""

from __future__ import annotations

import contextlib
import html as entities
import io
import json
import logging
import os
import re
import sys
import unicodedata
import zipfile
from pathlib import Path

from markdown_it import MarkdownIt

from factreasoner.documents import html
from factreasoner.documents.docx import WordDocument
from factreasoner.documents.office_parts import xml_of
from factreasoner.documents.page import MEDIA_TYPES, WIDE, Extracted, decode
from factreasoner.documents.pptx import Presentation
from factreasoner.text.sentences import sentences

MEMORY = 2 * 1024**3
"""Bytes of address space a process may take, where the system can limit it."""
MOST_UNPACKED = 500_000_000
"""Bytes that all parts of a document may come to."""
_HTML = re.compile(rb"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]", re.IGNORECASE)
_NOTE = re.compile(r"^\[\^(?=[^\]\n]+\]:)", re.MULTILINE)
"""The start of a note's text, which CommonMark may take for the address of a link."""
_FRONT_MATTER = re.compile(
    r"---\n(?:#.*\n)*(?:\w[\w -]*:.*\n(?:.+\n)*?|[a-z][\w-]*:.*\n(?:(?:[a-z][\w-]*:.*|[ #-].*)?\n)*?)"
    r"(?:---|\.\.\.)(?:\n|\Z)|\+\+\+\n(?=[#\[\n]|[\w.\"-]+ *=)(?:.*\n)*?\+\+\+(?:\n|\Z)"
)
"""YAML or TOML at the start of a Markdown text; in blank lines between rules other text may stand."""
_MARKDOWN = MarkdownIt("commonmark", {"maxNesting": 1_000}).enable(["table", "strikethrough"])
_TAGS = re.compile(_HTML.pattern + rb"|<(p|div|article|section|table|h[1-6]|span)[\s>]", re.IGNORECASE)
_KNOWN_NOTICES = Path(__file__).with_name("notices.txt").read_text(encoding="utf-8")
_NOTICE = re.compile("|".join(_KNOWN_NOTICES.splitlines()), re.IGNORECASE)
_WORD = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]|\w+")
_SAMPLE, _SENTENCE, _SHORT, _LEFT = 20_000, 6, 150, 20
"""Characters of a text that are judged; words of a sentence, of a short text, and of what notices leave."""


def extract(
    data: bytes, media_type: str = "", charset: str = "", *, pages: int = 20, sift: bool = True
) -> Extracted:
    """The main text of a page: what it is, is told from its bytes first and from `media_type` second.

    An office document or Markdown is told by `media_type` alone, which may be its kind ("docx"). Of a PDF the
    first `pages` pages are read. Without `sift`, HTML is read whole, menus included, the text may be of any
    kind, and there may be none. Never raises for what `data` holds: the reason is in `dropped` ("binary",
    "encrypted docx", "damaged HTML", "unpacks to more than 500 MB", "not UTF-8 ...", or one of `junk`).

    Raises MemoryError: it takes more than there is.
    """
    kind = MEDIA_TYPES.get(media_type, media_type)
    is_office = kind in ("docx", "pptx")
    try:
        if is_office:
            found = _office_text(data, kind)
        elif b"%PDF-" in data[:1024]:
            from factreasoner.documents.pdf import pdf_text

            found = pdf_text(data, pages)
        elif b"\0" in data[:4096] and not (data.startswith(WIDE) or _HTML.search(data[:2048])):
            found = Extracted("", dropped="binary")
        else:
            found = _decoded_text(data, kind, charset, whole=not sift)
    except (ImportError, MemoryError):
        raise
    except Exception:  # noqa: BLE001 - the parsers' ways to fail on hostile bytes; each is a fact about these alone
        what = kind if is_office or kind == "markdown" else "PDF" if b"%PDF-" in data[:1024] else "HTML"
        return Extracted("", dropped=f"damaged {what}")
    reason = found.dropped or (junk(found.text) if sift else "")
    return found._replace(text="", dropped=reason) if reason else found


def _office_text(data: bytes, kind: str) -> Extracted:
    """Text and title of a docx or pptx. `partly` names what is in it and not read."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(part.file_size for part in archive.infolist()) > MOST_UNPACKED:
            return Extracted("", dropped=f"unpacks to more than {MOST_UNPACKED // 1_000_000} MB")
        if any(part.flag_bits & 1 for part in archive.infolist()):
            return Extracted("", dropped=f"encrypted {kind}")
        document = WordDocument(archive) if kind == "docx" else Presentation(archive)
        found = html.whole_text("".join(document.pieces()))
        name = "docProps/core.xml"
        title = xml_of(archive, name).findtext("{*}title") if name in archive.namelist() else ""
        return found._replace(title=html.one_line(title), partly=tuple(dict.fromkeys(document.unread)))


def _decoded_text(data: bytes, kind: str, charset: str, *, whole: bool) -> Extracted:
    """Text and title of HTML, Markdown or plain text; HTML, unless `whole`, without menus and the like."""
    found = decode(data, charset)
    source = html_of_markdown(found.text) if kind == "markdown" else found.text
    tags = _HTML if kind in ("text/plain", "text/markdown") else _TAGS
    is_html = kind in ("markdown", "text/html", "application/xhtml+xml") or tags.search(data[:2048])
    if found.dropped or not is_html:
        return found._replace(text=source.strip())
    read = html.whole_text(source) if whole else _main_text(html.NO_TEXT.sub(" ", source))
    return read._replace(guessed=found.guessed)


def html_of_markdown(text: str) -> str:
    """A Markdown text (CommonMark, tables, struck text) as HTML, its title from the front matter."""
    title = ""
    if front := _FRONT_MATTER.match(text := text.replace("\r\n", "\n")):
        text = text[front.end() :]
        if named := re.search(r"^title[ \t]*[:=][ \t]*(.+)$", front[0], re.MULTILINE):
            title = entities.escape(named[1].strip().strip("\"'"))
    body = _MARKDOWN.render(_NOTE.sub(r"\\[^", text))
    return f"<title>{title}</title>{body}".replace("<ol>\n", '<ol start="1">\n')


def _main_text(source: str) -> Extracted:
    """The text that trafilatura finds on a page."""
    import trafilatura
    from trafilatura.settings import Document

    tree = trafilatura.load_html(source)
    if tree is None:
        return Extracted("")
    html.write_once(tree)
    html.write_superscripts(tree)
    found = trafilatura.bare_extraction(tree, include_comments=False, with_metadata=True)
    if not isinstance(found, Document):
        return Extracted("")
    canonical = found.url if isinstance(found.url, str) else ""
    return Extracted((found.text or "").strip(), html.one_line(found.title), canonical=canonical)


def junk(text: str) -> str:
    """Why `text`, taken from a page, is not evidence; empty if it may be.

    - "no text"; "no sentence": no line or sentence of six words, or characters of scripts without blanks;
    - "binary": over a tenth of the characters are controls or unassigned, or under 40 % letters and digits;
    - "notice: ...": at most 20 words of such sentences beside those that tell the visitor to enable scripts
      or cookies, prove to be human, log in or turn back; or 150 words in all with two different notices.
    """
    sample = text[:_SAMPLE].strip()
    if not sample:
        return "no text"
    categories = [unicodedata.category(character) for character in sample if not character.isspace()]
    bad = sum(category in ("Cc", "Cn", "Co", "Cs") for category in categories) + sample.count("\ufffd")
    letters = sum(category[0] in "LMN" for category in categories)
    if bad > 0.1 * len(categories) or letters < 0.4 * len(categories):
        return "binary"
    parts = (sample[span.start : span.end] for span in sentences(sample))
    lines = [(part, words) for part in parts if (words := len(_WORD.findall(part))) >= _SENTENCE]
    if not lines:
        return "no sentence"
    if (total := sum(words for _, words in lines)) > 2 * _SHORT:
        return ""
    noticed = [(_NOTICE.search(part[:1000]), words) for part, words in lines]
    found = list(dict.fromkeys(notice[0].lower() for notice, _ in noticed if notice))
    rest = sum(words for notice, words in noticed if not notice)
    is_refusal = found and (rest <= _LEFT or (total <= _SHORT and len(found) > 1))
    return f"notice: {found[0]}" if is_refusal else ""


def main() -> None:
    """Answer the questions of the standard streams, which no library gets to write to."""
    with contextlib.suppress(ModuleNotFoundError):  # files of one's own are read without it
        import trafilatura  # noqa: F401 - now, so that a broken one is reported before a page is lost

    logging.disable(logging.CRITICAL)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    answers.write(b"ready\n")
    answers.flush()
    with Path(os.devnull).open("wb") as nothing:
        for stream in (sys.stdout, sys.stderr):
            os.dup2(nothing.fileno(), stream.fileno())
    questions = sys.stdin.buffer
    while line := questions.readline():
        question = json.loads(line)
        data = questions.read(question["length"])
        try:
            found = extract(data, **question["about"])
        except MemoryError:
            found = Extracted("", dropped="too large to read")
        answers.write(json.dumps(found).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
