"""Counts over a run of any task: states, failures, verdicts, usage, time, claims to review."""

from __future__ import annotations

import bisect
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any, Generic, TypeVar

from factreasoner.metrics.samples import Sample
from factreasoner.metrics.table import Table
from factreasoner.models import Coherence, Failure, Result, Usage, Verdict, not_checked
from factreasoner.models.results import STATUSES

STAGES = (
    *("fact_generator", "atomizer", "reviser", "query_builder", "retriever", "summarizer"),
    *("evaluator", "corrector", "coherence"),
)
"""The outermost stages; other stages run inside them."""

MESSAGES_KEPT, MESSAGES_SHOWN = 100, 5
"""Maximum different failure messages counted, and shown in the summary."""
PAIRS_SHOWN = 5
"""Maximum contradicting pairs of claims in the summary, most probable first."""


def elapsed_seconds(result: Result) -> float:
    """Wall time of a record; if unknown, the sum over stages."""
    if result.elapsed is not None:
        return result.elapsed
    return sum(result.seconds.get(stage, 0.0) for stage in STAGES)


def shared_fields(result: Result) -> dict[str, Any]:
    """The fields of a result line that every task has, without metrics.

    Coherence fields are present only if requested. Unchecked parts are None if the answer was not split into
    claims.
    """
    coherence: dict[str, Any] = {}
    if result.coherence is not None:
        pairs = [pair.model_dump(mode="json") for pair in result.coherence.self_contradictions]
        coherence = {"self_contradictions": pairs, "num_self_contradictions": len(pairs)}
        coherence["coherence"] = result.coherence.score
    parts = result.unchecked
    return {
        **coherence,
        "unchecked": None if parts is None else [part.model_dump(mode="json") for part in parts],
        "num_unchecked": None if parts is None else len(parts),
        "num_sentences": result.sentences,
        "removed_reasoning": result.removed_reasoning,
        "input": result.prompt,
        "output": result.response,
        "topic": result.topic,
        "model_name": result.model,
        "failures": [failure.model_dump() for failure in result.failures],
        "usage": result.total_usage.model_dump(),
        "elapsed_seconds": elapsed_seconds(result),
        "metadata": result.metadata,
    }


KEPT = 5
T = TypeVar("T")
R = TypeVar("R", bound=Result)


class Lowest(Generic[T]):
    """Keeps the `size` items of lowest rank; among equal ones, the first."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._ranked: list[tuple[float, T]] = []

    def add(self, rank: float, item: T) -> None:
        """Keep an item if it is among the lowest so far."""
        bisect.insort(self._ranked, (rank, item), key=itemgetter(0))
        del self._ranked[self._size :]

    def items(self) -> list[T]:
        """The kept items, lowest first."""
        return [item for _, item in self._ranked]


class ReviewList:
    """The claims of a run to review first: the `KEPT` lowest by `review_rank`, and their number.

    `word` is "atom" or "claim".
    """

    def __init__(self, word: str) -> None:
        self._word = word
        self._kept: Lowest[dict[str, Any]] = Lowest(KEPT)
        self._total = 0

    def add(
        self, record_id: str, claim_id: str, label: str | None, p_true: float | None, rank: float | None
    ) -> None:
        """Count one claim with its :func:`review_rank`."""
        place = {"record": record_id, self._word: claim_id, "p_true": p_true, "label": label}
        if rank is not None:
            self._total += 1
            self._kept.add(rank, place)

    def content(self) -> dict[str, Any]:
        """The content for summary.json."""
        return {f"worst_{self._word}s": self._kept.items(), f"{self._word}s_to_review": self._total}


class Tally(ABC, Generic[R]):
    """Adds up the results of a run: metrics, and the common part of summary.json.

    `word` is "atom" or "claim".
    """

    def __init__(self, table: Table[Any], word: str) -> None:
        self._table = table
        self._sampling = table.sampling()
        self._review = ReviewList(word)
        self._status = Counter(dict.fromkeys(STATUSES, 0))
        self._failures: Counter[str] = Counter()
        self._messages: Counter[str] = Counter()
        self._first: dict[str, str] = {}
        self._verdicts: dict[str, Counter[str]] = {
            name: Counter() for name in ("label", "confidence", "citation")
        }
        self._usage: dict[str, Usage] = {}
        self._seconds: dict[str, float] = {}
        self._elapsed = 0.0
        self._unchecked: Counter[str] = Counter()
        self._sentences = Counter(split=0, sentences=0, removed_reasoning=0)
        self._coherence = Counter(records=0, self_contradictions=0, unjudged_pairs=0)
        self._coherence_scores: list[float] = []
        self._pairs: Lowest[dict[str, Any]] = Lowest(PAIRS_SHOWN)

    @property
    def not_checked(self) -> str:
        """The number of sentences without claims, by reason; empty if none."""
        return not_checked(self._unchecked, self._sentences["sentences"])

    @abstractmethod
    def add(self, result: R) -> dict[str, Any]:
        """Count one result; returns its line of results.jsonl."""

    def sample(self) -> Sample:
        """The metrics' inputs of all records so far, as arrays."""
        return self._sampling.sample()

    def _count(
        self, result: R, scored: object, failures: Sequence[Failure], verdicts: Iterable[Verdict]
    ) -> None:
        """Count one record with its failures and verdicts; `scored` is the table's input."""
        self._sampling.add(result.record_id, scored)
        self._status[result.status] += 1
        for failure in failures:
            self._failures[failure.stage] += 1
            if failure.message in self._messages or len(self._messages) < MESSAGES_KEPT:
                self._messages[failure.message] += 1
                place = " ".join(dict.fromkeys((result.record_id, failure.item_id)))
                self._first.setdefault(failure.message, place)
        for verdict in verdicts:
            for name, counts in self._verdicts.items():
                if value := getattr(verdict, name):
                    counts[value] += 1
        for stage, usage in result.usage.items():
            self._usage[stage] = self._usage.get(stage, Usage()) + usage
        for stage, seconds in result.seconds.items():
            self._seconds[stage] = self._seconds.get(stage, 0.0) + seconds
        self._elapsed += elapsed_seconds(result)
        self._unchecked.update(part.reason for part in result.unchecked or ())
        self._sentences.update(
            split=result.unchecked is not None,
            sentences=result.sentences or 0,
            removed_reasoning=result.removed_reasoning,
        )
        if result.coherence is not None:
            self._add_coherence(result.record_id, result.coherence)

    def _add_coherence(self, record_id: str, found: Coherence) -> None:
        pairs = found.self_contradictions
        self._coherence.update(records=1, self_contradictions=len(pairs), unjudged_pairs=found.unjudged_pairs)
        self._coherence_scores += [] if found.score is None else [found.score]
        for pair in pairs:
            place = {"record": record_id, "atoms": list(pair.atoms), "probability": pair.probability}
            self._pairs.add(-pair.probability, place)

    def content(self) -> dict[str, Any]:
        """The content of summary.json: JSON-ready, None for undefined values."""
        total = sum(self._usage.values(), Usage())
        scores, split = self._coherence_scores, self._sentences["split"]
        coherence = {
            **self._coherence,
            "mean": math.fsum(scores) / len(scores) if scores else None,
            "records_with_score": len(scores),
            "pairs": self._pairs.items(),
        }
        return {
            "records": {"total": self._status.total(), **self._status},
            "unchecked": dict(self._unchecked) if split else None,
            "num_unchecked": self._unchecked.total() if split else None,
            "num_sentences": self._sentences["sentences"] if split else None,
            "removed_reasoning": self._sentences["removed_reasoning"],
            "verdicts": dict(self._verdicts["label"]),
            "confidences": dict(self._verdicts["confidence"]),
            "citations": dict(self._verdicts["citation"]),
            "failures": {
                "total": self._failures.total(),
                "by_stage": dict(self._failures),
                "messages": dict(shown := self._messages.most_common(MESSAGES_SHOWN)),
                "first": {message: self._first[message] for message, _ in shown},
            },
            "usage": {
                "total": total.model_dump(),
                "by_stage": {stage: usage.model_dump() for stage, usage in self._usage.items()},
            },
            "coherence": coherence if self._coherence["records"] else None,
            "seconds": {"total": self._elapsed, "by_stage": dict(self._seconds)},
        }
