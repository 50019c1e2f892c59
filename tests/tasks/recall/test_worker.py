"""Recall of one record: how many calls, what is asked, and what bad replies become."""

import math

import pytest

from factreasoner import Config, ScriptedLLM
from factreasoner.errors import ConfigError, ProviderError, UnusableReplyError
from factreasoner.models import Atom, Context, Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.tasks.recall.result import scored_recall, stated
from factreasoner.tasks.recall.task import TASK

ANSWER = "Marie Curie was born in Warsaw. She won two Nobel Prizes."
MODES = ("tf", "tfn", "tf_citation", "tfn_citation", "tfn_reasoning", "prompt-tf")


def record(n=3, **fields):
    facts = tuple(Atom(id=f"f{i}", text=f"Fact number {i}.") for i in range(n))
    return Record(**({"id": "r1", "response": ANSWER, "prompt": "Who was she?", "facts": facts} | fields))


def worked(script, item, **settings):
    llm = ScriptedLLM(script)
    config = Config(**({"model": "scripted"} | settings))
    return TASK.worker(config, Calls(llm=llm)).assess(item), llm


def by_text(answer):
    """Answers each argument that holds a value by the fact it is about; `...` leaves it out."""

    def script(prompt, schema):
        given = {name: answer(text) for name, text in schema.items.items()}
        rest = {name: "of her life" for name in schema.arguments if name not in given}
        return {name: value for name, value in (rest | given).items() if value is not ...}

    return script


def values(result):
    return {fact.claim: stated(fact) for fact in scored_recall(result).facts}


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "prompt-tf"])
@pytest.mark.parametrize("n", [1, 32, 33])
def test_one_call_for_32_facts(mode, n):
    result, llm = worked(by_text(lambda text: "True"), record(n), mode=mode, max_tokens=8000)
    assert len(llm.calls) == math.ceil(n / 32) == result.usage["evaluator"].calls
    assert values(result) == {f"f{i}": True for i in range(n)}
    assert (result.status, len(result.verdicts)) == ("ok", n)


def test_the_published_baseline_takes_a_prompt_a_fact():
    result, llm = worked(by_text(lambda text: "The claim is true."), record(5), mode="prompt-tf")
    assert len(llm.calls) == 5
    assert values(result) == {f"f{i}": True for i in range(5)}
    assert all(ANSWER in call.prompt.user for call in llm.calls)


def test_the_answer_is_the_premise_and_the_question_is_shown_as_such():
    _, llm = worked(by_text(lambda text: "True"), record())
    user = llm.calls[0].prompt.user
    assert f"Answer to: Who was she?\n{ANSWER}" in user
    assert "reference" not in user.lower()


def test_what_is_not_clear_becomes_false_after_the_call():
    said = {"Fact number 0.": "True", "Fact number 1.": "False", "Fact number 2.": "Not clear"}
    result, llm = worked(by_text(said.get), record())
    assert "Not clear" in llm.calls[0].schema.parameters["properties"]["fact_2"]["enum"]
    assert [v.label for v in result.verdicts] == ["entailment", "contradiction", "neutral"]
    assert values(result) == {"f0": True, "f1": False, "f2": False}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("bad", [..., None, "Perhaps so", 7, UnusableReplyError("prose", attempts=1)])
def test_what_stays_open_is_unanswered_and_never_false(mode, bad):
    def script(prompt, schema):
        if (
            isinstance(bad, Exception)
            and "Fact number 1." in schema.items.values()
            and len(schema.items) == 1
        ):
            return bad
        good = "true" if mode == "prompt-tf" else "True"
        stuck = ... if isinstance(bad, Exception) else bad
        return by_text(lambda text: stuck if "1" in text else good)(prompt, schema)

    result, _ = worked(script, record(), mode=mode, max_attempts=3)
    assert values(result) == {"f0": True, "f1": None, "f2": True}
    assert result.status == "partial"
    assert len(result.failures) == 1
    assert "f1" in result.failures[0].item_id
    assert TASK.tally(Config(), []).add(result)["recall"] == 1.0


@pytest.mark.parametrize("words", ["I can't say.", "It is true or false.", "That is not true.", ""])
def test_words_that_decide_nothing_are_no_answer(words):
    result, _ = worked(by_text(lambda text: words), record(1), mode="prompt-tf", max_attempts=2)
    assert values(result) == {"f0": None}
    assert result.status == "failed"


def test_a_server_that_answers_nothing_leaves_every_fact_unanswered():
    result, _ = worked(lambda prompt, schema: ProviderError("status 500"), record())
    assert (result.status, set(values(result).values())) == ("failed", {None})
    assert len(result.facts) == 3
    assert TASK.tally(Config(), []).add(result)["num_unanswered"] == 3


@pytest.mark.parametrize("response", ["", "  \n"])
def test_an_empty_answer_states_nothing_and_asks_nobody(response):
    result, llm = worked([], record(response=response))
    assert llm.calls == []
    assert set(values(result).values()) == {False}
    assert "empty" in result.verdicts[0].note


def test_facts_are_made_of_the_reference_and_numbered_apart_from_other_ids():
    made = {"statements": ["She was born.", "She died."]}
    item = record(
        facts=None, reference="She was born and died.", contexts=(Context(id="f1", text="x", title=""),)
    )

    def script(prompt, schema):
        return made if schema.name == "report_statements" else dict.fromkeys(schema.arguments, "True")

    result, llm = worked(script, item)
    assert [fact.id for fact in result.facts] == ["f0", "f2"]
    assert len(llm.calls) == 2
    assert result.usage["fact_generator"].calls == result.usage["evaluator"].calls == 1
    assert ANSWER not in llm.calls[0].prompt.user
    assert "She was born and died." not in llm.calls[1].prompt.user


def test_a_generator_that_fails_is_a_failed_record_and_no_perfect_one():
    item = record(facts=None, reference="She was born and died.")
    result, _ = worked(lambda prompt, schema: UnusableReplyError("prose", attempts=1), item)
    assert (result.status, result.facts, result.verdicts) == ("failed", (), ())
    assert result.failures


def test_statements_of_the_reference_that_the_record_brings_are_its_facts():
    atoms = (Atom(id="b0", text="She was born.", gold="S"),)
    result, llm = worked(
        by_text(lambda text: "False"), record(facts=None, reference="Long.", reference_atoms=atoms)
    )
    assert len(llm.calls) == 1
    assert values(result) == {"b0": False}
    assert scored_recall(result).labels == []


def test_prompt_tf_needs_a_model():
    with pytest.raises(ConfigError, match="--model"):
        TASK.worker(Config(mode="prompt-tf"), Calls())


def test_a_run_is_replayed_from_its_journal(tmp_path):
    first, _ = worked(by_text(lambda text: "True" if "1" in text else "False"), record())
    journal = tmp_path / "journal.jsonl"
    journal.write_text(first.model_dump_json() + "\n", encoding="utf-8")
    replay = TASK.worker(Config(judge="recorded", relations=journal), Calls())
    again = replay.assess(record())
    assert (again.status, values(again)) == ("ok", values(first))
    assert again.usage["evaluator"].calls == 0
    other = replay.assess(record(response="Another answer."))
    assert (other.status, len(other.failures)) == ("failed", 3)
