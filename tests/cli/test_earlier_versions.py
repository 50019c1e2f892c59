"""Run folders of earlier versions are refused in one sentence that says to run again."""

import json
import shutil

import pytest

from factreasoner.models.journal import Packed, pack

OLD = "has format 2, and this version reads 3; run again"


@pytest.fixture
def old(factreasoner, tmp_path, two):
    factreasoner("run", two, "--out", "old")
    path = tmp_path / "old" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | {"format": 2}), "utf-8")
    shutil.copytree(path.parent, tmp_path / "elsewhere")
    return path.parent


@pytest.mark.parametrize(
    "words",
    [
        ("show", "old"),
        ("export", "old", "--out", "-"),
        ("report", "old"),
        ("explain", "old"),
        ("score", "old"),
        ("evaluate", "old"),
        ("compare", "old", "elsewhere"),
        ("check", "old", "--min", "precision=0.1"),
        ("calibrate", "old", "--out", "c.json"),
        ("run", "DATA", "--out", "old"),
        ("run", "DATA", "--judge", "recorded", "--relations", "old", "--out", "new"),
    ],
    ids=lambda words: words[0],
)
def test_every_command_refuses_old_folders(factreasoner, two, old, words):
    done = factreasoner(*(str(two) if word == "DATA" else word for word in words), code=1)
    assert OLD in done.stderr
    assert done.stdout == ""


def test_fresh_starts_over(factreasoner, two, old):
    factreasoner("run", two, "--out", "old", "--fresh")
    factreasoner("show", "old")


def test_journal_with_unknown_keys_suggests_rerun(factreasoner, tmp_path, two):
    factreasoner("run", two, "--out", "old")
    line = json.loads((tmp_path / "old" / "journal.jsonl").read_text("utf-8").splitlines()[0])
    for verdict in line["result"]["outcome"]["verdicts"]:
        verdict["belief"] = 0.4
    head = {key: line[key] for key in ("id", "fingerprint", "status", "size")}
    result = json.dumps(line["result"]).encode()
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(pack(Packed(**head, result=result)))
    replay = ("--judge", "recorded", "--relations", journal, "--out", "new")
    done = factreasoner("run", two, *replay, code=1)
    assert "can't be read: Extra inputs are not permitted; run again" in done.stderr
