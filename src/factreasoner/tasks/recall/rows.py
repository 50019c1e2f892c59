"""The facts of a recall result as rows."""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.tasks.recall.result import RecallResult, scored_recall
from factreasoner.tasks.rows import Basis, ClaimRow, Judgement, claim_row, label_of
from factreasoner.tasks.verdicts import ANSWER

FACTS = "facts"


def fact_rows(result: RecallResult) -> Iterator[ClaimRow]:
    """Every fact held against the answer; one that stayed unanswered has no label."""
    for judged in scored_recall(result).facts:
        verdicts = [judged.verdict] if judged.verdict else []
        judgement = Judgement(None, None, "no")
        if judged.p_true is not None:
            judgement = Judgement(judged.p_true, label_of(judged.p_true, verdicts))
        yield claim_row(result.record_id, FACTS, judged.fact, judgement, Basis(ANSWER, {}, verdicts))
