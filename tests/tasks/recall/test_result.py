"""Facts with their verdicts, as result lines show them."""

from table_judge import TableJudge, rows_of

from factreasoner import Config, recall
from factreasoner.models import Atom, Verdict
from factreasoner.tasks.recall.result import RecallResult
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


def test_a_result_is_read_back_as_it_was():
    result = RecallResult(record_id="r", status="ok", facts=facts("S"), verdicts=(verdict("f0", "neutral"),))
    assert RecallResult.model_validate_json(result.model_dump_json()) == result


def test_facts_that_stayed_unanswered_are_not_false():
    table = {("answer", "1932"): ("entailment", 0.9), ("answer", "1999"): "lost"}
    table[("answer", "tall")] = ("contradiction", 0.9)
    facts = ["Opened in 1932.", "Closed in 1999.", "It is tall.", "It is big."]
    rows = rows_of("recall", recall("It opened in 1932.", facts=facts, judge=TableJudge(table)))
    assert [(row.of, row.against) for row in rows] == [("facts", "answer")] * 4
    assert [row.label for row in rows] == ["supported", None, "contradicted", "unverified"]
    assert [row.judged for row in rows] == ["fully", "no", "fully", "fully"]
