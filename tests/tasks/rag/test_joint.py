"""Contexts judged together: calls, passages that verdicts rest on, contexts too long for one call."""

import re

import pytest
import rag_records
from rag_records import record_of

from factreasoner.errors import ConfigError
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.tasks.rag import worker
from factreasoner.tasks.rag.table import scored_rag
from factreasoner.tasks.rag.task import TASK


def sources_of(prompt):
    """What a prompt shows, by number."""
    found = re.findall(r"Source (\d+):\n<[^>]*>\n?(.*?)\n?</", prompt, re.DOTALL)
    return {int(number): text for number, text in found}


def reader(*, names_sources=True):
    """A model that finds a fact word for word, and "not X" where X is the fact; it names where."""

    def answer(prompt, schema):
        said = {}
        shown = sources_of(prompt.user) or {1: prompt.user}
        for name, fact in schema.items.items():
            against = [n for n, text in shown.items() if f"not {fact}" in text]
            bearing = [n for n, text in shown.items() if fact in text and n not in against]
            said[name] = "True" if bearing else "False" if against else "Not clear"
            if f"{name}_sources" in schema.arguments:
                said[f"{name}_sources"] = ", ".join(map(str, bearing or against)) if names_sources else ""
        return said

    return ScriptedLLM(answer)


def assessed(llm, record, **settings):
    return rag_records.assessed(llm, record, **{"form": "auto", "premise": "joint"} | settings)


RECORD = {
    "atoms": ["apples", "pears", "plums", "figs"],
    "reference": "apples, and quinces",
    "reference_atoms": ["quinces", "apples!"],
    "contexts": ["some apples! here", "not pears", "apples! plums", "nothing"],
}


def test_joint_metrics_need_three_judge_calls():
    joint, each = reader(), reader()
    found = scored_rag(assessed(joint, record_of(**RECORD)))
    exact = scored_rag(assessed(each, record_of(**RECORD), premise="each"))
    assert len(joint.calls) == 3
    assert len(each.calls) == 4 + 2 + 1
    shares = {name: value for name, value in found.values.items() if not name.endswith("_p")}
    assert shares == {name: exact.values[name] for name in shares}
    assert found.values["context_precision"] == 0.5
    by_claim = {v.target_id: v.rests_on for v in found.result.verdicts if v.context_id == "contexts"}
    both = ("c0", "c2")
    assert by_claim == {"a0": both, "a1": ("c1",), "a2": ("c2",), "a3": (), "r0": (), "r1": both}


def test_single_context_needs_no_number():
    llm = reader()
    contexts = ["apples, not pears"]
    result = assessed(llm, record_of(atoms=["apples", "pears", "figs"], contexts=contexts))
    assert list(llm.calls[0].schema.arguments) == ["fact_0", "fact_1", "fact_2"]
    rests_on = {v.target_id: v.rests_on for v in result.verdicts}
    assert rests_on == {"a0": ("c0",), "a1": ("c0",), "a2": ()}


def test_faithfulness_needs_two_calls_and_all_five():
    """Claims of each text in one call, and one call of judgement for the contexts, answer and reference."""

    judge = reader()

    def answer(prompt, schema):
        if schema.name == "report_statements":
            return {"statements": ["apples", "quinces"]}
        return judge.call(prompt, schema).arguments

    contexts = [*RECORD["contexts"], *RECORD["contexts"]]
    for fields, calls in (({}, 2), ({"reference": "apples, and quinces"}, 5)):
        llm = ScriptedLLM(answer)
        record = record_of(output="apples and quinces", contexts=contexts, **fields)
        scored = scored_rag(assessed(llm, record, reviser="none"))
        assert len(llm.calls) == calls
        assert scored.result.status == "ok"
        assert scored.values["faithfulness"] == 0.5


def test_without_a_named_passage_none_is_guessed():
    found = scored_rag(assessed(reader(names_sources=False), record_of(**RECORD)))
    assert found.values["faithfulness"] == found.values["claim_recall"] == 0.5
    assert found.values["context_precision"] is None
    assert not any(v.rests_on for v in found.result.verdicts if v.context_id == "contexts")


def test_contexts_too_long_are_split_into_calls(monkeypatch):
    monkeypatch.setattr(worker, "WINDOW_TOKENS", 800)
    filler = " ".join(f"Filler sentence {n} says nothing." for n in range(40))
    contexts = [f"{filler} apples.", f"{filler} pears.", f"{4 * f'{filler} '}plums. {filler}"]
    llm = reader()
    record = record_of(atoms=["apples", "pears", "plums", "figs"], contexts=contexts)
    result = assessed(llm, record)
    assert scored_rag(result).values["faithfulness"] == 0.75
    assert len(result.together) == len(llm.calls) > 2
    assert result.together["contexts:1"] == ("c0", "c1")
    rests_on = {v.target_id: v.rests_on for v in result.verdicts if v.label == "entailment"}
    assert rests_on == {"a0": ("c0",), "a1": ("c1",), "a2": ("c2",)}
    alone = scored_rag(assessed(reader(), record, premise="each"))
    assert alone.values["faithfulness"] == 0.75
    assert len({(v.context_id, v.target_id) for v in alone.result.verdicts}) == len(alone.result.verdicts)


def test_joint_premise_requires_a_model(bundled_judge):
    with pytest.raises(ConfigError, match="'joint' needs a model"):
        TASK.worker(Config(premise="joint"), Calls())
