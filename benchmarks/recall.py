"""Factual recall without a model on K-QA: physicians' facts against the answers of chat models.

People say of each fact whether the answer entails, contradicts or leaves it open; it is stated where the
answer entails it. Error rate is the share of facts
where judge and people differ, F1 False that of the facts not stated; brackets hold 95 % intervals over
records. Overlap calls a fact stated where the answer has so large a share of its words, function words aside;
its threshold is the one with the lowest error rate on the very data it is scored on. "none stated" and "all
stated" say what an answer without looking reaches.

Goals: error rate at most .28, F1 False at least .75.
Data: see `labelled_pairs.py`. Run: `python benchmarks/recall.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from labelled_pairs import records

from factreasoner.metrics.statistics import Estimate
from factreasoner.models import Atom, Claim, Premise, Record, Verdict
from factreasoner.pipeline.assembly import Calls
from factreasoner.protocols import Judged
from factreasoner.settings import Config
from factreasoner.tasks.recall import RECALL, TASK
from factreasoner.text.language import FUNCTION_WORDS

SET = "kqa"


class SharedWords:
    """Calls a claim stated where the premise has at least `threshold` of its words."""

    def __init__(self, threshold: float) -> None:
        self._threshold = threshold

    def judge(self, premise: Premise, claims: Iterable[Claim]) -> Judged:
        """One verdict a claim."""
        return Judged(
            tuple(
                Verdict(
                    context_id=premise.id,
                    target_id=claim.id,
                    label="entailment" if share(claim.text, premise.text) >= self._threshold else "neutral",
                    probability=1.0,
                )
                for claim in claims
            )
        )


def main() -> None:
    """Print a row for the bundled judge, and rows to compare it with."""
    facts = [fact for record in asked() for fact in record.facts or ()]
    false = sum(fact.gold == "NS" for fact in facts)
    print(f"K-QA: {len(asked())} answers, {len(facts)} facts, {false} not stated")
    print(f"{'':28s}{'error rate':24s}F1 False")
    print(row("bundled judge", scores(None)))
    thresholds = [number / 20 for number in range(1, 21)]
    best = min(thresholds, key=lambda t: known(scores(SharedWords(t))["error_rate"]))
    print(row(f"word overlap, from {best:.2f}", scores(SharedWords(best))))
    print(row("none stated", scores(SharedWords(2.0))))
    print(row("all stated", scores(SharedWords(0.0))))


def asked() -> list[Record]:
    """The answers, with the facts that each should state and whether it does."""
    return [
        Record(
            id=row["id"],
            prompt=row["input"],
            response=row["output"],
            facts=tuple(
                Atom(id=atom["id"], text=atom["text"], gold="S" if atom["label"] == "S" else "NS")
                for atom in row["atoms"]
                if atom["label"] is not None
            ),
        )
        for row in records(SET)
    ]


def scores(judge: SharedWords | None) -> dict[str, Estimate]:
    """Error rate and F1 False of the task with that judge, or the bundled one."""
    worker = TASK.worker(Config(), Calls(parts={} if judge is None else {"judge": judge}))
    sampling = RECALL.sampling()
    for record in asked():
        sampling.add(record.id, worker.assess(record))
    return RECALL.estimates(sampling.sample(), ("error_rate", "f1_false"))


def row(name: str, found: dict[str, Estimate]) -> str:
    """One line of the table."""
    cells = []
    for metric in ("error_rate", "f1_false"):
        interval = found[metric].interval
        cells.append(
            f"{known(found[metric]):.3f} "
            + ("" if interval is None else f"[{interval.low:.3f}, {interval.high:.3f}]")
        )
    return f"{name:28s}{cells[0]:24s}{cells[1]}"


def known(found: Estimate) -> float:
    """The value of a score that has one."""
    assert found.value is not None
    return found.value


def share(claim: str, text: str) -> float:
    """The share of a claim's words, function words aside, that a text has."""
    wanted = _words(claim)
    return len(wanted & _words(text)) / len(wanted)


def _words(text: str) -> frozenset[str]:
    words = frozenset(re.findall(r"\w+", text.lower()))
    return words - FUNCTION_WORDS["english"] or words or frozenset({""})


if __name__ == "__main__":
    main()
