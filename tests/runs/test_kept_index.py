"""The index that is kept of a large journal says what the journal says, or is not believed."""

import os

import pytest
from run_folders import run_folder

from factreasoner.errors import RunError
from factreasoner.models import Assessment
from factreasoner.runs import store
from factreasoner.runs.journal import head_of
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK


@pytest.fixture(autouse=True)
def kept_from_the_second(monkeypatch):
    monkeypatch.setattr("factreasoner.runs.kept_index.KEPT_FROM", 2)


@pytest.fixture
def read(monkeypatch):
    """The ids of the lines that were read in full."""
    ids = []

    def reading(line):
        head = head_of(line)
        ids.append(head["record_id"])
        return head

    monkeypatch.setattr(store, "head_of", reading)
    return ids


def assessment(record_id, status="ok"):
    return Assessment(record_id=record_id, status=status, assessor="factreasoner", fingerprint="f f")


def opened(path):
    folder = RunFolder(path, TASK)
    folder.start(Config(), {})
    return folder


@pytest.fixture
def run_dir(tmp_path):
    run_folder(
        tmp_path,
        assessment("r0"),
        assessment("r1", "failed"),
        assessment('r "2"'),
        assessment("r1"),
        finished=False,
    )
    return tmp_path


def entries(path):
    """What a reader finds there."""
    folder = RunFolder(path, TASK)
    folder.read_journal()
    return dict(folder.entries)


def without_index(path):
    """What the journal itself says."""
    index = path / "journal.index"
    index.rename(path / "aside")
    found = entries(path)
    (path / "aside").rename(index)
    return found


def test_a_journal_is_not_read_again(run_dir, read):
    found = entries(run_dir)
    assert read == []
    assert found == without_index(run_dir)
    assert list(found) == ["r0", "r1", 'r "2"']


def test_a_small_journal_has_no_index(tmp_path):
    run_folder(tmp_path, assessment("r0"), finished=False)
    assert not (tmp_path / "journal.index").exists()


def test_what_a_killed_process_did_not_note_is_read_and_noted(run_dir, read):
    index = run_dir / "journal.index"
    lines = index.read_bytes().splitlines(keepends=True)
    index.write_bytes(b"".join(lines[:-1]) + lines[-1][:5])
    assert entries(run_dir) == without_index(run_dir)
    assert read[0] == "r1"
    del read[:]
    opened(run_dir).close()
    assert read == ["r1"]
    opened(run_dir).close()
    assert read == ["r1"]
    assert index.read_bytes() == b"".join(lines)


def test_a_torn_line_of_the_journal_is_cut_off_once(run_dir, read):
    journal = run_dir / "journal.jsonl"
    whole = journal.read_bytes()
    journal.write_bytes(whole + b'{"torn')
    opened(run_dir).close()
    assert journal.read_bytes() == whole
    opened(run_dir).close()
    assert read == []


def shortened(lines):
    return lines[1:]


def cut(lines):
    return lines[:-1]


def replaced(lines):
    return [lines[0].replace(b'"ok"', b'"no"'), *lines[1:]]


@pytest.mark.parametrize("change", [shortened, cut, replaced])
def test_a_journal_that_was_changed_is_read_again(run_dir, change):
    journal, index = run_dir / "journal.jsonl", run_dir / "journal.index"
    journal.write_bytes(b"".join(change(journal.read_bytes().splitlines(keepends=True))))
    os.utime(index, ns=(0, journal.stat().st_mtime_ns - 1))
    if change is replaced:
        with pytest.raises(RunError, match=r"journal\.jsonl:1: damaged line"):
            entries(run_dir)
    else:
        assert entries(run_dir) == without_index(run_dir)


@pytest.mark.parametrize(
    "content", [b"", b"\xff\n", b"[]\n", b'[1, "ok"]\n', b'[-1, "ok", "f", 1, true, "r0"]\n']
)
def test_an_index_that_is_damaged_is_made_anew(run_dir, content):
    index = run_dir / "journal.index"
    whole = index.read_bytes()
    for damaged in (content, whole.partition(b"\n")[0] + b"\n" + content):
        index.write_bytes(damaged)
        found = entries(run_dir)
        assert found == without_index(run_dir)
        opened(run_dir).close()
        assert entries(run_dir) == found


def test_an_index_that_cant_be_written_is_done_without(run_dir, monkeypatch):
    index = run_dir / "journal.index"
    index.unlink()
    index.mkdir()
    run_folder(run_dir, assessment("r3"), finished=False)
    assert list(entries(run_dir)) == ["r0", "r1", 'r "2"', "r3"]


def test_starting_over_forgets_it(run_dir):
    folder = RunFolder(run_dir, TASK)
    folder.start(Config(), {}, fresh=True)
    assert not folder.entries
    assert not (run_dir / "journal.index").exists()
