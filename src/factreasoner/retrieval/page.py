"""A page as it was fetched, and as it was read."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """What a server sent. `url` is where redirects ended; `media_type` and `charset` are as it claimed."""

    url: str
    media_type: str
    charset: str
    data: bytes


class Extracted(NamedTuple):
    """What can be read on a page. With `dropped`, the reason, `text` is empty."""

    text: str
    title: str = ""
    dropped: str = ""
