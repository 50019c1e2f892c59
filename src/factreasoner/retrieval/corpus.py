"""A retriever for the user's documents: passages by words, by vectors, or by both."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from factreasoner.calls.limits import Budget
from factreasoner.corpus.collection import Collection, StoredPassage
from factreasoner.corpus.embeddings import embedding_named
from factreasoner.corpus.store import Store
from factreasoner.corpus.word_index import word_index
from factreasoner.errors import ConfigError, StoreError
from factreasoner.models import Atom, Failure, Record, StageError
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.per_atom import FoundPassage, Query, distinct, retrieve_each
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.text.passages import fused

DEPTH = 100


class CorpusRetriever:
    """Searches a collection made by `factreasoner index`, atom by atom.

    Query embeddings are paid from `budget`; without it `config.max_cost` is the limit. A collection that
    changes is opened again, and every record names the state that was searched; while it is being written,
    its state stays as first seen.

    Raises:
        ConfigError: no such store or collection, an unsupported search, or another embedding.
        MissingExtraError: chromadb or bm25s is not installed.
    """

    def __init__(self, config: RetrievalSettings | None = None, budget: Budget | None = None) -> None:
        self.config = config or RetrievalSettings()
        self._budget = budget
        self._store = Store(self.config)
        self._lock = threading.Lock()
        try:
            self._opened = self._open(self._store.collection(self.config.collection))
        except StoreError as error:
            raise ConfigError(
                f"{error}. If an index run was interrupted, the same `factreasoner index` command repairs it"
            ) from error

    def _open(self, collection: Collection) -> _Search:
        if not collection.count():
            raise ConfigError(f"collection: {collection.name!r} in store {self._store.folder} is empty")
        return _Search(collection, self.config, self._budget)

    def _current(self) -> _Search:
        """The collection in its current state. Raises StoreError if it can't be read."""
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
        """Passages for every atom, best first. Raises StageError if every search failed."""
        try:
            opened = self._current()
        except StoreError as error:
            raise StageError((Failure.of("retriever", record.id, error),)) from error
        found = retrieve_each(opened.best, atoms, record, self.config)
        return found._replace(searched=(opened.state,))

    def search(self, query: Query) -> list[FoundPassage]:
        """The `retrieve_k` passages most relevant to the first form of `query` with results.

        Raises StoreError: the store or the embedding fails.
        """
        return self._opened.best(query)


class _Search:
    """Searches a collection in its current state; thread-safe."""

    def __init__(self, collection: Collection, config: RetrievalSettings, budget: Budget | None) -> None:
        collection.refuse_other(config.embedding)
        way, embedded = config.search, collection.embedded
        if way in ("dense", "hybrid") and not embedded:
            raise ConfigError(
                f"search: {way!r} needs vectors, and collection {collection.name!r} was made without an "
                "embedding; index into another collection with `embedding=NAME`, or use `search='bm25'`"
            )
        self.revision = collection.made.revision
        self.state = collection.state
        self._k = config.retrieve_k
        self._collection = collection
        self._words = None if way == "dense" else word_index(collection)
        embedding = collection.made.embedding
        self._embedding = embedding_named(embedding, config, budget) if embedded and way != "bm25" else None
        if self._embedding is not None:
            _ = collection.vectors  # opened here, as threads may not open it at once

    def best(self, query: Query) -> list[FoundPassage]:
        searches = (distinct(map(_as_found_passage, self._ranked(form)), self._k) for form in query.forms)
        return next(filter(None, searches), [])

    def _ranked(self, text: str) -> Iterator[StoredPassage]:
        """Passages, most relevant to `text` first, read in small groups on demand."""
        rankings, depth = [], max(DEPTH, self._k)
        if self._words is not None:
            rankings.append(self._words.best(text, depth))
        if self._embedding is not None:
            rankings.append(self._collection.vectors.nearest(self._embedding.embed([text])[0], depth))
        ids = fused(rankings)
        for first in range(0, len(ids), 2 * self._k):
            yield from self._collection.with_ids(ids[first : first + 2 * self._k])


def _as_found_passage(passage: StoredPassage) -> FoundPassage:
    name = PurePath(passage.path).name
    place = f"{passage.path}, passage {passage.position + 1}"
    return FoundPassage(passage.text, passage.title or name, passage.link, note=place)
