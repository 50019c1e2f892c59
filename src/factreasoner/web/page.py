"""A page as it was fetched, and as it was read."""

from __future__ import annotations

import re
from typing import NamedTuple

LONGEST_TEXT = 500_000
"""Characters of a page's text that are searched; to cut a hostile page of megabytes takes minutes."""
CUT = f"the first {LONGEST_TEXT:,} characters of the page were searched"
_NO_TEXT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")


class Page(NamedTuple):
    """What a server sent. `url` is where redirects ended; `media_type` and `charset` are as it claimed."""

    url: str
    media_type: str
    charset: str
    data: bytes


class Extracted(NamedTuple):
    """What can be read on a page. With `dropped`, the reason, `text` is empty.

    `canonical` is the link that the page gives as its own; empty where it gives none.
    """

    text: str
    title: str = ""
    dropped: str = ""
    canonical: str = ""


def plain(text: str) -> str:
    """`text` with a blank for every character that is none, lengths kept: controls and lone surrogates.

    The first command a terminal, of the second no file can be made. Line feeds and tabs stay.
    """
    return _NO_TEXT.sub(" ", text)
