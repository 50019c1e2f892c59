"""Texts of web pages: fetched, extracted, cached."""

from __future__ import annotations

import copy
import time
from typing import Any

from factreasoner.calls.retry import Passing, Retry
from factreasoner.documents.page import Extracted, Page
from factreasoner.documents.reader import FETCH_PAGES, PageReader
from factreasoner.errors import FetchError, MissingExtraError, UnreadablePageError
from factreasoner.retrieval.service import RetrievalCache
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.text.links import same_site
from factreasoner.web.addresses import display
from factreasoner.web.fetch import FETCH_BYTES, REFUSED, Fetcher, Permit
from factreasoner.web.robots import Robots

_BY_CHANCE = frozenset({"too slow", "unreadable"})
REMEMBERED = 300.0
"""Seconds before a failed link is tried again."""


class WebPages:
    """The text behind a link; thread-safe.

    Raises:
        MissingExtraError: a package for pages is not installed.
        ConfigError: the cache can't be used.
    """

    def __init__(self, fetcher: Fetcher, config: RetrievalSettings) -> None:
        self._fetcher = fetcher
        self._config = config
        self._reader = PageReader()
        self._cache = RetrievalCache(config)
        self._permit: Permit = Robots(fetcher).check
        self._failed: dict[str, tuple[float, FetchError]] = {}
        self._down: set[str] = set()

    def text(self, link: str) -> Extracted:
        """The text of the page at `link`; only pages with text are cached.

        Its canonical link is the page's own if on the same site, else the end of redirects. A failed link is
        not retried at once: atoms of a record often share pages.

        Raises FetchError: the page could not be fetched, is not allowed, or holds no evidence.
        """
        self._fetcher.allowed(link)
        failed_at, failure = self._failed.get(link, (0.0, None))
        if failure and time.monotonic() < failed_at + REMEMBERED:
            raise failure.with_traceback(None)
        question = {
            "text of": link,
            "pages": FETCH_PAGES,
            "bytes": FETCH_BYTES,
            "private": self._config.allow_private_hosts,
        }
        try:
            url, *read = self._cache.value(question, lambda: self._ask(link))
        except FetchError as error:
            self._failed[link] = (time.monotonic(), copy.copy(error))  # without the page in its traceback
            raise
        self._fetcher.allowed(url)  # what was stored under other lists may lie behind a redirect
        found = Extracted(*read[:5], *map(tuple, read[5:]))
        return found if same_site(found.canonical, url) else found._replace(canonical=url)

    def _ask(self, link: str) -> list[Any]:
        page = self._fetched(link)
        try:
            read = self._reader.read(page)
        except MissingExtraError as error:  # of this page's kind
            raise UnreadablePageError(str(error), f"{display(page.url)} was not read") from error
        if read.dropped:
            passing = read.dropped in _BY_CHANCE
            raise UnreadablePageError(read.dropped, f"{display(page.url)} was not read", passing=passing)
        return [page.url, *read[:6]]  # what a cached answer keeps: texts

    def _fetched(self, link: str) -> Page:
        """The page, retried while `patience` lasts; once if the connection is refused.

        After a host outlasts the patience, its other pages get one attempt each, until one succeeds.
        """
        host = self._fetcher.allowed(link).host

        def ask() -> Page | Passing:
            try:
                return self._fetcher.fetch(link, permit=self._permit)
            except FetchError as error:
                if not error.passing or error.reason == REFUSED or host in self._down:
                    raise
                return Passing(error, error.retry_after)

        try:
            page = Retry(seconds=self._config.patience)(ask)
        except FetchError as error:
            if error.passing and error.reason != REFUSED:
                self._down.add(host)
            raise
        self._down.discard(host)
        return page
