"""Factual recall without a model on K-QA: physicians' facts against the answers of chat models.

People say of each fact whether the answer entails, contradicts or leaves it open; it is stated where the
answer entails it. Error rate is the share of facts
where judge and people differ, F1 False that of the facts not stated; brackets hold 95 % intervals over
records. "none stated" and "all stated" say what an answer without looking reaches.

Goals: error rate at most .28, F1 False at least .75.
Data: the folder named by FACTREASONER_DATA or ../shared/data. Run: `python benchmarks/recall.py`.
"""

from __future__ import annotations

from collections.abc import Iterable

from data_folder import lines

from factreasoner.metrics.statistics import Estimate
from factreasoner.models import Atom, Claim, Label, Premise, Record
from factreasoner.models.rows import known_verdict
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.protocols import Judged
from factreasoner.tasks.recall import RECALL, TASK


class Same:
    """Says the same of every claim."""

    def __init__(self, label: Label) -> None:
        self._label = label

    def judge(self, premise: Premise, claims: Iterable[Claim]) -> Judged:
        """One verdict a claim."""
        verdicts = (known_verdict(premise.id, claim.id, self._label, "") for claim in claims)
        return Judged(tuple(verdicts))


def main() -> None:
    """Print a row for the bundled judge, and rows to compare it with."""
    facts = [fact for record in asked() for fact in record.facts or ()]
    false = sum(fact.gold == "NS" for fact in facts)
    print(f"K-QA: {len(asked())} answers, {len(facts)} facts, {false} not stated")
    print(f"{'':28s}{'error rate':24s}F1 False")
    print(row("bundled judge", scores(None)))
    print(row("none stated", scores(Same("neutral"))))
    print(row("all stated", scores(Same("entailment"))))


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
        for row in lines("kqa/records.jsonl")
    ]


def scores(judge: Same | None) -> dict[str, Estimate]:
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


if __name__ == "__main__":
    main()
