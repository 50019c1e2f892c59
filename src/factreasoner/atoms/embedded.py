"""Atoms without a model: by a dependency parse of English sentences, where a parser is installed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factreasoner.atoms.abstention import is_abstention
from factreasoner.atoms.pronouns import resolve
from factreasoner.atoms.statements import Statement, statements
from factreasoner.models import Atom, Record
from factreasoner.protocols import Atomized
from factreasoner.settings import Config
from factreasoner.text.language import is_english
from factreasoner.text.parsing import check_model, find_parser
from factreasoner.text.sentences import Span

_POINTING = re.compile(r"(?:he|she|it|they|his|her|its|their|this|these|that|those)\b")


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
