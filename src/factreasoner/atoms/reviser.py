"""Revisers: atoms made understandable alone, by a language model, or left as they are."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from factreasoner import prompts
from factreasoner.atoms.plain_text import without_citations
from factreasoner.llm.messages import FunctionSchema, Prompt
from factreasoner.llm.rewriting import Rewriter, Rewriting
from factreasoner.models import Atom, Claim, Failure, Record
from factreasoner.protocols import LLM, Atomized
from factreasoner.settings import Config
from factreasoner.text.rewording import keeps_words

STAGE = "reviser"
_GROWTH, _ALLOWANCE = 4, 200


class KeepAtoms:
    """Leaves every atom as it is, unwanted or made self-contained already; made as every reviser is."""

    def __init__(self, config: Config | None = None) -> None:
        pass

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """`atoms` as they are, without a failure."""
        return Atomized(tuple(atoms))


class LLMReviser:
    """Has a language model rewrite all atoms of a record in one call, one required argument an atom.

    Arguments are named by the atom's position in the record, so that a text can't move to another atom. An
    argument that is missing, null, empty, of the wrong type, far too long, or without a number or most words
    of the original is asked again, `max_attempts` times in all; then it is a Failure and the atom keeps its
    text. A reply cut by the token limit is halved at once.
    """

    def __init__(self, llm: LLM, config: Config | None = None) -> None:
        self._template = prompts.load("reviser")
        self._rewriter = Rewriter(_REVISING, llm, config or Config())

    def requests(self, atoms: Sequence[Atom], record: Record) -> list[tuple[Prompt, FunctionSchema]]:
        """The calls a first round takes, without making one."""
        return self._rewriter.requests(self._prompt(record), [Claim(atom.id, atom.text) for atom in atoms])

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, same ids and order; each revised one has its former text in `original`.

        Raises:
            ConfigError, BudgetError: from the model client; nothing else escapes.
        """
        claims = [Claim(atom.id, atom.text) for atom in atoms]
        found = self._rewriter.rewrite(self._prompt(record), claims)
        return Atomized(
            tuple(
                atom if isinstance(text, Failure) else _revised(atom, without_citations(text))
                for atom, text in zip(atoms, found, strict=True)
            ),
            tuple(result for result in found if isinstance(result, Failure)),
        )

    def _prompt(self, record: Record) -> Prompt:
        return self._template.fill(
            question=prompts.delimit(record.prompt, "question"),
            topic=prompts.delimit(record.topic or "", "topic"),
            text=prompts.delimit(record.response, "text"),
        )


def _problem(original: str, text: str) -> str | None:
    """Why a revision can't stand in for the original, or None."""
    if len(text) > _GROWTH * len(original) + _ALLOWANCE:
        return f"{len(text)} characters for {len(original)}"
    lost = _numbers(original) - _numbers(text)
    if lost:
        return f"it lacks {', '.join(sorted(lost))}"
    if _NEGATION.search(original) and not _NEGATION.search(text):
        return "it lacks the negation"
    if not keeps_words(original, text):
        return "it lacks most words of the statement"
    return None


_REVISING = Rewriting(
    stage=STAGE,
    function="rewrite_statements",
    task="Give each statement in a form that can be understood alone.",
    argument="atom",
    result="revision",
    problem=_problem,
)
_NUMBER = re.compile(r"(?:(?<![\w.,–-])[-−])?\d+(?:[.,]\d+)*")
_NEGATION = re.compile(r"\b(?:not|never|no|none|cannot|neither|nor|without)\b|n['’]t\b", re.IGNORECASE)


def _numbers(text: str) -> set[str]:
    """The numbers of a text, with their sign, without separators of thousands."""
    found = _NUMBER.findall(unicodedata.normalize("NFKC", text))
    return {number.replace("−", "-").replace(",", "") for number in found}


def _revised(atom: Atom, text: str) -> Atom:
    if text == atom.text:
        return atom
    return atom.model_copy(update={"text": text, "original": atom.original or atom.text})
