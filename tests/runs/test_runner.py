"""What a run leaves when it is stopped."""

import json
import threading

import pytest

from factreasoner import Config, ScriptedLLM, build_pipeline
from factreasoner.errors import InputError, InputProblem
from factreasoner.models import Atom, Context, Record
from factreasoner.runs.runner import run
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.factuality import TASK

RECORDS = [
    Record(id=f"r{i}", response="The sky is blue.", contexts=(Context(id="c", text="The sky is blue."),))
    for i in range(3)
]


class Silent:
    def started(self, total, finished):
        pass

    def assessed(self, assessment):
        pass

    def waiting(self, seconds):
        pass


class Interrupted(RunFolder):
    """Struck at the second record, after its line is on disk and before it is known here."""

    def append(self, assessment):
        super().append(assessment)
        if assessment.record_id == "r1":
            del self.entries["r1"]
            raise KeyboardInterrupt


def test_an_interrupt_right_after_a_line_leaves_no_record_out_of_the_results(tmp_path):
    config = Config()
    folder = Interrupted(tmp_path, TASK)
    folder.start(config, {})
    with pytest.raises(KeyboardInterrupt):
        run(build_pipeline(config), folder, [record.id for record in RECORDS], RECORDS, Silent())
    lines = folder.results_path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["r0", "r1"]


def test_an_input_that_fails_later_tells_what_is_kept(tmp_path):
    def records():
        yield from RECORDS[:2]
        raise InputError([InputProblem("data.jsonl:3", "", "is gone")])

    config = Config()
    folder = RunFolder(tmp_path, TASK)
    folder.start(config, {})
    with pytest.raises(InputError, match="is gone") as raised:
        run(build_pipeline(config), folder, [record.id for record in RECORDS], records(), Silent())
    assert raised.value.__notes__ == [f"2 of 3 records are assessed, and kept in {tmp_path}."]
    lines = folder.results_path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["r0", "r1"]


def test_what_is_under_way_when_the_input_fails_is_kept(tmp_path):
    failed = threading.Event()

    def answer(prompt, schema):
        assert failed.wait(30)  # both calls are under way by then
        return dict.fromkeys(schema.arguments, "True")

    def records():
        for record in RECORDS[:2]:
            yield record.model_copy(update={"atoms": (Atom(id="a", text="The sky is blue."),)})
        failed.set()
        raise InputError([InputProblem("data.jsonl:3", "", "is gone")])

    pipeline = build_pipeline(Config(), llm=ScriptedLLM(answer))
    folder = RunFolder(tmp_path, TASK)
    folder.start(pipeline.config, {})
    with pytest.raises(InputError, match="is gone") as raised:
        run(pipeline, folder, [record.id for record in RECORDS], records(), Silent())
    assert raised.value.__notes__ == [f"2 of 3 records are assessed, and kept in {tmp_path}."]
    statuses = [a.status for a in folder.results(["r0", "r1"])]
    assert statuses == ["ok", "ok"]
