"""Passages for a text: by words, by vectors, or by both."""

from __future__ import annotations

from typing import Literal

from factreasoner.corpus.collection import Collection, StoredPassage
from factreasoner.corpus.embeddings import Embedding
from factreasoner.corpus.ranks import fused
from factreasoner.corpus.word_index import WordIndex, word_index
from factreasoner.errors import ConfigError
from factreasoner.graph.copies import near_duplicates
from factreasoner.settings.choices import Search

Way = Literal["bm25", "dense", "hybrid"]

DEPTH = 100
"""Passages each way of searching puts forward."""


def way(search: Search, collection: Collection) -> Way:
    """How `collection` is searched. Raises ConfigError when `search` wants vectors it does not have."""
    if search == "auto":
        return "hybrid" if collection.made.vectors else "bm25"
    if search != "bm25" and not collection.made.vectors:
        raise ConfigError(
            f"search: {search!r} needs vectors, and collection {collection.name!r} was made without an "
            "embedding; index into another collection with --embedding NAME, or use --search bm25"
        )
    return search


class CorpusSearch:
    """Searches one collection; from any number of threads. `embedding` is None for words alone.

    Raises:
        StoreError: the collection can't be read.
    """

    def __init__(self, collection: Collection, way: Way, embedding: Embedding | None) -> None:
        self._collection = collection
        self._embedding = embedding if way != "bm25" else None
        self._words: WordIndex | None = word_index(collection) if way != "dense" else None

    def best(self, text: str, k: int) -> list[StoredPassage]:
        """The `k` passages most relevant to `text`, best first, none nearly a copy of another.

        Raises:
            StoreError: the store or the embedding fails.
        """
        rankings = []
        if self._words is not None:
            rankings.append(self._words.best(text, max(DEPTH, k)))
        if self._embedding is not None:
            vector = self._embedding.embed([text])[0]
            rankings.append(self._collection.nearest(vector, max(DEPTH, k)))
        ids = fused(rankings)
        found: list[StoredPassage] = []
        step = 2 * k
        for first in range(0, len(ids), step):
            for passage in self._collection.with_ids(ids[first : first + step]):
                if len(found) < k and not any(near_duplicates(passage.text, other.text) for other in found):
                    found.append(passage)
            if len(found) == k:
                break
        return found
