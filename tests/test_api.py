"""Many records from Python: every kind of table, resumed, limited, and with errors that name the record."""

import asyncio
import gc
import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import pytest
from fake_server import FakeServer, hang, obliging
from unsettled_solver import UnsettledSolver

from factreasoner import Run, ScriptedLLM, aassess, assess_many
from factreasoner.errors import ConfigError, InputError
from factreasoner.models import Record

PASSAGE = "Marie Curie was born in Warsaw in 1867."
ROWS = [
    {"id": "x", "output": "Marie Curie was born in 1867.", "contexts": [PASSAGE]},
    {"id": "y", "output": "Marie Curie was born in 1876.", "contexts": [PASSAGE], "topic": "Marie Curie"},
]


def labels(run):
    return run.atoms().set_index("record")["label"].to_dict()


def ids(results):
    """The ids of results, with garbage collected before and after each."""
    gc.collect()
    found = []
    for result in results:
        gc.collect()
        found.append(result.record_id)
    return found


def read_ids(file):
    gc.collect()
    return [json.loads(line)["id"] for line in file.read_text().splitlines()]


@pytest.mark.parametrize(
    "chained",
    [
        lambda made: ids(made().results()),
        lambda made: ids(islice(made().results(), 2)),
        lambda made: ids(pair[0] for pair in zip(made().results(), "ab", strict=True)),
        lambda made: [next(made().results()).record_id, "y"],
        lambda made: ids(Run.open(made().path).results()),
        lambda made: read_ids(made().path / "results.jsonl"),
        lambda made: next(read_ids(file) for file in made().path.iterdir() if file.name == "results.jsonl"),
        lambda made: list(made().records()["record"]),
        lambda made: [i for i in ("x", "y") if f"<bdi>{i}</bdi>" in made()._repr_html_()],
    ],
)
def test_chained_call_keeps_a_temporary_run(chained):
    assert chained(lambda: assess_many(ROWS, progress=False, cache=False)) == ["x", "y"]
    gc.collect()


def test_temporary_folder_goes_when_its_iterator_ends(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    results = assess_many(ROWS, progress=False, cache=False).results()
    assert len(list(tmp_path.iterdir())) == 1
    assert ids(results) == ["x", "y"]
    del results
    gc.collect()
    assert list(tmp_path.iterdir()) == []


def test_progress_is_optional(capsys):
    assess_many(ROWS, progress=True, cache=False)
    assert "2/2 records" in capsys.readouterr().err
    assess_many(ROWS, progress=False, cache=False)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ("x.jsonl", "assess_many(): records: is a string; it must be a list of records, a DataFrame or"),
        ([{"output": "x"}], "record 1: contexts: missing"),
    ],
)
def test_invalid_input_is_named_before_work(tmp_path, records, message):
    with pytest.raises(InputError) as caught:
        assess_many(records, out=tmp_path / "run", progress=False)
    assert message in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_records_of_ours_and_unknown_settings():
    record = Record(id="r", response="x", contexts=())
    assert len(assess_many([record], progress=False)) == 1
    with pytest.raises(ConfigError, match="no task is called 'rgg'; did you mean 'rag'"):
        assess_many([record], task="rgg")


def test_cancelled_aassess_stops_at_once():
    rows = [f"Person {number} was born in {1900 + number}." for number in range(24)]

    async def in_vain(server):
        given = {"model": "openai/fake", "api_base": server.url, "cache": False, "form": "tool"}
        assessing = asyncio.create_task(aassess(" ".join(rows), atoms=rows, contexts=rows, **given))
        while server.calls < 3:
            assert not assessing.done()
            await asyncio.sleep(0.01)
        assessing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await assessing
        return server.calls

    def answer(request):
        return obliging(request) if server.calls < 3 else hang(300)

    with FakeServer(answer, delay=0.3) as server, ThreadPoolExecutor(1) as thread:
        running = thread.submit(asyncio.run, in_vain(server))  # until the loop's threads have ended
        assert server.calls <= running.result(60) + 2  # they were on their way


def test_processes_import_custom_classes(tmp_path):
    own = {"solver": UnsettledSolver, "judge": "word_judge:WordJudge"}
    given = own | {"progress": False, "cache": False}
    found = assess_many(ROWS, executor="processes", workers=1, out=tmp_path / "run", **given)
    assert labels(found) == labels(assess_many(ROWS, **given))
    said = json.loads((tmp_path / "run" / "manifest.json").read_text())["config"]["solver"]
    assert said == "unsettled_solver:UnsettledSolver"


def test_processes_take_no_objects(tmp_path):
    class Judge:
        """One that only this function knows."""

    for own in (Judge, Judge(), UnsettledSolver()):
        with pytest.raises(
            ConfigError, match=r"import their parts, and judge \(.*\) is not a class or function"
        ):
            assess_many(ROWS, out=tmp_path / "run", executor="processes", judge=own)
    with pytest.raises(ConfigError, match=r"and llm \(.*ScriptedLLM\) is not a class"):
        assess_many(ROWS, executor="processes", llm=ScriptedLLM(lambda prompt, schema: {}))
    assert not (tmp_path / "run").exists()


def test_model_capabilities_are_saved_for_resuming(tmp_path):
    with FakeServer(obliging) as server:
        given = {"model": "openai/fake", "api_base": server.url, "atomizer": "rules", "reviser": "none"}
        assess_many(ROWS[:1], out=tmp_path / "run", progress=False, **given)
    assert json.loads((tmp_path / "run" / "manifest.json").read_text())["models"].keys() == {"openai/fake"}
