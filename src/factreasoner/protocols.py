"""Protocols of components, with one method each. Any class with that method fits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

if TYPE_CHECKING:
    from factreasoner.models import (
        Atom,
        Claim,
        Context,
        Failure,
        Marginals,
        Outcome,
        Premise,
        Record,
        Verdict,
    )
    from factreasoner.models.graph import FactorGraph
    from factreasoner.models.messages import FunctionSchema, Prompt, Reply


class Atomized(NamedTuple):
    """Atoms of one record, and failures."""

    atoms: tuple[Atom, ...]
    failures: tuple[Failure, ...] = ()


class Retrieved(NamedTuple):
    """Contexts of one record, and failures.

    `searched` names the collections searched and their states, as `name@state`.
    """

    contexts: tuple[Context, ...]
    failures: tuple[Failure, ...] = ()
    searched: tuple[str, ...] = ()


class Judged(NamedTuple):
    """Verdicts on the claims of one premise; every claim has a verdict or a failure."""

    verdicts: tuple[Verdict, ...]
    failures: tuple[Failure, ...] = ()


class LLM(Protocol):
    """A language model that answers through a function call."""

    def call(
        self, prompt: Prompt, schema: FunctionSchema, *, sample: int = 0, logprobs: bool = False
    ) -> Reply:
        """Ask once, with retries and call forms.

        `sample` > 0 asks for an independent answer to the same prompt, drawn at a temperature above 0.

        Raises:
            LLMError: no usable answer.
            ConfigError: the key or the model name is wrong.
            BudgetError: the call could exceed the allowed cost.
        """
        ...


class Atomizer(Protocol):
    """Splits a response into atoms."""

    def atomize(self, record: Record) -> Atomized:
        """Atoms in the order of the response. Raises StageError without a usable result."""
        ...


class FactGenerator(Protocol):
    """Makes the facts that an answer should state, from the question and its reference."""

    def generate(self, record: Record) -> Atomized:
        """Facts in the order of `record.reference`. Raises StageError without a usable result."""
        ...


class Reviser(Protocol):
    """Makes atoms self-contained."""

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, same ids and order, with revised texts; a failed one keeps its text."""
        ...


class Retriever(Protocol):
    """Finds passages to judge atoms against."""

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """Contexts with the ids of the atoms each was found for."""
        ...


class QueryBuilder(Protocol):
    """Makes search queries for atoms."""

    def build(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, ids, texts and order, with queries; after a failure the text is the query."""
        ...


class Summarizer(Protocol):
    """Summarises contexts with regard to atoms."""

    def summarize(self, contexts: Sequence[Context], atoms: Sequence[Atom]) -> Retrieved:
        """The same contexts, ids, texts and order, with summaries; irrelevant ones are marked as dropped."""
        ...


class Judge(Protocol):
    """Decides whether a premise entails or contradicts claims.

    The class attributes `asks_model` and `pairwise` describe it, see the functions of these names.
    """

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim."""
        ...


def asks_model(judge: object) -> bool:
    """Whether a judge, or its class, waits for a model; true unless its `asks_model` is False."""
    return bool(getattr(judge, "asks_model", True))


def pairwise(judge: object) -> bool:
    """Whether verdicts depend only on passage and claim; true only if its `pairwise` is True."""
    return bool(getattr(judge, "pairwise", False))


class Evaluator(Protocol):
    """Turns atoms and contexts into P(atom is true)."""

    def evaluate(self, atoms: Sequence[Atom], contexts: Sequence[Context], record: Record) -> Outcome:
        """Judge one record's atoms against its contexts, and compute P(true) of each."""
        ...


class Solver(Protocol):
    """Computes posterior marginals."""

    def marginals(self, graph: FactorGraph) -> Marginals:
        """Posterior of every variable. Raises SolverError."""
        ...
