"""`factreasoner evaluate`: the scores of a finished run, against human labels where it has them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from factreasoner.cli.flags import AsJson, RunDir
from factreasoner.report.terminal import say, say_json


def evaluate(
    run_dir: RunDir,
    gold: Annotated[
        Path | None,
        typer.Option(
            help="Labels: JSONL of {record, atom, label}, or records with labelled atoms; S, NS, C or U. "
            "(default: those of the run's input)"
        ),
    ] = None,
    by: Annotated[str | None, typer.Option(help="Scores by group too: topic, or any metadata key.")] = None,
    k: Annotated[
        str | None, typer.Option(help="K of F1@K: median, half or a number. (default: the run's)")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Where the scores go. (default: RUN_DIR/evaluation)")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Score a finished run, over all and by group; the atoms of `run` need human labels.

    Of the labels C (contradicted) and U (neither) count as NS; where they occur, three-way scores stand
    beside the others.
    """

    from factreasoner.analysis.evaluation import evaluate_run
    from factreasoner.cli.score_tables import print_evaluation
    from factreasoner.inputs.gold_labels import GoldFile
    from factreasoner.runs.finished import FinishedRun
    from factreasoner.settings import parse_config

    run = FinishedRun.of_any_task(run_dir)
    config = run.config if k is None else parse_config(run.config.model_dump(), str(run_dir), {"k": k})
    labels = None if gold is None else GoldFile(gold)
    out = out or run_dir / "evaluation"
    content = evaluate_run(run, config, out=out, gold=labels, by=by)
    if as_json:
        say_json(content)
    else:
        print_evaluation(content, out)
    for note in content["notes"]:
        say(note, err=True)
