"""The vectors of a collection's passages, in Chroma, by passage id."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt

from factreasoner.errors import StoreError
from factreasoner.llm.faults import safe_excerpt
from factreasoner.plugins.table import extras_named

with extras_named():
    import chromadb
    from chromadb.config import Settings
    from chromadb.errors import ChromaError

Vectors = npt.NDArray[np.float32]
T = TypeVar("T")
P = ParamSpec("P")

MOST = 5_000
"""Maximum items per request; Chroma accepts at most 5,461."""
SPACE = {
    # recall@10 of 0.99 on 10,000 random vectors; Chroma's own settings give 0.54 (benchmarks/retrieval.py)
    "space": "cosine",
    "ef_construction": 200,
    "ef_search": 400,
    "max_neighbors": 32,
    "sync_threshold": 5_000,
}
_NAME = "passages"
_DAMAGED = re.compile(r"hnsw|pickle|getting embedding|finding id", re.IGNORECASE)


class VectorStore:
    """Vectors by id, in `folder`. Every method raises StoreError if Chroma fails.

    A read-only folder is copied to a temporary one, since Chroma opens no other.
    """

    def __init__(self, folder: Path) -> None:
        if folder.is_dir() and not _writable(folder):
            copy = tempfile.mkdtemp()
            weakref.finalize(self, shutil.rmtree, copy, ignore_errors=True)
            folder = _ask(shutil.copytree, folder, Path(copy, folder.name), copy_function=shutil.copyfile)
            folder.chmod(0o700)
        # Chroma must not read a .env file in the working directory.
        settings = Settings(_env_file=None, anonymized_telemetry=False)
        self._client = _ask(chromadb.PersistentClient, str(folder), settings=settings)
        self.close = weakref.finalize(self, self._client.close)
        self._items = self._created()

    def _created(self) -> Any:
        create, hnsw = self._client.get_or_create_collection, dict(SPACE)
        return _ask(create, _NAME, embedding_function=None, configuration={"hnsw": hnsw})

    def count(self) -> int:
        """The number of vectors."""
        return int(_ask(self._items.count))

    def damaged(self, *, thorough: bool) -> bool:
        """Whether Chroma can't read its files, as after a killed write.

        With `thorough`, every vector is read. Raises StoreError for any other failure.
        """
        try:
            sample = _ask(self._items.get, limit=1, include=["embeddings"])
            if len(sample["ids"]):
                self.nearest(sample["embeddings"][0], 1)
            pages = self._pages(["embeddings"]) if thorough else iter(())
            return any(len(page["embeddings"]) != len(page["ids"]) for page in pages)
        except StoreError as error:
            if _DAMAGED.search(str(error)):
                return True
            raise

    def clear(self) -> None:
        """Remove all vectors, even damaged ones."""
        _ask(self._client.delete_collection, _NAME)
        self._items = self._created()

    def ids(self) -> set[str]:
        """Ids of all vectors."""
        return {i for page in self._pages([]) for i in page["ids"]}

    def add(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Write at most 5,000 vectors, (len(ids), dimension), replacing existing ones."""
        _ask(self._items.upsert, ids=list(ids), embeddings=vectors)

    def remove(self, ids: Sequence[str]) -> None:
        """Remove the vectors of `ids`; missing ones are ignored."""
        for first in range(0, len(ids), MOST):
            _ask(self._items.delete, ids=list(ids[first : first + MOST]))

    def search_width(self, width: int) -> None:
        """Set how many neighbours a search considers."""
        _ask(self._items.modify, configuration={"hnsw": {"ef_search": width}})

    def nearest(self, vector: Vectors, k: int) -> list[str]:
        """Ids of the `k` vectors nearest to `vector`, (dimension,), best first."""
        found = _ask(self._items.query, query_embeddings=vector[None, :], n_results=k, include=[])
        return list(found["ids"][0])

    def _pages(self, include: list[str]) -> Iterator[Any]:
        offset = 0
        while (page := _ask(self._items.get, limit=MOST, offset=offset, include=include))["ids"]:
            yield page
            offset += MOST


def _ask(fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    try:
        return fn(*args, **kwargs)
    except (ChromaError, OSError, ValueError) as error:
        raise StoreError(f"vectors: {safe_excerpt(str(error) or type(error).__name__)}") from error


def _writable(folder: Path) -> bool:
    effective = os.access in os.supports_effective_ids
    return all(os.access(path, os.W_OK, effective_ids=effective) for path in (folder, *folder.iterdir()))
