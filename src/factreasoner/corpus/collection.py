"""A collection: a folder with passages in SQLite and, with an embedding, vectors in Chroma.

A passage's id is made of file path, file content and position, so that an interrupted run can resume, and a
changed file's new passages exist beside the old ones until these are dropped.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sqlite3
import threading
import uuid
import weakref
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from factreasoner.errors import ConfigError, StoreError

if TYPE_CHECKING:
    from factreasoner.corpus.vectors import Vectors, VectorStore

FILE = "passages.sqlite"
NONE = "none"
_FORM = 2
"""Version of the storage format."""
_BUSY_SECONDS = 30.0
_AT_ONCE = 1_000
_EF_SEARCH = 400
_STATE_LETTERS = 12
_TABLES = (
    f"PRAGMA user_version = {_FORM}",
    "CREATE TABLE about (embedding TEXT, revision TEXT, dimension INTEGER, roots TEXT)",
    "CREATE TABLE passages (number INTEGER PRIMARY KEY, id TEXT UNIQUE, text TEXT, path BLOB, digest TEXT,"
    " position INTEGER, title TEXT, link TEXT, last INTEGER)",
    "CREATE INDEX passages_of_file ON passages (path, digest)",
    "CREATE TABLE notes (path BLOB PRIMARY KEY, digest TEXT, note TEXT)",
)
_COLUMNS = "text, path, digest, position, title, link, last"
_LISTED = "id IN (SELECT value FROM json_each(?))"


class CollectionInfo(NamedTuple):
    """How a collection was made. `revision` changes with its content and is empty while writing.

    `dimension` is the length of its vectors, 0 before the first; `roots` are the indexed paths.
    """

    embedding: str
    revision: str = ""
    dimension: int = 0
    roots: tuple[str, ...] = ()


class StoredPassage(NamedTuple):
    """One passage. `last` marks the last one of its file, which is then complete.

    Bytes of `path` that are not UTF-8 are lone surrogates, as in all file names.
    """

    text: str
    path: str
    digest: str
    position: int
    title: str = ""
    link: str = ""
    last: bool = False

    @property
    def id(self) -> str:
        """The same for the same file, content and position."""
        key = f"{self.digest}:".encode() + os.fsencode(self.path)
        return f"{hashlib.sha256(key).hexdigest()[:24]}:{self.position}"

    @property
    def searched(self) -> str:
        """The text to search; the title tells what pronouns refer to."""
        return f"{self.title}. {self.text}"


class Collection:
    """The collection in `folder`; with `create`, an embedding, it is made if missing.

    Every method raises StoreError if SQLite or Chroma fails.

    Raises ConfigError: there is none, or another version made it.
    """

    def __init__(self, folder: Path, *, create: str | None = None) -> None:
        self.folder = folder
        self.name = folder.name
        self._lock = threading.RLock()
        with self._storing():
            if create is not None:
                folder.mkdir(exist_ok=True)
            uri = f"{(folder / FILE).as_uri()}?mode={'rw' if create is None else 'rwc'}"
            self._connection = sqlite3.connect(
                uri, uri=True, timeout=_BUSY_SECONDS, check_same_thread=False, isolation_level=None
            )
        self.close = weakref.finalize(self, self._connection.close)
        if create is not None and not self._rows("PRAGMA user_version")[0][0]:
            with self._writing():
                for statement in _TABLES:
                    self._rows(statement)
                self._rows("INSERT INTO about VALUES (?, '', 0, '[]')", create)
        if self._rows("PRAGMA user_version") != [(_FORM,)]:
            raise ConfigError(outdated(folder))
        embedding, revision, dimension, roots = self._rows("SELECT * FROM about")[0]
        self.made = CollectionInfo(embedding, revision, dimension, tuple(json.loads(roots)))

    @property
    def embedded(self) -> bool:
        """Whether its passages have vectors."""
        return self.made.embedding != NONE

    @property
    def state(self) -> str:
        """Name and content: `name@4f3a9c12e0b1`, or `name@unfinished-120` while incomplete."""
        revision = self.made.revision[:_STATE_LETTERS]
        return f"{self.name}@{revision or f'unfinished-{self.count()}'}"

    @cached_property
    def vectors(self) -> VectorStore:
        """The vectors of its passages."""
        from factreasoner.corpus.vectors import VectorStore

        return VectorStore(self.folder / "vectors")

    def refuse_other(self, embedding: str | None) -> None:
        """Raise ConfigError if `embedding` is given and differs from the collection's."""
        if embedding not in (None, self.made.embedding):
            raise ConfigError(
                f"embedding: collection {self.name!r} was made with {self.made.embedding!r}, not "
                f"{embedding!r}; leave `embedding` out, or index into another collection"
            )

    def begin(self, roots: Sequence[str] = ()) -> None:
        """Mark the content as being written, and note its paths."""
        self._describe(self.made._replace(revision="", roots=tuple(sorted({*self.made.roots, *roots}))))

    def finish(self) -> None:
        """Mark the content as complete, and adapt the search to its size."""
        if self.embedded:
            # Found on random vectors, the worst case: recall@10 stays above 0.98 up to 100,000.
            self.vectors.search_width(max(_EF_SEARCH, self.count() // 25))
        self._describe(self.made._replace(revision=uuid.uuid4().hex))

    def _describe(self, made: CollectionInfo) -> None:
        if made != self.made:
            values = (made.revision, made.dimension, json.dumps(made.roots))
            self._rows("UPDATE about SET revision = ?, dimension = ?, roots = ?", *values)
            self.made = made

    def repair(self, embed: Callable[[Sequence[str]], Vectors]) -> bool:
        """Make vectors and passages match after an interrupted run.

        Returns whether vectors were damaged, so that all were computed again.
        """
        damaged = self.vectors.damaged(thorough=not self.made.revision)
        if not damaged and self.made.revision and self.vectors.count() == self.count():
            return False
        self.begin()
        if damaged:
            self.vectors.clear()
        ids, there = {row[0] for row in self._rows("SELECT id FROM passages")}, self.vectors.ids()
        self.vectors.remove(sorted(there - ids))
        missing = sorted(ids - there)
        for first in range(0, len(missing), _AT_ONCE):
            passages = self.with_ids(missing[first : first + _AT_ONCE])
            self._add_vectors(passages, embed([passage.searched for passage in passages]))
        return damaged

    def count(self) -> int:
        """The number of passages."""
        return int(self._rows("SELECT COUNT(*) FROM passages")[0][0])

    def stored_contents(self) -> dict[str, dict[str, bool]]:
        """Whether all passages of a content are stored, by file path and digest."""
        found = defaultdict[str, dict[str, bool]](dict)
        counted = "SELECT path, digest, COUNT(*) = MAX(last * (position + 1)) FROM passages"
        for path, digest, whole in self._rows(f"{counted} GROUP BY path, digest"):
            found[os.fsdecode(path)][digest] = bool(whole)
        return dict(found)

    def notes(self) -> dict[tuple[str, str], str]:
        """The unread parts of partly read files, by path and digest."""
        rows = self._rows("SELECT path, digest, note FROM notes ORDER BY path")
        return {(os.fsdecode(path), digest): note for path, digest, note in rows}

    def note(self, path: str, digest: str, note: str) -> None:
        """Note the unread part of a file; "" if all was read."""
        self._rows("DELETE FROM notes WHERE path = ?", os.fsencode(path))
        if note:
            self._rows("INSERT INTO notes VALUES (?, ?, ?)", os.fsencode(path), digest, note)

    def ids_of(self, path: str, digest: str | None = None) -> list[str]:
        """Ids of the passages of a file, or of one content of it."""
        query = "SELECT id FROM passages WHERE path = ? AND digest = IFNULL(?, digest)"
        return [row[0] for row in self._rows(query, os.fsencode(path), digest)]

    def add(self, passages: Sequence[StoredPassage], vectors: Vectors | None = None) -> None:
        """Write at most 5,000 passages with vectors of shape (n, dimension); existing ones stay.

        Raises ConfigError: the vectors have another length than the collection's.
        """
        if vectors is not None:
            self._add_vectors(passages, vectors)
        rows = [(p.id, p.text, os.fsencode(p.path), *p[2:]) for p in passages]
        insert = f"INSERT OR IGNORE INTO passages (id, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
        with self._writing():
            self._connection.executemany(insert, rows)

    def _add_vectors(self, passages: Sequence[StoredPassage], vectors: Vectors) -> None:
        dimension = vectors.shape[1]
        if self.made.dimension not in (0, dimension):
            raise ConfigError(
                f"embedding: {self.made.embedding!r} gives vectors of {dimension} numbers, and those of "
                f"collection {self.name!r} have {self.made.dimension}; index into another collection"
            )
        self._describe(self.made._replace(dimension=dimension))
        self.vectors.add([passage.id for passage in passages], vectors)

    def drop(self, path: str, digest: str | None = None) -> None:
        """Remove the passages of a file, or of one content of it."""
        ids = self.ids_of(path, digest)
        self._rows(f"DELETE FROM passages WHERE {_LISTED}", json.dumps(ids))
        self._rows(
            "DELETE FROM notes WHERE path = ? AND digest = IFNULL(?, digest)", os.fsencode(path), digest
        )
        if self.embedded:
            self.vectors.remove(ids)

    def passages(self) -> Iterator[StoredPassage]:
        """Every passage in writing order, read in small groups so that no writer waits."""
        query = f"SELECT {_COLUMNS}, number FROM passages WHERE number > ? ORDER BY number LIMIT {_AT_ONCE}"
        number = 0
        while rows := self._rows(query, number):
            yield from map(_passage, rows)
            number = rows[-1][-1]

    def with_ids(self, ids: Sequence[str]) -> list[StoredPassage]:
        """The passages of `ids` in order; missing ones are skipped."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM passages WHERE {_LISTED}", json.dumps(ids))
        found = {passage.id: passage for passage in map(_passage, rows)}
        return [found[i] for i in ids if i in found]

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        with self._storing():
            return self._connection.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """A transaction: everything is written or nothing."""
        with self._storing(), self._connection:
            self._connection.execute("BEGIN IMMEDIATE")
            yield

    @contextlib.contextmanager
    def _storing(self) -> Iterator[None]:
        """One thread at a time, with errors of SQLite and files as StoreError."""
        try:
            with self._lock:
                yield
        except (OSError, sqlite3.Error) as error:
            message = str(error)
            if getattr(error, "sqlite_errorcode", 0) & 0xFF in (
                sqlite3.SQLITE_READONLY,
                sqlite3.SQLITE_CANTOPEN,
            ):
                message += "; reading what an interrupted index run left needs write permission"
            elif isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError):
                message = f"{FILE} is damaged; put back a copy of it, or delete the folder and index again"
            raise StoreError(f"collection {self.folder}: {message}") from error


def _passage(row: Sequence[Any]) -> StoredPassage:
    text, path, digest, position, title, link, last = row[:7]
    return StoredPassage(text, os.fsdecode(path), digest, position, title, link, bool(last))


def outdated(folder: Path) -> str:
    """Why a collection of another version is refused, and how to index again."""
    return f"store: {folder} is of another version; delete it and run `factreasoner index PATH...` again"
