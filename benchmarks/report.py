"""What the report of many records takes: CPU and memory to write it, seconds until a browser shows it.

    python benchmarks/report.py [RECORDS]

The records are those of examples/answers.jsonl, judged by the embedded judge and cut to ten atoms and three
contexts, over and over. The limits are 3 ms of CPU a record, and 2 s in a browser, where one is on PATH.
"""

from __future__ import annotations

import resource
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from factreasoner.inputs.input import check_input
from factreasoner.models import Assessment
from factreasoner.pipeline import build_pipeline
from factreasoner.report.page import Report, write_report
from factreasoner.runs.finished import FinishedRun
from factreasoner.runs.journal import line_of
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK

EXAMPLES = Path(__file__).parents[1] / "examples" / "answers.jsonl"
ATOMS, CONTEXTS = 10, 3
CPU_LIMIT, VIEW_LIMIT = 0.003, 2.0
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def assessments(config: Config) -> Iterator[Assessment]:
    """The examples, cut and judged."""
    pipeline = build_pipeline(config)
    for record in check_input(EXAMPLES).records():
        atoms = (record.atoms or ())[:ATOMS]
        known = {atom.id for atom in atoms}
        contexts = tuple(
            context.model_copy(update={"atom_ids": tuple(i for i in context.atom_ids if i in known)})
            for context in (record.contexts or ())[:CONTEXTS]
        )
        yield pipeline.assess(record.model_copy(update={"atoms": atoms, "contexts": contexts}))


def make_run(path: Path, records: int) -> None:
    """A journal of so many records; written at once, as syncing each of them is not what is measured."""
    config = Config()
    folder = RunFolder(path, TASK)
    folder.start(config, {})
    found = list(assessments(config))
    with folder.journal_path.open("wb") as journal:
        for number in range(records):
            one = found[number % len(found)].model_copy(update={"record_id": f"r{number}"})
            journal.write(line_of(TASK, one).text)
    folder.close()


def first_view(report: Report) -> float | None:
    """Seconds until the page is drawn; None without a browser."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        started = time.perf_counter()
        page.goto(report.path.as_uri())
        page.wait_for_selector(".records")
        return time.perf_counter() - started


def main(records: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "run"
        make_run(path, records)
        before, started = time.process_time(), time.perf_counter()
        report = write_report([FinishedRun.of_any_task(path)], path / "report.html")
        cpu, wall = time.process_time() - before, time.perf_counter() - started
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seen = first_view(report)
        size = report.path.stat().st_size / 1e6
    share = cpu / (CPU_LIMIT * records)
    print(f"{records:,} records: written in {cpu:.1f} s of CPU, {share:.2f} of the limit ", end="")
    print(f"({wall:.1f} s), at most {memory:.0f} MB")
    shown = "not looked at: no Chromium"
    if seen is not None:
        shown = f"shown after {seen:.2f} s, {seen / VIEW_LIMIT:.2f} of the limit"
    print(f"the page of {size:.1f} MB: {shown}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10_000)
