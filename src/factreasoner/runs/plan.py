"""What a run would take, without one model call."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from factreasoner.config import Config
from factreasoner.evaluators.assessors import ASSESSORS
from factreasoner.evaluators.graph import GraphEvaluator
from factreasoner.evaluators.prompted import STAGE as ASSESSOR_STAGE
from factreasoner.evaluators.prompted import PromptedEvaluator
from factreasoner.judges.llm import STAGE as JUDGE_STAGE
from factreasoner.judges.llm import LLMJudge
from factreasoner.language.sentences import sentences
from factreasoner.llm.allowance import most_paid
from factreasoner.llm.messages import FunctionSchema, Prompt
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Atom, Context, Record
from factreasoner.protocols import LLM
from factreasoner.retrieval.merged import names_of
from factreasoner.retrieval.per_atom import FoundPassage, Query, retrieve_each
from factreasoner.retrieval.query_builder import STAGE as QUERY_STAGE
from factreasoner.retrieval.query_builder import LLMQueryBuilder
from factreasoner.retrieval.summarizer import STAGE as SUMMARY_STAGE
from factreasoner.retrieval.summarizer import TOKENS_PER_ANSWER, LLMSummarizer
from factreasoner.solvers.auto import AutoSolver
from factreasoner.stages.abstention import is_abstention
from factreasoner.stages.atomizer import EmbeddedAtomizer, LLMAtomizer
from factreasoner.stages.reviser import LLMReviser

TOKENS_PER_ATOM = 30
"""Output tokens an atom takes in the answer of the atomizer, the reviser and the query builder, about."""

PASSAGE = "passage " * 250
"""As many tokens as 200 words of English take, about."""


class StagePlan(NamedTuple):
    """Calls of one stage over a whole run, with estimated tokens.

    `most_calls` is how many may have to be paid for at worst, where a model's replies are of no use.
    """

    stage: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    most_calls: int


class RunPlan(NamedTuple):
    """What a run takes: model calls by stage, searches of its retriever, pairs for a classifier to judge."""

    stages: list[StagePlan]
    searches: int
    pairs: int


def plan(records: Iterable[Record], config: Config) -> RunPlan:
    """Searches, and calls and estimated tokens by stage, re-asks and audits left out.

    Atoms a model has yet to find are estimated by the embedded atomizer, contexts yet to be searched for as
    all that a search may bring, of about 200 words each. No context is taken to be irrelevant, and cached
    answers are not deducted.
    """
    planner = _Planner(config)
    for record in records:
        planner.add(record)
    return RunPlan(list(planner.totals.values()), planner.searches, planner.pairs)


class _Planner:
    """Adds up what records take."""

    def __init__(self, config: Config) -> None:
        nobody = ScriptedLLM([])
        self.totals: dict[str, StagePlan] = {}
        self.searches = 0
        self.pairs = 0
        self._config = config
        self._atomizer = LLMAtomizer(llm=nobody, config=config)
        self._reviser = LLMReviser(llm=nobody, config=config)
        self._query_builder = LLMQueryBuilder(llm=nobody, config=config)
        self._summarizer = LLMSummarizer(llm=nobody, config=config)
        self._assessor = _assessor(config, nobody)
        self._evaluator = _evaluator(config, nobody)

    def add(self, record: Record) -> None:
        """Count one record."""
        atoms = _atoms(record, self._config)
        if not atoms:
            return
        if record.atoms is None:
            if self._asks("atomizer"):
                found, parts = self._atomizer.requests(record), len(sentences(record.response))
                self._count("atomizer", found, TOKENS_PER_ATOM * len(atoms), items=parts)
            if self._asks("reviser"):
                revised = self._reviser.requests(atoms, record)
                self._count("reviser", revised, TOKENS_PER_ATOM * len(atoms))
        contexts = record.contexts or ()
        if record.contexts is None and self._config.retriever != "given":
            if self._asks("query_builder"):
                queries = self._query_builder.requests(atoms, record)
                self._count(QUERY_STAGE, queries, TOKENS_PER_ATOM * len(atoms))
            contexts = self._expected_contexts(atoms, record)
        if self._asks("summarizer"):
            summaries = self._summarizer.requests(contexts, atoms)
            self._count(SUMMARY_STAGE, summaries, TOKENS_PER_ANSWER * len(summaries))
        if self._config.plugin("judge") == "nli":
            self.pairs += sum(len(claims) for _, claims in self._evaluator.work(atoms, contexts))
        if self._asks("judge"):
            rounds = self._config.votes if self._config.confidence == "votes" else 1
            asked = self._assessor(record.model_copy(update={"contexts": contexts}), atoms)
            answer_tokens, items = asked.answer_tokens * rounds, asked.items * rounds
            self._count(asked.stage, asked.requests * rounds, answer_tokens, items=items)

    def _expected_contexts(self, atoms: Sequence[Atom], record: Record) -> tuple[Context, ...]:
        """Stand-ins for what searching for every atom, and for the question, may find."""

        def search(query: Query) -> list[FoundPassage]:
            self.searches += len(names_of(self._config.retriever))
            return [FoundPassage(f"{query.text} {rank} {PASSAGE}") for rank in range(self._config.retrieve_k)]

        one_at_a_time = self._config.model_copy(update={"concurrency": 1})
        return retrieve_each(search, atoms, record, one_at_a_time).contexts

    def _asks(self, part: str) -> bool:
        return self._config.plugin(part) == "llm"

    def _count(
        self,
        stage: str,
        requests: Sequence[tuple[Prompt, FunctionSchema]],
        answer: int,
        *,
        items: int | None = None,
    ) -> None:
        """Add `requests`, whose answers take `answer` tokens; about `items`, or what their functions hold."""
        before = self.totals.get(stage, StagePlan(stage, 0, 0, 0, 0))
        asked = sum(max(len(schema.items), 1) for _, schema in requests) if items is None else items
        self.totals[stage] = StagePlan(
            stage,
            before.calls + len(requests),
            before.prompt_tokens + sum(_prompt_tokens(prompt, schema) for prompt, schema in requests),
            before.completion_tokens + answer,
            before.most_calls + most_paid(len(requests), asked),
        )


class _JudgeCalls(NamedTuple):
    """What a model is asked in the place of a judge, about how many items; tokens that its answers take."""

    stage: str
    requests: list[tuple[Prompt, FunctionSchema]]
    items: int
    answer_tokens: int


def _evaluator(config: Config, nobody: LLM) -> PromptedEvaluator | GraphEvaluator:
    """The assessor as it is with another judge than a model, whatever that is."""
    judge = LLMJudge(nobody, config)
    if config.assessor in ASSESSORS:
        return PromptedEvaluator(judge, nobody, config)
    return GraphEvaluator(judge, AutoSolver(config), config)


def _assessor(config: Config, nobody: LLM) -> Callable[[Record, Sequence[Atom]], _JudgeCalls]:
    """What the assessor asks about a record."""
    judge = LLMJudge(nobody, config)
    if config.assessor in ASSESSORS:
        prompted = PromptedEvaluator(judge, nobody, config)

        def by_atoms(record: Record, atoms: Sequence[Atom]) -> _JudgeCalls:
            requests = prompted.requests(atoms, record.contexts or (), record)
            items = sum(len(schema.items) for _, schema in requests)
            return _JudgeCalls(ASSESSOR_STAGE, requests, items, prompted.tokens_per_claim * items)

        return by_atoms
    evaluator = GraphEvaluator(judge, AutoSolver(config), config)

    def by_pairs(record: Record, atoms: Sequence[Atom]) -> _JudgeCalls:
        work = evaluator.work(atoms, record.contexts or ())
        requests = [request for task in work for request in judge.requests(*task)]
        shown = sum(len(schema.items) for _, schema in requests)
        claims = sum(len(claims) for _, claims in work)
        return _JudgeCalls(JUDGE_STAGE, requests, claims, judge.tokens_per_claim * shown)

    return by_pairs


def _atoms(record: Record, config: Config) -> tuple[Atom, ...]:
    if record.atoms is not None:
        return record.atoms
    return () if is_abstention(record.response) else EmbeddedAtomizer(config).atomize(record).atoms


def _prompt_tokens(prompt: Prompt, schema: FunctionSchema) -> int:
    return estimate_tokens(prompt.system + prompt.user + json.dumps(schema.parameters, ensure_ascii=False))
