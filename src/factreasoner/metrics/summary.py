"""Lines of results.jsonl from assessments, and summary.json from their totals."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from factreasoner.metrics.claim_scores import confusion
from factreasoner.metrics.factuality import (
    FACTUALITY,
    KSetting,
    ScoredRecord,
    record_k,
    scored_record,
)
from factreasoner.metrics.run_counts import Tally, shared_fields
from factreasoner.metrics.samples import Claims, Sample
from factreasoner.models import P_DIGITS, Assessment, JudgedAtom, Outcome, Support, judged_atoms
from factreasoner.models.rows import review_rank

COUNTS = (
    *("k", "num_atoms", "num_contexts", "num_true_atoms", "num_false_atoms", "num_uniform_atoms"),
    *("num_supported_atoms", "num_contradicted_atoms", "num_conflicting_atoms"),
)


def result_line(record: ScoredRecord) -> dict[str, Any]:
    """One line of results.jsonl: JSON-ready, with None for undefined values.

    Names follow IBM's code where it has them. Gold fields need a label, penalty fields `gamma`.
    """
    assessment, judged = record.assessment, record.judged
    outcome = assessment.outcome
    marginals = outcome.marginals if outcome else None
    known = {item.atom.id for item in judged}
    predicted = {item.atom.id: "S" if item.support == "supported" else "NS" for item in judged}
    logarithm = record.scores.avg_logprob
    return {
        "id": assessment.record_id,
        "status": assessment.status,
        **FACTUALITY.line(record),
        **{name: getattr(record.scores, name) for name in COUNTS},
        **({} if record.gamma is None else {"gamma": record.gamma, "length_penalty": record.penalty}),
        "unjudged_atoms": [atom.id for atom in assessment.atoms if atom.id not in known],
        "partly_judged_atoms": list(outcome.partly_judged) if outcome else [],
        "marginals": [
            {"variable": item.atom.id, "probabilities": [round(1.0 - item.p_true, P_DIGITS), item.p_true]}
            for item in judged
        ],
        "factuality_score_per_atom": [
            {item.atom.id: {"score": item.p_true, "support": predicted[item.atom.id]}} for item in judged
        ],
        "avg_explogprob": None if logarithm is None else math.exp(logarithm),
        "predictions": predicted,
        **(_gold_fields(record) if record.labelled else {}),
        "assessor": assessment.assessor,
        **evidence_fields(assessment),
        "solver": marginals
        and {
            "name": marginals.solver,
            **marginals.model_dump(include={"exact", "converged", "width", "stderr"}),
        },
        **shared_fields(assessment),
    }


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
    """Counts of predictions (supported or not) against labels (S or not) of labelled atoms."""
    hits, missed, wrong, rejected = map(int, confusion(claims).sum(axis=0))
    return {
        "true_positive": hits,
        "true_negative": rejected,
        "false_positive": wrong,
        "false_negative": missed,
    }


def evidence_fields(assessment: Assessment) -> dict[str, Any]:
    """What happened to the evidence: dropped contexts, unread pages, merged sources.

    `searched` names document collections with their states; `shared_sources` lists contexts of one source,
    the graph's node first. `unread_pages` are links whose snippet replaced the page.
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
        fields["pruned"] = outcome.pruned.model_dump()
    return fields


_ATOM_COUNTS = ("judged", *get_args(Support), "disputed", "unjudged", "partly_judged")


class Summary(Tally[Assessment]):
    """The tally of factuality; needs 300 bytes per record and 10 per labelled atom.

    `k_setting` is the setting, `k` its value by `resolve_k`; `gamma` is for the length penalty.
    """

    def __init__(self, k_setting: KSetting, k: int | None, *, gamma: float | None = None) -> None:
        super().__init__(FACTUALITY, "atom")
        self._k_setting = k_setting
        self._k = k
        self._gamma = gamma
        self._atoms = Counter(dict.fromkeys(_ATOM_COUNTS, 0))
        self._evidence = Counter(contexts=0, without_contexts=0, dropped_contexts=0, unread_pages=0)
        self._evidence.update(context_verdicts=0, context_relations=0)
        self._independence = Counter(records=0, shared_sources=0, relations_left_out=0)
        self._solving = Counter(exact=0, not_converged=0)
        self._largest: dict[str, float | None] = {"width": None, "stderr": None}
        self._used_domains: set[str] = set()
        self._solvers, self._searched, self._answers, self._pruned, self._credibility = (
            Counter[str]() for _ in range(5)
        )

    def add(self, assessment: Assessment) -> dict[str, Any]:
        """See `Tally`."""
        k = record_k(self._k_setting, self._k, len(judged_atoms(assessment)))
        scored = scored_record(assessment, k, self._gamma)
        line = result_line(scored)
        outcome = assessment.outcome
        disputed = disputed_atoms(scored.judged, outcome)
        verdicts = outcome.verdicts if outcome else ()
        best: dict[str, float] = {}
        for verdict in verdicts:
            best[verdict.target_id] = max(best.get(verdict.target_id, 0.0), verdict.p.entailment)
        for item in scored.judged:
            name, support, p_true = item.atom.id, item.support, item.p_true
            rank = review_rank(support, p_true, disputed=name in disputed, best_support=best.get(name))
            self._review.add(assessment.record_id, name, support, p_true, rank)
        self._count(assessment, scored, assessment.failures, verdicts)
        self._atoms.update(item.support for item in scored.judged)
        self._atoms.update(
            judged=line["num_atoms"],
            disputed=len(disputed),
            unjudged=len(line["unjudged_atoms"]),
            partly_judged=len(line["partly_judged_atoms"]),
        )
        self._add_evidence(assessment, line)
        if outcome is not None:
            self._add_outcome(outcome)
        return line

    def _add_evidence(self, assessment: Assessment, line: Mapping[str, Any]) -> None:
        """Count contexts, verdicts between them, searches, merged relations, and records without contexts."""
        dropped = len(line["dropped_contexts"])
        contexts = {context.id for context in assessment.contexts}
        verdicts = assessment.outcome.verdicts if assessment.outcome else ()
        between = [verdict.label for verdict in verdicts if verdict.target_id in contexts]
        self._evidence.update(
            contexts=line["num_contexts"],
            without_contexts=bool(assessment.p_true) and dropped == len(assessment.contexts),
            dropped_contexts=dropped,
            unread_pages=len(line["unread_pages"]),
            context_verdicts=len(between),
            context_relations=len(between) - between.count("neutral"),
        )
        self._searched.update(line["searched"])
        if line["independence"]:
            left_out = line["relations_left_out"]
            self._independence.update(
                records=1, shared_sources=len(line["shared_sources"]), relations_left_out=left_out
            )
        self._credibility.update(line.get("credibility", {}))

    def _add_outcome(self, outcome: Outcome) -> None:
        self._answers.update(answer.support for answer in outcome.answers)
        self._verdicts["confidence"].update(answer.confidence for answer in outcome.answers)
        self._used_domains.update(outcome.used_domains)
        if outcome.pruned is not None:
            self._pruned.update(outcome.pruned.model_dump())
        if (marginals := outcome.marginals) is None:
            return
        self._solvers[marginals.solver] += 1
        self._solving.update(exact=marginals.exact, not_converged=marginals.converged is False)
        for name, before in self._largest.items():
            known = [value for value in (before, getattr(marginals, name)) if value is not None]
            self._largest[name] = max(known, default=None)

    def content(self) -> dict[str, Any]:
        """See `Tally`."""
        counts, sample = super().content(), self.sample()
        found = FACTUALITY.estimates(sample)
        used = {"used_domains": sorted(self._used_domains)}
        return {
            "records": counts.pop("records"),
            "k_setting": self._k_setting,
            "k": self._k,
            "gamma": self._gamma,
            "metrics": {name: item.content() for name, item in found.items()},
            "atoms": dict(self._atoms),
            **self._review.content(),
            **self._evidence,
            "searched": dict(self._searched),
            "independence": dict(self._independence),
            "pruned": dict(self._pruned) or None,
            "credibility": {**self._credibility, **used} if self._credibility else None,
            "answers": dict(self._answers),
            **counts,
            "solver": {
                "records": dict(self._solvers),
                "exact": self._solving["exact"],
                "approximate": self._solvers.total() - self._solving["exact"],
                "converged": not self._solving["not_converged"],
                "not_converged": self._solving["not_converged"],
                "largest_width": self._largest["width"],
                "largest_stderr": self._largest["stderr"],
            },
            "gold": _gold_counts(sample),
        }


def _gold_counts(sample: Sample) -> dict[str, Any] | None:
    """The labelled atoms, and how they were judged; None without any."""
    if not len(sample.claims.p) and not sample.left_out.any():
        return None
    return {
        "num_atoms": len(sample.claims.p),
        "num_left_out": int(sample.left_out.sum()),
        "confusion": confusion_counts(sample.claims),
        "num_records": int((sample.claims.by_record > 0).sum()),
        "few_records": FACTUALITY.few_records(sample),
    }
