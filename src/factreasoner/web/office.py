"""The text of office documents: docx by mammoth, pptx by python-pptx.

Runs in the calling process and takes the time it takes: for files nobody vouches for, use
:class:`factreasoner.web.reader.PageReader`.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from factreasoner.web.page import Extracted

MOST_UNPACKED = 500_000_000
"""Bytes that all parts of a document may come to."""
MODULES = {"docx": "mammoth", "pptx": "pptx"}
"""What reads a kind of document beside the packages that read web pages."""
_OFFICE = "application/vnd.openxmlformats-officedocument."
MEDIA_TYPES = {
    f"{_OFFICE}wordprocessingml.document": "docx",
    f"{_OFFICE}presentationml.presentation": "pptx",
}
"""The kind of document that a server says it sends."""

_BLOCKS = frozenset(
    """address article aside blockquote body br dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6
    header hr li ol p pre section table tr ul""".split()  # noqa: SIM905
)
_CELLS = frozenset({"td", "th"})
_SKIPPED = frozenset({"head", "script", "style"})
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")


def office_text(data: bytes, kind: str) -> Extracted:
    """Text and title of a document of `kind`: docx or pptx.

    Never raises for what `data` holds: the reason is in `dropped` ("damaged docx", "encrypted docx",
    "unpacks to more than 500 MB"). What was deleted and comments are left out; a table's row is a line.

    Raises:
        MemoryError: it takes more than there is.
        ModuleNotFoundError: the package of `MODULES` is not installed.
    """
    read = READERS[kind]
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            if sum(part.file_size for part in parts.infolist()) > MOST_UNPACKED:
                return Extracted("", dropped=f"unpacks to more than {MOST_UNPACKED // 1_000_000} MB")
            if any(part.flag_bits & 1 for part in parts.infolist()):
                return Extracted("", dropped=f"encrypted {kind}")
            return read(parts, data)._replace(title=_title(parts))
    except (MemoryError, ModuleNotFoundError):
        raise
    except Exception:  # noqa: BLE001 - the parsers' ways to fail on hostile bytes; each is a fact about these alone
        return Extracted("", dropped=f"damaged {kind}")


def _title(parts: zipfile.ZipFile) -> str:
    name = "docProps/core.xml"
    if name not in parts.namelist():
        return ""
    titles = _xml(parts, name).xpath("//*[local-name()='title']/text()")
    return " ".join(str(titles[0]).split())[:300] if titles else ""


def _docx(parts: zipfile.ZipFile, data: bytes) -> Extracted:
    import mammoth

    no_picture = mammoth.images.img_element(lambda image: {})
    found = mammoth.convert_to_html(io.BytesIO(data), convert_image=no_picture)
    return Extracted(_html_text(found.value))


def _pptx(parts: zipfile.ZipFile, data: bytes) -> Extracted:
    import pptx

    lines: list[str] = []
    for slide in pptx.Presentation(io.BytesIO(data)).slides:
        for shape in slide.shapes:
            lines += _shape_lines(shape)
        if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
            lines.append(slide.notes_slide.notes_text_frame.text)
    return Extracted("\n".join(line.replace("\v", "\n").strip() for line in lines if line.strip()))


def _shape_lines(shape: Any) -> Iterator[str]:
    if hasattr(shape, "shapes"):
        for inner in shape.shapes:
            yield from _shape_lines(inner)
    elif shape.has_text_frame:
        yield shape.text_frame.text
    elif getattr(shape, "has_table", False):
        for row in shape.table.rows:
            yield _row(cell.text for cell in row.cells)


def _xml(parts: zipfile.ZipFile, name: str) -> Any:
    """A part's root; entities are not resolved, and nothing is fetched."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True)
    return etree.fromstring(parts.read(name), parser)


def _html_text(source: str) -> str:
    from lxml import html

    from factreasoner.web.superscripts import write_superscripts

    source = _DECLARATION.sub("", source, count=1)
    parser = html.HTMLParser(remove_comments=True, remove_pis=True)
    if not source.strip():
        return ""
    root = html.document_fromstring(source, parser)
    write_superscripts(root)
    return _text(root)


def _text(root: Any) -> str:
    """The text of HTML, one line for each paragraph and table row."""
    from lxml import etree

    pieces: list[str] = []
    inline = 0
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        name, starts = etree.QName(element).localname, event == "start"
        if starts and name in _SKIPPED:
            walk.skip_subtree()
            continue
        inline += (1 if starts else -1) * (name == "tr")
        if name in _CELLS and not starts:
            pieces.append("\t")
        elif name in _BLOCKS:
            pieces.append(" " if inline else "\n")
        pieces.append(_flat(element.text if starts else element.tail))
    lines = (_row(line.split("\t")) for line in "".join(pieces).split("\n"))
    return "\n".join(filter(None, lines))


def _flat(text: str | None) -> str:
    """Without the line breaks and tabs of the source, which mean a blank."""
    return re.sub(r"\s+", " ", text or "")


def _row(cells: Iterable[str]) -> str:
    return " | ".join(filter(None, (" ".join(cell.split()) for cell in cells)))


READERS: dict[str, Callable[[zipfile.ZipFile, bytes], Extracted]] = {
    "docx": _docx,
    "pptx": _pptx,
}
