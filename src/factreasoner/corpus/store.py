"""The store: a folder of collections, with one writer at a time."""

from __future__ import annotations

import contextlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout
from platformdirs import user_data_dir

from factreasoner.corpus.collection import FILE, NONE, Collection, outdated
from factreasoner.corpus.settings import CorpusSettings
from factreasoner.errors import ConfigError, StoreError

_OLD_FILE = "chroma.sqlite3"
_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{1,198}[a-zA-Z0-9]")


def folder_of(config: CorpusSettings) -> Path:
    """The folder of the store, by default in the user's data folder."""
    return (config.store or Path(user_data_dir("factreasoner")) / "corpus").absolute()


class Store:
    """The store in `folder`.

    Raises ConfigError: there is none (without `create`), or another version made it.
    """

    def __init__(self, config: CorpusSettings, *, create: bool = False) -> None:
        self.folder = folder_of(config)
        if (self.folder / _OLD_FILE).is_file():
            raise ConfigError(outdated(self.folder))
        if not create and not self.folder.is_dir():
            raise ConfigError(f"no store in {self.folder}: make one with `factreasoner index PATH...`")

    @classmethod
    @contextlib.contextmanager
    def writing(cls, config: CorpusSettings, *, create: bool = False) -> Iterator[Store]:
        """The store, locked against other writers until the block, or the process, ends.

        Raises ConfigError: another process is writing, or there is no store.
        """
        store = cls(config, create=create)
        lock = FileLock(store.folder / ".lock")
        try:
            store.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire(timeout=0)
        except Timeout as error:
            remedy = "wait for it or end it (what it has written stays), or use another `store`"
            raise ConfigError(f"store {store.folder}: another process is writing to it; {remedy}") from error
        except OSError as error:
            raise ConfigError(f"store {store.folder}: can't be written: {error.strerror or error}") from error
        try:
            yield store
        finally:
            lock.release()

    def names(self) -> list[str]:
        """The collections of the store, sorted."""
        return sorted(path.parent.name for path in self.folder.glob(f"*/{FILE}"))

    def collection(self, name: str) -> Collection:
        """The collection `name`. Raises ConfigError if there is none."""
        if name in (names := self.names()):
            return Collection(self.folder / name)
        known = ", ".join(names) or "none"
        raise ConfigError(f"collection: no {name!r} in store {self.folder}; there: {known}")

    def open(self, name: str, embedding: str | None) -> Collection:
        """The collection `name`, created if missing, with this `embedding` (None: as it was made).

        An empty one is made again for another embedding.

        Raises ConfigError: the name is invalid, or the collection has another embedding.
        """
        if not _NAME.fullmatch(name):
            raise ConfigError(
                f"collection: {name!r} can't be a name; it has 3 to 200 letters, digits, '.', '_' or '-', "
                "a letter or digit first and last"
            )
        collection = Collection(self.folder / name, create=embedding or NONE)
        if embedding not in (None, collection.made.embedding) and not collection.count():
            self.delete(name)
            collection = Collection(self.folder / name, create=embedding)
        collection.refuse_other(embedding)
        return collection

    def delete(self, name: str) -> None:
        """Delete a collection. Raises ConfigError if it does not exist, StoreError if it can't be deleted."""
        self.collection(name).close()
        try:
            shutil.rmtree(self.folder / name)
        except OSError as error:
            why = f"{name} can't be deleted: {error.strerror or error}"
            raise StoreError(f"store {self.folder}: {why}") from error
