"""Plays scenarios: what commands print, how they end and which files they leave, as text that stays."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import frozen
import pytest
from fake_server import FakeServer
from outlines import outlines

from factreasoner import __version__, cli
from factreasoner.report.terminal import WarningHandler
from factreasoner.text import parsing

FOLDERS = (Path(__file__).parent / "no_parser", Path(__file__).parent, frozen.ROOT / "src")
LINKED = {"inputs": frozen.INPUTS, "examples": frozen.ROOT / "examples"}
"""Folders that commands name without their place, whose length would move the ends of lines."""
WIDTH = 110
WARNINGS = WarningHandler(logging.WARNING)
PROGRESS = re.compile(r"\d+/\d+ (records|files)\b|waiting for ")
STAYS = (
    (re.escape(__version__), "VERSION"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d| UTC)?", "TIME"),
    (r"\b\d+(\.\d+)? ?(ms|s|seconds?|min|kB|KB|MB|bytes)\b(?!\.)", "SIZE"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{8}\b", "DIGEST"),
    (r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{12,64}\b", "DIGEST"),
)
"""Pattern -> what stands for it. Everything else must be the same on every machine."""


class Scene:
    """A folder in which commands run, and the text of what came of them."""

    def __init__(self, folder: Path, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.patch = patch
        self.places: dict[str, str] = {}
        self.text: list[str] = []
        self.not_shown = ["cache/", "store/", "docs/"]
        """Files and folders that are given, or have no form that is promised."""
        self.server: FakeServer | None = None
        self.open = contextlib.ExitStack()
        """Ends with the scene."""

    def write(self, name: str, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write a file of JSON lines."""
        text = "".join(f"{json.dumps(row)}\n" for row in rows)
        (self.folder / name).write_text(text, encoding="utf-8")
        self.not_shown.append(name)

    def command(self, line: str) -> str:
        """Run `factreasoner LINE`, note how it ended, and return what it printed."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        logging.getLogger().addHandler(WARNINGS)  # as `main` does
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = cli.execute(self._arguments(line))
        finally:
            logging.getLogger().removeHandler(WARNINGS)
        printed, said = ((stream.seek(0), stream.read())[1] for stream in (out, err))
        self.note_end(line, code, printed, said)
        return printed

    def process(self, line: str, **streams: Any) -> subprocess.Popen[str]:
        """Start `factreasoner LINE` in a process of its own."""
        command = [sys.executable, "-m", "factreasoner", *self._arguments(line)]
        paths = {"PYTHONPATH": os.pathsep.join(map(str, [*FOLDERS, *sys.path]))}
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **streams}
        started = subprocess.Popen(command, env=os.environ | paths, encoding="utf-8", **piped)
        process = self.open.enter_context(started)
        self.open.callback(process.kill)
        return process

    def note_end(self, line: str, code: int, printed: str, said: str) -> None:
        """Note how a command ended. What tells of progress alone is left out: a slow machine says more."""
        kept = (part for part in said.splitlines() if not PROGRESS.match(part))
        self.note(f"$ factreasoner {line}", printed, *(f"! {part}" for part in kept), f"exit code {code}", "")

    def _arguments(self, line: str) -> list[str]:
        return [argument.format(**self.places) for argument in shlex.split(line)]

    def note(self, *texts: str) -> None:
        """Add texts to what is recorded."""
        self.text += [line.rstrip() for text in texts for line in (text.splitlines() or [""])]

    def recorded(self) -> str:
        """All that was noted, and the files, without what differs from run to run."""
        files = [wrapped(f"  {line}") for line in self._stays(self._files())]
        text = "\n".join([*self._stays(self.text), *(["files"] if files else []), *files])
        return re.sub(r"\n{3,}", "\n\n", text).rstrip() + "\n"

    def _stays(self, lines: Iterable[str]) -> list[str]:
        text = "\n".join(lines).replace(str(self.folder), "FOLDER")
        for name, place in self.places.items():
            text = text.replace(place, f"{{{name}}}")
        for pattern, word in STAYS:
            text = re.sub(pattern, word, text)
        return text.splitlines()

    def _files(self) -> Iterator[str]:
        paths = (path for path in self.folder.rglob("*") if path.is_file() and not path.name.startswith("."))
        names = (path.relative_to(self.folder).as_posix() for path in paths)
        return outlines(self.folder, [name for name in names if not name.startswith(tuple(self.not_shown))])


def wrapped(line: str) -> str:
    """A line as several that are not too long."""
    return textwrap.fill(line, WIDTH, subsequent_indent="        ", break_long_words=False)


Step = str | Callable[[Scene], object]
"""A command line, or what is done between two: what a function returns is recorded where it is text."""


def play(steps: Sequence[Step], folder: Path) -> str:
    """Play a scenario in an empty folder, with no keys and a cache of its own; what is recorded of it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.endswith(("_API_KEY", "_PROXY", "_proxy")) or name.startswith("FACTREASONER_"):
                patch.delenv(name)
        patch.setenv("FACTREASONER_CACHE_DIR", str(folder / "cache"))
        patch.setenv("FACTREASONER_ATOMS_PER_CALL", "32")
        patch.setattr(parsing, "_chosen", lambda: None)
        patch.setenv("COLUMNS", "100")
        patch.chdir(folder)
        for name, place in LINKED.items():
            (folder / name).symlink_to(place)
        scene = Scene(folder, patch)
        with scene.open:
            for step in steps:
                if isinstance(step, str):
                    scene.command(step)
                elif isinstance(said := step(scene), str):
                    scene.note(said, "")
            return scene.recorded()
