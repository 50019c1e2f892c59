"""Recall's facts, as rows and in scores, and its metrics."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_judge import TableJudge, rows_of

from factreasoner import Config, recall
from factreasoner.models import Atom, Usage, Verdict
from factreasoner.tasks.recall.result import RECALL, RecallResult, scored_recall
from factreasoner.tasks.recall.task import TASK


def facts(*golds):
    return tuple(Atom(id=f"f{i}", text=f"Fact {i}.", gold=gold) for i, gold in enumerate(golds))


def verdict(target, label, **fields):
    return Verdict(context_id="answer", target_id=target, label=label, probability=0.8, **fields)


def test_facts_in_their_order_with_value_and_quote():
    result = RecallResult(
        record_id="r",
        status="partial",
        facts=facts("S", "NS", None, None),
        verdicts=(
            verdict("f2", "neutral"),
            verdict("f0", "entailment", quote="it says"),
            verdict("f1", "contradiction"),
        ),
    )
    shown = TASK.tally(Config(), ()).add(result)["facts"]
    assert [(f["id"], f["value"], f["p_true"], f["verdict"]) for f in shown] == [
        ("f0", True, 0.8, "entailment"),
        ("f1", False, 0.2, "contradiction"),
        ("f2", False, 0.1, "neutral"),
        ("f3", None, None, None),
    ]
    assert [f["quote"] for f in shown] == ["it says", None, None, None]
    assert [f.get("label") for f in shown] == [True, False, None, None]


def test_facts_that_stayed_unanswered_are_not_false():
    table = {("answer", "1932"): ("entailment", 0.9), ("answer", "1999"): "lost"}
    table[("answer", "tall")] = ("contradiction", 0.9)
    facts = ["Opened in 1932.", "Closed in 1999.", "It is tall.", "It is big."]
    rows = rows_of("recall", recall("It opened in 1932.", facts=facts, judge=TableJudge(table)))
    assert [(row.of, row.against) for row in rows] == [("facts", "answer")] * 4
    assert [row.label for row in rows] == ["supported", None, "contradicted", "unverified"]
    assert [row.judged for row in rows] == ["fully", "no", "fully", "fully"]


LABELS = {"T": "entailment", "F": "contradiction", "N": "neutral"}
GOLD = {"T": "S", "F": "NS", None: None}


def result(record_id, said, gold=(), **fields):
    """`said`: a letter a fact, T, F, N (not clear) or - (unanswered); `gold`: T, F or None each."""
    gold = list(gold) or [None] * len(said)
    facts = tuple(Atom(id=f"f{i}", text="x", gold=GOLD[gold[i]]) for i in range(len(said)))
    verdicts = tuple(
        Verdict(context_id="answer", target_id=f"f{i}", label=LABELS[letter], probability=0.9)
        for i, letter in enumerate(said)
        if letter != "-"
    )
    return RecallResult(record_id=record_id, status="ok", facts=facts, verdicts=verdicts, **fields)


def estimates(*results):
    sampling = RECALL.sampling()
    for item in results:
        sampling.add(item.record_id, scored_recall(item))
    return RECALL.estimates(sampling.sample())


def line(item):
    return RECALL.line(scored_recall(item))


def test_unanswered_facts_are_counted_and_are_neither_true_nor_false():
    found = line(result("r", "TTF-N"))
    assert found["recall"] == pytest.approx(2 / 4)
    assert [found[f"num_{name}"] for name in ("facts", "true", "false", "unanswered")] == [5, 2, 2, 1]


def test_nothing_answered_has_no_recall_and_says_so():
    found = estimates(result("r", "--"))
    assert (found["recall"].value, found["recall"].reason) == (None, "no fact was answered")
    assert found["num_unanswered"].value == 2


def test_where_no_record_has_a_fact_none_is_said_to_be_unanswered():
    found = estimates(result("r", ""))
    assert (found["recall"].value, found["recall"].reason) == (None, "no record has a fact")


def test_a_record_without_an_answered_fact_has_no_part_in_the_error_rate():
    found = estimates(result("a", "T", "T"), result("b", "--", "TF"), result("c", "-", "F"))["error_rate"]
    assert (found.value, found.records) == (0, 1)
    assert found.reason == "no interval: one record has what it is computed from, and it takes two"


def test_f1_of_false_where_people_call_none_false():
    found = estimates(result("a", "FT-", "TTT"))["f1_false"]
    assert (found.value, found.interval, found.reason) == (None, None, "people call no fact False")
    assert line(result("a", "FT", "TT"))["f1_false"] is None


def test_without_labels_there_is_neither():
    found = estimates(result("a", "FT"))
    assert found["error_rate"].reason == found["f1_false"].reason == "no fact is labelled"
    assert not {"error_rate", "f1_false"} & line(result("a", "FT")).keys()


def test_labelled_facts_all_unanswered():
    found = estimates(result("a", "--", "TF"))
    assert found["error_rate"].reason == found["f1_false"].reason == "every labelled fact is unanswered"
    assert (found["f1_false"].value, found["f1_false"].interval) == (None, None)
    assert line(result("a", "--", "TF"))["f1_false"] is None


def test_calls_and_tokens_are_those_of_all_stages():
    usage = {"fact_generator": Usage(calls=1, prompt_tokens=5), "evaluator": Usage(calls=2, prompt_tokens=7)}
    found = estimates(result("a", "T", usage=usage))
    assert (found["calls"].value, found["tokens"].value) == (3, 12)


@settings(max_examples=60)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("TFN-"), st.sampled_from(["T", "F", None])), max_size=6),
        min_size=1,
        max_size=6,
    )
)
def test_any_set_of_records_by_plain_counting(records):
    found = estimates(
        *(
            result(f"r{i}", [said for said, _ in facts], [gold for _, gold in facts])
            for i, facts in enumerate(records)
        )
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
