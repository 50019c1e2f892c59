"""The command, run in this process so that heavy libraries are imported once."""

from __future__ import annotations

import io
import logging
import os
from typing import NamedTuple

import pytest
from command import record, write_records

from factreasoner import cli
from factreasoner.report.terminal import WarningHandler

WARNINGS = WarningHandler(logging.WARNING)


class Done(NamedTuple):
    """How a command ended."""

    returncode: int
    stdout: str
    stderr: str


@pytest.fixture
def one(tmp_path):
    """A file of one record."""
    return write_records(tmp_path / "d.jsonl", record("r1"))


@pytest.fixture
def two(tmp_path):
    """A file of two records."""
    return write_records(tmp_path / "d.jsonl", record("r1"), record("r2"))


@pytest.fixture
def factreasoner(tmp_path, monkeypatch, capsys):
    """Run `factreasoner ARGUMENTS` in `tmp_path` with no keys and a cache of the test's own.

    It must end with exit code `code`; None: with any. No model is probed, unless a test takes
    FACTREASONER_ATOMS_PER_CALL away. `doctor` imports no extra: beside threads that other tests left, an
    import can fail.
    """
    monkeypatch.setattr("factreasoner.cli.doctor.EXTRA_OF_MODULE", {})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("FACTREASONER_ATOMS_PER_CALL", "32")
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)

    def run(*arguments, stdin="", env=None, code=0):
        with monkeypatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
            for name, value in (env or {}).items():
                patch.setenv(name, value)
            logging.getLogger().addHandler(WARNINGS)  # as `main` does
            try:
                done = Done(cli.execute([str(argument) for argument in arguments]), *capsys.readouterr())
            finally:
                logging.getLogger().removeHandler(WARNINGS)
        assert "Traceback" not in done.stdout + done.stderr, done.stderr
        assert code in (None, done.returncode), f"exit code {done.returncode}: {done.stdout}{done.stderr}"
        return done

    return run
