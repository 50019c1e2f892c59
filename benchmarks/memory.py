"""Memory of runs over many small records on the bundled judge, and what resuming a large one takes.

    python benchmarks/memory.py [RECORDS] [FINISHED]

First table: the command runs over RECORDS (default 10,000) records in a process of its own, whose resident
memory is sampled at 10 % and at 100 % of the records. Half way it is killed and started again.

Second table: runs of which all records but the last are finished (made from a few judged ones), a tenth of
FINISHED (default 100,000) and all of them, then a tenth with texts a hundred times as long. How long `run`
takes until it works on the last record, when the input was checked before (CPU seconds, and their ratio to
the limit), and the most memory that takes; and the most memory of other commands over the whole run.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from factreasoner.inputs.parsing import Reader
from factreasoner.models import record_fingerprint
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.runs.store import RunFolder, fingerprints_of
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import line_of

NAMES = ("Ada Lovelace", "Alan Turing", "Grace Hopper", "Emmy Noether", "Niels Bohr", "Lise Meitner")
VARIANTS = 50
GROWTH_LIMIT, RESUME_LIMIT = 1.1, 5.0
"""Of memory from 10 % to 100 % of a run; CPU seconds until a run of 100,000 finished records goes on."""
COMMANDS = {
    "run": ("run",),
    "export": ("export", "--out", "atoms.csv"),
    "check": ("check", "--min", "precision=0"),
}
PLACES = ("London", "Paris", "Vienna", "Copenhagen", "Berlin", "Boston")


def records(count: int) -> list[str]:
    """Small records with three atoms and two contexts each, made from templates with a fixed seed."""
    draw = random.Random(0)
    lines = []
    for number in range(count):
        name, place, year = draw.choice(NAMES), draw.choice(PLACES), draw.randrange(1800, 2000)
        wrong = draw.choice(PLACES)
        lines.append(
            json.dumps(
                {
                    "id": f"r{number}",
                    "input": f"Where did {name} live?",
                    "output": f"{name} lived in {wrong}.",
                    "atoms": [
                        {"text": f"{name} lived in {place}."},
                        {"text": f"{name} lived in {wrong}."},
                        {"text": f"{name} moved there in {year}."},
                    ],
                    "contexts": [f"{name} lived in {place} from {year} on.", f"{wrong} is a city of note."],
                }
            )
        )
    return lines


def resident(pid: int) -> float:
    """Resident memory of a process in MiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS")) / 1024


def watch(process: subprocess.Popen[bytes], journal: Path, until: int) -> dict[int, float]:
    """Resident memory by number of records done, sampled until `until` are done or the process ends."""
    samples = {}
    while process.poll() is None:
        done = journal.read_bytes().count(b"\n") if journal.exists() else 0
        if done:
            samples[done] = resident(process.pid)
        if done >= until:
            break
        time.sleep(0.25)
    return samples


class Finished(NamedTuple):
    """An input and the folder of its run, in which the last record is missing."""

    data: Path
    path: Path

    @property
    def command(self) -> list[str]:
        """What runs or resumes it."""
        return [*FACTREASONER, "run", str(self.data), "--out", str(self.path), "--quiet"]


FACTREASONER = (sys.executable, "-m", "factreasoner")


def finished_run(folder: Path, count: int, longer: int = 1) -> Finished:
    """A run of `count` records made from a few judged ones, with texts of `longer` times 100 letters."""
    folder.mkdir()
    config, ballast = Config(), "ballast  " * 12 * longer
    pipeline = build_pipeline(config)
    given = [json.loads(line) | {"note": ballast} for line in records(VARIANTS)]
    judged = [pipeline.assess(Reader().record(data, where="", default_id="r")) for data in given]
    run = Finished(folder / "d.jsonl", folder / "run")
    made = RunFolder(run.path, TASK)
    made.start(config, fingerprints_of(TASK, config))
    with run.data.open("w") as rows, made.journal_path.open("wb") as journal:
        for number in range(count):
            data = given[number % VARIANTS] | {"id": f"r{number}"}
            rows.write(json.dumps(data) + "\n")
            record = Reader().record(data, where="", default_id="r")
            own = {"record_id": record.id, "fingerprint": record_fingerprint(record)}
            if number < count - 1:
                journal.write(line_of(TASK, judged[number % VARIANTS].model_copy(update=own)).text)
    made.close()
    return run


def start_of_resume(run: Finished) -> tuple[float, float]:
    """CPU seconds until the last record is in the journal, and the most MiB until then.

    The record is taken out again.
    """
    journal = run.path / "journal.jsonl"
    size = journal.stat().st_size
    process = subprocess.Popen(run.command)
    while process.poll() is None and journal.stat().st_size == size:
        time.sleep(0.02)
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    status = Path(f"/proc/{process.pid}/status").read_text()
    process.kill()
    process.wait()
    os.truncate(journal, size)
    peak = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM"))
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), peak / 1024


def peak_of(name: str, run: Finished) -> float:
    """The most MiB of a command over the whole run."""
    command = (
        run.command
        if name == "run"
        else [*FACTREASONER, COMMANDS[name][0], str(run.path), *COMMANDS[name][1:]]
    )
    process = subprocess.Popen(command, cwd=run.path.parent, stdout=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return usage.ru_maxrss / 1024


def print_finished(count: int) -> None:
    """Print what large finished runs take."""
    print(f"{'finished records':>16}{'journal MB':>12}{'resume CPU s':>14}{'/ limit':>9}{'MiB':>6}", end="")
    print("".join(f"{name + ' MiB':>12}" for name in COMMANDS))
    for number, longer in ((count // 10, 1), (count, 1), (count // 10, 100)):
        with tempfile.TemporaryDirectory() as folder:
            run = finished_run(Path(folder, "run"), number, longer)
            size = (run.path / "journal.jsonl").stat().st_size / 1e6
            seconds, peak = start_of_resume(run)
            print(f"{number:16,d}{size:12.0f}{seconds:14.2f}{seconds / RESUME_LIMIT:9.2f}{peak:6.0f}", end="")
            print("".join(f"{peak_of(name, run):12.0f}" for name in COMMANDS), flush=True)


def main() -> None:
    """Print both tables."""
    print_run(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
    print_finished(int(sys.argv[2]) if len(sys.argv) > 2 else 100_000)


def print_run(count: int) -> None:
    """Print memory early and late, and the speed."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "d.jsonl")
        data.write_text("".join(f"{line}\n" for line in records(count)))
        command = Finished(data, Path(folder, "out")).command
        journal = Path(folder, "out", "journal.jsonl")
        start = time.perf_counter()
        first = subprocess.Popen(command)
        early = watch(first, journal, count // 2)
        os.kill(first.pid, signal.SIGKILL)
        first.wait()
        second = subprocess.Popen(command)
        late = watch(second, journal, count)
        code = second.wait()
        seconds = time.perf_counter() - start
        finished = len(Path(folder, "out", "results.jsonl").read_text().splitlines())
    at_tenth = early[min(done for done in early if done >= count // 10)]
    at_half = early[max(early)]
    at_end = late[max(late)]
    print(
        f"{finished} of {count} records, exit code {code}, {count / seconds:.0f} records/s, "
        "killed once half way"
    )
    print(f"resident: {at_tenth:.0f} MiB at 10 %, {at_half:.0f} MiB at 50 %, {at_end:.0f} MiB at 100 %")
    growth = at_end / at_tenth
    print(f"growth: {at_half / at_tenth:.3f} from 10 % to 50 %, {growth:.3f} from 10 % to 100 %; ", end="")
    print(f"{growth / GROWTH_LIMIT:.2f} of the limit {GROWTH_LIMIT}")


if __name__ == "__main__":
    main()
