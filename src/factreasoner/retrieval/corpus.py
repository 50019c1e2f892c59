"""The retriever of own documents."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import PurePath

from factreasoner.corpus.collection import Collection, StoredPassage
from factreasoner.corpus.search import CorpusSearch
from factreasoner.corpus.store import Store
from factreasoner.errors import ConfigError, StoreError
from factreasoner.llm.limits import Budget
from factreasoner.models import Atom, Failure, Record, StageError
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.per_atom import FoundPassage, Query, distinct, retrieve_each
from factreasoner.settings import Config


class CorpusRetriever:
    """Searches a collection that `factreasoner index` made, atom by atom.

    Embeddings of queries are paid from `budget`; without it `config.max_cost` is the limit.
    A collection that is indexed into meanwhile is opened anew, and every record says in which state it was
    searched for; while it is written, as it was when that was first seen.

    Raises:
        ConfigError: no such store or collection, a search it can't do, or an embedding that is not its own.
        MissingExtraError: chromadb or bm25s is not installed.
    """

    def __init__(self, config: Config | None = None, budget: Budget | None = None) -> None:
        self.config = config or Config()
        self._budget = budget
        self._store = Store(self.config)
        self._lock = threading.Lock()
        try:
            self._opened = self._open(self._store.collection(self.config.collection))
        except StoreError as error:
            raise ConfigError(
                f"{error}. If an index run was cut off, the same `factreasoner index` command mends it"
            ) from error

    def _open(self, collection: Collection) -> CorpusSearch:
        if not collection.count():
            raise ConfigError(f"collection: {collection.name!r} in store {self._store.folder} is empty")
        return CorpusSearch(collection, self.config, self._budget)

    def _current(self) -> CorpusSearch:
        """The collection as it is. Raises StoreError when it can't be read."""
        with self._lock:
            collection = self._store.collection(self.config.collection)
            if collection.made.revision != self._opened.revision:
                self._opened = self._open(collection)
            return self._opened

    @property
    def collections(self) -> tuple[str, ...]:
        """The collection and its state, as `name@state`."""
        return (self._opened.state,)

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """Passages for every atom, best first. Raises StageError when the store gives nothing at all."""
        if record.contexts is not None:
            return Retrieved(record.contexts)
        try:
            opened = self._current()
        except StoreError as error:
            raise StageError((Failure.of("retriever", record.id, error),)) from error
        found = retrieve_each(lambda query: self._best(opened, query), atoms, record, self.config)
        return found._replace(searched=(opened.state,))

    def search(self, query: Query) -> list[FoundPassage]:
        """The `retrieve_k` passages most relevant to the first form of `query` that finds any.

        Raises:
            StoreError: the store or the embedding fails.
        """
        return self._best(self._opened, query)

    def _best(self, opened: CorpusSearch, query: Query) -> list[FoundPassage]:
        k = self.config.retrieve_k
        searches = (distinct(map(_found, opened.ranked(form, k)), k) for form in query.forms)
        return next(filter(None, searches), [])


def _found(passage: StoredPassage) -> FoundPassage:
    name = PurePath(passage.path).name
    place = f"{passage.path}, passage {passage.position + 1}"
    return FoundPassage(passage.text, passage.title or name, passage.link, note=place)
