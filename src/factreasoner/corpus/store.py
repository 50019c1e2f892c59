"""The Chroma store of passages: a folder on disk, with one writer at a time. It sends no telemetry."""

from __future__ import annotations

import contextlib
import re
import shutil
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from filelock import FileLock, Timeout
from platformdirs import user_data_dir

from factreasoner.corpus.collection import NONE, Collection, CollectionInfo
from factreasoner.errors import ConfigError, StoreError
from factreasoner.llm.faults import shown
from factreasoner.plugins.table import extras_named
from factreasoner.settings import Config

with extras_named():
    import chromadb
    from chromadb.config import Settings
    from chromadb.errors import ChromaError, NotFoundError

T = TypeVar("T")
P = ParamSpec("P")

_FILE = "chroma.sqlite3"
_BESIDE = ".rebuilding"
"""What the name of a collection ends with that is to take the place of a damaged one."""
_DAMAGED = re.compile("file is not a database|database disk image is malformed")
_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,498}[a-zA-Z0-9]")
_NO_VECTORS = {
    # Chroma wants a vector an item; these are all equal and never searched, so let them cost nothing.
    "space": "l2",
    "ef_construction": 1,
    "ef_search": 1,
    "max_neighbors": 2,
    "sync_threshold": 20_000,
}
VECTORS = {
    # recall@10 of 0.99 on 10,000 random vectors; Chroma's own settings give 0.54 (benchmarks/retrieval.py)
    "space": "cosine",
    "ef_construction": 200,
    "ef_search": 400,
    "max_neighbors": 32,
    "sync_threshold": 5_000,
}


def folder_of(config: Config) -> Path:
    """Where the store of `config` is on disk: by default in the user's data folder."""
    return (config.store_dir or Path(user_data_dir("factreasoner")) / "corpus").absolute()


class Store:
    """A Chroma store in the folder `store_dir`, made if `create`.

    Raises ConfigError: there is no store, or it can't be opened.
    """

    def __init__(self, config: Config, *, create: bool = False) -> None:
        self.folder = folder_of(config)
        if not create:
            _refuse_none(self.folder)
        # Chroma must not read a .env file in the working directory.
        settings = Settings(_env_file=None, anonymized_telemetry=False)
        try:
            self.ask(self.folder.mkdir, parents=True, exist_ok=True)
            self.client = self.ask(chromadb.PersistentClient, str(self.folder), settings=settings)
        except StoreError as error:
            raise ConfigError(str(error)) from error
        self.close = weakref.finalize(self, self.client.close)

    def ask(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`fn(...)`, with Chroma's errors as StoreError."""
        try:
            return fn(*args, **kwargs)
        except (ChromaError, OSError, ValueError) as error:
            told = shown(str(error) or type(error).__name__)
            if _DAMAGED.search(told):
                told = f"{_FILE} is damaged; put back a copy of it, or delete the folder and index again"
            raise StoreError(f"store {self.folder}: {told}") from error

    @classmethod
    @contextlib.contextmanager
    def writing(cls, config: Config, *, create: bool = False) -> Iterator[Store]:
        """The store, with no other process writing to any collection of it; the lock ends with the process.

        Raises ConfigError: another process does, or the store does not fit.
        """
        folder = folder_of(config)
        if not create:
            _refuse_none(folder)
        lock = FileLock(folder / ".lock")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout as error:
            remedy = "wait for it or end it (what it has written stays), or use another --store"
            raise ConfigError(f"store {folder}: another process is writing to it; {remedy}") from error
        except OSError as error:
            raise ConfigError(f"store {folder}: can't be written: {error.strerror or error}") from error
        try:
            yield cls(config, create=create)
        finally:
            lock.release()

    def names(self) -> list[str]:
        """The collections `factreasoner index` made, sorted."""
        found = self.ask(self.client.list_collections)
        return sorted(
            c.name for c in found if CollectionInfo.known(c.metadata) and not c.name.endswith(_BESIDE)
        )

    def collection(self, name: str) -> Collection:
        """The collection `name`. Raises ConfigError if `factreasoner index` did not make one."""
        found = self.ask(self._get, name)
        if found is None:
            known = ", ".join(self.names()) or "none"
            raise ConfigError(f"collection: no {name!r} in store {self.folder}; there: {known}")
        return self._opened(found)

    def open(self, name: str, embedding: str | None) -> Collection:
        """The collection `name`, created if missing, with this `embedding` (None: as it was made).

        An empty one is made anew for another embedding. Where `replace` was cut off, it is completed.
        Raises ConfigError: the name is not allowed, or the collection was made with another embedding.
        """
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"collection: {name!r} can't be a name; it has 3 to 500 letters, digits, '.', '_' or '-', "
                "a letter or digit first and last"
            )
        found = self.ask(self._get, name)
        if found is None and (rebuilt := self.ask(self._get, name + _BESIDE)) is not None:
            self._opened(rebuilt).rename(name)
            found = self.ask(self._get, name)
        if found is not None:
            collection = self._opened(found)
            if collection.made.embedding == (embedding or collection.made.embedding) or collection.count():
                collection.refuse_other(embedding)
                return collection
            self.delete(name)
        return self._created(name, CollectionInfo(embedding or NONE))

    def beside(self, damaged: Collection) -> Collection:
        """The collection that rebuilds a damaged one; an interrupted rebuild goes on."""
        found = self.ask(self._get, damaged.name + _BESIDE)
        if found is not None and self._opened(found).damaged():
            self._drop(self._opened(found))
        elif found is not None:
            return self._opened(found)
        return self._created(damaged.name + _BESIDE, damaged.made._replace(revision=""))

    def replace(self, damaged: Collection, rebuilt: Collection) -> None:
        """Drop the damaged collection, and give its name to the rebuilt one."""
        self._drop(damaged)
        rebuilt.rename(damaged.name)

    def delete(self, name: str) -> None:
        """Drop a collection and its word index. Raises ConfigError if it does not exist."""
        collection = self.collection(name)
        if (beside := self.ask(self._get, name + _BESIDE)) is not None:
            self._drop(self._opened(beside))
        self._drop(collection)

    def _drop(self, collection: Collection) -> None:
        self.ask(self.client.delete_collection, collection.name)
        shutil.rmtree(collection.folder, ignore_errors=True)

    def _get(self, name: str) -> Any:
        try:
            return self.client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _created(self, name: str, made: CollectionInfo) -> Collection:
        found = self.ask(
            self.client.get_or_create_collection,
            name,
            embedding_function=None,
            metadata=made.metadata(),
            configuration={"hnsw": dict(VECTORS if made.vectors else _NO_VECTORS)},
        )
        return self._opened(found)

    def _opened(self, found: Any) -> Collection:
        if not CollectionInfo.known(found.metadata):
            raise ConfigError(
                f"collection: {found.name!r} in store {self.folder} was not made by `factreasoner index`"
            )
        return Collection(found, self.ask, folder=self.folder / "bm25" / str(found.id))


def _refuse_none(folder: Path) -> None:
    if not (folder / _FILE).is_file():
        raise ConfigError(f"no store in {folder}: make one with `factreasoner index PATH...`")
