"""Atoms without a model: by a dependency parse of English sentences, if a parser is installed."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from factreasoner.atoms.antecedents import KINDS, POINTING, Antecedents, Kind, Meant
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.atoms.settings import AtomSettings
from factreasoner.atoms.statements import Statement, statements
from factreasoner.models import Atom, Record
from factreasoner.protocols import Atomized
from factreasoner.text.language import is_english, is_person
from factreasoner.text.parsing import NOMINAL_SUBJECTS, NOUNS, PLURAL, Parse, Word, check_model, find_parser
from factreasoner.text.sentences import Span

_POINTING = re.compile(r"(?:he|she|it|they|his|her|its|their|this|these|that|those)\b")
_CONTRACTION = re.compile(r" ?['’](s been|s|re|ve|ll|d)\b", re.IGNORECASE)
_WRITTEN_OUT = {"s been": "has been", "s": "is", "re": "are", "ve": "have", "ll": "will", "d": "would"}


class EmbeddedAtomizer:
    """Splits a response into simple statements by a dependency parse of its sentences; English only.

    An atom is a sentence if the response is in another language, if `spacy_model` is "none", or if spaCy or
    a pipeline for it is not installed. An instruction is an atom: it claims that the evidence gives it.
    """

    def __init__(self, config: AtomSettings | None = None) -> None:
        self._config = config or AtomSettings()
        check_model(self._config.spacy_model)

    def atomize(self, record: Record) -> Atomized:
        """The statements of the response; questions, remarks, sources and lead-ins are left out."""
        if is_abstention(record.response):
            return Atomized(())
        parser = find_parser(self._config.spacy_model) if is_english(record.response) else None
        return Atomized(as_atoms(statements(record.response, parser)))


def as_atoms(found: Sequence[Statement]) -> tuple[Atom, ...]:
    """Statements as atoms a0, a1, ...; equal ones once, unless a pronoun may mean two things."""
    unique: dict[tuple[str, Span | None], Statement] = {}
    for statement in found:
        text = " ".join(statement.text.casefold().split()).rstrip(".")
        unique.setdefault((text, statement.span if _POINTING.match(text) else None), statement)
    return tuple(
        Atom(id=f"a{position}", text=statement.text, original=statement.original, span=statement.span)
        for position, statement in enumerate(unique.values())
    )


class EmbeddedReviser:
    """Replaces a pronoun by a name if only one can be meant, by a dependency parse; English only.

    Other pronouns stay and are listed in the atom's `unresolved`. Without a parser atoms stay as they are.
    """

    def __init__(self, config: AtomSettings | None = None) -> None:
        self._spacy_model = (config or AtomSettings()).spacy_model
        check_model(self._spacy_model)

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, ids and order; if a pronoun was replaced, `original` has the former text."""
        parser = find_parser(self._spacy_model) if is_english(record.response) else None
        if parser is None:
            return Atomized(tuple(atoms))
        known = Antecedents(record, parser)
        parses = parser.parse([atom.text for atom in atoms])
        return Atomized(
            tuple(
                _Revision(parse, known.meant(atom), known.persons).of(atom) if parse else atom
                for atom, parse in zip(atoms, parses, strict=True)
            )
        )


class EmbeddedFactGenerator:
    """Makes each statement of the reference a fact, without a model; English only."""

    def __init__(self, config: AtomSettings | None = None) -> None:
        self._atomizer = EmbeddedAtomizer(config)
        self._reviser = EmbeddedReviser(config)

    def generate(self, record: Record) -> Atomized:
        """The facts, in the order of the reference."""
        reference = reference_record(record)
        return self._reviser.revise(self._atomizer.atomize(reference).atoms, reference)


def reference_record(record: Record) -> Record:
    """The record with the reference in the place of the response."""
    return Record(id=record.id, response=record.reference or "", prompt=record.prompt, topic=record.topic)


class _Revision:
    """Revises one atom: names for the first pronoun of each kind that no word before it explains."""

    def __init__(self, parse: Parse, meant: Meant, persons: Collection[str]) -> None:
        self._parse = parse
        self._meant = meant
        self._persons = persons
        self._changes: list[tuple[Span, str]] = []
        self._unresolved: list[str] = []

    def of(self, atom: Atom) -> Atom:
        """The atom with its names, and the pointing words that stayed."""
        seen: set[Kind] = set()
        for word in self._parse.words:
            kind = KINDS.get(word.lower)
            if kind is None:
                self._surname(word)
                self._pointed(word)
            elif not (kind in seen or self._is_bound(kind, word) or word.is_expletive):
                seen.add(kind)
                self._pronoun(kind, word)
        changes: dict[str, object] = {"unresolved": tuple(dict.fromkeys(self._unresolved))}
        if self._changes:
            text = atom.text
            for span, said in reversed(self._changes):
                text = text[: span.start] + said + text[span.end :]
            changes |= {"text": text[:1].upper() + text[1:], "original": atom.original or atom.text}
        return atom.model_copy(update=changes)

    def _pronoun(self, kind: Kind, word: Word) -> None:
        name = self._meant.get(kind)
        if name is None or name.casefold() in self._parse.text.casefold():
            self._unresolved.append(word.text)
            return
        end, said = word.end, name
        contraction = _CONTRACTION.match(self._parse.text, word.end)
        if word.tag == "PRP$":
            said += "'" if name.endswith("s") else "'s"
        elif contraction is not None:
            end, said = contraction.end(), f"{said} {_WRITTEN_OUT[contraction[1].lower()]}"
        self._changes.append((Span(word.start, end), said))

    def _pointed(self, word: Word) -> None:
        """ "These changes" becomes what the sentence before calls changes; else it is left and listed."""
        if word.lower not in POINTING or word.tag not in ("DT", "PDT"):
            return
        if word.dep != "det":
            kind: Kind = "many" if word.lower in ("these", "those") else "thing"
            if word.dep in NOMINAL_SUBJECTS and not self._is_bound(kind, word):
                self._unresolved.append(word.text)
            return
        noun = word.head
        name = self._meant.get(noun.lemma)
        if name is not None and word.i == 0:
            self._changes.append((Span(word.start, noun.end), name))
        elif not self._is_bound("thing", word):
            self._unresolved.append(self._parse.text[word.start : noun.end])

    def _surname(self, word: Word) -> None:
        """The full name of the one person whose surname is a subject by itself."""
        words = self._parse.words
        beside = [*words[max(0, word.i - 1) : word.i], *words[word.i + 1 : word.i + 2]]
        alone = not any(other.pos == "PROPN" for other in beside)
        if word.text.isupper() or not (word.dep in NOMINAL_SUBJECTS and alone):
            return
        known = [name for name in self._persons if " " in name and name.split()[-1] == word.text]
        if len(known) == 1 and known[0] not in self._parse.text:
            self._changes.append((Span(word.start, word.end), known[0]))

    def _is_bound(self, kind: Kind, word: Word) -> bool:
        """Whether a word before the pronoun in the atom may be what it means."""
        nouns = [other for other in self._parse.words[: word.i] if other.pos in NOUNS]
        if word.dep == "dobj":
            nouns = [noun for noun in nouns if noun.dep not in NOMINAL_SUBJECTS]
        persons = [w for w in nouns if w.entity == "PERSON" or is_person(w.lemma.lower())]
        if kind in ("male", "female"):
            return bool(persons) or any(w.pos == "PROPN" and not w.entity for w in nouns)
        if kind == "many":
            return any(w.tag in PLURAL or w.dependents("conj") for w in nouns)
        return any(
            w.tag in ("NN", "NNP") and w not in persons and w.entity not in ("DATE", "TIME") for w in nouns
        )
