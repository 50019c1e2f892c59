"""What the report of many records takes: CPU and memory to write it, seconds to show and to filter it.

    python benchmarks/report.py [RECORDS]

The records are those of examples/answers.jsonl, judged by the bundled judge and cut to ten atoms and three
contexts, over and over. The limits are 3 ms of CPU a record, 3 s until a browser shows it, where one is
on PATH, and 0.1 s for a search, a filter or an order of all records, drawn and laid out.
"""

from __future__ import annotations

import resource
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from factreasoner.inputs.input import CheckedInput
from factreasoner.models import Assessment
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.report.page import WrittenReport, write_report
from factreasoner.runs.finished import FinishedRun
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import line_of

EXAMPLES = Path(__file__).parents[1] / "examples" / "answers.jsonl"
ATOMS, CONTEXTS = 10, 3
CPU_LIMIT, VIEW_LIMIT, FILTER_LIMIT = 0.003, 3.0, 0.1
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def assessments(config: Config) -> Iterator[Assessment]:
    """The examples, cut and judged."""
    pipeline = build_pipeline(config)
    for record in CheckedInput(EXAMPLES).records():
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


CHANGES = """() => {
  const seconds = (change) => {
    const started = performance.now();
    change();
    document.body.getBoundingClientRect();
    return (performance.now() - started) / 1000;
  };
  const set = (element, value, event) => seconds(() => {
    element.value = value;
    element.dispatchEvent(new Event(event));
  });
  const [search, label] = ['input[type=search]', '.filters select'].map((one) => document.querySelector(one));
  return [set(search, 'i', 'input'), set(search, '', 'input'), set(label, 'contradicted', 'change'),
    set(label, '', 'change'), seconds(() => document.getElementById('sort-record').click())];
}"""
"""Searches, filters and sorts all records; seconds of each until the page is laid out."""
ROUNDS = 5


def in_a_browser(report: WrittenReport) -> tuple[float, float] | None:
    """Seconds until the page is drawn, and the slowest filter's median of some rounds; None: no browser."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        return None
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        page = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"]).new_page()
        started = time.perf_counter()
        page.goto(report.path.as_uri())
        page.wait_for_selector(".worst-claim")
        shown = time.perf_counter() - started
        rounds = [page.evaluate(CHANGES) for _ in range(ROUNDS)]
        return shown, max(map(statistics.median, zip(*rounds, strict=True)))


def main(records: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / "run"
        make_run(path, records)
        before, started = time.process_time(), time.perf_counter()
        report = write_report([FinishedRun.of_any_task(path)], path / "report.html")
        cpu, wall = time.process_time() - before, time.perf_counter() - started
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        seen = in_a_browser(report)
        size = report.path.stat().st_size / 1e6
    share = cpu / (CPU_LIMIT * records)
    print(f"{records:,} records: written in {cpu:.1f} s of CPU, {share:.2f} of the limit ", end="")
    print(f"({wall:.1f} s), at most {memory:.0f} MB")
    told = "not looked at: no Chromium"
    if seen is not None:
        shown, filtered = seen
        told = f"shown after {shown:.2f} s, {shown / VIEW_LIMIT:.2f} of the limit; "
        told += f"filtered in {filtered:.3f} s, {filtered / FILTER_LIMIT:.2f} of the limit"
    print(f"the page of {size:.1f} MB: {told}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if sys.argv[1:] else 10_000)
