"""Evidence from Wikipedia, or any MediaWiki with the TextExtracts extension, through its public API."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from factreasoner.config import Config
from factreasoner.errors import SearchError
from factreasoner.language.lexicon import FUNCTION_WORDS
from factreasoner.models import Atom, Record
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.addresses import display
from factreasoner.retrieval.passages import best, split_passages
from factreasoner.retrieval.per_atom import Found, Query, retrieve_each
from factreasoner.retrieval.service import JsonService

CONTACT_VARIABLE = "FACTREASONER_CONTACT"
"""Environment variable with an e-mail address or URL, sent along as the wikis' etiquette asks."""
PAGES = 3
"""Pages read for an atom, besides the topic's own."""
_LONGEST_QUERY = 300
_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())
_BUSY = frozenset({"maxlag", "ratelimited", "readonly"})


class WikipediaRetriever:
    """Searches pages for each atom, reads them whole, and takes the passages that speak of the atom.

    Raises:
        ConfigError: `wikipedia_url` is no URL, or the cache can't be used.
    """

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or Config()
        url = self.config.wikipedia_url or f"https://{self.config.wikipedia_language}.wikipedia.org/w/api.php"
        contact = os.environ.get(CONTACT_VARIABLE, "").strip()
        agent = f"factreasoner ({contact or 'research tool for fact checking'}) httpx"
        self._wiki = JsonService(
            url,
            self.config,
            headers={"User-Agent": agent.encode("ascii", "replace").decode()},
            busy=lambda answer: _error_code(answer) in _BUSY,
        )

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """Passages for every atom, best first. Raises StageError when the wiki answers nothing at all."""
        return retrieve_each(self.search, atoms, record, self.config)

    def search(self, query: Query) -> list[Found]:
        """The `retrieve_k` passages most relevant to `query`, over its pages and that of its topic.

        Raises:
            SearchError: the wiki answered with an error, or not at all.
        """
        ids = self._hits(query.forms, PAGES)
        if query.topic and query.topic != query.text:
            ids += self._hits([query.topic], 1)
        found = [
            Found(passage.text, title, link)
            for title, link, text in filter(None, map(self._page, dict.fromkeys(ids)))
            for passage in split_passages(text)
        ]
        # The title stands for the "he" and "it" of the passages below it.
        chosen = best(query.text, [f"{f.title}. {f.text}" for f in found], self.config.retrieve_k)
        return [found[i] for i in chosen]

    def _hits(self, texts: Sequence[str], limit: int) -> list[int]:
        """Ids of pages for the first of `texts` that has any.

        They have all words of the text, else all of its names, else any word.
        """
        for form in [form for text in texts for form in search_forms(text)]:
            answer = self._ask(list="search", srsearch=form, srlimit=limit, srprop="", srinfo="")
            hits = [int(hit["pageid"]) for hit in answer.get("search", ()) if "pageid" in hit]
            if hits:
                return hits
        return []

    def _page(self, page_id: int) -> tuple[str, str, str] | None:
        """(title, link, text) of a page; None for lists of meanings and pages without text."""
        answer = self._ask(
            prop="extracts|info|pageprops",
            pageids=page_id,
            explaintext=1,
            exsectionformat="plain",
            inprop="url",
            ppprop="disambiguation",
        )
        page: dict[str, Any] = next(iter(answer.get("pages", ())), {})
        if "disambiguation" in page.get("pageprops", {}):
            return None
        if "extract" not in page and "missing" not in page:
            raise SearchError(f"{display(self._wiki.url)} can't give the text of a page (no TextExtracts)")
        text = str(page.get("extract", "")).strip()
        return (str(page.get("title", "")), str(page.get("fullurl", "")), text) if text else None

    def _ask(self, **parameters: str | int) -> dict[str, Any]:
        answer = self._wiki.get(
            {"action": "query", "format": "json", "formatversion": 2, "maxlag": 5, **parameters}
        )
        code = _error_code(answer)
        if code or not isinstance(answer, dict):
            raise SearchError(f"{display(self._wiki.url)} refuses a query: {code or 'not an object'}")
        found = answer.get("query", {})
        return found if isinstance(found, dict) else {}


def _error_code(answer: Any) -> str:
    error = answer.get("error") if isinstance(answer, dict) else None
    return str(error.get("code", "unknown")) if isinstance(error, dict) else ""


def search_forms(text: str) -> list[str]:
    """What to search for, one after the other until something is found.

    All words of `text`; its capitalised words; any of its words but function words. The operators of the
    search syntax are taken out, and none is longer than the 300 characters the wikis take.
    """
    words = re.sub(r"[^\w\s.,'’-]|(?<!\w)[.,'’-]+|[.,'’-]+(?!\w)", " ", text).split()
    content = [word for word in dict.fromkeys(words) if word.lower() not in _FUNCTION_WORDS]
    forms = (
        _cut(words, " "),
        _cut([word for word in content if word[0].isupper()], " "),
        _cut([word for word in content if len(word) > 1], " OR "),
    )
    return list(dict.fromkeys(filter(None, forms)))


def _cut(words: Sequence[str], joint: str) -> str:
    """As many lower-case words as fit: operators such as AND are written in capitals."""
    form = ""
    for word in words:
        longer = f"{form}{joint}{word.lower()}" if form else word.lower()
        if len(longer) > _LONGEST_QUERY:
            break
        form = longer
    return form
