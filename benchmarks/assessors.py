"""FactReasoner, its factor tables and the prompted assessors on labelled atoms, with 95 % intervals.

First Factcheck-Bench judged by its human stances, so that nothing but the reasoning over verdicts differs;
then five sets judged by the bundled judge. Factor tables are solved from the same verdicts. FactScore,
VeriScore and FactVerify here combine the judge's verdicts, since nobody answers their prompts; see
`assessors/prompted.py`. Intervals are jackknife-t over records. A pair that no person labelled is neutral.

Data: the folder named by FACTREASONER_DATA or ../shared/data. Run: `python benchmarks/assessors.py`, or on
records of one's own `python benchmarks/assessors.py RECORDS.jsonl [--relations RELATIONS.jsonl]`; without
relations the bundled judge judges these.
"""

from __future__ import annotations

import argparse
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

SCORES = ("accuracy", "macro_f1", "auroc", "brier", "mae_precision")
CAPTIONS = ("accuracy", "macro-F1", "AUROC", "Brier", "MAE of precision")
BUNDLED = ("factcheck_bench", "factscore_bios", "wice", "qasem_consistency", "kqa")
PROMPTED = ("factscore", "veriscore", "factverify")
NAMES = {"factscore": "FactScore", "veriscore": "VeriScore", "factverify": "FactVerify"}


class Row(NamedTuple):
    """One assessor with what it makes of the records."""

    name: str
    assessments: list[Assessment]


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description="Assessors on labelled atoms.")
    parser.add_argument("records", type=Path, nargs="?", help="records of one's own, with labelled atoms")
    parser.add_argument("--relations", type=Path, help="verdicts on them")
    chosen = parser.parse_args()
    if chosen.records is not None:
        _one(chosen.records, chosen.relations)
        return
    data = data_folder()
    _one(data / "factcheck_bench" / "records.jsonl", data / "factcheck_bench" / "human_relations.jsonl")
    for name in BUNDLED:
        _one(data / name / "records.jsonl", None)


def _one(path: Path, relations: Path | None) -> None:
    """The table of one set, and the command that makes the same."""
    records = list(CheckedInput(path).records())
    gold = [atom.gold for record in records for atom in record.atoms or () if atom.gold is not None]
    if not gold:
        raise SystemExit(f"{path}: no atom is labelled")
    share = gold.count("S") / len(gold)
    judge = "verdicts recorded" if relations else "bundled judge"
    print(
        f"\n## {path.parent.name}, {judge}: {len(records)} records, {len(gold)} atoms, {share:.2f} of them S"
    )
    print(f"Of that share for every atom: Brier {share * (1 - share):.3f}, AUROC 0.5.\n")
    flags = f"--judge recorded --relations {relations} --unlisted neutral" if relations else ""
    print(f"| assessor | {' | '.join(CAPTIONS)} |\n|---|{'---|' * len(CAPTIONS)}")
    linked = all(any(c.atom_ids for c in record.contexts or ()) for record in records)
    for row in _rows(records, relations, versions=(1, 2) if linked else (2,)):
        print(f"| {row.name} | {' | '.join(_cells(_sampled(row.assessments)))} |", flush=True)
    names = ",".join([*(["fr1"] if linked else []), "fr2", *PROMPTED])
    print(f"\n`factreasoner compare {path} --assessors {names} {flags}`")
    print("with `--factors table1` or `--factors reference` for the other tables")


def _rows(records: Sequence[Record], relations: Path | None, *, versions: Sequence[int]) -> Iterator[Row]:
    for version in versions:
        config = _config(relations, version=version)
        assessments = _assessed(records, config)
        for table in get_args(FactorTable):
            other = config.model_copy(update={"factors": table})
            yield Row(f"FR{version}, {table}", [rescore(a, ExactSolver(), other) for a in assessments])
    for assessor in PROMPTED:
        config = _config(relations, version=2, assessor=assessor)
        yield Row(NAMES[assessor], _assessed(records, config))


def _config(relations: Path | None, **settings: object) -> Config:
    recorded = {"judge": "recorded", "relations": relations, "unlisted": "neutral"}
    return Config.model_validate({**(recorded if relations else {}), **settings})


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
