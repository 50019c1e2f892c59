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
from factreasoner.llm.messages import FunctionSchema, Prompt
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Atom, Record
from factreasoner.protocols import LLM
from factreasoner.solvers.auto import AutoSolver
from factreasoner.stages.abstention import is_abstention
from factreasoner.stages.atomizer import EmbeddedAtomizer, LLMAtomizer
from factreasoner.stages.reviser import LLMReviser

TOKENS_PER_ATOM = 30
"""Output tokens an atom takes in the atomizer's and the reviser's answer, about."""


class StagePlan(NamedTuple):
    """Calls of one stage over a whole run, with estimated tokens."""

    stage: str
    calls: int
    prompt_tokens: int
    completion_tokens: int


def plan(records: Iterable[Record], config: Config) -> list[StagePlan]:
    """Calls and estimated tokens by stage, re-asks and audits left out.

    Atoms a model has yet to find are estimated by the embedded atomizer; cached answers are not deducted.
    """
    totals: dict[str, StagePlan] = {}
    nobody = ScriptedLLM([])
    atomizer, reviser = LLMAtomizer(llm=nobody, config=config), LLMReviser(llm=nobody, config=config)
    ask = _assessor(config, nobody)
    rounds = config.votes if config.confidence == "votes" else 1

    def add(stage: str, requests: Iterable[tuple[Prompt, FunctionSchema]], answer: int) -> None:
        before = totals.get(stage, StagePlan(stage, 0, 0, 0))
        sizes = [_prompt_tokens(prompt, schema) for prompt, schema in requests]
        totals[stage] = StagePlan(
            stage,
            before.calls + len(sizes),
            before.prompt_tokens + sum(sizes),
            before.completion_tokens + answer,
        )

    for record in records:
        atoms = _atoms(record)
        if record.atoms is None and atoms and config.plugin("atomizer") == "llm":
            add("atomizer", atomizer.requests(record), TOKENS_PER_ATOM * len(atoms))
        if record.atoms is None and atoms and config.plugin("reviser") == "llm":
            add("reviser", reviser.requests(atoms, record), TOKENS_PER_ATOM * len(atoms))
        if config.plugin("judge") == "llm":
            asked = ask(record, atoms)
            add(asked.stage, asked.requests * rounds, asked.answer_tokens * rounds)
    return list(totals.values())


class _Asked(NamedTuple):
    """What a model is asked in the place of a judge, and the tokens its answers take."""

    stage: str
    requests: list[tuple[Prompt, FunctionSchema]]
    answer_tokens: int


def _assessor(config: Config, nobody: LLM) -> Callable[[Record, Sequence[Atom]], _Asked]:
    """What the assessor asks about a record."""
    judge = LLMJudge(nobody, config)
    if config.assessor in ASSESSORS:
        prompted = PromptedEvaluator(judge, nobody, config)

        def by_atoms(record: Record, atoms: Sequence[Atom]) -> _Asked:
            requests = prompted.requests(atoms, record.contexts or (), record)
            return _Asked(ASSESSOR_STAGE, requests, prompted.tokens_per_claim * len(atoms) if requests else 0)

        return by_atoms
    evaluator = GraphEvaluator(judge, AutoSolver(config), config)

    def by_pairs(record: Record, atoms: Sequence[Atom]) -> _Asked:
        work = evaluator.work(atoms, record.contexts or ())
        requests = [request for task in work for request in judge.requests(*task)]
        return _Asked(JUDGE_STAGE, requests, judge.tokens_per_claim * sum(len(c) for _, c in work))

    return by_pairs


def _atoms(record: Record) -> tuple[Atom, ...]:
    if record.atoms is not None:
        return record.atoms
    return () if is_abstention(record.response) else EmbeddedAtomizer().atomize(record).atoms


def _prompt_tokens(prompt: Prompt, schema: FunctionSchema) -> int:
    return estimate_tokens(prompt.system + prompt.user + json.dumps(schema.parameters, ensure_ascii=False))
