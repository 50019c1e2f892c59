"""Runs made by hand, and their reports."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from factreasoner import assess
from factreasoner.config import Config
from factreasoner.models import Failure, TaskResult, Verdict
from factreasoner.protocols import Judged
from factreasoner.report.page import write_report
from factreasoner.runs.finished import FinishedRun
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.registry import FACTUALITY, task_named

ANSWER = "The bridge opened in 1930. It is 1,149 metres long. It is painted grey. Many people love it."
PASSAGES = [
    {"id": "history", "text": "Work began in 1924. The bridge opened in 1932.", "title": "History"},
    {"id": "guide", "text": "The bridge is 1,149 metres long and grey.", "link": "https://example.org/guide"},
    {"id": "old", "text": "In 1930 the bridge was opened to all."},
]
VERDICTS = {
    ("history", "1930"): ("contradiction", 0.9, "The bridge opened in 1932."),
    ("old", "1930"): ("entailment", 0.7, "In 1930 the bridge was opened"),
    ("guide", "1,149"): ("entailment", 0.9, "1,149 metres long"),
    ("guide", "grey"): ("entailment", 0.8, "grey"),
    ("history", "old"): ("contradiction", 0.9, None),
}


class Table:
    """A judge by a table: (premise, word in the claim) -> label, p, quote; None: it fails; else neutral."""

    def __init__(self, table: dict[tuple[str, str], Any]) -> None:
        self.table = table

    def judge(self, premise: Any, claims: Any) -> Judged:
        verdicts, failures = [], []
        for claim in claims:
            rows = (
                (key, said)
                for key, said in self.table.items()
                if key[0] == premise.id and key[1] in claim.text
            )
            _, said = next(rows, (None, ("neutral", 0.9, None)))
            if said is None:
                item = f"{premise.id}->{claim.id}"
                failures.append(
                    Failure(stage="judge", item_id=item, error_type="LLMError", message="no reply")
                )
                continue
            label, p, quote = said
            verdicts.append(
                Verdict(context_id=premise.id, target_id=claim.id, label=label, probability=p, quote=quote)
            )
        return Judged(tuple(verdicts), tuple(failures))


def bridge(
    record_id: str = "bridge", table: dict[tuple[str, str], Any] = VERDICTS, **fields: Any
) -> TaskResult:
    """An answer on a bridge: one atom is contradicted, one is not verified, the others are supported."""
    atoms = [
        {"text": text, "label": label}
        for text, label in zip(
            ("The bridge opened in 1930.", "It is 1,149 metres long.", "The bridge is grey.", "It is loved."),
            ("NS", "S", "S", None),
            strict=True,
        )
    ]
    made = {"prompt": "Tell me about the bridge.", "contexts": PASSAGES, "atoms": atoms} | fields
    return assess(ANSWER, judge=Table(table), **made).model_copy(update={"record_id": record_id})


def run_of(path: Path, *results: TaskResult, task: str = FACTUALITY, config: Config | None = None) -> Path:
    """A finished run of these results."""
    config = config or Config()
    folder = RunFolder(path, task_named(task))
    folder.start(config, {})
    for result in results:
        folder.append(result)
    score_journal(folder, list(folder.entries), config)
    folder.close()
    return path


def report_of(*paths: Path, out: Path | None = None) -> Path:
    """The page of finished runs."""
    runs = [FinishedRun.of_any_task(path) for path in paths]
    return write_report(runs, out or paths[0] / "report.html").path


def data_in(page: Path, name: str) -> Any:
    """What a page holds as JSON under a name."""
    found = re.search(
        rf'<script type="application/json" id="{name}">(.*?)</script>',
        page.read_text(encoding="utf-8"),
        re.DOTALL,
    )
    assert found is not None, f"{page} holds no {name}"
    return json.loads(found[1])
