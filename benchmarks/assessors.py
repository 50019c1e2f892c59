"""FactReasoner, its factor tables and the prompted assessors on labelled atoms, with 95 % intervals.

Factcheck-Bench judged by its human stances, so that nothing but the reasoning over verdicts differs. Factor
tables are solved from the same verdicts. FactScore, VeriScore and FactVerify here combine the judge's
verdicts, since nobody answers their prompts; see `assessors/prompted.py`. Intervals are jackknife-t over
records. A pair that no person labelled is neutral.

Data: the folder named by FACTREASONER_DATA or ../shared/data. Run: `python benchmarks/assessors.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from data_folder import data_folder

from factreasoner.inputs.input import CheckedInput
from factreasoner.metrics.factuality import FACTUALITY, scored_record
from factreasoner.metrics.samples import Sample
from factreasoner.models import Assessment, FactorTable, Record
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline, rescore
from factreasoner.solvers.exact import ExactSolver

SCORES = ("accuracy", "macro_f1", "auroc", "brier")
CAPTIONS = ("accuracy", "macro-F1", "AUROC", "Brier")
PROMPTED = {"factscore": "FactScore", "veriscore": "VeriScore", "factverify": "FactVerify"}


class Row(NamedTuple):
    """One assessor with what it makes of the records."""

    name: str
    assessments: list[Assessment]


def main() -> None:
    """Print the table."""
    data = data_folder() / "factcheck_bench"
    records = list(CheckedInput(data / "records.jsonl").records())
    print(f"| assessor | {' | '.join(CAPTIONS)} |\n|---|{'---|' * len(CAPTIONS)}")
    for row in _rows(records, data / "human_relations.jsonl"):
        print(f"| {row.name} | {' | '.join(_cells(_sampled(row.assessments)))} |", flush=True)


def _rows(records: Sequence[Record], relations: Path) -> Iterator[Row]:
    for version in (1, 2):
        config = _config(relations, version=version)
        assessments = _assessed(records, config)
        for table in get_args(FactorTable):
            other = config.model_copy(update={"factors": table})
            yield Row(f"FR{version}, {table}", [rescore(a, ExactSolver(), other) for a in assessments])
    for assessor, name in PROMPTED.items():
        config = _config(relations, version=2, assessor=assessor)
        yield Row(name, _assessed(records, config))


def _config(relations: Path, **settings: object) -> Config:
    return Config.model_validate(
        {"judge": "recorded", "relations": relations, "unlisted": "neutral", **settings}
    )


def _assessed(records: Sequence[Record], config: Config) -> list[Assessment]:
    pipeline = build_pipeline(config, solver=ExactSolver())
    return [pipeline.assess(record) for record in records]


def _sampled(assessments: Sequence[Assessment]) -> Sample:
    sampling = FACTUALITY.sampling()
    for assessment in assessments:
        sampling.add(assessment.record_id, scored_record(assessment, None))
    return sampling.sample()


def _cells(sample: Sample) -> Iterator[str]:
    for found in FACTUALITY.estimates(sample, SCORES).values():
        interval = "" if found.interval is None else f" [{found.interval.low:.2f}, {found.interval.high:.2f}]"
        yield "-" if found.value is None else f"{found.value:.3f}{interval}"


if __name__ == "__main__":
    main()
