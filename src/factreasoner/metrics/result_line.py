"""Lines of results.jsonl, computed from assessments."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from factreasoner.metrics.claim_scores import confusion
from factreasoner.metrics.factuality import FACTUALITY, ScoredRecord, scored_record
from factreasoner.metrics.run_counts import shared_fields
from factreasoner.metrics.samples import Claims
from factreasoner.metrics.statistics import wilson
from factreasoner.models import P_DIGITS, Assessment, JudgedAtom, Marginals, Outcome, Pruned, side_of

COUNTS = (
    *("k", "num_atoms", "num_contexts", "num_true_atoms", "num_false_atoms", "num_uniform_atoms"),
    *("num_supported_atoms", "num_contradicted_atoms", "num_conflicting_atoms"),
)
"""The numbers of a result line that are not metrics."""
CONFUSION = ("true_positive", "true_negative", "false_positive", "false_negative")


def result_line(
    assessment: Assessment, k: int | None, gamma: float | None = None, *, scored: ScoredRecord | None = None
) -> dict[str, Any]:
    """One line of results.jsonl: JSON-ready, with None and never NaN for what could not be computed.

    The names are those of IBM's code where it has them. The gold fields need a label, those of the length
    penalty `gamma`. `scored` saves computing it again.
    """
    outcome = assessment.outcome
    record = scored or scored_record(assessment, k, gamma)
    judged = record.judged
    known = {item.atom.id for item in judged}
    said = {item.atom.id: _said(item) for item in judged}
    logarithm = record.scores.avg_logprob
    return {
        "id": assessment.record_id,
        "status": assessment.status,
        **FACTUALITY.line(record),
        **{name: getattr(record.scores, name) for name in COUNTS},
        **({} if gamma is None else {"gamma": gamma, "length_penalty": record.penalty}),
        "unjudged_atoms": [atom.id for atom in assessment.atoms if atom.id not in known],
        "partly_judged_atoms": list(outcome.partly_judged) if outcome else [],
        "marginals": [
            {"variable": item.atom.id, "probabilities": [round(1.0 - item.p_true, P_DIGITS), item.p_true]}
            for item in judged
        ],
        "factuality_score_per_atom": [
            {item.atom.id: {"score": item.p_true, "support": said[item.atom.id]}} for item in judged
        ],
        "avg_explogprob": None if logarithm is None else math.exp(logarithm),
        "predictions": said,
        **(_gold_fields(record) if record.labelled else {}),
        "assessor": assessment.assessor,
        **evidence_fields(assessment),
        "solver": _solver_fields(outcome.marginals if outcome else None),
        **shared_fields(assessment, assessment.all_failures),
    }


def _said(item: JudgedAtom) -> str:
    """S if P > 0.5, else NS: the paper's rule."""
    return "S" if side_of(item.p_true) > 0 else "NS"


def disputed_atoms(judged: Sequence[JudgedAtom], outcome: Outcome | None) -> list[str]:
    """Ids of judged atoms that one passage supports and another contradicts, sorted."""
    verdicts = outcome.verdicts if outcome else ()
    supported = {verdict.target_id for verdict in verdicts if verdict.supports}
    contradicted = {verdict.target_id for verdict in verdicts if verdict.contradicts}
    return sorted({item.atom.id for item in judged} & supported & contradicted)


def _gold_fields(record: ScoredRecord) -> dict[str, Any]:
    return {
        "gold_true_atoms": sum(claim.gold == 0 for claim in record.labels),
        "gold_num_atoms": len(record.labels),
        "gold_left_out": record.left_out,
        **confusion_counts(FACTUALITY.claims_of(record)),
        "references": {atom.id: atom.gold for atom in record.assessment.atoms if atom.gold is not None},
    }


def confusion_counts(claims: Claims) -> dict[str, int]:
    """Counts of predictions (P > 0.5 or not) against labels (S or not) over the labelled atoms."""
    cells = confusion(claims).sum(axis=0)
    return {name: int(cell) for name, cell in zip(CONFUSION, cells, strict=True)}


def _solver_fields(marginals: Marginals | None) -> dict[str, Any] | None:
    if marginals is None:
        return None
    return {
        "name": marginals.solver,
        "exact": marginals.exact,
        "converged": marginals.converged,
        "width": marginals.width,
        "stderr": marginals.stderr,
    }


def evidence_fields(assessment: Assessment) -> dict[str, Any]:
    """What happened to the evidence: contexts dropped, pages unread, with the reasons, and what counted once.

    `searched` names collections of own documents and their states; `shared_sources` lists contexts of one
    source, the one named in the graph first. `unread_pages` are links whose snippet stands in for the page.
    """
    outcome = assessment.outcome
    independence = outcome.independence if outcome else None
    fields = {
        "dropped_contexts": {
            context.id: context.dropped for context in assessment.contexts if context.dropped
        },
        "unread_pages": {context.link: context.unread for context in assessment.contexts if context.unread},
        "searched": list(assessment.searched),
        "independence": independence is not None,
        "shared_sources": [list(source) for source in independence.sources] if independence else [],
        "relations_left_out": independence.relations_left_out if independence else 0,
    }
    if outcome is not None and outcome.prior_from is not None:
        unrated = sum(source == "default" for source in outcome.prior_from.values())
        fields["credibility"] = {"rated": len(outcome.prior_from) - unrated, "unrated": unrated}
    if outcome is not None and outcome.pruned is not None:
        fields["pruned"] = pruned_fields(outcome.pruned)
    return fields


def pruned_fields(pruned: Pruned) -> dict[str, Any]:
    """The counts, with the 95 % interval of the share of pruned pairs that are not neutral."""
    return {**pruned.model_dump(), "interval_95": wilson(pruned.missed, pruned.audited)}
