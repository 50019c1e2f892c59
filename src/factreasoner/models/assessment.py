"""The factuality of one record, with its precision, recall at K, F1@K and entropies.

Sources: FactReasoner (arXiv 2502.18573) for precision and E(y); SAFE (arXiv 2403.18802) for F1@K.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from numbers import Integral
from typing import ClassVar, NamedTuple

from pydantic import model_validator

from factreasoner.errors import ConfigError
from factreasoner.models.graph import P_DIGITS, Support, side_of, supports_of
from factreasoner.models.records import Atom, Context
from factreasoner.models.results import Outcome, Result, status_of
from factreasoner.models.rows import (
    ANSWER,
    CONTEXTS,
    ClaimRow,
    Evidence,
    Judgement,
    Note,
    Vocabulary,
    by_claim,
    claim_row,
)

SMALLEST_P = 1e-6
"""Minimum distance of probabilities from 0 and 1 when their logarithm is averaged."""


class Assessment(Result):
    """The factuality of one record. Metrics are computed from it, not stored.

    `outcome` has verdicts, graph and posteriors; it is None if there was nothing to judge. `usage` and
    `seconds` are by stage; `elapsed` is the wall time in seconds. `searched` names the document collections
    that were searched, as `name@state`.
    """

    vocabulary: ClassVar[Vocabulary] = Vocabulary("atom", "P(true)", scores=("precision", "f1_at_k"))
    assessor: str
    atoms: tuple[Atom, ...] = ()
    contexts: tuple[Context, ...] = ()
    searched: tuple[str, ...] = ()
    outcome: Outcome | None = None

    @property
    def p_true(self) -> dict[str, float]:
        """P(atom is true) by atom id, for every judged atom."""
        return dict(self.outcome.p_true) if self.outcome else {}

    @property
    def labels(self) -> dict[str, Support]:
        """The label of each judged atom, by atom id."""
        return dict(self.outcome.support) if self.outcome else {}

    @property
    def metrics(self) -> dict[str, float | None]:
        """The metrics by name; see `FactualityScores`."""
        return factuality(self, self.k)._asdict()

    @model_validator(mode="after")
    def _know_every_failure(self) -> Assessment:
        """Add the outcome's failures after those of the stages."""
        inner = self.outcome.failures if self.outcome else ()
        self.__dict__["failures"] = tuple(dict.fromkeys((*self.failures, *inner)))
        return self

    def with_outcome(self, outcome: Outcome) -> Assessment:
        """This assessment with another outcome, and its failures and status."""
        before = self.outcome.failures if self.outcome else ()
        stages = tuple(failure for failure in self.failures if failure not in before)
        changed = {"outcome": outcome, "status": status_of(outcome, stages)}
        return self.model_copy(
            update=changed | {"failures": tuple(dict.fromkeys((*stages, *outcome.failures)))}
        )

    def _rows(self) -> Iterator[ClaimRow]:
        """Every atom in the order of the response, judged or not."""
        outcome = self.outcome
        verdicts = by_claim(outcome.verdicts if outcome else ())
        contexts = {context.id: context for context in self.contexts}
        judged = {item.atom.id: item for item in judged_atoms(self)}
        partly = frozenset(outcome.partly_judged if outcome else ())
        wording = (
            {answer.atom_id: " ".join(answer.reasoning.split()) for answer in outcome.answers}
            if outcome
            else {}
        )
        unheld = "" if wording else _nothing_to_judge_by(self)
        for atom in self.atoms:
            item = judged.get(atom.id)
            judgement = Judgement(None, None, "no")
            if item is not None:
                judgement = Judgement(item.p_true, item.support, "partly" if atom.id in partly else "fully")
            evidence = Evidence(CONTEXTS, contexts, verdicts.get(atom.id, ()))
            alone = unheld if item is not None and not evidence.verdicts else ""
            notes = [Note(alone)]
            if reasoning := wording.get(atom.id):
                notes.append(Note("the model's reasoning", reasoning))
            row = claim_row(self.record_id, ANSWER, atom, judgement, evidence, notes)
            yield row if atom.span is not None else _placed(row, atom, self.response)


class JudgedAtom(NamedTuple):
    """An atom that counts towards n, with its posterior and label."""

    atom: Atom
    p_true: float
    support: Support


class FactualityScores(NamedTuple):
    """Scores of one assessment; None if nothing was judged, or no K was given.

    - `precision` = S/n: n atoms judged, S of them supported. `f1_at_k` is the harmonic mean of precision
      and recall at K, min(S/K, 1); it is 0 when S = 0.
    - `factuality_score`, `recall_k`, `f1_k` and `num_true_atoms` are IBM's names for the precision, the
      recall and F1 at K, and `num_supported_atoms`.
    - `precision_low`, `precision_high` bound the precision over all atoms, unjudged ones included, if each
      unresolved atom could turn out either way: those unjudged, those partly judged and those at 0.5.
    - `num_false_atoms` = n - `num_true_atoms`, as in IBM's code. `num_supported_atoms`,
      `num_contradicted_atoms` and `num_uniform_atoms` count labels; the last are the conflicting and
      unverified ones (`num_conflicting_atoms` counts the former).
    - `entropy` = sum of -P log10 P and `avg_entropy` = E(y) = entropy/n; `norm_entropy` = sum of binary
      entropies in bits; `avg_prob` = mean P; `avg_logprob` = mean ln P, P kept within [1e-6, 1 - 1e-6].
    """

    precision: float | None
    precision_low: float | None
    precision_high: float | None
    f1_at_k: float | None
    factuality_score: float | None
    recall_k: float | None
    f1_k: float | None
    k: int | None
    num_atoms: int
    num_contexts: int
    num_true_atoms: int
    num_false_atoms: int
    num_uniform_atoms: int
    num_supported_atoms: int
    num_contradicted_atoms: int
    num_conflicting_atoms: int
    entropy: float | None
    avg_entropy: float | None
    norm_entropy: float | None
    avg_norm_entropy: float | None
    avg_prob: float | None
    avg_logprob: float | None


def judged_atoms(assessment: Assessment) -> list[JudgedAtom]:
    """The atoms that count towards n, in response order, with P rounded to `P_DIGITS`."""
    outcome = assessment.outcome
    if outcome is None:
        return []
    labels: Mapping[str, Support] = outcome.support
    if not outcome.p_true.keys() <= labels.keys():
        stderr = outcome.marginals.stderr if outcome.marginals else None
        labels = {**supports_of(outcome.p_true, outcome.graph, stderr), **labels}
    return [
        JudgedAtom(atom, round(p, P_DIGITS), labels[atom.id])
        for atom in assessment.atoms
        if (p := outcome.p_true.get(atom.id)) is not None
    ]


def _placed(row: ClaimRow, atom: Atom, response: str) -> ClaimRow:
    """The row with the atom's position in the response, if its text occurs once."""
    words = atom.original or atom.text
    start = response.find(words)
    if start < 0 or response.find(words, start + len(words)) >= 0:
        return row
    return replace(row, start=start, end=start + len(words))


def _nothing_to_judge_by(result: Assessment) -> str:
    """Why an atom has a probability but no verdict."""
    if not result.contexts:
        return "no context"
    if all(context.dropped for context in result.contexts):
        return "no context: all were dropped"
    linked = any(context.atom_ids for context in result.contexts)
    return "no context of its own" if linked else ""


def factuality(assessment: Assessment, k: int | None = None) -> FactualityScores:
    """Compute the scores of an assessment; what each means is in `FactualityScores`.

    `k` is the number of supported atoms at which recall is 1. Without it, `f1_at_k`, `recall_k` and `f1_k`
    are None. Sources: FactReasoner (arXiv 2502.18573); F1@K from SAFE (arXiv 2403.18802).

    Raises ConfigError: `k` is not a positive integer.
    """
    if k is not None and (not isinstance(k, Integral) or k < 1):
        raise ConfigError(f"k is {k!r}; it must be a positive integer, such as k=10")
    judged = judged_atoms(assessment)
    n = len(judged)
    counts = Counter(item.support for item in judged)
    posteriors = [item.p_true for item in judged]
    supported = counts["supported"]
    low, high = _bounds(assessment, judged)
    logs = math.fsum(math.log(min(max(p, SMALLEST_P), 1.0 - SMALLEST_P)) for p in posteriors)
    entropy = math.fsum(_surprise(p) / math.log(10) for p in posteriors)
    norm_entropy = math.fsum((_surprise(p) + _surprise(1.0 - p)) / math.log(2) for p in posteriors)
    return FactualityScores(
        precision=supported / n if n else None,
        precision_low=low,
        precision_high=high,
        f1_at_k=_f1(supported, n, k),
        factuality_score=supported / n if n else None,
        recall_k=_recall(supported, n, k),
        f1_k=_f1(supported, n, k),
        k=k,
        num_atoms=n,
        num_contexts=_num_contexts(assessment),
        num_true_atoms=supported,
        num_false_atoms=n - supported,
        num_uniform_atoms=counts["conflicting"] + counts["unverified"],
        num_supported_atoms=supported,
        num_contradicted_atoms=counts["contradicted"],
        num_conflicting_atoms=counts["conflicting"],
        entropy=entropy if n else None,
        avg_entropy=entropy / n if n else None,
        norm_entropy=norm_entropy if n else None,
        avg_norm_entropy=norm_entropy / n if n else None,
        avg_prob=math.fsum(posteriors) / n if n else None,
        avg_logprob=logs / n if n else None,
    )


def _bounds(assessment: Assessment, judged: list[JudgedAtom]) -> tuple[float | None, float | None]:
    total = len(assessment.atoms)
    if not total:
        return None, None
    outcome = assessment.outcome
    partly = set(outcome.partly_judged) if outcome else set()
    stderr = outcome.marginals.stderr if outcome and outcome.marginals else None
    resolved = [item for item in judged if side_of(item.p_true, stderr) and item.atom.id not in partly]
    supported = sum(item.support == "supported" for item in resolved)
    return supported / total, (supported + total - len(resolved)) / total


def _num_contexts(assessment: Assessment) -> int:
    """The number of contexts used: merged ones count once, dropped ones do not count."""
    graph = assessment.outcome.graph if assessment.outcome else None
    if graph is None:
        return sum(not context.dropped for context in assessment.contexts)
    return sum(node.kind == "context" for node in graph.nodes)


def _recall(true: int, n: int, k: int | None) -> float | None:
    return min(true / k, 1.0) if n and k is not None else None


def _f1(true: int, n: int, k: int | None) -> float | None:
    """The harmonic mean of the precision true/n and the recall at K, 0 if nothing is true."""
    recall = _recall(true, n, k)
    if recall is None:
        return None
    return 2 * (true / n) * recall / (true / n + recall) if true else 0.0


def _surprise(p: float) -> float:
    """-p ln p, which is 0 at 0."""
    return -p * math.log(p) if p > 0.0 else 0.0
