"""A record that somebody names: found, or the nearest one told where that takes no time."""

import pytest
from assessments import assessment
from run_folders import run_folder

from factreasoner.errors import RunError
from factreasoner.runs import known_records
from factreasoner.runs.store import RunFolder


@pytest.fixture
def folder(tmp_path):
    made = RunFolder.of_any_task(run_folder(tmp_path / "run", assessment([0.5])))
    made.read_journal()
    return made


def test_the_nearest_record_is_told(folder):
    assert known_records.known_id(folder, "r1") == "r1"
    with pytest.raises(RunError, match="no record 'r11'; did you mean 'r1'"):
        known_records.known_id(folder, "r11")


def test_none_is_looked_for_among_too_many(folder, monkeypatch):
    monkeypatch.setattr(known_records, "MOST_COMPARED", 0)
    with pytest.raises(RunError, match=r"no record 'r11'; .*results\.jsonl has the ids"):
        known_records.known_id(folder, "r11")
