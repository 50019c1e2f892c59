"""One search per atom, in parallel: passages become contexts, errors become failures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from factreasoner.calls.threads import parallel_map
from factreasoner.documents.page import plain
from factreasoner.errors import FetchError, InputError, InputProblem, RetrievalError
from factreasoner.graph.copies import holds
from factreasoner.models import Atom, Context, Failure, Record, StageError
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.query_builder import subject_of
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.text.links import page_of

WORKERS = 8
LONGEST_TITLE = 300


class Query(NamedTuple):
    """The text to find evidence for: an atom or the question. `subject` is the record's, if known.

    `worded` is a query builder's version of the text.
    """

    text: str
    subject: str = ""
    worded: str = ""

    @property
    def forms(self) -> tuple[str, ...]:
        """Texts to search in turn: the query builder's, then, without results, the text itself."""
        return (self.worded, self.text) if self.worded else (self.text,)


class FoundPassage(NamedTuple):
    """One passage found by a search. `unread` is why its page could not be read for now.

    `text` is empty if such a page has no snippet either. `page` identifies the page if it has several links.
    """

    text: str
    title: str = ""
    link: str = ""
    snippet: str = ""
    note: str = ""
    unread: FetchError | None = None
    page: str = ""


Search = Callable[[Query], Sequence[FoundPassage]]
"""Passages for a query, best first. Raises RetrievalError for this query only."""


def distinct(found: Iterable[FoundPassage], k: int) -> list[FoundPassage]:
    """The first `k` passages that are different evidence: one per page, and none that another holds.

    Only as many are taken from `found` as needed.
    """
    kept: list[FoundPassage] = []
    pages: set[str] = set()
    for passage in found:
        page = page_of(passage.page)
        if page in pages or any(holds(other.text, passage.text) for other in kept):
            continue
        kept = [other for other in kept if not holds(passage.text, other.text)]
        pages |= {page} - {""}
        kept.append(passage)
        if len(kept) == k:
            break
    return kept


class _AtomQuery(NamedTuple):
    query: Query
    item_id: str
    atom_ids: tuple[str, ...]


def context_id(atom_ids: tuple[str, ...], rank: int, atoms: Sequence[Atom]) -> str:
    """The id of a passage by rank: `c_<atom>_<rank>`, or `c_q_<rank>` for the question."""
    name = "q"
    while any(atom.id == name for atom in atoms):
        name += "q"
    return f"c_{atom_ids[0] if atom_ids else name}_{rank}"


def retrieve_each(
    search: Search, atoms: Sequence[Atom], record: Record, config: RetrievalSettings
) -> Retrieved:
    """Contexts for every atom, and for the question in versions 2 and 3.

    The question's contexts have empty `atom_ids`. At most `retrieve_k` per search. A failed search is a
    failure of its atom (or of the record, for the question's); a page that could not be read for now is one
    of its atom, or of the context of its snippet.

    Raises:
        StageError: some searches failed and the others found nothing.
        ConfigError: from `search`, if the user must fix it.
    """
    subject = subject_of(record)
    wanted = [_AtomQuery(Query(a.text, subject, a.query), a.id, (a.id,)) for a in atoms]
    question = record.prompt.strip() or (record.topic or "").strip()
    if question and config.version > 1:
        wanted.append(_AtomQuery(Query(question, subject), record.id, ()))

    def attempt(item: _AtomQuery) -> Retrieved:
        try:
            found = search(item.query)
        except RetrievalError as error:
            return Retrieved((), (Failure.of("retriever", item.item_id, error),))
        kept = [passage for passage in found if passage.text][: config.retrieve_k]
        contexts = _contexts(item, kept, atoms)
        unread = [(context.id, passage.unread) for context, passage in zip(contexts, kept, strict=True)]
        unread += [(item.item_id, passage.unread) for passage in found if not passage.text]
        failures = [Failure.of("retriever", name, error) for name, error in unread if error is not None]
        return Retrieved(tuple(contexts), tuple(failures))

    parts = parallel_map(attempt, wanted, workers=min(WORKERS, config.concurrency))
    contexts = tuple(context for part in parts for context in part.contexts)
    failures = tuple(failure for part in parts for failure in part.failures)
    if failures and not contexts:
        raise StageError(failures)
    return Retrieved(contexts, failures)


def _contexts(item: _AtomQuery, found: Sequence[FoundPassage], atoms: Sequence[Atom]) -> list[Context]:
    return [
        Context(
            id=context_id(item.atom_ids, rank, atoms),
            text=plain(passage.text),
            title=" ".join(plain(passage.title).split())[:LONGEST_TITLE],
            # A link is shown to people, so it may be nothing but the address of a page.
            link=plain(passage.link) if passage.link.startswith(("http://", "https://")) else "",
            snippet=plain(passage.snippet),
            note=passage.note,
            unread="" if passage.unread is None else passage.unread.reason,
            atom_ids=item.atom_ids,
        )
        for rank, passage in enumerate(found)
    ]


class GivenRetriever:
    """Searches nothing: the record must have contexts, if only an empty list."""

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """Raises InputError."""
        searching = "choose a retriever that searches for them (`retriever: wikipedia`, `retriever: web`)"
        problem = f"none given: add `contexts` to the record, or {searching}"
        raise InputError([InputProblem(f"record {record.id!r}", "contexts", problem)])
