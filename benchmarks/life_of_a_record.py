"""How many source files one record passes on its way through `run`, and how often it changes file.

    python benchmarks/life_of_a_record.py [--calls]

Runs the command without a model twice in one process, first on another record, and traces the second run: so
imports, and what a process does once, do not count, and what is done for each record's texts does. A file is
entered where one of its functions is called or gone on with.
Goals: 90 files, 700 changes. With `--calls`, the pairs of files with the most changes between them follow.
"""

from __future__ import annotations

import argparse
import contextlib
import inspect
import io
import json
import sys
import tempfile
import threading
from collections import Counter
from pathlib import Path
from types import FrameType

import factreasoner
from factreasoner.cli import main as command

SOURCE = str(Path(factreasoner.__file__).parent)
FIRST = {
    "id": "first",
    "input": "Who wrote the book?",
    "output": "The book was written by a teacher in 1902. It has 12 chapters. She lived in Lyon.",
    "contexts": ["A teacher wrote the book in 1902. It has 12 chapters.", "Lyon is a city."],
}
"""What the process runs untraced; the traced record shares no text with it."""
RECORD = {
    "id": "r",
    "input": "When was the tower finished?",
    "output": "The tower was finished in 1889. It is 330 metres tall. It stands in Paris.",
    "contexts": ["The tower was finished in 1889, and is 330 metres tall.", "It is a tower."],
}


class Trace:
    """The files whose functions are called, and the changes from one to another, thread by thread."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.changes: Counter[tuple[str, str]] = Counter()
        self._last = threading.local()

    def saw(self, frame: FrameType, event: str, _: object) -> None:
        """What the interpreter tells of each event; see `sys.setprofile`."""
        code = frame.f_code
        if event != "call" or not code.co_flags & inspect.CO_OPTIMIZED:
            return
        if not code.co_filename.startswith(SOURCE):
            return
        file = code.co_filename[len(SOURCE) + 1 :]
        before = getattr(self._last, "file", file)
        self.files.add(file)
        if before != file:
            self.changes[before, file] += 1
        self._last.file = file


def run(data: Path, out: Path) -> None:
    """The command, as a terminal would have it, with nothing shown."""
    sys.argv = ["factreasoner", "run", str(data), "--out", str(out)]
    with (
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
        contextlib.suppress(SystemExit),
    ):
        command()


def main() -> None:
    """Print both numbers."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--calls", action="store_true", help="the pairs of files with the most changes")
    shown = parser.parse_args().calls
    trace = Trace()
    with tempfile.TemporaryDirectory() as folder:
        before, data = Path(folder) / "first.jsonl", Path(folder) / "one.jsonl"
        before.write_text(json.dumps(FIRST), encoding="utf-8")
        data.write_text(json.dumps(RECORD), encoding="utf-8")
        run(before, Path(folder) / "before")
        threading.setprofile(trace.saw)
        sys.setprofile(trace.saw)
        run(data, Path(folder) / "out")
        sys.setprofile(None)
        threading.setprofile(None)
        assert (Path(folder) / "out" / "summary.json").exists()
    print(f"Record {RECORD['id']!r}, after record {FIRST['id']!r} in the same process:")
    print(f"{len(trace.files):5} files entered; goal 90")
    print(f"{trace.changes.total():5} changes of file; goal 700")
    for (before, file), count in trace.changes.most_common(40 if shown else 0):
        print(f"{count:5} {before} -> {file}")


if __name__ == "__main__":
    main()
