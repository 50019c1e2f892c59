"""FactReasoner: judge pairs, build the factor graph, solve it. FR1, FR2 and FR3 are settings of it.

Source: "FactReasoner: A Probabilistic Approach to Long-Form Factuality Assessment" (arXiv 2502.18573).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

from factreasoner.config import Config
from factreasoner.errors import SolverError
from factreasoner.graph.fact_graph import build_fact_graph
from factreasoner.graph.factors import factor_graph
from factreasoner.graph.pairs import Work, merge_equal, pairs, relations
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.tokens import estimate_tokens
from factreasoner.llm.usage import stage
from factreasoner.models import (
    Atom,
    Audit,
    Claim,
    Context,
    FactGraph,
    Failure,
    Marginals,
    Outcome,
    Premise,
    Record,
    Verdict,
    support_of,
)
from factreasoner.protocols import Judge, Judged, Solver


class Solution(NamedTuple):
    """Posteriors of a fact graph, or why there are none."""

    marginals: Marginals | None
    failure: Failure | None = None


class GraphEvaluator:
    """P(atom is true) as the posterior marginal of a factor graph over atoms and contexts."""

    def __init__(self, judge: Judge, solver: Solver, config: Config | None = None) -> None:
        self._judge = judge
        self._solver = solver
        self._config = config or Config()

    def evaluate(self, atoms: Sequence[Atom], contexts: Sequence[Context], record: Record) -> Outcome:
        """Judge every pair the version asks for and solve.

        An atom whose every judgement failed is left out of `p_true` and listed in `unjudged`; one with
        some failed judgements is scored on the rest and listed in `partly_judged`.

        Raises:
            ConfigError, BudgetError: from the model client.
        """
        if self._config.version > 1:
            contexts = merge_equal(contexts)
        work = pairs(self._config.version, atoms, contexts)
        judged = self._judge_all(work, atoms, contexts)
        audit = self._audit(record.id, judged.verdicts, atoms, contexts)
        planned = Counter(atom_id for item in work for atom_id in item.atom_ids)
        answered = Counter(verdict.target_id for verdict in judged.verdicts)
        unjudged = tuple(a.id for a in atoms if planned[a.id] and not answered[a.id])
        partly = tuple(a.id for a in atoms if 0 < answered[a.id] < planned[a.id])
        graph = build_fact_graph(
            [atom for atom in atoms if atom.id not in unjudged],
            contexts,
            relations(judged.verdicts, {atom.id for atom in atoms}),
            atom_prior=self._config.atom_prior,
            context_prior=self._config.context_prior,
        )
        outcome = Outcome(
            p_true={},
            support={},
            unjudged=unjudged,
            partly_judged=partly,
            verdicts=judged.verdicts,
            failures=judged.failures,
            audit=audit,
        )
        return solved(outcome, graph, self._solver, self._config, record_id=record.id)

    def work(self, atoms: Sequence[Atom], contexts: Sequence[Context]) -> list[tuple[Premise, list[Claim]]]:
        """Every (premise, claims) the judge would be asked, without asking."""
        if self._config.version > 1:
            contexts = merge_equal(contexts)
        return self._tasks(pairs(self._config.version, atoms, contexts), atoms, contexts)

    def _tasks(
        self, work: Sequence[Work], atoms: Sequence[Atom], contexts: Sequence[Context]
    ) -> list[tuple[Premise, list[Claim]]]:
        premise = _premises(contexts)
        text = {atom.id: atom.text for atom in atoms}
        text |= {c.id: c.summary or _cut(c.text, self._config.premise_tokens) for c in contexts}
        return [
            (premise(item.context_id), [Claim(target, text[target]) for target in targets])
            for targets_of in (lambda w: w.atom_ids, lambda w: w.context_ids)
            for item in work
            if (targets := targets_of(item))
        ]

    def _judge_all(self, work: Sequence[Work], atoms: Sequence[Atom], contexts: Sequence[Context]) -> Judged:
        parts = parallel_map(
            lambda task: self._judge.judge(*task),
            self._tasks(work, atoms, contexts),
            workers=self._workers,
        )
        return Judged(
            tuple(verdict for part in parts for verdict in part.verdicts),
            tuple(failure for part in parts for failure in part.failures),
        )

    @property
    def _workers(self) -> int:
        return 1 if self._config.plugin("judge") == "embedded" else self._config.concurrency

    def _audit(
        self, record_id: str, verdicts: Sequence[Verdict], atoms: Sequence[Atom], contexts: Sequence[Context]
    ) -> Audit | None:
        """Ask a random share of the verdicts again, one claim a call, and count the changed labels."""
        share = self._config.audit_share
        text = {atom.id: atom.text for atom in atoms}
        chosen = [
            v for v in verdicts if v.target_id in text and _draw(self._config.seed, record_id, v) < share
        ]
        if not share:
            return None
        premise = _premises(contexts)
        with stage("audit"):
            parts = parallel_map(
                lambda v: self._judge.judge(premise(v.context_id), [Claim(v.target_id, text[v.target_id])]),
                chosen,
                workers=self._workers,
            )
        again = [(v, part.verdicts[0]) for v, part in zip(chosen, parts, strict=True) if part.verdicts]
        return Audit(asked=len(again), disagreed=sum(first.label != second.label for first, second in again))


def solved(outcome: Outcome, graph: FactGraph, solver: Solver, config: Config, *, record_id: str) -> Outcome:
    """The outcome with the posteriors of `graph`; a solver's refusal becomes a Failure and keeps the rest."""
    with stage("solver"):
        try:
            marginals = solver.marginals(factor_graph(graph, config.factors))
        except SolverError as error:
            failure = Failure.of("solver", record_id, error)
            return outcome.model_copy(update={"graph": graph, "failures": (*outcome.failures, failure)})
    posterior = marginals.p_true
    p_true = {node.id: posterior[node.id] for node in graph.nodes if node.kind == "atom"}
    return outcome.model_copy(
        update={
            "graph": graph,
            "marginals": marginals,
            "p_true": p_true,
            "support": {atom_id: support_of(p) for atom_id, p in p_true.items()},
        }
    )


def _premises(contexts: Sequence[Context]) -> Callable[[str], Premise]:
    by_id = {context.id: context for context in contexts}

    def premise(context_id: str) -> Premise:
        context = by_id[context_id]
        others = tuple(other.text for other in contexts if other.id != context_id)
        return Premise(context.id, context.text, others, context.title)

    return premise


def _draw(seed: int, record_id: str, verdict: Verdict) -> float:
    """A number in [0, 1) that depends on the pair alone: an interrupted audit draws the same again."""
    key = "\x1f".join((str(seed), record_id, verdict.context_id, verdict.target_id))
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) / 2**64


def _cut(text: str, tokens: int) -> str:
    """The beginning of `text`, about `tokens` tokens long at most, cut between words."""
    estimate = estimate_tokens(text)
    if estimate <= tokens:
        return text
    head = text[: max(1, len(text) * tokens // estimate)]
    return head.rsplit(maxsplit=1)[0] if " " in head else head
