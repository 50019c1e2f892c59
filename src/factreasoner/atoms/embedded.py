"""Atoms without a model: by a dependency parse of English sentences, where a parser is installed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import NamedTuple

from factreasoner.atoms.antecedents import KINDS, POINTING, Antecedents, Kind, Meant
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.atoms.statements import Statement, statements
from factreasoner.models import Atom, Record
from factreasoner.protocols import Atomized
from factreasoner.settings import Config
from factreasoner.text.language import is_english
from factreasoner.text.lexicon import is_person
from factreasoner.text.parsing import Parser, check_model, find_parser
from factreasoner.text.sentences import Span
from factreasoner.text.tree import Parse, Word

_POINTING = re.compile(r"(?:he|she|it|they|his|her|its|their|this|these|that|those)\b")
_CONTRACTED = {"s": "is", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_SUBJECTS = ("nsubj", "nsubjpass")


class EmbeddedAtomizer:
    """Splits a response into simple statements by a dependency parse of its sentences; English only.

    Where spaCy or a pipeline for it is not installed, `spacy_model` is "none", or the response is in another
    language, an atom is a sentence.

    What tells the reader what to do is no statement: it is neither true nor false. A source, though, tells
    it or does not, and to a question how a thing is done it is the answer: `instructions` are kept there.
    """

    def __init__(self, config: Config | None = None, *, instructions: bool = False) -> None:
        self._config = config or Config()
        self._instructions = instructions
        check_model(self._config.spacy_model)

    def with_instructions(self) -> EmbeddedAtomizer:
        """This one for who holds claims against sources."""
        return type(self)(self._config, instructions=True)

    def atomize(self, record: Record) -> Atomized:
        """The statements of the response; questions, greetings, advice, sources and lead-ins are left out."""
        if is_abstention(record.response):
            return Atomized(())
        parser = find_parser(self._config.spacy_model) if is_english(record.response) else None
        return Atomized(as_atoms(statements(record.response, parser, instructions=self._instructions)))


def as_atoms(found: Sequence[Statement]) -> tuple[Atom, ...]:
    """Statements as atoms a0, a1, ..., equal ones once; "his work is new" may be of two men."""
    unique: dict[tuple[str, Span | None], Statement] = {}
    for statement in found:
        text = " ".join(statement.text.casefold().split()).rstrip(".")
        unique.setdefault((text, statement.span if _POINTING.match(text) else None), statement)
    return tuple(
        Atom(id=f"a{position}", text=statement.text, original=statement.original, span=statement.span)
        for position, statement in enumerate(unique.values())
    )


class EmbeddedReviser:
    """Puts a name in the place of a pronoun where but one can be meant, by a dependency parse; English only.

    All others stay and are listed in the atom's `unresolved`. Without a parser atoms stay as they are.
    """

    def __init__(self, config: Config | None = None) -> None:
        self._spacy_model = (config or Config()).spacy_model
        check_model(self._spacy_model)

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, ids and order; where a pronoun was replaced, `original` has the former text."""
        parser = find_parser(self._spacy_model) if is_english(record.response) else None
        if parser is None:
            return Atomized(tuple(atoms))
        found = resolve(atoms, record, parser)
        return Atomized(tuple(_revised(atom, *each) for atom, each in zip(atoms, found, strict=True)))


def _revised(atom: Atom, text: str, unresolved: tuple[str, ...]) -> Atom:
    said = {} if text == atom.text else {"text": text, "original": atom.original or atom.text}
    return atom.model_copy(update={**said, "unresolved": unresolved})


class Resolved(NamedTuple):
    """The text of an atom, and the pointing words in it that stayed."""

    text: str
    unresolved: tuple[str, ...] = ()


class _Change(NamedTuple):
    """What is said for characters [start, end) of an atom."""

    start: int
    end: int
    text: str


def resolve(atoms: Sequence[Atom], record: Record, parser: Parser) -> list[Resolved]:
    """The atoms' texts with pronouns replaced where only one thing named before can be meant."""
    known = Antecedents(record, parser)
    return [
        Resolved(atom.text) if parse is None else _Revision(parse, known.meant(atom), known.persons).revised()
        for atom, parse in zip(atoms, parser.parse([atom.text for atom in atoms]), strict=True)
    ]


class _Revision:
    """Revises one atom: names for the first pronoun of each kind that nothing in it stands before."""

    def __init__(self, parse: Parse, meant: Meant, persons: Collection[str]) -> None:
        self._parse = parse
        self._meant = meant
        self._persons = persons
        self._changes: list[_Change] = []
        self._unresolved: list[str] = []

    def revised(self) -> Resolved:
        seen: set[Kind] = set()
        for word in self._parse.words:
            kind = KINDS.get(word.lower)
            if kind is None:
                self._surname(word)
                self._pointed(word)
            elif not (kind in seen or self._is_bound(kind, word) or word.is_expletive):
                seen.add(kind)
                self._pronoun(kind, word)
        pieces, at = [], 0
        for change in self._changes:
            pieces += [self._parse.text[at : change.start], change.text]
            at = change.end
        text = "".join([*pieces, self._parse.text[at:]])
        return Resolved(
            text[:1].upper() + text[1:] if pieces else text, tuple(dict.fromkeys(self._unresolved))
        )

    def _pronoun(self, kind: Kind, word: Word) -> None:
        name = self._meant.get(kind)
        if name is None or name.casefold() in self._parse.text.casefold():
            self._unresolved.append(word.text)
            return
        if word.tag == "PRP$":
            self._changes.append(_Change(word.start, word.end, name + ("'" if name.endswith("s") else "'s")))
            return
        following = self._parse.words[word.i + 1 : word.i + 3]
        short = (
            _CONTRACTED.get(following[0].lower[1:]) if following and following[0].text[0] in "'’" else None
        )
        if short is not None:
            short = "has" if short == "is" and following[1:] and following[1].lower == "been" else short
            self._changes.append(_Change(word.start, following[0].end, f"{name} {short}"))
        else:
            self._changes.append(_Change(word.start, word.end, name))

    def _pointed(self, word: Word) -> None:
        """ "These changes" is what the sentence before calls changes; else it is left, and told of."""
        if word.lower not in POINTING or word.tag not in ("DT", "PDT") or word.dep not in (*_SUBJECTS, "det"):
            return
        if word.dep != "det":
            if not self._is_bound("many" if word.lower in ("these", "those") else "thing", word):
                self._unresolved.append(word.text)
            return
        noun = word.head
        name = self._meant.get(noun.lemma)
        if name is not None and word.i == 0 and noun.i == 1 and noun.dep in _SUBJECTS:
            self._changes.append(_Change(word.start, noun.end, name))
        elif word.lower != "such" and not self._is_bound("thing", word):
            self._unresolved.append(self._parse.text[word.start : noun.end])

    def _surname(self, word: Word) -> None:
        """The whole name of the one person whose surname stands alone as a subject."""
        words = self._parse.words
        beside = [*words[max(0, word.i - 1) : word.i], *words[word.i + 1 : word.i + 2]]
        alone = not any(other.pos == "PROPN" for other in beside)
        if not (word.text[:1].isupper() and word.dep in _SUBJECTS and alone):
            return
        known = [name for name in self._persons if " " in name and name.split()[-1] == word.text]
        if len(known) == 1 and known[0] not in self._parse.text:
            self._changes.append(_Change(word.start, word.end, known[0]))

    def _is_bound(self, kind: Kind, word: Word) -> bool:
        """Whether something before a pronoun in the atom itself may be what it stands for."""
        nouns = [other for other in self._parse.words[: word.i] if other.pos in ("NOUN", "PROPN")]
        if word.dep == "dobj":
            nouns = [noun for noun in nouns if noun.dep not in _SUBJECTS]
        persons = [w for w in nouns if w.entity == "PERSON" or is_person(w.lemma.lower())]
        if kind in ("male", "female"):
            return bool(persons) or any(w.pos == "PROPN" and not w.entity for w in nouns)
        if kind == "many":
            return any(w.tag in ("NNS", "NNPS") or w.dependents("conj") for w in nouns)
        return any(
            w.tag in ("NN", "NNP") and w not in persons and w.entity not in ("DATE", "TIME") for w in nouns
        )
