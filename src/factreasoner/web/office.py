"""The text of office documents and books: docx by mammoth, pptx by python-pptx, odt, odp and epub as XML.

Runs in the calling process and takes the time it takes: for files nobody vouches for, use
:class:`factreasoner.web.reader.PageReader`.
"""

from __future__ import annotations

import io
import posixpath
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any
from urllib.parse import unquote

from factreasoner.web.page import Extracted, decode

MOST_UNPACKED = 500_000_000
"""Bytes that all parts of a document may come to."""
MODULES = {"docx": "mammoth", "pptx": "pptx"}
"""What reads a kind of document beside the packages that read web pages."""
_OFFICE, _OPEN = "application/vnd.openxmlformats-officedocument.", "application/vnd.oasis.opendocument."
MEDIA_TYPES = {
    f"{_OFFICE}wordprocessingml.document": "docx",
    f"{_OFFICE}presentationml.presentation": "pptx",
    f"{_OPEN}text": "odt",
    f"{_OPEN}presentation": "odp",
    "application/epub+zip": "epub",
}
"""The kind of document that a server says it sends."""

_BLOCKS = frozenset(
    """address article aside blockquote body br dd div dl dt figcaption figure footer h h1 h2 h3 h4 h5 h6
    header hr li line-break list list-item ol p page pre section table table-row tr ul""".split()  # noqa: SIM905
)
_ROWS = frozenset({"tr", "table-row"})
_INLINE = _ROWS | {"note"}
"""Elements that stay on one line, whatever they contain."""
_CELLS = frozenset({"td", "th", "table-cell"})
_BLANKS = frozenset({"s", "tab"})
_SKIPPED = frozenset(
    {"head", "script", "style", "tracked-changes", "annotation", "note-citation", "forms", "sequence-decls"}
)
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")


def office_text(data: bytes, kind: str) -> Extracted:
    """Text and title of a document of `kind`: docx, pptx, odt, odp or epub.

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
            if _encrypted(parts, kind):
                return Extracted("", dropped=f"encrypted {kind}")
            return read(parts, data)._replace(title=_title(parts, kind))
    except (MemoryError, ModuleNotFoundError):
        raise
    except Exception:  # noqa: BLE001 - the parsers' ways to fail on hostile bytes; each is a fact about these alone
        return Extracted("", dropped=f"damaged {kind}")


def _encrypted(parts: zipfile.ZipFile, kind: str) -> bool:
    manifest, keys = "META-INF/manifest.xml", "META-INF/encryption.xml"
    if kind in ("odt", "odp") and manifest in parts.namelist():
        return b"encryption-data" in parts.read(manifest)
    if kind == "epub" and keys in parts.namelist():  # fonts may be encrypted, and are not text
        hidden = {unquote(uri) for uri in _xml(parts, keys).xpath("//@URI")}
        return bool(hidden.intersection(_chapters(parts)))
    return any(part.flag_bits & 1 for part in parts.infolist())


def _title(parts: zipfile.ZipFile, kind: str) -> str:
    name = _package(parts) if kind == "epub" else "meta.xml" if kind[0] == "o" else "docProps/core.xml"
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


def _odf(parts: zipfile.ZipFile, data: bytes) -> Extracted:
    return Extracted(_text(_xml(parts, "content.xml")))


def _epub(parts: zipfile.ZipFile, data: bytes) -> Extracted:
    chapters = [decode(parts.read(name)) for name in _chapters(parts)]
    if any(chapter.dropped for chapter in chapters):
        raise ValueError("a chapter can't be read")
    guessed = ", ".join(dict.fromkeys(chapter.guessed for chapter in chapters if chapter.guessed))
    text = "\n".join(filter(None, (_html_text(chapter.text) for chapter in chapters)))
    return Extracted(text, guessed=guessed)


def _package(parts: zipfile.ZipFile) -> str:
    """Name of the part that says what an EPUB consists of."""
    return str(_xml(parts, "META-INF/container.xml").xpath("//*[local-name()='rootfile']/@full-path")[0])


def _chapters(parts: zipfile.ZipFile) -> list[str]:
    """Names of an EPUB's parts of text, in reading order."""
    name = _package(parts)
    package = _xml(parts, name)
    items = package.xpath("//*[local-name()='manifest']/*[local-name()='item']")
    links = {item.get("id"): unquote(item.get("href", "")) for item in items}
    folder, idrefs = posixpath.dirname(name), package.xpath("//*[local-name()='spine']/*/@idref")
    return [posixpath.normpath(posixpath.join(folder, links[idref])) for idref in idrefs]


def _xml(parts: zipfile.ZipFile, name: str) -> Any:
    """A part's root; entities are not resolved, and nothing is fetched."""
    from lxml import etree

    parser = etree.XMLParser(resolve_entities=False, remove_comments=True, remove_pis=True)
    return etree.fromstring(parts.read(name), parser)


def _html_text(source: str) -> str:
    from lxml import html

    from factreasoner.web.extract import write_superscripts

    source = _DECLARATION.sub("", source, count=1)
    parser = html.HTMLParser(remove_comments=True, remove_pis=True)
    if not source.strip():
        return ""
    root = html.document_fromstring(source, parser)
    write_superscripts(root)
    return _text(root)


def _text(root: Any) -> str:
    """The text of HTML or OpenDocument XML, one line for each paragraph and table row."""
    from lxml import etree

    pieces: list[str] = []
    inline = 0
    walk = etree.iterwalk(root, events=("start", "end"))
    for event, element in walk:
        name, starts = etree.QName(element).localname, event == "start"
        if starts and name in _SKIPPED:
            walk.skip_subtree()
            continue
        inline += (1 if starts else -1) * (name in _INLINE)
        if name in _CELLS and not starts:
            pieces.append("\t")
        elif name == "note":
            pieces.append(" (" if starts else ") ")
        elif name in _BLOCKS:
            pieces.append(" " if inline else "\n")
        elif name in _BLANKS:
            pieces.append(" ")
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
    "odt": _odf,
    "odp": _odf,
    "epub": _epub,
}
