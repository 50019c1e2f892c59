"""A page as fetched, and its text; bytes to text in any encoding."""

from __future__ import annotations

import codecs
import re
from typing import NamedTuple

LONGEST_TEXT = 500_000
"""Characters of a page's text that are searched; to cut a hostile page of megabytes takes minutes."""
CUT = f"the first {LONGEST_TEXT:,} characters of the page were searched"
_NO_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_CHARSETS = re.compile(
    r"utf-?8|utf-?16(-?[lb]e)?|us-ascii|iso-?8859-?\d+|latin-?\d|windows-?\d+|cp\d+|koi8-?\w|gb\w+|big5\w*"
    r"|shift_?-?jis|euc-?\w+|iso-2022-\w+|tis-620|macroman|macintosh"
)
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Byte order marks of UTF-16, whose texts hold zeros."""


class Page(NamedTuple):
    """What a server sent. `url` is where redirects ended; `media_type` and `charset` are as it claimed."""

    url: str
    media_type: str
    charset: str
    data: bytes


class Extracted(NamedTuple):
    """What can be read on a page. With `dropped`, the reason, `text` is empty.

    `canonical` is the link that the page gives as its own; empty without one.
    """

    text: str
    title: str = ""
    dropped: str = ""
    canonical: str = ""


def plain(text: str) -> str:
    """`text` with a blank for each control character and lone surrogate, so lengths stay the same.

    Controls act on a terminal, and no file can hold a lone surrogate. Line feeds and tabs stay.
    """
    return _NO_TEXT.sub(" ", text)


def decode(data: bytes, charset: str = "") -> str:
    """Text by its byte order mark, else UTF-8, else the charset claimed, else Windows-1252. Never fails."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.decode(encoding, "replace")
    if is_known(charset):
        return data.decode(charset, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def is_known(charset: str) -> bool:
    """Whether it names a known encoding of text."""
    if not _CHARSETS.fullmatch(charset):
        return False
    try:
        codecs.lookup(charset)
    except LookupError:
        return False
    return True
