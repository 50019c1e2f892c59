"""`factreasoner score`: score a finished run again, without any model call."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from factreasoner.cli.flags import AS_JSON, CORRECTIONS, EXPORT_UAI, QUIET, RUN_DIR, Command, flag
from factreasoner.errors import ConfigError
from factreasoner.models import Assessment
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import parse_config, unused
from factreasoner.settings.sources import flag_of

if TYPE_CHECKING:
    from factreasoner.runs.corrections import Corrections
    from factreasoner.runs.store import RunFolder
    from factreasoner.tasks.task import Task


class ScoreCommand(Command, panels=("Graph", "Calibration", "Scores")):
    """Score a finished run again: another K, prior, factor table, calibration, solver or corrected verdicts.

    The run itself is not changed, and no model is called.
    """

    run_dir: Path = RUN_DIR
    out: Path | None = flag("Folder of the scores. (default: RUN_DIR/rescored)", "--out", "-o")
    export_uai: Path | None = EXPORT_UAI
    corrections: Path | None = CORRECTIONS
    as_json: bool = AS_JSON
    quiet: bool = QUIET

    def _execute(self) -> int:
        from factreasoner.cli.summary_tables import print_summary
        from factreasoner.judges.calibration import calibration_notes
        from factreasoner.runs.corrections import Corrections, rescorer
        from factreasoner.runs.finished import Rescoring, unfinished, write_rescoring
        from factreasoner.runs.scoring import check_export, score_journal
        from factreasoner.runs.store import RunFolder

        folder = RunFolder.of_any_task(self.run_dir)
        _refuse_without_graph(folder.task, [*self.changes, *(["export_uai"] if self.export_uai else [])])
        config = _changed(folder, self.changes)
        cut_off = unfinished(folder, self.run_dir, len(ids := folder.assessed()))
        models = folder.manifest.content().get("models")
        for note in (
            *unused(config, self.changes),
            *calibration_notes(config, models, folder.manifest.run_id),
        ):
            self._note(note)
        if self.export_uai is not None:
            check_export(self.export_uai, config)
        corrected = None if self.corrections is None else Corrections(self.corrections, folder)
        out = self.out or self.run_dir / "rescored"
        replaced = _replaced(out, config)
        again = rescorer(config, corrected)
        summary = score_journal(folder, ids, config, again=again, out=out)
        write_rescoring(out, Rescoring(self.run_dir, config, self.corrections))
        if self.export_uai is not None:
            written = _exported(folder, corrected, config, self.export_uai)
            self._note(written)
        notes = [*filter(None, [cut_off, replaced])]
        self.present(summary, partial(print_summary, folder.task, summary, config, out), notes)
        counts = summary["records"]
        return 3 if counts["failed"] or counts["partial"] or not counts["ok"] else 0


def _changed(folder: RunFolder[Any], changes: dict[str, Any]) -> Config:
    """The run's settings with `changes`."""
    from factreasoner.pipeline.assembly import refuse_unasked_judge

    config = parse_config(folder.config().model_dump(), str(folder.manifest.path), changes)
    folder.refuse_changed_files(named=changes)
    if "calibration" in changes:
        refuse_unasked_judge(config)
    return config


def _replaced(out: Path, config: Config) -> str:
    """The settings of the earlier scores in `out` that are replaced; "" if there are none."""
    from factreasoner.runs.finished import read_rescoring

    if (there := read_rescoring(out)) is None:
        return ""
    was, now = there.config.model_dump(mode="json"), config.model_dump(mode="json")
    others = (name for name in was if was[name] != now[name])
    how = [f"{flag_of(n)} {was[n]}" if was[n] is not None else f"no {flag_of(n)}" for n in others]
    return f"{out}: scores made with {', '.join(how)} are replaced; --out keeps both" if how else ""


def _refuse_without_graph(task: Task[Any], changed: Sequence[str]) -> None:
    """Raise ConfigError for settings that do not apply to a task without a graph or K."""
    strange = [name for name in changed if name not in task.rescored_by]
    if strange and not task.has_graph:
        lacks = "K" if strange[0] == "k" else "fact graph"
        flags = map(flag_of, (*task.rescored_by, "corrections"))
        fits = f"only {' and '.join(flags)} {'go' if task.rescored_by else 'goes'}"
        raise ConfigError(f"{flag_of(strange[0])}: a run of `{task.name}` has no {lacks}; {fits} with it")


def _exported(
    folder: RunFolder[Assessment], corrections: Corrections | None, config: Config, path: Path
) -> str:
    """Write the networks; returns the counts as text."""
    from factreasoner.pipeline.pipeline import rebuilt
    from factreasoner.runs.scoring import export_networks

    found = folder.results(folder.order())
    graphs = (rebuilt(corrections.applied(item) if corrections else item, config) for item in found)
    return export_networks(graphs, config, path)
