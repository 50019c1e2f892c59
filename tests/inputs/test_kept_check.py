"""A large file that was checked before is not checked again, unless anything about it changed."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from factreasoner.inputs import input as checking
from factreasoner.inputs.input import CheckedInput, check_input
from factreasoner.inputs.kept_check import KeptCheck
from factreasoner.models import Record, record_fingerprint

LINES = [{"id": f'"{i}" é', "output": f"It was {i}.", "refrence": "?", "contexts": []} for i in range(5)]


@pytest.fixture(autouse=True)
def every_file_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checking, "KEPT_FROM", 1)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "d.jsonl"
    path.write_text("\n".join(map(json.dumps, LINES)) + "\n")
    return path


class Watched:
    """Checks a file, and counts how many records were parsed for that."""

    def __init__(self, kept: Path) -> None:
        self.kept = kept
        self.parsed = 0

    def check(self, data: Path, settings: dict[str, Any] | None = None, **options: Any) -> CheckedInput:
        def fits(_: Record) -> list[Any]:
            self.parsed += 1
            return []

        kept = KeptCheck(self.kept, settings or {})
        checked = check_input(data, fits=fits, kept=kept, **options)
        if (lines := checked.to_keep()) is not None:
            self.kept.write_text("".join(f"{line}\n" for line in lines))
        return checked


@pytest.mark.parametrize("packed", [False, True])
def test_what_was_found_is_taken_and_finished_records_are_left_out(
    tmp_path: Path, data: Path, packed: bool
) -> None:
    if packed:
        data.write_bytes(gzip.compress(data.read_bytes(), mtime=0))
    watched = Watched(tmp_path / "kept")
    first, again = watched.check(data), watched.check(data)
    assert watched.parsed == len(LINES)
    assert (list(again.ids), again.notes) == (list(first.ids), first.notes)
    assert "refrence" in again.notes[0]
    records = list(first.records())
    assert list(again.records()) == records
    prints = {record.id: record_fingerprint(record) for record in records[1:4]}
    for checked in (first, again):
        left = checked.records(lambda record_id, digest: prints.get(record_id) == digest)
        assert list(left) == [records[0], records[4]]


@pytest.mark.parametrize(
    "change",
    [
        lambda kept, data: data.write_text(data.read_text().replace("It was 3", "It was 4")),
        lambda kept, data: kept.write_text(kept.read_text().removesuffix("end\n")),
        lambda kept, data: kept.write_text(kept.read_text()[:200]),
        lambda kept, data: kept.write_text(""),
        lambda kept, data: kept.write_bytes(b"\xff{}"),
        lambda kept, data: kept.write_text("[]"),
        lambda kept, data: kept.unlink(),
    ],
)
def test_a_changed_or_damaged_file_is_checked_again(tmp_path: Path, data: Path, change: Any) -> None:
    watched = Watched(tmp_path / "kept")
    watched.check(data)
    change(watched.kept, data)
    assert len(watched.check(data)) == len(LINES)
    assert watched.parsed == 2 * len(LINES)
    watched.check(data)
    assert watched.parsed == 2 * len(LINES)


def test_other_settings_and_bad_lines_are_checked_again(tmp_path: Path, data: Path) -> None:
    watched = Watched(tmp_path / "kept")
    watched.check(data)
    watched.check(data, {"limit": 3}, limit=3)
    assert watched.parsed == len(LINES) + 3
    with data.open("a") as file:
        file.write("{no\n")
    for count in (1, 2):
        checked = watched.check(data, skip_invalid=True)
        assert [problem.where for problem in checked.problems] == [f"{data}:6"]
        assert watched.parsed == len(LINES) + 3 + count * len(LINES)
