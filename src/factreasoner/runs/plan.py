"""What a run would take, without one model call."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.assessors.prompted import STAGE as ASSESSOR_STAGE
from factreasoner.assessors.prompted import PromptedEvaluator
from factreasoner.atoms.abstention import is_abstention
from factreasoner.atoms.embedded import EmbeddedAtomizer
from factreasoner.judges.llm import STAGE as JUDGE_STAGE
from factreasoner.judges.llm import LLMJudge
from factreasoner.llm.ask import most_paid
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Atom, Context, Record
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.pipeline.assembly import Assembly
from factreasoner.plugins.kinds import (
    ASSESSOR,
    ATOMIZER,
    JUDGE,
    QUERY_BUILDER,
    REVISER,
    SUMMARIZER,
    PluginKind,
)
from factreasoner.plugins.table import PLUGINS, load
from factreasoner.protocols import AsksModel
from factreasoner.retrieval.merged import names_of
from factreasoner.retrieval.per_atom import FoundPassage, Query, retrieve_each
from factreasoner.retrieval.query_builder import STAGE as QUERY_STAGE
from factreasoner.retrieval.summarizer import STAGE as SUMMARY_STAGE
from factreasoner.retrieval.summarizer import TOKENS_PER_ANSWER
from factreasoner.settings import Config
from factreasoner.solvers.auto import AutoSolver
from factreasoner.text.sentences import sentences

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
    """What a run takes: model calls by stage, searches of its retriever, pairs for a classifier to judge.

    `uncounted` names a user's own parts that do not tell what they ask a model.
    """

    stages: list[StagePlan]
    searches: int
    pairs: int
    uncounted: tuple[str, ...] = ()

    def content(self, records: int) -> dict[str, Any]:
        """As JSON has it, with how many records it is for."""
        return self._asdict() | {"records": records, "stages": [stage._asdict() for stage in self.stages]}


def plan(records: Iterable[Record], config: Config) -> RunPlan:
    """Searches, and calls and estimated tokens by stage, re-asks and audits left out.

    Atoms a model has yet to find are estimated by the embedded atomizer, contexts yet to be searched for as
    all that a search may bring, of about 200 words each. No context is taken to be irrelevant, and cached
    answers are not deducted. A user's own part is counted by its `requests`, where it has that method.
    """
    planner = _Planner(config)
    for record in records:
        planner.add(record)
    return RunPlan(list(planner.totals.values()), planner.searches, planner.pairs, tuple(planner.uncounted))


class _Planner:
    """Adds up calls, tokens and searches of one record after another."""

    def __init__(self, config: Config) -> None:
        self.totals: dict[str, StagePlan] = {}
        self.searches = 0
        self.pairs = 0
        self.uncounted: list[str] = []
        self._config = config
        llm, uncalibrated = ScriptedLLM([]), config.model_copy(update={"calibration": None})
        assembly = Assembly(uncalibrated, llm, {"solver": AutoSolver})
        self._atomizer = self._asking(assembly, ATOMIZER)
        self._reviser = self._asking(assembly, REVISER)
        self._query_builder = self._asking(assembly, QUERY_BUILDER)
        self._summarizer = self._asking(assembly, SUMMARIZER)
        self._judge = self._asking(assembly, JUDGE)
        # Whatever the judge is, what it is asked about does not depend on it: none is loaded for that.
        stand_in = self._judge or LLMJudge(llm, config)
        self._evaluator = Assembly(uncalibrated, llm, {"solver": AutoSolver, "judge": stand_in}).made(
            ASSESSOR
        )
        self._assessor = self._asking(assembly, ASSESSOR, self._evaluator)
        if isinstance(self._evaluator, PromptedEvaluator) and config.plugin("judge") != "llm":
            self._assessor = None

    def _asking(self, assembly: Assembly, kind: PluginKind[Any], made: object = None) -> AsksModel | None:
        """The part of that kind if it tells what it asks a model; no other registered one is made."""
        name = self._config.plugin(kind.name)
        ours = name in PLUGINS[kind.name]
        if name == "none" or (ours and not hasattr(load(kind.name, name), "requests")):
            return None
        part = made or assembly.made(kind)
        if callable(getattr(part, "requests", None)):
            return cast(AsksModel, part)
        self.uncounted.append(f"{kind.name} {name}")
        return None

    def add(self, record: Record) -> None:
        """Count one record."""
        atoms = _atoms(record, self._config)
        if not atoms:
            return
        words = TOKENS_PER_ATOM * len(atoms)
        if record.atoms is None:
            if self._atomizer:
                parts = len(sentences(record.response))
                count(self.totals, "atomizer", self._atomizer.requests(record), words, items=parts)
            if self._reviser:
                count(self.totals, "reviser", self._reviser.requests(atoms, record), words)
        contexts = record.contexts or ()
        if record.contexts is None and self._config.retriever != "given":
            if self._query_builder:
                count(self.totals, QUERY_STAGE, self._query_builder.requests(atoms, record), words)
            contexts = self._expected_contexts(atoms, record)
        if self._summarizer:
            summaries = self._summarizer.requests(contexts, atoms)
            count(self.totals, SUMMARY_STAGE, summaries, TOKENS_PER_ANSWER * len(summaries))
        if self._assessor:
            given = record.model_copy(update={"contexts": contexts})
            asked = self._assessor.requests(atoms, contexts, given)
            self._count_judging(ASSESSOR_STAGE, self._assessor, asked, items=_num_items(asked))
        else:
            self._add_pairs(atoms, contexts)

    def _add_pairs(self, atoms: Sequence[Atom], contexts: Sequence[Context]) -> None:
        if not isinstance(self._evaluator, PromptedEvaluator | GraphEvaluator):
            return
        tasks = self._evaluator.work(atoms, contexts)
        claims = sum(len(claims) for _, claims in tasks)
        if self._config.plugin("judge") == "verifier":
            self.pairs += claims
        if self._judge:
            asked = [request for task in tasks for request in self._judge.requests(*task)]
            self._count_judging(JUDGE_STAGE, self._judge, asked, items=claims)

    def _count_judging(
        self, stage: str, part: AsksModel, asked: Sequence[tuple[Prompt, FunctionSchema]], *, items: int
    ) -> None:
        """Add what is asked about `items` claims, as many times as there are votes, of every judge."""
        rounds = self._config.votes if self._config.confidence == "votes" else 1
        rounds *= 1 + len(self._config.further_models)
        tokens = int(getattr(part, "tokens_per_claim", TOKENS_PER_ATOM)) * _num_items(asked)
        count(self.totals, stage, list(asked) * rounds, tokens * rounds, items=items * rounds)

    def _expected_contexts(self, atoms: Sequence[Atom], record: Record) -> tuple[Context, ...]:
        """Stand-ins for what searching for every atom, and for the question, may find."""

        def search(query: Query) -> list[FoundPassage]:
            self.searches += len(names_of(self._config.retriever))
            return [FoundPassage(f"{query.text} {rank} {PASSAGE}") for rank in range(self._config.retrieve_k)]

        one_at_a_time = self._config.model_copy(update={"concurrency": 1})
        return retrieve_each(search, atoms, record, one_at_a_time).contexts


def count(
    totals: dict[str, StagePlan],
    stage: str,
    requests: Sequence[tuple[Prompt, FunctionSchema]],
    answer: int,
    *,
    items: int | None = None,
) -> None:
    """Add `requests`, whose answers take `answer` tokens; about `items`, or what their functions hold."""
    before = totals.get(stage, StagePlan(stage, 0, 0, 0, 0))
    asked = _num_items(requests) if items is None else items
    totals[stage] = StagePlan(
        stage,
        before.calls + len(requests),
        before.prompt_tokens + sum(prompt_tokens(prompt, schema) for prompt, schema in requests),
        before.completion_tokens + answer,
        before.most_calls + most_paid(len(requests), asked),
    )


def _num_items(requests: Sequence[tuple[Prompt, FunctionSchema]]) -> int:
    return sum(max(len(schema.items), 1) for _, schema in requests)


def _atoms(record: Record, config: Config) -> tuple[Atom, ...]:
    if record.atoms is not None:
        return record.atoms
    return () if is_abstention(record.response) else EmbeddedAtomizer(config).atomize(record).atoms


def prompt_tokens(prompt: Prompt, schema: FunctionSchema) -> int:
    """About how many tokens a call with that prompt and function sends."""
    return estimate_tokens(prompt.system + prompt.user + json.dumps(schema.parameters, ensure_ascii=False))
