"""Bytes to text, whatever their encoding."""

from __future__ import annotations

import codecs
import re

_CHARSETS = re.compile(
    r"utf-?8|utf-?16(-?[lb]e)?|us-ascii|iso-?8859-?\d+|latin-?\d|windows-?\d+|cp\d+|koi8-?\w|gb\w+|big5\w*"
    r"|shift_?-?jis|euc-?\w+|iso-2022-\w+|tis-620|macroman|macintosh"
)
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Byte order marks of UTF-16, whose texts hold zeros."""


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
    """Whether it names an encoding of texts that is known here."""
    if not _CHARSETS.fullmatch(charset):
        return False
    try:
        codecs.lookup(charset)
    except LookupError:
        return False
    return True
