"""Plays scenarios: what commands print, how they end and which files they leave, as text that stays."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import textwrap
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import frozen
import pytest
from outlines import outlines

from factreasoner import __version__, cli

LINKED = {"inputs": frozen.INPUTS, "examples": frozen.ROOT / "examples"}
"""Folders that commands name without their place, whose length would move the ends of lines."""
WIDTH = 110
NOT_SHOWN = ("cache/", "store/")
"""Folders whose files have no form that is promised."""
STAYS = (
    (re.escape(__version__), "VERSION"),
    (r"127\.0\.0\.1:\d+", "127.0.0.1:PORT"),
    (r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d| UTC)?", "TIME"),
    (r"\b\d+(\.\d+)? ?(ms|s|seconds?|min|kB|KB|MB|bytes)\b(?!\.)", "SIZE"),
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

    def command(self, line: str) -> str:
        """Run `factreasoner LINE`, note how it ended, and return what it printed."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2))
        arguments = [argument.format(**self.places) for argument in shlex.split(line)]
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.execute(arguments)
        printed, said = ((stream.seek(0), stream.read())[1] for stream in (out, err))
        self.note(f"$ factreasoner {line}", printed, *(f"! {part}" for part in said.splitlines()))
        self.note(f"exit code {code}", "")
        return printed

    def note(self, *texts: str) -> None:
        """Add texts to what is recorded."""
        self.text += [line.rstrip() for text in texts for line in (text.splitlines() or [""])]

    def recorded(self) -> str:
        """All that was noted, and the files, without what differs from run to run."""
        text = "\n".join([*self.text, "files", *self._files()])
        text = re.sub(r"\n{3,}", "\n\n", text.replace(str(self.folder), "FOLDER"))
        for name, place in self.places.items():
            text = text.replace(place, f"{{{name}}}")
        for pattern, word in STAYS:
            text = re.sub(pattern, word, text)
        return f"{text}\n"

    def _files(self) -> Iterator[str]:
        paths = (path for path in self.folder.rglob("*") if path.is_file() and not path.name.startswith("."))
        names = (path.relative_to(self.folder).as_posix() for path in paths)
        kept = [name for name in names if not name.startswith(NOT_SHOWN)]
        yield from (_wrapped(f"  {line}") for line in outlines(self.folder, kept))


def _wrapped(line: str) -> str:
    return textwrap.fill(line, WIDTH, subsequent_indent="        ", break_long_words=False)


Step = str | Callable[[Scene], object]
"""A command line, or what is done between two: what a function returns is recorded where it is text."""


def play(steps: Sequence[Step], folder: Path) -> str:
    """Play a scenario in an empty folder, with no keys and a cache of its own; what is recorded of it."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.endswith("_API_KEY") or name.startswith("FACTREASONER_"):
                patch.delenv(name)
        patch.setenv("FACTREASONER_CACHE_DIR", str(folder / "cache"))
        patch.setenv("FACTREASONER_ATOMS_PER_CALL", "32")
        patch.setenv("FACTREASONER_SPACY_MODEL", "none")
        patch.setenv("COLUMNS", "100")
        patch.setattr("factreasoner.report.figures.find_spec", lambda name: None)
        patch.chdir(folder)
        for name, place in LINKED.items():
            (folder / name).symlink_to(place)
        scene = Scene(folder, patch)
        for step in steps:
            if isinstance(step, str):
                scene.command(step)
            elif isinstance(said := step(scene), str):
                scene.note(said)
        return scene.recorded()
