"""Queries for the searching retrievers, worded by a language model."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner import prompts
from factreasoner.llm.rewriting import Rewriter, Rewriting
from factreasoner.models import Atom, Claim, Failure, Record
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.protocols import LLM, Atomized
from factreasoner.retrieval.subject import subject_of
from factreasoner.settings import Config

STAGE = "query_builder"
LONGEST = 200
"""Characters of a query; a longer one is an essay, which no search service takes for a query."""


class LLMQueryBuilder:
    """Has a language model word one query an atom, for all atoms of a record in one call.

    Arguments are named by position. One that is missing, null, empty or too long is asked again,
    `max_attempts` times in all; then it is a Failure, and the atom's own text is what is searched for.
    """

    def __init__(self, llm: LLM, config: Config | None = None) -> None:
        self._template = prompts.load("query")
        self._rewriter = Rewriter(_WORDING, llm, config or Config())

    def requests(self, atoms: Sequence[Atom], record: Record) -> list[tuple[Prompt, FunctionSchema]]:
        """The calls a first round takes, without making one."""
        return self._rewriter.requests(self._prompt(record), _claims(atoms))

    def build(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms with a `query`; those that have one keep it.

        Raises:
            ConfigError, BudgetError: from the model client; nothing else escapes.
        """
        claims = _claims(atoms)
        found = self._rewriter.rewrite(self._prompt(record), claims)
        failures = tuple(result for result in found if isinstance(result, Failure))
        queries = {
            claim.id: {"query": query}
            for claim, query in zip(claims, found, strict=True)
            if isinstance(query, str)
        }
        return Atomized(tuple(atom.model_copy(update=queries.get(atom.id, {})) for atom in atoms), failures)

    def _prompt(self, record: Record) -> Prompt:
        return self._template.fill(
            question=prompts.delimit(record.prompt, "question"),
            topic=prompts.delimit(subject_of(record), "topic"),
        )


def _claims(atoms: Sequence[Atom]) -> list[Claim]:
    return [Claim(atom.id, atom.text) for atom in atoms if not atom.query]


def _problem(original: str, query: str) -> str | None:
    """Why a query is none, or None. What the statement says is no measure of it."""
    return f"{len(query)} characters, {LONGEST} at most" if len(query) > LONGEST else None


_WORDING = Rewriting(
    stage=STAGE,
    function="word_queries",
    task="Give a search query for each statement.",
    argument="query",
    result="query",
    problem=_problem,
)
