"""What a run leaves when it is stopped."""

import errno
import json
import shutil
import threading

import pytest
from table_judge import TableJudge
from unsettled_solver import UnsettledSolver

from factreasoner import Config, ScriptedLLM, build_pipeline
from factreasoner.errors import ConfigError, InputError, InputProblem, RunError
from factreasoner.llm.capabilities import Capabilities, FoundForm
from factreasoner.models import Atom, Context, Record
from factreasoner.report.progress import Totals
from factreasoner.runs.runner import open_run, run
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.factuality import TASK

RECORDS = [
    Record(id=f"r{i}", response="The sky is blue.", contexts=(Context(id="c", text="The sky is blue."),))
    for i in range(3)
]


class Struck(dict):
    """An interrupt strikes when the second record's line is on disk, and not known here yet."""

    def __init__(self):
        super().__init__()
        self.struck = False

    def __setitem__(self, record_id, entry):
        if record_id == "r1" and not self.struck:
            self.struck = True
            raise KeyboardInterrupt
        super().__setitem__(record_id, entry)


def interrupted(path):
    """The folder of a run that was interrupted there, and what is told of it."""
    config = Config()
    folder = RunFolder(path, TASK)
    folder.start(config, {})
    folder.entries = Struck()
    with pytest.raises(KeyboardInterrupt) as raised:
        run(build_pipeline(config), folder, [record.id for record in RECORDS], RECORDS, Totals())
    return folder, raised.value.__notes__


def test_interrupt_keeps_finished_records_in_results(tmp_path):
    folder, told = interrupted(tmp_path)
    lines = folder.results_path.read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in lines] == ["r0", "r1"]
    assert told == [f"2 of 3 records are assessed and saved in {tmp_path}."]


def test_interrupt_of_large_run_defers_results(tmp_path, monkeypatch):
    monkeypatch.setattr("factreasoner.runs.runner.WRITTEN_AT_ONCE", 1)
    folder, told = interrupted(tmp_path)
    assert not folder.results_path.exists()
    assert not folder.summary_path.exists()
    assert [result.record_id for result in folder.results(["r0", "r1", "r2"])] == ["r0", "r1"]
    export = f"`factreasoner export {tmp_path} --table records` writes their scores."
    rest = f"; results.jsonl and summary.json are written at the end of the run. Until then, {export}"
    assert told == [f"2 of 3 records are assessed and saved in {tmp_path}{rest}"]


@pytest.mark.parametrize(
    ("place", "error", "words"),
    [
        ("factreasoner.runs.runner.score_journal", MemoryError(), "3 of 3 records are assessed"),
        ("factreasoner.models.journal.os.fsync", MemoryError(), "1 of 3 records are assessed"),
        ("os.fsync", OSError(errno.ENOSPC, "No space"), r"journal\.jsonl: can't be written: No space"),
    ],
)
def test_out_of_memory_or_disk_reports_saved_records(tmp_path, monkeypatch, place, error, words):
    def fail(*_):
        raise error

    config, ids = Config(), [record.id for record in RECORDS]
    folder = RunFolder(tmp_path, TASK)
    folder.start(config, {})
    folder.manifest.settle_parser()
    with monkeypatch.context() as patch:
        patch.setattr(place, fail)
        with pytest.raises((MemoryError, RunError), match=words) as caught:
            run(build_pipeline(config), folder, ids, RECORDS, Totals())
    (note,) = caught.value.__notes__
    rest = "" if isinstance(error, OSError) else "; results.jsonl and "
    assert note.startswith(f"{len(folder.entries)} of 3 records are assessed and saved in {tmp_path}{rest}")
    assert folder.entries
    assert run(build_pipeline(config), folder, ids, RECORDS, Totals()).complete
    assert len(folder.results_path.read_text(encoding="utf-8").splitlines()) == 3


def test_work_in_progress_survives_failing_input(tmp_path):
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
        run(pipeline, folder, [record.id for record in RECORDS], records(), Totals())
    assert raised.value.__notes__ == [f"2 of 3 records are assessed and saved in {tmp_path}."]
    statuses = [a.status for a in folder.results(["r0", "r1"])]
    assert statuses == ["ok", "ok"]


def misset(folder, act):
    """A run that does `act` before a setting turns out to be wrong."""
    config = Config()
    with open_run(folder, config, fresh=False):
        act(config)
        raise ConfigError("no such model")


def test_new_folder_survives_config_error_with_records(tmp_path):
    folder = RunFolder(tmp_path / "run", TASK)
    with pytest.raises(ConfigError, match="no such model"):
        misset(folder, lambda config: None)
    assert not folder.path.exists()
    with pytest.raises(ConfigError, match="no such model"):
        misset(folder, lambda config: run(build_pipeline(config), folder, ["r0"], RECORDS[:1], Totals()))
    assert list(RunFolder(folder.path, TASK).entries) == ["r0"]


def test_config_error_is_reported_without_the_folder(tmp_path):
    folder = RunFolder(tmp_path / "run", TASK)
    with pytest.raises(ConfigError, match="no such model"):
        misset(folder, lambda config: shutil.rmtree(folder.path))


class CountingJudge(TableJudge):
    """Entails all it is asked; on request fails at the first claims instead. `asked` counts its calls."""

    def __init__(self, failing=0):
        super().__init__({})
        self.asked, self._failing = 0, failing

    def judge(self, premise, claims):
        self.asked += 1
        self.otherwise = "lost" if self.asked <= self._failing else ("entailment", 0.9)
        return super().judge(premise, claims)


def run_over(path, judge, records):
    config = Config(concurrency=1)
    pipeline = build_pipeline(config, judge=judge, solver=UnsettledSolver())
    folder = RunFolder(path, TASK)
    folder.start(pipeline.config, {})
    try:
        return run(pipeline, folder, [record.id for record in records], records, Totals())
    finally:
        folder.close()


def test_unconverged_posteriors_cause_no_new_calls(tmp_path):
    judge = CountingJudge()
    first = run_over(tmp_path, judge, RECORDS)
    assert first.unfinished == 3
    asked = judge.asked
    assert asked > 0
    again = run_over(tmp_path, judge, RECORDS)
    assert judge.asked == asked
    assert again.summary == first.summary
    assert (again.unfinished, again.complete) == (3, False)
    changed = [RECORDS[0].model_copy(update={"prompt": "What is blue?"}), *RECORDS[1:]]
    run_over(tmp_path, judge, changed)
    assert judge.asked > asked


def test_failed_verdict_is_retried_whatever_the_solver(tmp_path):
    two = tuple(Context(id=f"c{i}", text=f"The sky is blue {i}.") for i in range(2))
    record = RECORDS[0].model_copy(update={"contexts": two})
    judge = CountingJudge(failing=1)
    first = run_over(tmp_path, judge, [record])
    assert first.summary["records"]["partial"] == 1
    asked = judge.asked
    run_over(tmp_path, judge, [record])
    assert judge.asked > asked


def test_absent_server_fails_no_record(tmp_path, monkeypatch):
    monkeypatch.setattr("factreasoner.llm.send.SECONDS_AT_START", 0.5)
    url = "http://127.0.0.1:9/v1"
    config = Config(model="fake", api_base=url, atoms_per_call=1, confidence="constant", cache=False)
    records = [
        RECORDS[0].model_copy(update={"id": f"r{i}", "atoms": (Atom(id="a", text=f"It has {i} clouds."),)})
        for i in range(24)
    ]
    folder = RunFolder(tmp_path / "run", TASK)
    folder.start(config, {})
    forms = dict.fromkeys(("one", "flat", "nested"), FoundForm(form="tool"))
    folder.manifest.keep_capabilities(config.model, Capabilities(forms=forms))  # so calls are made at once
    worker = TASK.worker(config, folder.calls(config))
    with pytest.raises(ConfigError, match=r"every connection was refused for 0\.5 s"):
        run(worker, folder, [record.id for record in records], records, Totals())
    assert folder.entries == {}
    folder.close()
