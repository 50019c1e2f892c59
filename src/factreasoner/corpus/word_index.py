"""A BM25 index of a collection's passages, stored beside it and rebuilt when it changes."""

from __future__ import annotations

import contextlib
import json
import logging
import shutil
import uuid
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from factreasoner.corpus.collection import Collection, StoredPassage
from factreasoner.plugins.table import extras_named
from factreasoner.text.language import FUNCTION_WORDS, content, folded_words, language_of, term, terms

with extras_named():
    import bm25s

K1 = 1.2
B = 0.75
_FORM = 1
"""Version of the index: increased when the same passages would give another index."""
_SAMPLE = 300
_ABOUT = "about.json"

log = logging.getLogger(__name__)


class WordIndex(NamedTuple):
    """A word index of passages; `ids` are the passage ids in index order.

    Function words of its `language` are ignored.
    """

    scores: Any
    ids: Sequence[str]
    language: str

    def best(self, query: str, k: int) -> list[str]:
        """Ids of the `k` passages with the highest BM25 scores, best first, if they share a word."""
        words = terms(content(query, self.language), self.language)
        known = self.scores.get_tokens_ids(words)
        if not known:
            return []
        scores = self.scores.get_scores_from_ids(known)
        k = min(k, len(scores))
        top = np.argpartition(-scores, k - 1)[:k]
        top = top[np.lexsort((top, -scores[top]))]
        return [self.ids[i] for i in top if scores[i] > 0]


def word_index(collection: Collection, progress: Callable[[int], None] = lambda n: None) -> WordIndex:
    """The current index of `collection`: loaded from disk, or built and stored.

    The index of an unfinished collection is not stored. `progress` gets the number of passages read.
    """
    about = {"form": _FORM, "revision": collection.made.revision, "passages": collection.count()}
    kept = collection.folder / "words" / (collection.made.revision or "none")
    index = _load(kept, about)
    if index is None:
        index = _make(collection.passages(), progress)
        if collection.made.revision:
            _keep(index, kept, about)
    return index


def _make(passages: Iterator[StoredPassage], progress: Callable[[int], None]) -> WordIndex:
    first = list(islice(passages, _SAMPLE))
    language = language_of([passage.searched for passage in first])

    @cache
    def found_by(word: str) -> str:
        return "" if word in FUNCTION_WORDS[language] else term(word, language)

    ids: list[str] = []
    rows: list[list[str]] = []
    for passage in chain(first, passages):
        ids.append(passage.id)
        rows.append(list(filter(None, map(found_by, folded_words(passage.searched)))) or [""])
        if len(ids) % 1000 == 0:
            progress(len(ids))
    scores = bm25s.BM25(k1=K1, b=B, method="lucene")
    scores.index(rows, show_progress=False)
    return WordIndex(scores, ids, language)


def _load(folder: Path, about: dict[str, Any]) -> WordIndex | None:
    """The index stored in `folder`; None if missing, damaged or outdated."""
    try:
        known = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
        if {key: known[key] for key in about} != about:
            return None
        scores = bm25s.BM25.load(folder, mmap=True)
        return WordIndex(scores, known["ids"], known["language"])
    except (OSError, ValueError, KeyError, TypeError, EOFError):
        return None


def _keep(index: WordIndex, folder: Path, about: dict[str, Any]) -> None:
    """Store `index` in `folder` atomically, and remove earlier ones."""
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
        log.warning("the word index can't be saved (%s) and is rebuilt each time", error)
    finally:
        shutil.rmtree(making, ignore_errors=True)
