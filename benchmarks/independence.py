"""What it does to count evidence of one source once (`--independence`), against human labels.

Factcheck-Bench is judged by its human stances (complete support and refutation 0.99, partial support 0.7), so
that nothing but the counting differs; then it and the biographies by the bundled judge. Each run is solved
twice from the same verdicts. Differences are counted once less each relation by itself, with 95 % jackknife-t
intervals over records, paired. Below 0 is better for Brier and ECE, above 0 for AUROC and accuracy.

Data: the folder named by FACTREASONER_DATA or ../shared/data. Run: `python benchmarks/independence.py`.

Measured, 62 and 4 records; Brier and AUROC with each relation by itself, and what changes:

| judge, data | relations, left out | Brier, change | AUROC, change |
|---|---|---|---|
| human, Factcheck-Bench, both | 814, 201 | 0.0879 +0.0001 [-0.003, 0.003] | 0.922 -0.001 [-0.006, 0.003] |
| embedded, Factcheck-Bench, FR1 | 1009, 270 | 0.2057 -0.0031 [-0.008, 0.001] | 0.686 +0.002 [-0.005, 0.010] |
| embedded, Factcheck-Bench, FR2 | 597, 63 | 0.1749 +0.0000 [-0.003, 0.003] | 0.716 -0.003 [-0.018, 0.013] |
| embedded, biographies, FR1 | 116, 33 | 0.1395 +0.0030 [-0.000, 0.006] | 0.865 -0.002 [-0.015, 0.029] |
| embedded, biographies, FR2 | 102, 3 | 0.1143 -0.0003 [-0.001, 0.000] | 0.912 -0.002 [-0.016, 0.000] |

Nowhere is there a gain that chance does not explain, so the default is `--no-independence`: each relation
counts. A quarter of the human relations are copies, and leaving them out costs nothing either. Were a source
that takes both sides equally to keep its contradiction, Brier on the first line would be 0.0915 and AUROC
0.918, which chance does not explain: three sources do so, and of all three atoms people said S.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from data_folder import data_folder

from factreasoner.inputs.input import CheckedInput
from factreasoner.metrics.comparison import differences
from factreasoner.metrics.factuality import FACTUALITY, scored_record
from factreasoner.metrics.samples import Sample
from factreasoner.models import Assessment
from factreasoner.pipeline import build_pipeline
from factreasoner.pipeline.pipeline import rescore
from factreasoner.plugins.kinds import load
from factreasoner.settings import Config

METRICS = [FACTUALITY[name] for name in ("brier", "auroc", "ece", "accuracy")]
EACH, ONCE = "each relation", "counted once"


class Case(NamedTuple):
    """One run: its name, its data set, and who judges."""

    name: str
    folder: str
    config: Config


def cases(data: Path) -> list[Case]:
    """What is run."""
    human = {"judge": "recorded", "relations": data / "factcheck_bench" / "human_relations.jsonl"}
    return [
        Case("human stances, FR1", "factcheck_bench", Config(version=1, **human)),
        Case("human stances, FR2", "factcheck_bench", Config(version=2, unlisted="neutral", **human)),
        Case("bundled judge, FR1", "factcheck_bench", Config(version=1)),
        Case("bundled judge, FR2", "factcheck_bench", Config(version=2)),
        Case("biographies, FR1", "factscore_bios", Config(version=1)),
        Case("biographies, FR2", "factscore_bios", Config(version=2)),
    ]


def main() -> None:
    """Print a table for each case."""
    data = data_folder()
    for case in cases(data):
        pipeline = build_pipeline(case.config)
        records = CheckedInput(data / case.folder / "records.jsonl").records()
        measure(case, [pipeline.assess(record) for record in records])


def measure(case: Case, assessments: list[Assessment]) -> None:
    """Print both ways of counting and their differences."""
    once_config = case.config.model_copy(update={"independence": True})
    solver = load("solver", case.config.solver)(config=case.config)
    once = [rescore(assessment, solver, once_config) for assessment in assessments]
    samples = {EACH: sampled(assessments), ONCE: sampled(once)}
    independence = [a.outcome.independence for a in once if a.outcome and a.outcome.independence]
    relations = sum(len(a.outcome.graph.relations) for a in assessments if a.outcome and a.outcome.graph)
    left_out = sum(item.relations_left_out for item in independence)
    shared = sum(len(item.sources) for item in independence)
    print(f"{case.name}: {shared} sources of several contexts, {left_out} of {relations} relations left out")
    for name, sample in samples.items():
        print(f"  {name:<14}" + "".join(f"  {m.name} {m.statistic(sample).value:.4f}" for m in METRICS))
    for item in differences(samples, EACH, METRICS):
        if item.value is None or item.interval is None or item.p_value is None:
            continue
        low, high = item.interval
        print(f"  {item.score:<9} {item.value:+.4f} [{low:+.4f}, {high:+.4f}]  p {item.p_value:.3f}")


def sampled(assessments: Iterable[Assessment]) -> Sample:
    """The assessments as numbers."""
    sampling = FACTUALITY.sampling()
    for assessment in assessments:
        sampling.add(assessment.record_id, scored_record(assessment, None))
    return sampling.sample()


if __name__ == "__main__":
    main()
