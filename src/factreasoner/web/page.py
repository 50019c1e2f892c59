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
_READ_AS = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
}
"""What browsers read some codecs as, since that is what pages mean."""
_DECLARED = re.compile(rb"<(?:meta|\?xml)\s[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w-]+)", re.IGNORECASE)
WIDE = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
"""Byte order marks of UTF-16, whose texts hold zeros."""
WINDOWS = "Windows-1252"
_LETTER, _SIGN = "À-ÖØ-öø-ÿŠŒŽšœžŸƒ", "€‚„†‡ˆ‰˜¡-§¨©¬¯±µ¶¸¼-¿"
_ALONE = "\x00-@[-`{-\x7f\xa0‘’“”«»‹›–—…"
_NO_WORD = re.compile(
    # "Ìîñò": Cyrillic, Greek, Arabic
    f"(?<![^{_ALONE}])(?=[^{_ALONE}]*[{_LETTER}])[^{_ALONE}a-zA-Z]{{3,}}(?![^{_ALONE}])"
    f"|[{_LETTER}][{_SIGN}]|[ÂÃ][^\x00-\x7fÀ-ÿ]"  # "å¤§", "Ã©": Chinese, Japanese, Korean, UTF-8
    "|(?<=[a-zA-Z])[¹³¿](?=[a-zA-Z])"  # "p³ynie": Central European
)
"""What bytes of other encodings look like in Windows-1252, and its own words do not."""
_FEW = 0.15
"""Share of the places that are not ASCII in which a text of Windows-1252 may look so."""


class Page(NamedTuple):
    """What a server sent. `url` is where redirects ended; `media_type` and `charset` are as it claimed."""

    url: str
    media_type: str
    charset: str
    data: bytes


class Extracted(NamedTuple):
    """What can be read on a page. With `dropped`, the reason, `text` is empty.

    `canonical` is the link that the page gives as its own; empty without one. `guessed` is the encoding it
    was read in, where neither its bytes nor anybody says which it is.
    """

    text: str
    title: str = ""
    dropped: str = ""
    canonical: str = ""
    guessed: str = ""


def plain(text: str) -> str:
    """`text` with a blank for each control character and lone surrogate, so lengths stay the same.

    Controls act on a terminal, and no file can hold a lone surrogate. Line feeds and tabs stay.
    """
    return _NO_TEXT.sub(" ", text)


def decode(data: bytes, charset: str = "") -> Extracted:
    """Text by its byte order mark, else the charset claimed, else UTF-8, else the charset that it declares.

    Else it is read as Windows-1252, and `guessed` says so, or `dropped` that it does not read like that.
    """
    if data.startswith(WIDE):
        return Extracted(data.decode("utf-16", "replace"))
    if data.startswith(codecs.BOM_UTF8):
        data, charset = data.removeprefix(codecs.BOM_UTF8), ""
    if not is_known(charset):
        try:
            return Extracted(data.decode("utf-8"))
        except UnicodeDecodeError as error:
            declared = _DECLARED.search(data[:4096])
            charset = declared[1].decode().lower() if declared else ""
            if charset.startswith("utf") or not is_known(charset):
                return _guessed(data, error.start)
    codec = codecs.lookup(charset).name
    return Extracted(data.decode(_READ_AS.get(codec, codec), "replace"))


def _guessed(data: bytes, start: int) -> Extracted:
    text = data.decode("cp1252", "replace")
    places, strange = re.findall(r"[^\x00-\x7f\xa0]+", text), _NO_WORD.findall(text)
    if "\ufffd" in text or len(strange) > _FEW * len(places):
        return Extracted("", dropped=f"not UTF-8 (byte {start}), nor surely {WINDOWS}")
    return Extracted(text, guessed=WINDOWS)


def is_known(charset: str) -> bool:
    """Whether it names a known encoding of text."""
    if not _CHARSETS.fullmatch(charset):
        return False
    try:
        codecs.lookup(charset)
    except LookupError:
        return False
    return True
