"""A sentence as a tree of words: the outcome of a dependency parse."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
AUXILIARIES = ("aux", "auxpass")
NOUNS = ("NOUN", "PROPN", "PRON", "NUM")
VERBS = ("VERB", "AUX")


class Word(NamedTuple):
    """A token of a sentence, at characters [start, end); `i` is its index in the sentence, `head` that of
    the word it depends on.

    `dep`, `pos`, `tag` and `entity` are spaCy's labels for English (ClearNLP dependencies, Universal and
    Penn parts of speech, OntoNotes entities); the root is its own head.
    """

    i: int
    text: str
    lemma: str
    pos: str
    tag: str
    dep: str
    head: int
    entity: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        """The word in lower case."""
        return self.text.lower()


class Parse:
    """One sentence as a tree of words."""

    def __init__(self, text: str, words: Sequence[Word]) -> None:
        self.text = text
        self.words = tuple(words)

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, index: int) -> Word:
        return self.words[index]

    @cached_property
    def _children(self) -> tuple[tuple[Word, ...], ...]:
        found: list[list[Word]] = [[] for _ in self.words]
        for word in self.words:
            if word.head != word.i:
                found[word.head].append(word)
        return tuple(tuple(children) for children in found)

    @cached_property
    def root(self) -> Word:
        """The word the others depend on."""
        return next(word for word in self.words if word.head == word.i)

    def children(self, word: Word, *deps: str) -> tuple[Word, ...]:
        """Direct dependents of a word in their order, of the given kinds or of all."""
        found = self._children[word.i]
        return tuple(child for child in found if child.dep in deps) if deps else found

    def child(self, word: Word, *deps: str) -> Word | None:
        """The first dependent of one of these kinds."""
        return next(iter(self.children(word, *deps)), None)

    def subtree(self, word: Word, without: Collection[int] = ()) -> list[Word]:
        """The word and all below it in the order of the text, without the words of those indices."""
        found, waiting = [], [word]
        while waiting:
            current = waiting.pop()
            found.append(current)
            waiting.extend(child for child in self._children[current.i] if child.i not in without)
        return sorted(found)

    def edges(self, word: Word) -> tuple[int, int]:
        """Indices of the first and last word of a subtree."""
        found = self.subtree(word)
        return found[0].i, found[-1].i

    def above(self, word: Word, stop: Word | None = None) -> Iterator[Word]:
        """The words a word hangs on, from its head up to the root, or to just below `stop`."""
        while word.head != word.i and (stop is None or word.head != stop.i):
            word = self.words[word.head]
            yield word

    def subject(self, verb: Word) -> Word | None:
        """The subject of a verb, where it has one of its own."""
        return self.child(verb, *SUBJECTS)

    def is_finite(self, verb: Word) -> bool:
        """Whether a verb, or an auxiliary of it, has a tense."""
        forms = (verb, *self.children(verb, *AUXILIARIES))
        return verb.pos in VERBS and any(word.tag in ("VBD", "VBZ", "VBP", "MD") for word in forms)

    def is_clause(self, verb: Word) -> bool:
        """Whether a word is a finite verb with a subject of its own."""
        return self.is_finite(verb) and self.subject(verb) is not None

    def finite(self, verb: Word) -> Word:
        """The word of a verb group that has the tense, else the verb."""
        forms = (*self.children(verb, *AUXILIARIES), verb)
        return next((word for word in forms if word.tag in ("VBD", "VBZ", "VBP", "MD")), verb)
