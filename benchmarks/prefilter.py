"""What `--prefilter bundled` does not send to a model, and the relations lost with it.

    python benchmarks/prefilter.py

First Factcheck-Bench's pairs with people's labels (partial support left out), then the 280 pairs that a
model of 1.5 billion parameters was asked about: pairs, how many are not sent, and how many of these people
call entailed or contradicted. Of the second also the model's accuracy without the prefilter and with it.
Data: the folder named by FACTREASONER_DATA or ../shared/data.
"""

from __future__ import annotations

from collections.abc import Sequence

from data_folder import lines
from verifier_quality import LABELS, Case, Pair, cases

from factreasoner.judges.encoder.runtime import use_one_thread
from factreasoner.judges.prefilter import PrefilteredJudge
from factreasoner.models import Claim, Premise
from factreasoner.pipeline.config import Config
from factreasoner.plugins.kinds import JUDGE
from factreasoner.protocols import Judged


class Unasked:
    """A model that answers nothing."""

    asks_model = True

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """No verdicts."""
        return Judged(())


def main() -> None:
    """Print a row for each set."""
    use_one_thread()
    config = Config()
    judge = PrefilteredJudge(Unasked(), JUDGE.make(config.plugin("judge"), {"config": config}))
    rows = lines("factcheck_bench/nli_pairs.jsonl")
    pairs = (Pair(row["premise"], row["hypothesis"], row["label"]) for row in rows)
    print_row("factcheck_bench", judge, [Case(pair) for pair in pairs if pair.label in LABELS])
    print_row("asked", judge, [case for _, found in cases(0) for case in found if case.model])


def print_row(title: str, judge: PrefilteredJudge, found: Sequence[Case]) -> None:
    """The counts of a set, and the accuracy of the model if it was asked."""
    kept = [
        bool(judge.judge(Premise("p", case.pair.premise), [Claim("c", case.pair.hypothesis)]).verdicts)
        for case in found
    ]
    gold = [case.pair.label for case in found]
    lost = [label for label, is_kept in zip(gold, kept, strict=True) if is_kept]
    told = f"{title}: {len(found):,} pairs, {len(lost)} not sent"
    for label in ("entailment", "contradiction"):
        told += f"; {lost.count(label)} of {gold.count(label)} {label}"
    if all(case.model for case in found):
        model = [case.model.label for case in found if case.model]
        joined = ["neutral" if is_kept else own for is_kept, own in zip(kept, model, strict=True)]
        without, filtered = (sum(map(str.__eq__, own, gold)) / len(gold) for own in (model, joined))
        told += f"; accuracy {without:.3f} without, {filtered:.3f} with it"
    print(told, flush=True)


if __name__ == "__main__":
    main()
