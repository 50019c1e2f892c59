"""robots.txt, by RFC 9309."""

from __future__ import annotations

import httpx

from factreasoner.calls.cache import InFlight
from factreasoner.errors import ForbiddenUrlError, UnreadablePageError
from factreasoner.plugins.table import extras_named
from factreasoner.web.addresses import display
from factreasoner.web.fetch import Fetcher

with extras_named():
    from protego import Protego

AGENT = "factreasoner"
"""This program's name in robots.txt."""
_LONGEST = 500 * 1024
"""Maximum bytes read of a robots.txt, RFC 9309's minimum."""


class Robots:
    """The rules of all sites, each fetched once; thread-safe."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self._in_flight = InFlight[Protego]()
        self._rules: dict[str, Protego] = {}

    def check(self, url: httpx.URL) -> None:
        """Raise unless `url` is allowed. A site without a robots.txt allows everything.

        Raises:
            ForbiddenUrlError: robots.txt disallows the page.
            FetchError: robots.txt is not available now, which does not count as permission.
        """
        site = str(url.copy_with(raw_path=b"/robots.txt", fragment=None))
        rules, _ = self._in_flight.get_or_ask(site, lambda: self._rules.get(site), lambda: self._read(site))
        if not rules.can_fetch(str(url), AGENT):
            raise ForbiddenUrlError("robots.txt", f"{display(url)}: robots.txt forbids programs")

    def _read(self, site: str) -> Protego:
        try:
            data = self._fetcher.fetch(site).data
        except UnreadablePageError as error:
            if error.passing:
                raise
            data = b""  # a status of 4xx, or no text: there are no rules
        self._rules[site] = Protego.parse(data[:_LONGEST].decode("utf-8-sig", "replace"))
        return self._rules[site]
