"""Passages for a text: by words, by vectors, or by both."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from factreasoner.corpus.collection import Collection, StoredPassage
from factreasoner.corpus.embeddings import embedding_named
from factreasoner.corpus.word_index import word_index
from factreasoner.errors import ConfigError
from factreasoner.llm.limits import Budget
from factreasoner.settings import Config
from factreasoner.settings.choices import Search
from factreasoner.text.passages import fused

DEPTH = 100
"""Passages each way of searching puts forward."""


class CorpusSearch:
    """Searches a collection in the state it is in now; from any number of threads.

    Embeddings of texts are paid from `budget`; without it `config.max_cost` is the limit.

    Raises:
        ConfigError: an embedding that is not the collection's, or a search that it can't do.
        StoreError: the collection can't be read.
    """

    def __init__(self, collection: Collection, config: Config, budget: Budget | None = None) -> None:
        collection.refuse_other(config.embedding)
        way = _way(config.search, collection)
        self.revision = collection.made.revision
        self.state = collection.state
        self._collection = collection
        self._words = word_index(collection) if way != "dense" else None
        made_with = collection.made.embedding
        self._embedding = embedding_named(made_with, config, budget) if way != "bm25" else None

    def ranked(self, text: str, k: int) -> Iterator[StoredPassage]:
        """Passages, those most relevant to `text` first; read as they are taken, some `k` of them at once.

        Raises:
            StoreError: the store or the embedding fails.
        """
        rankings = []
        if self._words is not None:
            rankings.append(self._words.best(text, max(DEPTH, k)))
        if self._embedding is not None:
            rankings.append(self._collection.nearest(self._embedding.embed([text])[0], max(DEPTH, k)))
        ids = fused(rankings)
        for first in range(0, len(ids), 2 * k):
            yield from self._collection.with_ids(ids[first : first + 2 * k])


def _way(search: Search, collection: Collection) -> Literal["bm25", "dense", "hybrid"]:
    """How `collection` is searched. Raises ConfigError when `search` wants vectors it does not have."""
    if search == "auto":
        return "hybrid" if collection.made.vectors else "bm25"
    if search != "bm25" and not collection.made.vectors:
        raise ConfigError(
            f"search: {search!r} needs vectors, and collection {collection.name!r} was made without an "
            "embedding; index into another collection with --embedding NAME, or use --search bm25"
        )
    return search
