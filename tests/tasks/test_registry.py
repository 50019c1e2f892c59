"""Tasks by name; and one that is a module and a name: runs, views, exports, gates and reports take it."""

import pytest

from factreasoner import Config, cli
from factreasoner.errors import RunError
from factreasoner.metrics.statistics import OfRecords
from factreasoner.metrics.table import Metric, Need, Table
from factreasoner.models import Atom, Claim, Failure, Premise, Record
from factreasoner.models.rows import Evidence, by_claim, claim_row, judgement_of
from factreasoner.pipeline.assembly import Calls, assembly_of
from factreasoner.runs.scoring import score_journal
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.task import (
    TASKS,
    ClaimResult,
    ClaimTally,
    ClaimWorker,
    Task,
    Work,
    line_of,
    task_named,
)


class Repeated(ClaimResult):
    """Which atoms the question states already."""

    atoms: tuple[Atom, ...] = ()

    @property
    def metrics(self):
        return TABLE.line(self.rows())

    def _rows(self):
        verdicts = by_claim(self.verdicts)
        for atom in self.atoms:
            own = verdicts.get(atom.id, [])
            judgement = judgement_of(own[0].p.entailment if own else None, own)
            yield claim_row(self.record_id, "answer", atom, judgement, Evidence("question", {}, own))


class Worker(ClaimWorker[Repeated]):
    result = Repeated

    def _work(self, record, meter):
        claims = [Claim(atom.id, atom.text) for atom in record.atoms]
        judged = self._judge.judge(Premise("question", record.prompt, record_id=record.id), claims)
        fields = {"atoms": record.atoms, "verdicts": judged.verdicts}
        return Work(fields, judged.failures, len(judged.verdicts), len(claims))


def share(rows):
    return sum(row.label == "supported" for row in rows) / len(rows) if rows else None


TABLE = Table(
    "repetition",
    main="repeated",
    claims=lambda rows: ((), 0),
    metrics=[
        Metric(
            "repeated",
            "repeated",
            "share of atoms that the question states",
            Need("atoms", lambda sample: "no record has an atom"),
            OfRecords(share),
            places=("line", "run", "evaluate", "compare"),
        )
    ],
)
TASK = Task(
    name="repetition",
    result=Repeated,
    table=TABLE,
    problems=lambda record, config: [],
    prompts=lambda config: ["judge", "judge_one"],
    worker=lambda config, calls: Worker(assembly_of(config, calls)),
    tally=lambda config, sizes: ClaimTally(TABLE, lambda result: (list(result.rows()), {})),
)


def scored(path, config, record):
    """The summary of a new run of one record."""
    folder = RunFolder(path, TASK)
    folder.start(config, {})
    folder.write([line_of(TASK, TASK.worker(config, Calls()).assess(record))])
    summary = score_journal(folder, [record.id], config)
    folder.close()
    return summary


def test_a_task_is_its_module_and_its_name(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(TASKS, "repetition", f"{__name__}:TASK")
    config, run = Config(), tmp_path / "run"
    atoms = (Atom(id="a0", text="The museum opened in 1932."), Atom(id="a1", text="It has a café."))
    record = Record(id="r1", prompt="The museum opened in 1932.", response="So it did.", atoms=atoms)
    summary = scored(run, config, record)
    assert summary["metrics"]["repeated"]["value"] == 0.5

    def told(*arguments):
        code = cli.execute([*map(str, arguments)])
        return code, capsys.readouterr().out

    code, shown = told("show", run)
    assert (code, "The museum opened in 1932." in shown, "supported" in shown) == (0, True, True), shown
    assert told("export", run, "--out", tmp_path / "claims.csv")[0] == 0
    assert "a1,answer,question" in (tmp_path / "claims.csv").read_text(encoding="utf-8")
    assert told("evaluate", run)[0] == 0
    assert told("check", run, "--min", "repeated=0.6")[0] == 4
    scored(tmp_path / "other", config, record.model_copy(update={"prompt": "What opened?"}))
    code, compared = told("compare", run, tmp_path / "other")
    assert (code, "repeated" in compared) == (0, True), compared
    assert told("report", run, "--out", tmp_path / "page.html")[0] == 0
    assert "It has a café." in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "settings", "prompts"),
    [
        ("run", {}, ["atomizer", "reviser", "judge", "judge_one"]),
        (
            "run",
            {"model": "m", "query_builder": "llm", "summarizer": "llm"},
            ["atomizer", "reviser", "judge", "judge_one", "query", "summarizer"],
        ),
        ("recall", {}, ["judge", "judge_one", "fact_generator"]),
        ("recall", {"mode": "prompt-tf"}, ["prompt-tf", "fact_generator"]),
        ("rag", {}, ["atomizer", "reviser", "judge", "judge_one", "judge_several"]),
        ("verify", {}, ["atomizer", "reviser", "verify", "correct"]),
    ],
)
def test_prompts_match_the_settings_of_run(name, settings, prompts):
    assert task_named(name).prompts(Config(**settings)) == prompts


@pytest.mark.parametrize("name", TASKS)
def test_failed_record_is_line_without_claims(name):
    task = task_named(name)
    failure = Failure(stage="pipeline", item_id="r1", error_type="KeyError", message="x")
    found = task.failed(Record(id="r1", response="x [7].", topic="t"), Config(), failure)
    assert (found.status, found.topic, found.failures) == ("failed", "t", (failure,))
    assert (task.size(found), [*found.rows()], [*task.verdicts(found)]) == (0, [], [])
    line = task.tally(Config(), []).add(found)
    assert (line["status"], line["failures"][0]["message"]) == ("failed", "x")
    metrics = {metric.line_name for metric in task.table if not metric.usage}
    assert {line[name] for name in metrics & line.keys()} <= {None}


def test_unknown_task_lists_known_ones():
    with pytest.raises(RunError, match=r"'ragg'.*known: run, recall"):
        task_named("ragg")
