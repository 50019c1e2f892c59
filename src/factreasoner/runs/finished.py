"""A run folder that is only read: by whatever evaluates, compares, calibrates or checks a run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from factreasoner.config import Config
from factreasoner.errors import RunError
from factreasoner.metrics.factuality import resolve_k
from factreasoner.models import Assessment
from factreasoner.runs.store import RunFolder


class FinishedRun:
    """The assessments of a run, in the order of its results.

    Raises:
        RunError: no folder, not a run's, a damaged one, or one without a single assessed record.
        ConfigError: its settings are not ones this version knows.
    """

    def __init__(self, path: Path) -> None:
        if not path.is_dir():
            raise RunError(f"{path}: not a run folder: there is no such folder")
        self.path = path
        self._folder = RunFolder(path)
        self.config: Config = self._folder.config()
        self._folder.read_journal()
        self.ids = tuple(self._folder.order())
        if not self.ids:
            raise RunError(f"{path}: no record was assessed in this run; the same run command goes on")

    def assessments(self) -> Iterator[Assessment]:
        """The latest assessment of every record, read one at a time. Raises RunError for a damaged one."""
        return self._folder.assessments(self.ids)

    def resolved_k(self, config: Config) -> int | None:
        """What the K that `config` sets comes to over this run's records."""
        return resolve_k(config.k, (self._folder.entries[i].num_atoms for i in self.ids))

    @property
    def unfinished(self) -> str | None:
        """What is missing of the run, in words; None when it came to its end."""
        rest = f"{len(self.ids)} records are finished; the same run command goes on"
        try:
            records = json.loads(self._folder.summary_path.read_text(encoding="utf-8"))["records"]
            counted, missing = int(records["total"]), int(records.get("unassessed", 0))
        except FileNotFoundError:
            return f"{self.path}: the run was cut off (it has no summary.json): {rest}"
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return f"{self.path}: summary.json can't be read: {rest}"
        if missing:
            return f"{self.path}: the run was cut off with {missing} records not assessed: {rest}"
        if counted != len(self.ids):
            return f"{self.path}: the run was cut off after its summary of {counted} records: {rest}"
        return None
