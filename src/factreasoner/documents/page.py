"""A page as fetched, and its text; bytes to text in any encoding."""

from __future__ import annotations

import codecs
import contextlib
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

LONGEST_TEXT = 500_000
"""Characters of a page's text that are searched; to cut a hostile page of megabytes takes minutes."""
CUT = f"the first {LONGEST_TEXT:,} characters of the page were searched"
_OFFICE = "application/vnd.openxmlformats-officedocument."
MEDIA_TYPES = {f"{_OFFICE}wordprocessingml.document": "docx", f"{_OFFICE}presentationml.presentation": "pptx"}
"""The kind of document that a server says it sends."""
_NO_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_TABLES = tomllib.loads(Path(__file__).with_name("charsets.toml").read_text(encoding="utf-8"))
_CHARSETS = re.compile(_TABLES["known"], re.VERBOSE)
_DECLARED = re.compile(rb"<(?:meta|\?xml)\s[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Byte order marks of UTF-16, whose texts hold zeros."""
_SIGNS = bytes(range(0xC0))
"""Bytes that are no accented letters in Windows-1252."""
_LIKELY: list[str] = _TABLES["likely"].split()
_WORST = 0.4
"""What `charset_normalizer` may find odd in a text, of 1; random bytes are odder."""


class Page(NamedTuple):
    """What a server sent. `url` is where redirects ended; `media_type` and `charset` are as it claimed."""

    url: str
    media_type: str
    charset: str
    data: bytes


class TextTable(NamedTuple):
    """A table in a text: its first row, and where its other rows start and end."""

    header: str
    start: int
    end: int


class Extracted(NamedTuple):
    """What can be read on a page. With `dropped`, the reason, `text` is empty.

    `canonical` is the link that the page gives as its own; empty without one. `guessed` is the encoding it
    was read in, where its bytes are no whole text in the one it claims, or it claims none.
    """

    text: str
    title: str = ""
    dropped: str = ""
    canonical: str = ""
    guessed: str = ""
    partly: tuple[str, ...] = ()
    tables: tuple[TextTable, ...] = ()


def named(items: Sequence[object]) -> str:
    """The first five of them, and how many more there are."""
    more = len(items) - 5
    return "; ".join(map(str, items[:5])) + (f"; and {more:,} more" if more > 0 else "")


def notes_on(guessed: str, partly: Sequence[str]) -> list[str]:
    """What a reader must know of a text: that its encoding was guessed, and what of it was not read."""
    notes = [f"not valid UTF-8; read as {guessed}"] if guessed else []
    return notes + [f"read in part: {named(partly)}"] * bool(partly)


def plain(text: str) -> str:
    """`text` with a blank for each control character and lone surrogate, so lengths stay the same.

    Controls act on a terminal, and no file can hold a lone surrogate. Line feeds and tabs stay.
    """
    return _NO_TEXT.sub(" ", text)


def decode(data: bytes, charset: str = "") -> Extracted:
    """Text by its byte order mark, else the charset claimed, else UTF-8, else the charset that it declares.

    Else it is read as damaged UTF-8 or in the encoding it reads best in, and `guessed` says which; it is
    `dropped` if it reads well in none.
    """
    if data.startswith(WIDE):
        return Extracted(data.decode("utf-16", "replace"))
    if data.startswith(codecs.BOM_UTF8):
        data, charset = data.removeprefix(codecs.BOM_UTF8), ""
    codec = _codec(charset) or "utf-8"
    if codec == "utf-8":
        try:
            return Extracted(data.decode("utf-8"))
        except UnicodeDecodeError:
            declared = _DECLARED.search(data[:4096])
            codec = _codec(declared[1].decode().lower()) if declared else ""
            if not codec or codec.startswith("utf"):
                return _guessed(data)
    return Extracted(data.decode(codec, "replace"))


def _guessed(data: bytes) -> Extracted:
    from charset_normalizer import CharsetMatch, from_bytes

    text = data.decode("utf-8", "replace")
    letters = re.sub(r"[\x00-\x7f\ufffd]", "", text)
    if len(letters.encode()) >= 2 * text.count("\ufffd"):  # in other encodings few bytes look like letters
        return Extracted(text, guessed="UTF-8 with unreadable bytes")
    preference = 1 / max(1, len(data.translate(None, _SIGNS)))  # few letters tell little

    def badness(found: CharsetMatch) -> tuple[float, float, int]:
        usual = preference if _LIKELY[0] in found.could_be_from_charset else 0.0
        return max(0.0, found.chaos - usual), -found.coherence - usual, _LIKELY.index(found.encoding)

    # It looks at a few short samples, which may all be of a page's scripts.
    telling = b"\n".join(part for part in re.split(rb"[\n<>]", data) if not part.isascii())
    found = from_bytes(telling, threshold=_WORST, cp_isolation=_LIKELY)
    best = min(found, key=badness, default=None)
    if best is None:
        return Extracted("", dropped="not UTF-8, nor an encoding that can be recognised")
    name = min(best.could_be_from_charset, key=_LIKELY.index)
    return Extracted(
        data.decode(name, "replace"), guessed=name.replace("cp125", "windows-125").replace("_", "-")
    )


def _codec(charset: str) -> str:
    """The codec that a charset means; empty where it names no known encoding of text."""
    with contextlib.suppress(LookupError):
        codec = codecs.lookup(charset).name if _CHARSETS.fullmatch(charset) else ""
        return str(_TABLES["read_as"].get(codec, codec))
    return ""
