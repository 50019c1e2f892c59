"""The folder of a run's batches, where its files are not as they were left."""

import json
import shutil

import pytest

from factreasoner.errors import RunError
from factreasoner.llm.batches.batch import Batch
from factreasoner.llm.batches.folder import BatchFolder


def usage_of(model, completion, body):
    raise AssertionError("there are no results")


def test_damaged_closed_file_is_reported(tmp_path):
    (tmp_path / "closed.txt").write_text("two")
    folder = BatchFolder(tmp_path)
    folder.ask("m", "a-0", {"messages": []}, most_cost=0.1)
    folder.write()
    with pytest.raises(RunError, match=r"closed\.txt: not the number of a batch"):
        folder.read(usage_of)


def test_batches_that_stay_would_answer_the_next_run(tmp_path, monkeypatch):
    def denied(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(shutil, "rmtree", denied)
    with pytest.raises(RunError, match="can't be deleted: Permission denied"):
        BatchFolder(tmp_path).clear()


def test_clear_ignores_a_missing_folder(tmp_path):
    BatchFolder(tmp_path / "none").clear()
    assert not (tmp_path / "none").exists()


def test_note_removes_keys_set_to_none(tmp_path):
    batch = Batch(tmp_path, 1)
    batch.note(model="m", file_id="f", batch_id="b")
    batch.note(file_id=None, batch_id=None)
    assert batch.state == {"model": "m"}


def test_changing_results_file_mixes_no_answers(tmp_path):
    folder = BatchFolder(tmp_path)
    for name in ("a-0", "b-0"):
        folder.ask("m", name, {"messages": []}, most_cost=0.1)
    (batch,) = folder.write()
    lines = [json.dumps({"custom_id": name, "error": "out of memory"}) + "\n" for name in ("a-0", "b-0")]
    batch.results_path.write_text("".join(lines))
    folder.read(usage_of)
    assert folder.result("a-0").custom_id == "a-0"
    for changed in ("".join(reversed(lines)), lines[0][5:], ""):
        batch.results_path.write_text(changed)
        with pytest.raises(RunError, match=r"1\.results\.jsonl: was changed .*rerun to resume"):
            folder.result("a-0")
