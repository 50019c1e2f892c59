"""Facts with their verdicts, as result lines show them."""

from factreasoner.models import Atom, Verdict
from factreasoner.tasks.recall.result import RecallResult, scored_recall


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
    shown = [fact.content() for fact in scored_recall(result).facts]
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
