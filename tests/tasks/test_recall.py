"""Recall: what a record needs, how many calls it takes, what bad replies become, rows and metrics."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_judge import TableJudge

from factreasoner import Config, RecallResult, ScriptedLLM, recall
from factreasoner.errors import ConfigError, InputError, UnusableReplyError
from factreasoner.models import Atom, Context, Record, Usage, Verdict
from factreasoner.pipeline.assembly import Calls
from factreasoner.tasks.recall import RECALL, TASK, labels_of
from factreasoner.tasks.task import line_of

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


@pytest.mark.parametrize(
    ("fields", "fits"),
    [
        ({}, False),
        ({"reference": " \n"}, False),
        ({"reference": "She was born."}, True),
        ({"facts": ()}, True),
        ({"facts": (Atom(id="f", text="x"),)}, True),
        ({"reference_atoms": (Atom(id="b", text="x"),)}, True),
    ],
)
def test_recall_needs_facts_or_their_source(fields, fits):
    problems = TASK.problems(Record(id="r1", response="x", **fields), Config())
    assert [str(one).startswith("record r1: facts: none given") for one in problems] == [True] * (not fits)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({}, InputError, r"recall\(\): facts: none given"),
        ({"answer": None, "facts": ["x"]}, InputError, "is None"),
        ({"facts": "one text"}, InputError, "facts: is a string; it must be a list of strings"),
        ({"facts": [{"text": "x", "label": "maybe"}]}, InputError, r"facts\[0\].label"),
        ({"facts": ["x"], "reference": 5}, InputError, "reference"),
        ({"facts": ["x"], "modee": "tf"}, ConfigError, "mode"),
        ({"facts": ["x"], "mode": "prompt-tf"}, ConfigError, "add `model=NAME`"),
    ],
)
def test_invalid_arguments_are_reported(arguments, error, words):
    with pytest.raises(error, match=words):
        recall(**{"answer": ANSWER} | arguments)


def test_recall_accepts_any_facts_and_lists_missed():
    facts = ["Born in Warsaw.", {"text": "Born in Paris.", "label": False}, Atom(id="x", text="Of Warsaw.")]
    llm = ScriptedLLM(by_text(lambda text: "True" if "Warsaw" in text else "False"))
    found = recall(ANSWER, facts=facts, llm=llm, model="m")
    assert isinstance(found, RecallResult)
    assert found.recall == pytest.approx(2 / 3)
    assert [fact.id for fact in found.missed] == ["f1"]
    assert (found.unanswered, found.status) == ((), "ok")
    lost = recall(ANSWER, facts=["x"], llm=ScriptedLLM(lambda prompt, schema: {}), model="m", max_attempts=1)
    assert (lost.recall, lost.missed, len(lost.unanswered)) == (None, (), 1)


def test_without_a_model_facts_come_from_the_reference():
    found = recall(ANSWER, reference=f"{ANSWER} She played chess in Zagreb.")
    assert [fact.text for fact in found.missed] == ["Marie Curie played chess in Zagreb."]


def test_custom_judge_is_used():
    judge = TableJudge({("answer", ""): ("entailment", 0.9)})
    assert recall(ANSWER, facts=["x", "y"], judge=judge).recall == 1.0


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [1, 32, 33])
def test_recall_asks_32_facts_in_one_call(mode, n):
    baseline = mode == "prompt-tf"
    said = "The claim is true." if baseline else "True"
    result, llm = worked(by_text(lambda text: said), record(n), mode=mode, max_tokens=8000)
    calls = n if baseline else math.ceil(n / 32)
    assert len(llm.calls) == calls == result.usage["evaluator"].calls
    assert all(ANSWER in call.prompt.user for call in llm.calls)
    assert result.stated == {f"f{i}": True for i in range(n)}
    assert (result.status, len(result.verdicts)) == ("ok", n)


def test_not_clear_counts_as_not_stated():
    said = {"Fact number 0.": "True", "Fact number 1.": "False", "Fact number 2.": "Not clear"}
    result, llm = worked(by_text(said.get), record())
    user = llm.calls[0].prompt.user
    assert f"Answer to: Who was she?\n{ANSWER}" in user
    assert "reference" not in user.lower()
    assert "Not clear" in llm.calls[0].schema.parameters["properties"]["fact_2"]["enum"]
    assert [v.label for v in result.verdicts] == ["entailment", "contradiction", "neutral"]
    assert result.stated == {"f0": True, "f1": False, "f2": False}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("bad", [..., None, "Perhaps so", 7, UnusableReplyError("prose", attempts=1)])
def test_open_fact_is_unanswered_not_false(mode, bad):
    def script(prompt, schema):
        alone = [*schema.items.values()] == ["Fact number 1."]
        if isinstance(bad, Exception) and alone:
            return bad
        good = "true" if mode == "prompt-tf" else "True"
        stuck = ... if isinstance(bad, Exception) else bad
        return by_text(lambda text: stuck if "1" in text else good)(prompt, schema)

    result, _ = worked(script, record(), mode=mode, max_attempts=3)
    assert result.stated == {"f0": True, "f1": None, "f2": True}
    assert result.status == "partial"
    assert ["f1" in failure.item_id for failure in result.failures] == [True]
    assert TASK.tally(Config(), []).add(result)["recall"] == 1.0


@pytest.mark.parametrize("mode", ["tf", "tf_citation", "prompt-tf"])
def test_two_label_note_quotes_the_model(mode):
    said = "It is false." if mode == "prompt-tf" else "False"
    result, _ = worked(by_text(lambda text: said), record(1), mode=mode)
    (row,) = result.rows()
    assert row.note == "the model said False, which may mean silence or a contradiction"


@pytest.mark.parametrize("response", ["", "  \n"])
def test_empty_answer_states_nothing_without_calls(response):
    result, llm = worked([], record(response=response))
    assert llm.calls == []
    assert set(result.stated.values()) == {False}
    assert "empty" in result.verdicts[0].note


def test_reference_facts_get_distinct_ids():
    made = {"statements": ["She was born.", "She died."]}
    contexts = (Context(id="f1", text="x", title=""),)
    item = record(facts=None, reference="She was born and died.", contexts=contexts)

    def script(prompt, schema):
        return made if schema.name == "report_statements" else dict.fromkeys(schema.arguments, "True")

    result, llm = worked(script, item)
    assert [fact.id for fact in result.facts] == ["f0", "f2"]
    assert [stage for stage, usage in result.usage.items() for _ in range(usage.calls)] == [
        "fact_generator",
        "evaluator",
    ]
    assert ANSWER not in llm.calls[0].prompt.user
    assert "She was born and died." not in llm.calls[1].prompt.user
    failed, _ = worked(lambda prompt, schema: UnusableReplyError("prose", attempts=1), item)
    assert (failed.status, failed.facts, failed.verdicts, len(failed.failures)) == ("failed", (), (), 1)


def test_given_reference_atoms_become_facts():
    atoms = (Atom(id="b0", text="She was born.", gold="S"),)
    item = record(facts=None, reference="Long.", reference_atoms=atoms)
    result, llm = worked(by_text(lambda text: "False"), item)
    assert (len(llm.calls), result.stated) == (1, {"b0": False})
    assert labels_of(result) == []


def test_a_run_is_replayed_from_its_journal(tmp_path):
    first, _ = worked(by_text(lambda text: "True" if "1" in text else "False"), record())
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(line_of(TASK, first).text)
    replay = TASK.worker(Config(judge="recorded", relations=journal), Calls())
    again = replay.assess(record())
    assert (again.status, again.stated) == ("ok", first.stated)
    assert again.usage["evaluator"].calls == 0
    other = replay.assess(record(response="Another answer."))
    assert (other.status, len(other.failures)) == ("failed", 3)


LABELS = {"T": "entailment", "F": "contradiction", "N": "neutral"}
GOLD = {"T": "S", "F": "NS", None: None}


def result(record_id, said, gold=(), **fields):
    """`said`: a letter a fact, T, F, N (not clear) or - (unanswered); `gold`: T, F or None each."""
    gold = list(gold) or [None] * len(said)
    facts = tuple(Atom(id=f"f{i}", text="x", gold=GOLD[gold[i]]) for i in range(len(said)))
    verdicts = tuple(
        Verdict(context_id="answer", target_id=f"f{i}", label=LABELS[letter], probability=0.8, quote="so")
        for i, letter in enumerate(said)
        if letter != "-"
    )
    return RecallResult(record_id=record_id, status="ok", facts=facts, verdicts=verdicts[::-1], **fields)


def estimates(*results):
    sampling = RECALL.sampling()
    for item in results:
        sampling.add(item.record_id, item)
    return RECALL.estimates(sampling.sample())


def test_line_lists_facts_and_counts_unanswered():
    line = TASK.tally(Config(), ()).add(result("r", "TTF-N", ["T", "F", "T", None, None]))
    assert [(f["value"], f["p_true"], f["verdict"], f["quote"], f.get("label")) for f in line["facts"]] == [
        (True, 0.8, "entailment", "so", True),
        (True, 0.8, "entailment", "so", False),
        (False, 0.2, "contradiction", "so", True),
        (None, None, None, None, None),
        (False, 0.1, "neutral", "so", None),
    ]
    assert line["recall"] == pytest.approx(2 / 4)
    assert [line[f"num_{name}"] for name in ("facts", "true", "false", "unanswered")] == [5, 2, 2, 1]
    assert line["bounds"] == {"recall": (2 / 5, 3 / 5)}
    rows = list(result("r", "TF-N").rows())
    assert [(row.of, row.against, row.label, row.judged) for row in rows] == [
        ("facts", "answer", "supported", "fully"),
        ("facts", "answer", "contradicted", "fully"),
        ("facts", "answer", None, "no"),
        ("facts", "answer", "unverified", "fully"),
    ]


@pytest.mark.parametrize(
    ("said", "gold", "reasons"),
    [
        ("", "", {"recall": "no record has a fact", "error_rate": "no fact is labelled"}),
        ("--", "", {"recall": "no fact was answered", "f1_false": "no fact is labelled"}),
        ("--", "", dict.fromkeys(("num_true", "num_false"), "no fact was answered")),
        ("FT", "", {"error_rate": "no fact is labelled", "f1_false": "no fact is labelled"}),
        ("FT-", "TTT", {"f1_false": "no fact is labelled False"}),
        ("--", "TF", dict.fromkeys(("error_rate", "f1_false"), "every labelled fact is unanswered")),
    ],
)
def test_metric_without_input_gives_a_reason(said, gold, reasons):
    item = result("r", said, gold)
    found = estimates(item)
    for name, reason in reasons.items():
        assert (found[name].value, found[name].interval, found[name].reason) == (None, None, reason)
        assert RECALL.line(item).get(name) is None
    assert ("f1_false" in RECALL.line(item)) is bool(gold)


def test_unanswered_records_do_not_affect_error_rate():
    found = estimates(result("a", "T", "T"), result("b", "--", "TF"), result("c", "-", "F"))["error_rate"]
    assert (found.value, found.records) == (0, 1)
    assert found.reason == "no interval: one record has what it is computed from; an interval needs two"


def test_calls_and_tokens_are_those_of_all_stages():
    usage = {"fact_generator": Usage(calls=1, prompt_tokens=5), "evaluator": Usage(calls=2, prompt_tokens=7)}
    found = estimates(result("a", "T", usage=usage))
    assert (found["calls"].value, found["tokens"].value) == (3, 12)


FACT = st.tuples(st.sampled_from("TFN-"), st.sampled_from(["T", "F", None]))


@settings(max_examples=60)
@given(st.lists(st.lists(FACT, max_size=6), min_size=1, max_size=6))
def test_any_set_of_records_by_plain_counting(records):
    found = estimates(
        *(result(f"r{i}", [f[0] for f in facts], [f[1] for f in facts]) for i, facts in enumerate(records))
    )
    pairs = [(said, gold) for facts in records for said, gold in facts if gold is not None]
    answered = [(said == "T", gold == "T") for said, gold in pairs if said != "-"]
    wrong = sum(said is not gold for said, gold in answered)
    expected = wrong / len(answered) if answered else None
    assert found["error_rate"].value == (None if expected is None else pytest.approx(expected))
    wanted = sum(gold == "F" for _, gold in pairs)
    said = sum(letter in "FN" for letter, _ in pairs)
    hits = sum(letter in "FN" and gold == "F" for letter, gold in pairs)
    f1 = 2 * hits / (said + wanted) if wanted and answered else None
    assert found["f1_false"].value == (None if f1 is None else pytest.approx(f1))
    for item in found.values():
        assert item.value is not None or item.reason


@pytest.mark.parametrize(("p", "stated"), [(0.5, False), (0.5 + 1e-10, False), (0.51, True)])
def test_fact_is_stated_if_label_is_entailment(p, stated):
    judged = Verdict(context_id="answer", target_id="f", label="entailment", probability=p)
    facts = (Atom(id="f", text="Rain fell."),)
    result = RecallResult(record_id="r", status="ok", response="It rained.", facts=facts, verdicts=(judged,))
    assert [row.label == "supported" for row in result.rows()] == [stated]
    assert result.stated == {"f": stated}
