"""`factreasoner evaluate`: scores of a finished run, against human labels if it has them."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from factreasoner.cli.flags import AS_JSON, RUN_DIR, Command, flag
from factreasoner.pipeline.loading import parse_config


class EvaluateCommand(Command):
    """Score a finished run, overall and by group; without --by, the atoms of `run` need human labels.

    The labels C (contradicted) and U (neither) count as NS; if there are any, three-way scores are added.
    """

    run_dir: Path = RUN_DIR
    gold: Path | None = flag(
        "Labels: JSONL of {record, atom, label}, or records with labelled atoms; S, NS, C or U. "
        "(default: those of the run's input)"
    )
    by: str | None = flag("Also score each group: topic, or any metadata key.")
    k: str | None = flag("K of F1@K: median, half or a number. (default: the run's)")
    out: Path | None = flag("Folder of the scores. (default: RUN_DIR/evaluation)", "--out", "-o")
    as_json: bool = AS_JSON

    def _execute(self) -> None:
        from factreasoner.analysis.evaluation import evaluate_run
        from factreasoner.cli.score_tables import print_evaluation
        from factreasoner.inputs.gold_labels import GoldFile
        from factreasoner.runs.finished import FinishedRun

        run, config = FinishedRun.of_any_task(self.run_dir), None
        if self.k is not None:
            config = parse_config(run.config.model_dump(), str(self.run_dir), {"k": self.k})
        labels = None if self.gold is None else GoldFile(self.gold)
        out = self.out or self.run_dir / "evaluation"
        content = evaluate_run(run, config or run.config, out=out, gold=labels, by=self.by)
        self.present(content, partial(print_evaluation, content, out), content["notes"])
