"""A sentence as a tree of words: the outcome of a dependency parse."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from operator import attrgetter

SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
AUXILIARIES = ("aux", "auxpass")
NOUNS = ("NOUN", "PROPN", "PRON", "NUM")
VERBS = ("VERB", "AUX")
_TENSED = ("VBD", "VBZ", "VBP", "MD")
_FINDING = ("make", "find", "consider", "think", "deem", "keep")
_LATE_CLAUSES = ("ccomp", "xcomp", "advcl", "csubj", "acl")
_OPENERS = {"that", "how", "whether", "why", "when", "where", "who", "what", "to", "for", "if"}
_PLACE = attrgetter("i")


@dataclass(eq=False, slots=True)
class Word:
    """A token at characters [start, end) of a sentence; `i` is its index there.

    `dep`, `pos`, `tag` and `entity` are spaCy's labels for English (ClearNLP dependencies, Universal and
    Penn parts of speech, OntoNotes entities). `first` and `last` are the indices of its subtree's edges.
    The root is its own head.
    """

    i: int
    text: str
    lower: str
    lemma: str
    pos: str
    tag: str
    dep: str
    entity: str
    start: int
    end: int
    head: Word = field(init=False, repr=False)
    children: list[Word] = field(init=False, repr=False, default_factory=list)
    first: int = field(init=False)
    last: int = field(init=False)

    def dependents(self, *deps: str) -> list[Word]:
        """The children of these kinds, in the order of the text."""
        return [child for child in self.children if child.dep in deps]

    def dependent(self, *deps: str) -> Word | None:
        """The first child of one of these kinds."""
        return next((child for child in self.children if child.dep in deps), None)

    def subtree(self, without: Collection[int] = ()) -> list[Word]:
        """The word and all below it in the order of the text, without the branches at those indices."""
        found, waiting = [], [self]
        while waiting:
            current = waiting.pop()
            found.append(current)
            waiting.extend(child for child in current.children if child.i not in without)
        return sorted(found, key=_PLACE)

    def above(self, stop: Word | None = None) -> Iterator[Word]:
        """The words that this one depends on, from its head up to the root, or to just below `stop`."""
        word = self
        while word.head is not word and word.head is not stop:
            word = word.head
            yield word

    @property
    def subject(self) -> Word | None:
        """The subject of a verb, if it has its own."""
        return self.dependent(*SUBJECTS)

    @property
    def finite(self) -> Word:
        """The word of a verb group that has the tense; the verb itself if none has."""
        forms = (*self.dependents(*AUXILIARIES), self)
        return next((word for word in forms if word.tag in _TENSED), self)

    @property
    def is_finite(self) -> bool:
        """Whether a verb, or an auxiliary of it, has a tense."""
        return self.pos in VERBS and self.finite.tag in _TENSED

    @property
    def is_clause(self) -> bool:
        """Whether a word is a finite verb with its own subject."""
        return self.is_finite and self.subject is not None

    @property
    def is_expletive(self) -> bool:
        """Whether "it" stands for nothing: "it is believed that", "it took years to", "makes it hard to"."""
        verb = self.head
        if self.lower != "it" or self.tag == "PRP$":
            return False
        if self.dep == "expl" or verb.lemma in ("rain", "snow"):
            return True
        if verb.pos == "ADJ" and verb.head.lemma in _FINDING:
            return True
        if self.dep not in ("nsubj", "nsubjpass"):
            return False
        groups = (verb, *verb.dependents("acomp", "attr", "oprd"))
        late = [c for each in groups for c in each.children if c.i > self.i and c.dep in _LATE_CLAUSES]
        opens = [{word.lower for word in clause.subtree()[:2]} & _OPENERS for clause in late]
        if verb.lemma in ("be", "take", "seem", "appear", "happen", "turn"):
            return any(opens)
        return bool(verb.dependents("auxpass")) and any(each - {"to", "for"} for each in opens)


class Parse:
    """One sentence as a tree of words; `heads` are the indices of the words that they depend on."""

    def __init__(self, text: str, words: Sequence[Word], heads: Sequence[int]) -> None:
        self.text = text
        self.words = tuple(words)
        for word, head in zip(words, heads, strict=True):
            word.head, word.first, word.last = words[head], word.i, word.i
            if head != word.i:
                words[head].children.append(word)
        for word in words:
            for each in word.above():
                each.first, each.last = min(each.first, word.i), max(each.last, word.i)
        self.root = next(word for word in words if word.head is word)
