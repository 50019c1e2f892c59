"""Revisers: make atoms self-contained with a model, or leave them as they are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

from factreasoner import prompts
from factreasoner.atoms import checks
from factreasoner.atoms.plain_text import without_citations
from factreasoner.atoms.rules import RuleReviser
from factreasoner.atoms.settings import AtomSettings
from factreasoner.llm.rewriting import Rewriter, Rewriting
from factreasoner.models import Atom, Claim, Failure, Record
from factreasoner.models.messages import Prompt
from factreasoner.protocols import LLM, Atomized
from factreasoner.text.language import is_english, keeps_words
from factreasoner.text.parsing import NOMINAL_SUBJECTS, Parse, find_parser

STAGE = "reviser"
_GROWTH, _ALLOWANCE = 4, 200
_LATIN = re.compile("[A-Za-z]")


class KeepAtoms:
    """Leaves every atom unchanged."""

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same `atoms`, without failures."""
        return Atomized(tuple(atoms))


class LLMReviser:
    """Has a model rewrite, in one call, the atoms that can't be understood alone.

    The parse replaces pronouns first. The model then gets the atoms that still refer to something or have a
    month without a year; in other languages, all. Arguments are named by position. A revision that `_problem`
    refuses is retried, up to `max_attempts` in all; then it is a Failure and the atom keeps its text. A cut
    reply is halved at once.
    """

    def __init__(self, llm: LLM, config: AtomSettings | None = None) -> None:
        self._llm = llm
        self._config = config or AtomSettings()
        self._template = prompts.load("reviser")
        self._by_parse = RuleReviser()

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, ids and order; a revised atom has its former text in `original`.

        Raises ConfigError, BudgetError: from the model client.
        """
        parsed = self._by_parse.revise(atoms, record).atoms
        asked = self._unclear(parsed, record)
        found = self._rewriter(record, atoms).rewrite(self._prompt(record), asked)
        english = is_english(record.response)
        texts = {
            claim.id: prompts.requoted(without_citations(text), record.response)
            for claim, text in zip(asked, found, strict=True)
            if isinstance(text, str) and not (english and checks.leads_with_pronoun(text))
        }
        revised = tuple(_revised(atom, texts.get(atom.id, atom.text)) for atom in parsed)
        return Atomized(revised, tuple(result for result in found if isinstance(result, Failure)))

    def _unclear(self, atoms: Sequence[Atom], record: Record) -> list[Claim]:
        """The atoms that may not be clear without the response."""
        parser = find_parser()
        english = is_english(record.response)
        parses = parser.parse([atom.text for atom in atoms]) if english and parser else [None] * len(atoms)

        def needs_context(atom: Atom, parse: Parse | None) -> bool:
            if not (english and _LATIN.search(atom.text)):
                return True
            if parse is None:
                return checks.is_vague(atom.text)
            points = checks.leads_with_pronoun(atom.text) or checks.lacks_year(atom.text)
            return points or checks.is_bare(parse.root.dependent(*NOMINAL_SUBJECTS))

        return [
            Claim(atom.id, prompts.repeatable(atom.text))
            for atom, parse in zip(atoms, parses, strict=True)
            if needs_context(atom, parse)
        ]

    def _rewriter(self, record: Record, atoms: Sequence[Atom]) -> Rewriter:
        texts = (record.response, record.prompt, record.topic or "")
        material = checks.Material(*texts, *(atom.text for atom in atoms))
        rewriting = Rewriting(
            stage=STAGE,
            function="rewrite_statements",
            task="Give each statement in a form that can be understood alone.",
            argument="atom",
            result="revision",
            problem=partial(_problem, material),
        )
        return Rewriter(rewriting, self._llm, self._config)

    def _prompt(self, record: Record) -> Prompt:
        return self._template.fill(
            question=prompts.delimit(record.prompt, "question"),
            topic=prompts.delimit(record.topic or "", "topic"),
            text=prompts.delimit(prompts.repeatable(record.response), "text"),
        )


def _problem(material: checks.Material, original: str, text: str) -> str | None:
    """Why a revision can't replace the original, or None."""
    if added := material.strangers(text):
        return f"{', '.join(added)} is neither in the text nor in the question"
    if len(text) > _GROWTH * len(original) + _ALLOWANCE:
        return f"{len(text)} characters for {len(original)}"
    if lost := checks.numbers(original) - checks.numbers(text):
        return f"it lacks {', '.join(sorted(lost))}"
    if checks.negates(original) != checks.negates(text):
        return "it lacks the negation" if checks.negates(original) else "it adds a negation"
    if checks.mistakes_gender(original, text):
        return "it names a man for a woman, or a woman for a man"
    if not keeps_words(original, text):
        return "it lacks most words of the statement"
    return None


def _revised(atom: Atom, text: str) -> Atom:
    if text == atom.text:
        return atom
    changes = {"text": text, "original": atom.original or atom.text}
    return atom.model_copy(update=changes)
