"""Evidence from Wikipedia, or any MediaWiki with the TextExtracts extension, through its public API."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from pydantic import BaseModel, ValidationError

from factreasoner.documents.page import CUT, LONGEST_TEXT
from factreasoner.models import Atom, Record
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.per_atom import FoundPassage, Query, distinct, retrieve_each
from factreasoner.retrieval.query_builder import with_subject
from factreasoner.retrieval.service import JsonService, ServiceFault, service_url
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.text.language import FUNCTION_WORDS
from factreasoner.text.passages import best, split_passages

CONTACT_VARIABLE = "FACTREASONER_CONTACT"
"""Environment variable with an e-mail address or URL for the user agent."""
PAGES = 3
"""Pages read per atom, besides the subject's own."""
_LONGEST_QUERY = 300
_FUNCTION_WORDS = frozenset().union(*FUNCTION_WORDS.values())
_BUSY = frozenset({"maxlag", "ratelimited", "readonly", "cirrussearch-too-busy-error"})


class _Hit(BaseModel):
    pageid: int


class _WikiPage(BaseModel):
    """A page's data; `extract` is None for a missing page, or without TextExtracts."""

    title: str = ""
    fullurl: str = ""
    extract: str | None = None
    missing: bool = False
    pageprops: dict[str, Any] | list[Any] = {}


class _QueryResult(BaseModel):
    search: list[_Hit] | None = None
    pages: list[_WikiPage] | None = None


class _ApiResponse(BaseModel):
    query: _QueryResult


class WikipediaRetriever:
    """Searches pages for each atom, reads them whole, and selects passages about the atom.

    Raises ConfigError: `wikipedia` is not a URL, or the cache can't be used.
    """

    def __init__(self, config: RetrievalSettings | None = None) -> None:
        self.config = config or RetrievalSettings()
        wiki = self.config.wikipedia
        url = service_url("wikipedia", wiki if "://" in wiki else f"https://{wiki}.wikipedia.org/w/api.php")
        contact = os.environ.get(CONTACT_VARIABLE, "").strip()
        agent = f"factreasoner ({contact or 'research tool for fact checking'}) httpx"
        agent = re.sub(r"[^ -~]+", "?", agent)  # headers allow nothing else
        self.wiki = JsonService(url, self.config, headers={"User-Agent": agent}, fault=_fault)

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """Passages for every atom, best first. Raises StageError if every search failed."""
        return retrieve_each(self.search, atoms, record, self.config)

    def search(self, query: Query) -> list[FoundPassage]:
        """The `retrieve_k` passages most relevant to `query`, from its pages and its subject's.

        Raises SearchError: the wiki failed or did not answer.
        """
        ids = self._hits(query.forms, PAGES)
        if query.subject and query.subject != query.text:
            ids += self._hits([query.subject], 1)
        found = [passage for page_id in dict.fromkeys(ids) for passage in self._passages(page_id)]
        # The title says what "he" and "it" mean in its passages.
        wanted = with_subject(query.text, query.subject)
        chosen = best(wanted, [f"{f.title}. {f.text}" for f in found], len(found))
        return distinct((found[i] for i in chosen), self.config.retrieve_k)

    def _hits(self, texts: Sequence[str], limit: int) -> list[int]:
        """Page ids for the first of `texts` with results.

        Pages match all words of the text, else all of its names, else any word.
        """
        for form in [form for text in texts for form in search_forms(text)]:
            answer = self._ask(list="search", srsearch=form, srlimit=limit, srprop="", srinfo="")
            if answer.search:
                return [hit.pageid for hit in answer.search]
        return []

    def _passages(self, page_id: int) -> list[FoundPassage]:
        """The passages of a page; none for disambiguation and empty pages."""
        answer = self._ask(
            prop="extracts|info|pageprops",
            pageids=page_id,
            explaintext=1,
            exsectionformat="plain",
            inprop="url",
            ppprop="disambiguation",
        )
        found = []
        for page in answer.pages or ():
            if page.extract and "disambiguation" not in page.pageprops:
                note = CUT if len(page.extract) > LONGEST_TEXT else ""
                passages = split_passages(page.extract[:LONGEST_TEXT])
                found += [FoundPassage(p.text, page.title, page.fullurl, note=note) for p in passages]
        return found

    def _ask(self, **parameters: str | int) -> _QueryResult:
        answer = self.wiki.get(
            {"action": "query", "format": "json", "formatversion": 2, "maxlag": 5, **parameters}
        )
        return _ApiResponse.model_validate(answer).query


def _fault(answer: object) -> ServiceFault | None:
    error = answer.get("error") if isinstance(answer, dict) else None
    if isinstance(error, dict):
        code = str(error.get("code", "unknown"))
        return ServiceFault(f"refuses a query: {code}", passing=code in _BUSY)
    try:
        query = _ApiResponse.model_validate(answer).query
    except ValidationError:
        return ServiceFault("answers with something that is not a result of a MediaWiki's api.php")
    if query.search is None and query.pages is None:
        return ServiceFault("answers with neither hits nor pages; the URL must be a MediaWiki's api.php")
    if any(page.extract is None and not page.missing for page in query.pages or ()):
        return ServiceFault("can't give the text of a page (no TextExtracts)")
    return None


def search_forms(text: str) -> list[str]:
    """Queries to try in turn until one has results.

    All words of `text`; its capitalised words; any content word. Search operators are removed, and each has
    at most the 300 characters that wikis accept.
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
    """As many lower-case words as fit, since operators such as AND are in capitals."""
    form = joint.join(word.lower() for word in words)
    if len(form) > _LONGEST_QUERY:
        form = form[: _LONGEST_QUERY + len(joint)].rpartition(joint)[0]
    return form
