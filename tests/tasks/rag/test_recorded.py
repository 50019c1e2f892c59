"""Verdicts of a file in the place of a judge's: an earlier run's, or a table that names premises."""

import json

import pytest
from rag_records import judging, record_of, worded

from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.tasks.rag.table import scored_rag
from factreasoner.tasks.rag.task import TASK
from factreasoner.tasks.task import line_of

FIELDS = {
    "id": "q1",
    "output": "An answer with pears.",
    "atoms": ["apples", "pears", "plums and figs"],
    "reference": " apples and pears\n",
    "reference_atoms": ["apples!", "pears!"],
    "contexts": ["apples apples!", "plums", "figs"],
}


def record(**changes):
    return record_of(**FIELDS | changes)


def replayed(path, asked, **settings):
    config = Config(judge="recorded", relations=path, **settings)
    return TASK.worker(config, Calls()).assess(asked)


def recorded(folder, **settings):
    """A run of a model, with its journal in the folder."""
    config = Config(model="m", cache=False, confidence="constant", **settings)
    first = TASK.worker(config, Calls(llm=judging(worded, lambda passage, fact: ""))).assess(record())
    (folder / "journal.jsonl").write_bytes(line_of(TASK, first).text)
    return first


@pytest.mark.parametrize("premise", ["each", "joint"])
def test_run_replays_every_premise_and_second_look(tmp_path, premise):
    first = recorded(tmp_path, premise=premise)
    again = replayed(tmp_path, record(), premise=premise)
    assert again.status == "ok"
    assert scored_rag(again).values == scored_rag(first).values
    assert again.together == first.together
    assert scored_rag(again).values["faithfulness"] == pytest.approx(2 / 3)  # one needs several passages


@pytest.mark.parametrize(
    "changed", [{"output": "Another answer."}, {"reference": "plums"}, {"atoms": ["kiwis", "pears", "plums"]}]
)
def test_verdicts_on_other_texts_are_failures(tmp_path, changed):
    recorded(tmp_path)
    again = replayed(tmp_path, record(**changed))
    assert again.status == "partial"
    assert {failure.error_type for failure in again.failures} == {"MissingVerdict"}
    assert any("other texts" in failure.message for failure in again.failures)
    remade = [failure for failure in again.failures if "that run made different claims" in failure.message]
    assert bool(remade) == ("atoms" in changed)
    assert all("`model` with the cache" in failure.message for failure in remade)


def test_a_table_names_answer_reference_and_contexts(tmp_path):
    rows = [("c1", "a2", "entailment"), ("reference", "a0", "entailment"), ("answer", "r1", "entailment")]
    table = tmp_path / "people.jsonl"

    def written(*more):
        lines = ({"record": "q1", "source": s, "target": t, "label": label} for s, t, label in (*rows, *more))
        table.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return scored_rag(replayed(table, record(), unlisted="neutral"))

    one_by_one = written()
    values = one_by_one.values
    assert one_by_one.result.status == "ok"
    assert (values["faithfulness"], values["correctness"], values["coverage"]) == (1 / 3, 1 / 3, 0.5)
    assert written(("contexts", "a1", "entailment")).values["faithfulness"] == 2 / 3


def test_a_recording_without_a_second_look_lacks_nothing(tmp_path):
    sources = {"c0": "a", "c1": "a", "c2": "a", "reference": "a", "answer": "r"}
    pairs = [(s, f"{kind}{n}") for s, kind in sources.items() for n in range(3 if kind == "a" else 2)]
    pairs += [(f"c{n}", f"r{m}") for n in range(3) for m in range(2)]
    table = tmp_path / "people.jsonl"
    lines = ({"record": "q1", "source": s, "target": t, "label": "neutral"} for s, t in pairs)
    table.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = replayed(table, record())
    assert (result.status, result.together) == ("ok", {})
    assert scored_rag(result).values["faithfulness"] == 0.0
