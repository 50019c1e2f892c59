"""Atoms with names in the place of their pronouns, where it is plain who is meant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from factreasoner.atoms.antecedents import KINDS, POINTING, Antecedents, Kind, Meant
from factreasoner.atoms.expletives import is_expletive
from factreasoner.models import Atom, Record
from factreasoner.text.lexicon import is_person
from factreasoner.text.parsing import Parser
from factreasoner.text.tree import Parse, Word

_CONTRACTED = {"s": "is", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_SUBJECTS = ("nsubj", "nsubjpass")


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
        Resolved(atom.text) if parse is None else _Reviser(parse, known.meant(atom), known.persons).revised()
        for atom, parse in zip(atoms, parser.parse([atom.text for atom in atoms]), strict=True)
    ]


class _Reviser:
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
            elif not (kind in seen or self._is_bound(kind, word) or is_expletive(self._parse, word)):
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
        noun = self._parse[word.head]
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
            return any(w.tag in ("NNS", "NNPS") or self._parse.children(w, "conj") for w in nouns)
        return any(
            w.tag in ("NN", "NNP") and w not in persons and w.entity not in ("DATE", "TIME") for w in nouns
        )
