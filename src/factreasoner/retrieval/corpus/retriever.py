"""The retriever of own documents."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from factreasoner.config import Config
from factreasoner.errors import ConfigError, StoreError
from factreasoner.models import Atom, Record
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.corpus.collection import StoredPassage
from factreasoner.retrieval.corpus.embeddings import embedding_named
from factreasoner.retrieval.corpus.search import CorpusSearch, way
from factreasoner.retrieval.corpus.store import Store
from factreasoner.retrieval.per_atom import FoundPassage, Query, retrieve_each


class CorpusRetriever:
    """Searches a collection that `factreasoner index` made, atom by atom.

    It sees the collection as it was when the retriever was made.

    Raises:
        ConfigError: no such store or collection, a search it can't do, or an embedding that is not its own.
        MissingExtraError: chromadb or bm25s is not installed.
    """

    def __init__(self, config: Config | None = None) -> None:
        self.config = config or Config()
        store = Store(self.config)
        try:
            collection = store.collection(self.config.collection)
            collection.refuse_other(self.config.embedding)
            if not collection.count():
                raise ConfigError(f"collection: {collection.name!r} in store {store.where} is empty")
            chosen = way(self.config.search, collection)
            embedding = embedding_named(collection.made.embedding, self.config) if chosen != "bm25" else None
            self._search = CorpusSearch(collection, chosen, embedding)
        except StoreError as error:
            raise ConfigError(
                f"{error}. If an index run was cut off, the same `factreasoner index` command mends it"
            ) from error

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """Passages for every atom, best first. Raises StageError when the store gives nothing at all."""
        return retrieve_each(self.search, atoms, record, self.config)

    def search(self, query: Query) -> list[FoundPassage]:
        """The `retrieve_k` passages most relevant to the first form of `query` that finds any.

        Raises:
            StoreError: the store or the embedding fails.
        """
        searches = (self._search.best(form, self.config.retrieve_k) for form in query.forms)
        return [_found(passage) for passage in next(filter(None, searches), ())]


def _found(passage: StoredPassage) -> FoundPassage:
    name = PurePath(passage.path).name
    return FoundPassage(
        passage.text,
        passage.title or name,
        passage.link,
        note=f"{passage.path}, passage {passage.position + 1}",
    )
