"""One collection of passages: what is in it, and how it is written so that a killed run harms nothing.

A passage's id is made of its file's path, the file's content and its position, so that an interrupted run
goes on where it stopped, and a changed file's new passages exist beside the old ones until these are dropped.
"""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from factreasoner.errors import ConfigError, StoreError

Vectors = npt.NDArray[np.float32]

NONE = "none"
"""The embedding of collections that are searched by words alone."""
PAGE = 5_000
"""Passages read from a collection at once."""
_FORM = 1
"""Counts up when what is stored changes its form."""
_DAMAGED = re.compile(r"hnsw|pickle|getting embedding|finding id", re.IGNORECASE)
"""What Chroma says when files of its index of vectors are torn or gone."""
_EF_SEARCH = 400
_STATE_LETTERS = 12


class CollectionInfo(NamedTuple):
    """How a collection was made. `revision` changes with its content and is empty during writing.

    `dimension` is the length of its vectors, 0 before there are any; `roots` are the paths indexed into it.
    """

    embedding: str
    revision: str = ""
    dimension: int = 0
    roots: tuple[str, ...] = ()

    @property
    def vectors(self) -> bool:
        """Whether its passages have real vectors."""
        return self.embedding != NONE

    def metadata(self) -> dict[str, str | int]:
        """The description as the metadata Chroma keeps with a collection: a flat object."""
        return {"factreasoner": _FORM, **self._replace(roots=())._asdict(), "roots": json.dumps(self.roots)}

    @staticmethod
    def known(metadata: Any) -> bool:
        """Whether a collection with this metadata was made here."""
        return bool(metadata) and metadata.get("factreasoner") == _FORM

    @classmethod
    def of(cls, metadata: Any) -> CollectionInfo:
        """The description of a collection from the metadata that Chroma keeps with it."""
        roots = tuple(json.loads(metadata["roots"]))
        return cls(metadata["embedding"], metadata["revision"], metadata["dimension"], roots)


class StoredPassage(NamedTuple):
    """One passage. `last` marks the last one of its file: with it, and all before it, a file is complete."""

    text: str
    path: str
    digest: str
    position: int
    title: str = ""
    link: str = ""
    last: bool = False

    @property
    def id(self) -> str:
        """Equal where file, content and position are, so that what is indexed again is recognised."""
        return f"{hashlib.sha256(f'{self.digest}:{self.path}'.encode()).hexdigest()[:24]}:{self.position}"

    @property
    def searched(self) -> str:
        """The text that searches compare; the title says what "he" and "it" mean."""
        return f"{self.title}. {self.text}"

    def metadata(self) -> dict[str, str | int | bool]:
        """What Chroma keeps with its text; `last` only if true."""
        _, path, digest, position, title, link, last = self
        found: dict[str, str | int | bool] = {"path": path, "hash": digest, "position": position}
        return found | {"title": title, "link": link} | ({"last": True} if last else {})


class Collection:
    """A collection of a :class:`Store`. Every method raises StoreError when the store fails.

    `ask` calls Chroma, and turns its errors into StoreError.
    """

    def __init__(self, found: Any, ask: Callable[..., Any], *, folder: Path) -> None:
        self._chroma = found
        self._ask = ask
        self.folder = folder
        self.made = CollectionInfo.of(found.metadata)

    @property
    def name(self) -> str:
        """Name of the collection in its store."""
        return str(self._chroma.name)

    @property
    def state(self) -> str:
        """Name and content: `name@4f3a9c12e0b1`, or `name@unfinished-120` while it holds 120 passages."""
        revision = self.made.revision[:_STATE_LETTERS]
        return f"{self.name}@{revision or f'unfinished-{self.count()}'}"

    def refuse_other(self, embedding: str | None) -> None:
        """Raise ConfigError when `embedding` is named and is not the one the collection was made with."""
        if embedding not in (None, self.made.embedding):
            raise ConfigError(
                f"embedding: collection {self.name!r} was made with {self.made.embedding!r}, not "
                f"{embedding!r}; leave --embedding out, or index into another collection"
            )

    def damaged(self) -> bool:
        """Whether Chroma can't read what it wrote: a process killed while it writes may tear its index files.

        After a run that was cut off, every vector is looked at. Raises StoreError for any other trouble.
        """
        try:
            self.count()
            sample = self._ask(self._chroma.get, limit=1, include=["embeddings"])
            if len(sample["ids"]):
                self._ask(self._chroma.query, query_embeddings=sample["embeddings"], n_results=1, include=[])
            if not self.made.revision and self.made.vectors:
                for page in self._pages(["embeddings"]):
                    if len(page["embeddings"]) != len(page["ids"]):
                        return True
        except StoreError as error:
            if not _DAMAGED.search(str(error)):
                raise
            return True
        return False

    def begin(self, roots: Sequence[str]) -> None:
        """Mark the content as being written, and note the paths it comes from."""
        self._write(self.made._replace(revision="", roots=tuple(sorted({*self.made.roots, *roots}))))

    def finish(self) -> None:
        """Mark the content as whole, and fit the search to its size."""
        if self.made.vectors:
            # Found on random vectors, the worst case: recall@10 stays above 0.98 up to 100,000.
            ef = max(_EF_SEARCH, self.count() // 25)
            self._ask(self._chroma.modify, configuration={"hnsw": {"ef_search": ef}})
        self._write(self.made._replace(revision=uuid.uuid4().hex))

    def _write(self, made: CollectionInfo) -> None:
        if made != self.made:
            self._ask(self._chroma.modify, metadata=made.metadata())
            self.made = made

    def count(self) -> int:
        """How many passages there are."""
        return int(self._ask(self._chroma.count))

    def held(self) -> dict[str, dict[str, bool]]:
        """Whether all passages of a content are stored, by the path of its file and its digest."""
        whole = {(row["path"], row["hash"]): row["position"] + 1 for row in self._rows(where={"last": True})}
        counts: Mapping[tuple[str, str], int] = whole
        if sum(whole.values()) != self.count():
            counts = Counter((row["path"], row["hash"]) for row in self._rows())
        found = defaultdict[str, dict[str, bool]](dict)
        for (path, digest), count in counts.items():
            found[path][digest] = whole.get((path, digest)) == count
        return dict(found)

    def ids_of(self, path: str, digest: str) -> set[str]:
        """Ids of the passages of one content of a file."""
        where = {"$and": [{"path": path}, {"hash": digest}]}
        return set(self._ask(self._chroma.get, where=where, include=[])["ids"])

    def add(self, passages: Sequence[StoredPassage], vectors: Vectors | None) -> None:
        """Write at most 5,461 passages with their vectors, (n, dimension); those that are there stay.

        Raises ConfigError: the vectors are of another length than those in the collection.
        """
        if vectors is None:
            vectors = np.ones((len(passages), 1), np.float32)
        dimension = vectors.shape[1]
        if self.made.dimension not in (0, dimension):
            raise ConfigError(
                f"embedding: {self.made.embedding!r} gives vectors of {dimension} numbers, and those of "
                f"collection {self.name!r} have {self.made.dimension}; index into another collection"
            )
        self._write(self.made._replace(dimension=dimension))
        self._ask(
            self._chroma.add,
            ids=[passage.id for passage in passages],
            embeddings=vectors,
            documents=[passage.text for passage in passages],
            metadatas=[passage.metadata() for passage in passages],
        )

    def drop(self, path: str, digest: str | None = None) -> None:
        """Remove the passages of a file, or those of one content of it."""
        where = {"path": path} if digest is None else {"$and": [{"path": path}, {"hash": digest}]}
        self._ask(self._chroma.delete, where=where)

    def passages(self) -> Iterator[tuple[str, StoredPassage]]:
        """Every passage with its id."""
        for page in self._pages(["documents", "metadatas"]):
            yield from _passages(page)

    def with_ids(self, ids: Sequence[str]) -> list[StoredPassage]:
        """The passages of `ids`, in their order; those that are gone are left out."""
        if not ids:
            return []
        found = dict(
            _passages(self._ask(self._chroma.get, ids=list(ids), include=["documents", "metadatas"]))
        )
        return [found[i] for i in ids if i in found]

    def nearest(self, vector: Vectors, k: int) -> list[str]:
        """Ids of the `k` passages whose vectors are nearest to `vector`, (dimension,), best first."""
        answer = self._ask(self._chroma.query, query_embeddings=vector[None, :], n_results=k, include=[])
        return list(answer["ids"][0])

    def rename(self, name: str) -> None:
        """Give it another name, which no collection has."""
        self._ask(self._chroma.modify, name=name)

    def _rows(self, **query: Any) -> Iterator[dict[str, Any]]:
        return (row for page in self._pages(["metadatas"], **query) for row in page["metadatas"])

    def _pages(self, include: list[str], **query: Any) -> Iterator[Any]:
        offset = 0
        while True:
            page = self._ask(self._chroma.get, limit=PAGE, offset=offset, include=include, **query)
            if not page["ids"]:
                return
            yield page
            offset += PAGE


def _passages(page: Any) -> Iterator[tuple[str, StoredPassage]]:
    for i, text, row in zip(page["ids"], page["documents"], page["metadatas"], strict=True):
        place = (row["path"], row["hash"], row["position"])
        yield i, StoredPassage(text or "", *place, row["title"], row["link"], row.get("last", False))
