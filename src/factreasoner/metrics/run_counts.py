"""What is counted over the records of a run of any task: states, failures, verdicts, usage, seconds."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, get_args

from factreasoner.models import Coherence, Failure, Status, TaskResult, Usage, Verdict

STAGES = (
    "fact_generator",
    "atomizer",
    "reviser",
    "query_builder",
    "retriever",
    "summarizer",
    "evaluator",
    "corrector",
    "coherence",
)
"""The stages that no other stage holds; other stages that took time ran inside one of these."""

STATUSES = get_args(Status)
MESSAGES_KEPT, MESSAGES_SHOWN = 100, 5
"""Of how many different failure messages occurrences are counted, and how many are in the summary."""
PAIRS_SHOWN = 5
"""Of the pairs of claims that contradict each other, the most probable ones are in the summary."""


class RunCounts:
    """Adds up records into the part of summary.json that is the same for every task."""

    def __init__(self) -> None:
        self._status = Counter(dict.fromkeys(STATUSES, 0))
        self._failures: Counter[str] = Counter()
        self._messages: Counter[str] = Counter()
        self._verdicts: dict[str, Counter[str]] = {
            name: Counter() for name in ("label", "confidence", "citation")
        }
        self._usage: dict[str, Usage] = {}
        self._seconds: dict[str, float] = {}
        self._elapsed = 0.0
        self._coherence = _CoherenceTotals()

    def add(self, result: TaskResult, failures: Sequence[Failure], verdicts: Iterable[Verdict] = ()) -> None:
        """Count one record, all its `failures` and its `verdicts`."""
        self._status[result.status] += 1
        for failure in failures:
            self._failures[failure.stage] += 1
            if failure.message in self._messages or len(self._messages) < MESSAGES_KEPT:
                self._messages[failure.message] += 1
        for verdict in verdicts:
            for name, counts in self._verdicts.items():
                if value := getattr(verdict, name):
                    counts[value] += 1
        for stage, usage in result.usage.items():
            self._usage[stage] = self._usage.get(stage, Usage()) + usage
        for stage, seconds in result.seconds.items():
            self._seconds[stage] = self._seconds.get(stage, 0.0) + seconds
        self._elapsed += elapsed_seconds(result)
        if result.coherence is not None:
            self._coherence.add(result.record_id, result.coherence)

    def count_confidences(self, confidences: Iterable[str]) -> None:
        """Count where probabilities come from that no verdict has."""
        self._verdicts["confidence"].update(confidences)

    def content(self) -> dict[str, Any]:
        """The counts as they stand in summary.json."""
        total = sum(self._usage.values(), Usage())
        return {
            "records": {"total": self._status.total(), **self._status},
            "verdicts": dict(self._verdicts["label"]),
            "confidences": dict(self._verdicts["confidence"]),
            "citations": dict(self._verdicts["citation"]),
            "failures": {
                "total": self._failures.total(),
                "by_stage": dict(self._failures),
                "messages": dict(self._messages.most_common(MESSAGES_SHOWN)),
            },
            "usage": {
                "total": total.model_dump(),
                "by_stage": {stage: usage.model_dump() for stage, usage in self._usage.items()},
            },
            "coherence": self._coherence.content(),
            "seconds": {"total": self._elapsed, "by_stage": dict(self._seconds)},
        }


def _coherence_fields(result: TaskResult) -> dict[str, Any]:
    """What the claims of the answer say of each other, where that was asked for."""
    if result.coherence is None:
        return {}
    pairs = result.coherence.self_contradictions
    return {
        "self_contradictions": [pair.model_dump(mode="json") for pair in pairs],
        "num_self_contradictions": len(pairs),
        "coherence": result.coherence.score,
    }


class _CoherenceTotals:
    """What the claims of answers say of each other, over a run."""

    def __init__(self) -> None:
        self._records = self._contradictions = self._unjudged = 0
        self._scores: list[float] = []
        self._pairs: list[dict[str, Any]] = []

    def add(self, record_id: str, found: Coherence) -> None:
        self._records += 1
        self._pairs += [
            {"record": record_id, "atoms": list(pair.atoms), "probability": pair.probability}
            for pair in found.self_contradictions
        ]
        self._pairs = sorted(self._pairs, key=lambda pair: -pair["probability"])[:PAIRS_SHOWN]
        self._contradictions += len(found.self_contradictions)
        self._unjudged += found.unjudged_pairs
        if found.score is not None:
            self._scores.append(found.score)

    def content(self) -> dict[str, Any] | None:
        """None where no record was asked about."""
        if not self._records:
            return None
        return {
            "records": self._records,
            "self_contradictions": self._contradictions,
            "unjudged_pairs": self._unjudged,
            "mean": math.fsum(self._scores) / len(self._scores) if self._scores else None,
            "records_with_score": len(self._scores),
            "pairs": self._pairs,
        }


def elapsed_seconds(result: TaskResult) -> float:
    """Wall time that a record took; of results that do not say, the sum over its stages."""
    if result.elapsed is not None:
        return result.elapsed
    return sum(result.seconds.get(stage, 0.0) for stage in STAGES)


def shared_fields(result: TaskResult, failures: Sequence[Failure]) -> dict[str, Any]:
    """The fields of a result line that every task has, its metrics left out."""
    return {
        **_coherence_fields(result),
        "input": result.prompt,
        "output": result.response,
        "topic": result.topic,
        "model_name": result.model,
        "failures": [failure.model_dump() for failure in failures],
        "usage": sum(result.usage.values(), Usage()).model_dump(),
        "elapsed_seconds": elapsed_seconds(result),
        "metadata": result.metadata,
    }
