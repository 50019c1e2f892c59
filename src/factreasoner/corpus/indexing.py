"""Index files into a collection: add new ones, replace changed ones, skip unchanged ones."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from factreasoner.calls.limits import Budget
from factreasoner.corpus.collection import Collection, StoredPassage
from factreasoner.corpus.documents import BadRow, Document, digest_of, documents_of
from factreasoner.corpus.embeddings import Embedding, embedding_named
from factreasoner.corpus.files import find_files
from factreasoner.corpus.settings import CorpusSettings
from factreasoner.corpus.store import Store, folder_of
from factreasoner.corpus.word_index import word_index
from factreasoner.documents.page import named
from factreasoner.errors import DocumentError, InputError, InputProblem, NoTextError
from factreasoner.text.passages import split_passages

BATCH = 1_000
"""Passages written at once: the most that an interrupted run can lose."""
MISSING = "no such file or folder"


class IndexReport(NamedTuple):
    """The result of an index run: counts of files and passages, and problems.

    - `partly`: partly read files, with bad rows, pages without text and the like.
    - `gone`: files of the collection, below the run's paths, that no longer exist.
    - `others`: files of unknown kinds, by ending. `unread`: documents of unsupported kinds, with the fix.
    - `textless`: files without text, and files with rows without text.
    - `guessed`: files that are not valid UTF-8, and their guessed encoding.
    - `emptied`: files that lost their text, whose passages were dropped.
    - `rebuilt`: damaged vectors were all computed again.
    """

    added: int = 0
    replaced: int = 0
    unchanged: int = 0
    empty: int = 0
    dropped: int = 0
    gone: int = 0
    others: Mapping[str, int] = MappingProxyType({})
    unread: tuple[str, ...] = ()
    textless: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()
    passages: int = 0
    total: int = 0
    rebuilt: bool = False
    partly: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    guessed: tuple[str, ...] = ()


class Step(NamedTuple):
    """Progress of a run: files done and in all, passages written, current file."""

    done: int
    files: int
    passages: int
    doing: str


Listener = Callable[[Step], None]


def index(
    paths: Sequence[Path], config: CorpusSettings, *, prune: bool = False, listener: Listener
) -> IndexReport:
    """Bring the collection of `config` up to date with the files below `paths`.

    Unreadable files are reported, and their earlier passages stay. The next run completes an interrupted one.

    Raises:
        InputError: a path does not exist. With `prune`, one that the collection knows is dropped instead.
        ConfigError: the store, collection or embedding is unusable.
        BudgetError: the next embedding request could exceed `config.max_cost`; earlier ones are kept.
        StoreError: the store or the embedding fails; what was written stays.
    """
    paths = [Path(os.path.realpath(path)) for path in paths]
    folder = folder_of(config)
    found = find_files(paths, outside=folder)
    if found.missing and not prune:
        raise InputError([InputProblem(str(path), "", MISSING) for path in found.missing])
    with Store.writing(config, create=not found.missing) as store:
        if found.missing:
            store.collection(config.collection).close()
        collection = store.open(config.collection, config.embedding)
        embedding = embedding_named(collection.made.embedding, config, Budget(config.max_cost))
        run = _IndexingPass(collection, embedding, roots=[str(path) for path in paths], listener=listener)
        if unknown := [path for path in found.missing if not run.knows(path)]:
            raise InputError([InputProblem(str(path), "", MISSING) for path in unknown])
        rebuilt = embedding is not None and collection.repair(embedding.embed)
        run.take(found.files)
        run.lists["problems"] += _with_reasons(found.unreadable)
        run.sweep(paths, [*found.files, *found.unreadable, *found.unread], prune=prune)
        total = run.close()
    fields: dict[str, Any] = {**run.counts, **{name: tuple(lines) for name, lines in run.lists.items()}}
    return IndexReport(
        **fields,
        others=found.others,
        unread=_with_reasons(found.unread),
        total=total,
        rebuilt=rebuilt,
    )


class _ReadFile(NamedTuple):
    """Parts of a file that give no passages: bad rows, rows without text, unread parts."""

    bad: list[BadRow]
    blank: list[BadRow]
    partly: list[str]


class _IndexingPass:
    """One pass over files, written in batches that may span several files."""

    def __init__(
        self, collection: Collection, embedding: Embedding | None, *, roots: Sequence[str], listener: Listener
    ) -> None:
        self._collection = collection
        self._embedding = embedding
        self._roots = roots
        self._listener = listener
        self._held = collection.stored_contents()
        self._notes = collection.notes()
        self._waiting: list[StoredPassage] = []
        self._outdated: list[tuple[str, str]] = []
        self._begun = False
        self._step = Step(0, 0, 0, "")
        self.lists = defaultdict[str, list[str]](list)
        self.counts = Counter[str]()
        """Fields of :class:`IndexReport`; those that are not counted are 0."""

    def take(self, files: Sequence[Path]) -> None:
        """Index the new content of `files`."""
        for done, file in enumerate(files):
            self._step = Step(done, len(files), self.counts["passages"], str(file))
            self._listener(self._step)
            try:
                self._file(file)
            except DocumentError as error:
                self.lists["problems"].append(str(error))
        self._flush()
        self._step = Step(len(files), len(files), self.counts["passages"], "")
        self._listener(self._step)

    def knows(self, path: Path) -> bool:
        """Whether the collection was made of this path, or has files at or below it."""
        roots = {str(path)}
        return str(path) in self._collection.made.roots or any(_below(name, roots) for name in self._held)

    def sweep(self, paths: Sequence[Path], seen: Sequence[Path], *, prune: bool) -> None:
        """Drop, or without `prune` count, stored files below `paths` that are not in `seen`."""
        roots, there = set(map(str, paths)), set(map(str, seen))
        for name in self._held:
            if not _below(name, roots) or _below(name, there):
                continue
            if prune:
                self._begin()
                self._collection.drop(name)
            self.counts["dropped" if prune else "gone"] += 1

    def close(self) -> int:
        """Mark a changed collection as complete, and count its passages."""
        if self._begun or not self._collection.made.revision:
            self._begin()
            self._collection.finish()
        total = self._collection.count()
        if total:
            word_index(
                self._collection,
                lambda n: self._listener(self._step._replace(doing=f"words of {n} of {total} passages")),
            )
        return total

    def _file(self, file: Path) -> None:
        name, digest = str(file), digest_of(file)
        held = self._held.get(name, {})
        others = [(name, other) for other in held if other != digest]
        if held.get(digest):
            self._count(file, self._notes.get((name, digest), ""), "unchanged")
        else:
            there = set(self._collection.ids_of(name, digest)) if digest in held else set()
            empty = True
            read = _ReadFile([], [], [])
            try:
                for passage in self._passages(file, digest, read):
                    empty = False
                    if passage.id not in there:
                        self._waiting.append(passage)
                    if len(self._waiting) >= BATCH:
                        self._flush()
            except NoTextError as error:
                self._outdated += others
                fate = "; its earlier passages are dropped" if others else ""
                raise DocumentError(f"{error}{fate}") from error
            except DocumentError as error:
                self._forget(name, digest)
                raise DocumentError(f"{error}{'; its earlier passages stay' if others else ''}") from error
            if empty and others:
                self.lists["emptied"].append(name)
            elif empty or read.blank:
                self.lists["textless"].append(f"{file}: {named(read.blank) or 'no text in it'}")
            note = named([*read.bad, *read.partly])
            self._count(file, note, "empty" if empty else "replaced" if others else "added")
            if note or (name, digest) in self._notes:
                self._begin()
                self._collection.note(name, digest, note)
        self._outdated += others

    def _count(self, file: Path, note: str, fate: str) -> None:
        """Count a file by its fate, or by its note if partly read."""
        if note:
            self.lists["partly"].append(f"{file}: {note}")
        else:
            self.counts[fate] += 1

    def _passages(self, file: Path, digest: str, read: _ReadFile) -> Iterator[StoredPassage]:
        """The passages of a file in order; `read` collects the rest.

        Without bad rows, the last passage is marked. Raises DocumentError if no row is good and one is bad.
        """
        before: StoredPassage | None = None
        for document in documents_of(file):
            if isinstance(document, BadRow):
                (read.blank if document.blank else read.bad).append(document)
                continue
            read.partly.extend(document.partly)
            if document.guessed:
                self.lists["guessed"].append(f"{file}: read as {document.guessed}")
            for text in passages_of(document):
                if before is not None:
                    yield before
                position = 0 if before is None else before.position + 1
                title, link = _clean(document.title), _clean(document.link)
                before = StoredPassage(text, str(file), digest, position, title, link)
        if before is not None:
            yield before._replace(last=not read.bad)
        elif read.bad:
            raise DocumentError(f"{file}: {named(sorted(read.bad + read.blank))}")

    def _flush(self) -> None:
        """Write waiting passages, then drop earlier contents of files that are now complete."""
        if self._waiting:
            self._begin()
            texts = [passage.searched for passage in self._waiting]
            vectors = self._embedding.embed(texts) if self._embedding else None
            self._collection.add(self._waiting, vectors)
            self.counts["passages"] += len(self._waiting)
            self._waiting = []
            self._listener(self._step._replace(passages=self.counts["passages"]))
        for name, digest in self._outdated:
            self._begin()
            self._collection.drop(name, digest)
        self._outdated = []

    def _forget(self, name: str, digest: str) -> None:
        """Remove the passages of a file that could not be read to its end."""
        self._waiting = [p for p in self._waiting if (p.path, p.digest) != (name, digest)]
        if self._begun:
            self._collection.drop(name, digest)

    def _begin(self) -> None:
        if not self._begun:
            self._begun = True
            self._collection.begin(self._roots)


def passages_of(document: Document) -> Iterator[str]:
    """The passages of a document; each cut from a table repeats its caption and header rows."""
    # Past the cache of the function: a long text must not outlive its turn.
    for text, start in split_passages.__wrapped__(_clean(document.text)):
        header = next((table.header for table in document.tables if table.start <= start < table.end), "")
        yield f"{header}\n{text}" if header else text


def _below(name: str, tops: set[str]) -> bool:
    """Whether `name` is one of `tops` or below one."""
    return name in tops or any(str(above) in tops for above in Path(name).parents)


def _with_reasons(reasons: Mapping[Path, str]) -> tuple[str, ...]:
    return tuple(f"{path}: {reason}" for path, reason in reasons.items())


def _clean(text: str) -> str:
    """The text without lone surrogates, which no file or database accepts."""
    return text.encode("utf-8", "replace").decode()
