"""BM25 over the passages of a collection: made from it, kept on disk beside it, made anew when it changed."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from factreasoner.corpus.collection import Collection, StoredPassage
from factreasoner.errors import MissingExtraError
from factreasoner.plugins.table import EXTRA_OF_MODULE
from factreasoner.text.lexicon import FUNCTION_WORDS
from factreasoner.text.passages import content, folded_words, term, terms
from factreasoner.text.stems import language_of

try:
    import bm25s
except ModuleNotFoundError as error:
    raise MissingExtraError(*EXTRA_OF_MODULE["bm25s"]) from error

K1 = 1.2
B = 0.75
_FORM = 1
"""Counts up when the same passages would give another index."""
_SAMPLE = 300
"""Passages the language is told from."""
_ABOUT = "about.json"

log = logging.getLogger(__name__)


class WordIndex:
    """An index of passages by their words; `ids` are those of the passages, in its own order.

    Function words of its `language` are left out, so that a passage is found by what it says.
    """

    def __init__(self, scores: Any, ids: Sequence[str], language: str) -> None:
        self.scores = scores
        self.ids = ids
        self.language = language

    def __len__(self) -> int:
        return len(self.ids)

    def best(self, query: str, k: int) -> list[str]:
        """Ids of the `k` passages with the highest BM25 scores, best first; only such as share a word."""
        words = terms(content(query, self.language), self.language)
        known = self.scores.get_tokens_ids(words)
        if not known:
            return []
        scores = self.scores.get_scores_from_ids(known)
        k = min(k, len(scores))
        top = np.argpartition(-scores, k - 1)[:k]
        top = top[np.lexsort((top, -scores[top]))]
        return [self.ids[i] for i in top if scores[i] > 0]


class _Words(NamedTuple):
    """Passages as bm25s takes them: the terms of each by number, and the number of every term."""

    ids: list[list[int]]
    vocab: dict[str, int]


def word_index(collection: Collection, progress: Callable[[int], None] = lambda n: None) -> WordIndex:
    """The index of `collection` as it is now: from disk when it is there, else made and put there.

    While the collection is being written, or when that was cut off, what is made is not kept.
    `progress` is told how many passages were read.
    """
    about = {"form": _FORM, "revision": collection.made.revision, "passages": collection.count()}
    kept = collection.folder / (collection.made.revision or "none")
    index = _load(kept, about)
    if index is None:
        index = _make(collection.passages(), progress)
        if collection.made.revision:
            _keep(index, kept, about)
    return index


def _make(passages: Iterator[tuple[str, StoredPassage]], progress: Callable[[int], None]) -> WordIndex:
    first = list(islice(passages, _SAMPLE))
    language = language_of([passage.searched for _, passage in first])
    numbers = _TermNumbers(language)
    ids: list[str] = []
    rows: list[list[int]] = []
    for i, passage in chain(first, passages):
        ids.append(i)
        rows.append(numbers.of(passage.searched))
        if len(ids) % 1000 == 0:
            progress(len(ids))
    scores = bm25s.BM25(k1=K1, b=B, method="lucene")
    scores.index(_Words(rows, numbers.by_term), show_progress=False)
    return WordIndex(scores, ids, language)


class _TermNumbers:
    """Numbers the terms of texts of one language, in the order they come up."""

    def __init__(self, language: str) -> None:
        self.by_term = {"": 0}
        """The empty term stands in texts without a word."""
        self._language = language
        self._by_word: dict[str, int | None] = {}

    def of(self, text: str) -> list[int]:
        """The numbers of a text's terms, function words left out; never empty."""
        return [n for n in map(self._number, folded_words(text)) if n is not None] or [0]

    def _number(self, word: str) -> int | None:
        if word not in self._by_word:
            self._by_word[word] = (
                None
                if word in FUNCTION_WORDS[self._language]
                else self.by_term.setdefault(term(word, self._language), len(self.by_term))
            )
        return self._by_word[word]


def _load(folder: Path, about: dict[str, Any]) -> WordIndex | None:
    """The index kept in `folder`; None when there is none, or it is not of this content, or damaged."""
    try:
        known = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        if {key: known[key] for key in about} != about:
            return None
        scores = bm25s.BM25.load(folder, mmap=True)
        return WordIndex(scores, known["ids"], known["language"])
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        return None


def _keep(index: WordIndex, folder: Path, about: dict[str, Any]) -> None:
    """Put `index` into `folder`, whole or not at all, and remove those of earlier content."""
    making = folder.with_name(f".{uuid.uuid4().hex}")
    try:
        making.mkdir(parents=True)
        index.scores.save(making, show_progress=False)
        whole = {**about, "language": index.language, "ids": index.ids}
        (making / _ABOUT).write_text(json.dumps(whole), encoding="utf-8")
        for old in folder.parent.iterdir():
            if old != making:
                shutil.rmtree(old, ignore_errors=True)
        with contextlib.suppress(FileExistsError):
            making.rename(folder)
    except OSError as error:
        log.warning("the word index can't be kept (%s) and is made anew each time", error)
    finally:
        shutil.rmtree(making, ignore_errors=True)
