"""The Chroma store passages are kept in: a folder on disk, or a server. It sends no telemetry."""

from __future__ import annotations

import contextlib
import os
import re
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

import httpx
from platformdirs import user_data_dir

from factreasoner.config import Config
from factreasoner.errors import ConfigError, MissingExtraError, StoreError
from factreasoner.llm.cache import cache_folder
from factreasoner.llm.deadline import within
from factreasoner.llm.faults import shown
from factreasoner.registry import EXTRA_OF_MODULE
from factreasoner.retrieval.corpus.collection import NONE, Ask, Collection, CollectionInfo
from factreasoner.retrieval.corpus.writers import Lease, alone_in_folder

try:
    import chromadb
    from chromadb.config import Settings
    from chromadb.errors import ChromaError, NotFoundError
except ModuleNotFoundError as error:
    raise MissingExtraError(*EXTRA_OF_MODULE["chromadb"]) from error

T = TypeVar("T")
P = ParamSpec("P")

TOKEN_VARIABLE = "CHROMA_TOKEN"
"""Environment variable with the token a server wants."""
HTTP_SECONDS = 120.0
_FILE = "chroma.sqlite3"
_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,498}[a-zA-Z0-9]")
_REBUILT = ".rebuilt"
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


def default_folder() -> Path:
    """Where the store is when nobody says: in the user's data folder."""
    return Path(user_data_dir("factreasoner")) / "corpus"


def folder_of(config: Config) -> Path | None:
    """Where the store of `config` is on disk; None for that of a server."""
    return None if config.chroma_url else (config.store_dir or default_folder()).absolute()


class Store:
    """A Chroma store: the server at `chroma_url`, or the folder `store_dir`, made if `create`.

    Raises:
        ConfigError: there is no store, it can't be opened, or the server can't be reached.
        MissingExtraError: chromadb is not installed.
    """

    def __init__(self, config: Config, *, create: bool = False) -> None:
        self.folder = folder_of(config)
        self._lease: Lease | None = None
        self.where = re.sub(r"//[^/@]*@", "//", config.chroma_url or "") or str(self.folder)
        self._indexes = (self.folder or cache_folder(config)) / "bm25"
        if self.folder is not None and not create:
            _refuse_none(self.folder)
        try:
            self.client = (
                self.ask(_server, config) if self.folder is None else self.ask(_on_disk, self.folder)
            )
        except StoreError as error:
            raise ConfigError(str(error)) from error
        self.close = weakref.finalize(self, _close, self.client)

    def ask(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """`fn(...)`, with whatever Chroma raises as StoreError; over HTTP, in bounded time."""
        if self._lease is not None:
            self._lease.check()
        return self._asked(fn, *args, **kwargs)

    def _asked(self, fn: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        try:
            if self.folder is not None:
                return fn(*args, **kwargs)
            return within(HTTP_SECONDS, lambda: fn(*args, **kwargs))
        except (ChromaError, httpx.HTTPError, TimeoutError, OSError, ValueError) as error:
            raise StoreError(f"store {self.where}: {shown(str(error) or type(error).__name__)}") from error

    @classmethod
    @contextlib.contextmanager
    def writing(cls, config: Config, *, create: bool = False) -> Iterator[Store]:
        """The store, with no other process writing to the collection of `config`, or to its folder.

        Raises:
            ConfigError: another process does; it is named. Or the store is not as it must be.
            StoreError: the server fails; from a call later on too, when this process was taken for dead.
        """
        folder = folder_of(config)
        if folder is None:
            store = cls(config)
            marks = _ServerMarks(store.client, store._asked, store._get)
            lease = Lease(marks, checked_name(config.collection), store.where)
            store._lease = lease
            try:
                yield store
            finally:
                store._lease = None
                lease.release()
            return
        if not create:
            _refuse_none(folder)
        with alone_in_folder(folder, config.collection):
            yield cls(config, create=create)

    def names(self) -> list[str]:
        """The collections `factreasoner index` made, sorted."""
        found = self.ask(self.client.list_collections)
        return sorted({c.name.removesuffix(_REBUILT) for c in found if CollectionInfo.known(c.metadata)})

    def collection(self, name: str) -> Collection:
        """The collection `name`.

        Raises:
            ConfigError: there is none, or `factreasoner index` did not make it.
            StoreError: the store can't be read.
        """
        found = self._found(name)
        if found is None:
            known = ", ".join(self.names()) or "none"
            raise ConfigError(f"collection: no {name!r} in store {self.where}; there: {known}")
        return self._opened(found)

    def open(self, name: str, embedding: str | None) -> Collection:
        """The collection `name`, made when there is none, for the `embedding` named (none: as it was made).

        An empty one is made anew for another embedding.

        Raises:
            ConfigError: the name can't be one, or the collection was made with another embedding.
        """
        found = self._found(checked_name(name))
        if found is not None:
            collection = self._opened(found)
            if collection.made.embedding == (embedding or collection.made.embedding) or collection.count():
                collection.refuse_other(embedding)
                return collection
            self.delete(name)
        return self._opened(self._create(name, CollectionInfo(embedding or NONE)))

    def rebuild(self, collection: Collection) -> Collection:
        """An empty collection in place of a damaged one, with its name, embedding and roots.

        At every moment there is one with the roots: the name passes from one to the other.
        """
        name = collection.name
        if self.ask(self._get, name + _REBUILT) is not None:
            self.ask(self.client.delete_collection, name + _REBUILT)
        fresh = self._create(name + _REBUILT, collection.made._replace(revision=""))
        self.ask(self.client.delete_collection, name)
        self.ask(fresh.modify, name=name)
        return self._opened(fresh)

    def delete(self, name: str) -> None:
        """Drop a collection and its word index. Raises ConfigError when there is none."""
        collection = self.collection(name)
        self.ask(self.client.delete_collection, collection.name)
        collection.drop_indexes()

    def _found(self, name: str) -> Any:
        """Chroma's own collection; a rebuilt one that was cut off before it got its name gets it now."""
        found = self.ask(self._get, name)
        if found is None:
            found = self.ask(self._get, name + _REBUILT)
            if found is not None:
                self.ask(found.modify, name=name)
        return found

    def _get(self, name: str) -> Any:
        try:
            return self.client.get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def _create(self, name: str, made: CollectionInfo) -> Any:
        hnsw = VECTORS if made.vectors else _NO_VECTORS
        return self.ask(
            self.client.get_or_create_collection,
            name,
            embedding_function=None,
            metadata=made.metadata(),
            configuration={"hnsw": dict(hnsw)},
        )

    def _opened(self, found: Any) -> Collection:
        if not CollectionInfo.known(found.metadata):
            raise ConfigError(
                f"collection: {found.name!r} in store {self.where} was not made by `factreasoner index`"
            )
        most = min(self.ask(self.client.get_max_batch_size), 5461)
        return Collection(found, self.ask, folder=self._indexes / str(found.id), most=most)


class _ServerMarks:
    """Empty collections of a server, which say who writes to another one."""

    def __init__(self, client: Any, ask: Ask, get: Callable[[str], Any]) -> None:
        self._client = client
        self._ask = ask
        self._get = get

    def create(self, name: str, metadata: dict[str, Any]) -> Any:
        """A new one, at most by one client."""
        create = self._client.create_collection
        return self._ask(create, name, metadata=metadata, embedding_function=None)

    def find(self, name: str) -> Any:
        """The one of the name, None when there is none."""
        return self._ask(self._get, name)

    def change(self, mark: Any, **changes: Any) -> None:
        """Give it another name or metadata."""
        self._ask(mark.modify, **changes)

    def delete(self, name: str) -> None:
        """Remove the one of the name."""
        self._ask(self._client.delete_collection, name)


def checked_name(name: str) -> str:
    """A collection's name. Raises ConfigError when it can't be one."""
    if not _NAME.fullmatch(name):
        raise ConfigError(
            f"collection: {name!r} can't be a name; it has 3 to 500 letters, digits, '.', '_' or '-', "
            "a letter or digit first and last"
        )
    return name


def _refuse_none(folder: Path) -> None:
    if not (folder / _FILE).is_file():
        raise ConfigError(f"no store in {folder}: make one with `factreasoner index PATH...`")


def _on_disk(folder: Path) -> Any:
    folder.mkdir(parents=True, exist_ok=True)
    return chromadb.PersistentClient(str(folder), settings=_settings())


def _server(config: Config) -> Any:
    url = str(config.chroma_url)
    if not re.match(r"https?://[^/@]+(/[^?#]*)?$", url):
        raise ValueError(
            "chroma_url is not the URL of a server; it is like http://localhost:8000, and a token goes into "
            f"the environment variable {TOKEN_VARIABLE}"
        )
    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    headers = {"Authorization": f"Bearer {token}", "X-Chroma-Token": token} if token else {}
    return chromadb.HttpClient(url.rstrip("/"), headers=headers, settings=_settings())


def _close(client: Any) -> None:
    servers = [getattr(part, "_server", None) for part in (client, getattr(client, "_admin_client", None))]
    client.close()
    for server in servers:
        # Chroma's client of a server forgets its connections.
        if session := getattr(server, "_session", None):
            session.close()


def _settings() -> Any:
    # A .env file in the working directory is none of Chroma's business.
    return Settings(_env_file=None, anonymized_telemetry=False)
