"""Evidence from the web: a Serper-compatible search, and the pages it finds."""

from __future__ import annotations

import json
import logging
import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from factreasoner.documents.page import CUT, LONGEST_TEXT, notes_on
from factreasoner.errors import ConfigError, FetchError, ForbiddenUrlError
from factreasoner.models import Atom, Record
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.per_atom import FoundPassage, Query, distinct, retrieve_each
from factreasoner.retrieval.service import JsonService, ServiceFault, service_url
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.text.links import page_of
from factreasoner.text.passages import best, split_passages
from factreasoner.web.connection import Resolver, system_resolver
from factreasoner.web.fetch import Fetcher

if TYPE_CHECKING:
    from factreasoner.retrieval.web_pages import WebPages

KEY_VARIABLE = "SERPER_API_KEY"
RESULTS = 10
"""Requested results; as many as one credit buys."""
_LONGEST_QUERY = 400
_MOST_RESULTS = 100
_QUOTES = re.compile(r'["“”„«»]')

log = logging.getLogger(__name__)


class WebRetriever:
    """Searches the web for each atom; with `fetch_text`, reads the pages found.

    `resolver` replaces DNS when pages are fetched.

    Raises:
        ConfigError: no key in SERPER_API_KEY, an invalid `search_url` or domain, an unusable cache.
        MissingExtraError: `fetch_text` without the packages for pages.
    """

    def __init__(
        self, config: RetrievalSettings | None = None, *, resolver: Resolver = system_resolver
    ) -> None:
        self.config = config or RetrievalSettings()
        key = os.environ.get(KEY_VARIABLE, "").strip()
        if not key:
            raise ConfigError(
                f"retriever 'web' needs a search service's key in the environment variable {KEY_VARIABLE}"
            )
        if not (key.isascii() and key.isprintable()):
            raise ConfigError(f"the key in {KEY_VARIABLE} holds characters that no key has")
        base = service_url("search_url", self.config.search_url).rstrip("/")
        self._service = JsonService(
            base if base.endswith("/search") else f"{base}/search",
            self.config,
            headers={"X-API-KEY": key, "User-Agent": "factreasoner"},
            secret=key,
            fault=_fault,
        )
        self._fetcher = Fetcher(self.config, resolver=resolver)
        self._pages: WebPages | None = None
        if self.config.fetch_text:
            from factreasoner.retrieval.web_pages import WebPages  # needs the packages that read pages

            self._pages = WebPages(self._fetcher, self.config)

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """Snippets or passages for every atom, in search order; see `retrieve_each`."""
        return retrieve_each(self.search, atoms, record, self.config)

    def search(self, query: Query) -> list[FoundPassage]:
        """At most `retrieve_k` passages, one per page; then unread pages without a snippet.

        Raises:
            SearchError: the search service failed or did not answer.
            FetchError: no page could be read, and none has a snippet.
        """
        lost: list[tuple[FoundPassage, FetchError]] = []
        found = distinct(self._passages(query, lost), self.config.retrieve_k)
        if lost and not found:
            raise lost[-1][1]
        return found + [passage for passage, error in lost if error.passing]

    def _passages(self, query: Query, lost: list[tuple[FoundPassage, FetchError]]) -> Iterator[FoundPassage]:
        """Passages of the results in order; `lost` collects unread pages without a snippet."""
        for result in self._results(query.forms):
            try:
                passage = _passage(query, result, self._pages) if self._pages else _shortened(query, result)
            except FetchError as error:
                log.info("page not read: %s", error)
                passage = _shortened(query, result, f"page not read: {error.reason}; the snippet is used")
                passage = passage._replace(unread=error if error.passing else None)
                if not passage.text:
                    lost.append((passage, error))
            if passage.text:
                yield passage

    def _results(self, texts: Sequence[str]) -> list[FoundPassage]:
        """Results on allowed domains for the first of `texts` that has any, with plain snippets.

        A text without results is retried without quotes.
        """
        queries: list[str] = []
        for text in texts:
            query = textwrap.shorten(text, _LONGEST_QUERY, placeholder="") or text.strip()[:_LONGEST_QUERY]
            queries += [query, " ".join(_QUOTES.sub(" ", query).split())]
        results = next(filter(None, map(self._organic, dict.fromkeys(queries))), [])
        found = {}
        for result in results:
            given = (result.get(key) for key in ("title", "link", "snippet"))
            title, link, snippet = (text.strip() if isinstance(text, str) else "" for text in given)
            page = page_of(link)
            if page not in found and self._allowed(link):
                found[page] = FoundPassage(snippet, title, link, snippet, page=link)
        return list(found.values())

    def _organic(self, query: str) -> list[dict[str, Any]]:
        domains = " OR ".join(f"site:{domain}" for domain in self.config.allow_domains)
        answer = self._service.post({"q": f"{query} ({domains})" if domains else query, "num": RESULTS})
        return [result for result in answer.get("organic") or () if isinstance(result, dict)][:_MOST_RESULTS]

    def _allowed(self, link: str) -> bool:
        try:
            self._fetcher.allowed(link)
        except ForbiddenUrlError as error:
            log.info("result ignored: %s", error)
            return False
        return True


def _fault(answer: object) -> ServiceFault | None:
    """An empty result list, or none in an answer that repeats the search, is valid; other answers are not."""
    if isinstance(answer, dict):
        results = answer.get("organic")
        if isinstance(results, list) or (results is None and "searchParameters" in answer):
            return None
    return ServiceFault(f"answers without results: {json.dumps(answer)[:200]}")


def _passage(query: Query, result: FoundPassage, pages: WebPages) -> FoundPassage:
    """The passage of the result's page about the query; else the snippet, with a note."""
    page = pages.text(result.link)
    result = result._replace(title=result.title or page.title, page=page.canonical)
    passage = _speaking(query, result.title, page.text)
    notes = [CUT] if len(page.text) > LONGEST_TEXT else []
    notes += notes_on(page.guessed, page.partly)
    if not passage:
        unfit = "no passage of the page fits; the snippet is used"
        return _shortened(query, result, "; ".join([unfit, *notes]))
    return result._replace(text=passage, note="; ".join(notes))


def _shortened(query: Query, result: FoundPassage, note: str = "") -> FoundPassage:
    """The result with its snippet; of a snippet that is a whole page, only a passage."""
    passages = split_passages(result.snippet[:LONGEST_TEXT])
    if len(passages) < 2:
        return result._replace(note=note)
    text = _speaking(query, result.title, result.snippet) or passages[0].text
    return result._replace(text=text, note=note)


def _speaking(query: Query, title: str, text: str) -> str:
    """The passage of `text` about the query, if any."""
    passages = [passage.text for passage in split_passages(text[:LONGEST_TEXT])]
    chosen = best(query.text, [f"{title}. {passage}" for passage in passages], 1)
    return passages[chosen[0]] if chosen else ""
