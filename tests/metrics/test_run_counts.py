"""What is counted over the records of a run of any task, and the claims to review first."""

from hypothesis import given
from hypothesis import strategies as st

from factreasoner import Config, RecallResult
from factreasoner.metrics.run_counts import KEPT, MESSAGES_KEPT, MESSAGES_SHOWN, ReviewList
from factreasoner.models import Failure
from factreasoner.models.rows import review_rank
from factreasoner.tasks.recall import TASK


def failure(message, stage="judge"):
    return Failure(stage=stage, item_id="x", error_type="LLMError", message=message)


def test_failures_are_all_counted_and_top_messages_shown():
    tally = TASK.tally(Config(), ())
    for number in range(MESSAGES_KEPT + 50):
        failures = (failure(f"message {number}"), failure("the same", stage="reviser"))
        tally.add(RecallResult(record_id="r", status="partial", failures=failures))
    content = tally.content()["failures"]
    assert content["total"] == 2 * (MESSAGES_KEPT + 50)
    assert content["by_stage"] == {"judge": MESSAGES_KEPT + 50, "reviser": MESSAGES_KEPT + 50}
    assert len(content["messages"]) == MESSAGES_SHOWN
    assert content["messages"]["the same"] == MESSAGES_KEPT + 50


def add(worst, name, label, p_true, **fields):
    rank = review_rank(label, p_true, **{"disputed": False} | fields)
    worst.add("r", name, label, p_true, rank)


def test_unverified_ones_are_ranked_by_their_best_support():
    worst = ReviewList("atom")
    add(worst, "split", "conflicting", 0.5, best_support=0.9)
    for name, best in (("near", 0.4), ("unknown", None), ("far", 0.02)):
        add(worst, name, "unverified", 0.5, best_support=best)
    assert [item["atom"] for item in worst.content()["worst_atoms"]] == ["split", "far", "near", "unknown"]


SUPPORTS = st.sampled_from(["supported", "contradicted", "unverified", "conflicting"])


@given(st.lists(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.3, 0.9]), SUPPORTS), max_size=6), max_size=6))
def test_contradicted_come_first_then_lowest_p(records):
    worst = ReviewList("atom")
    everything = []
    for number, atoms in enumerate(records):
        for i, (p, label) in enumerate(atoms):
            worst.add(f"r{number}", f"a{i}", label, p, review_rank(label, p, disputed=False))
            everything.append((p, f"r{number}", f"a{i}", label))
    doubtful = (item for item in everything if item[3] != "supported")
    order = ["contradicted", "conflicting", "unverified"]
    expected = sorted(doubtful, key=lambda item: (order.index(item[3]), item[0] * (item[3] != "conflicting")))
    found = [
        (item["p_true"], item["record"], item["atom"], item["label"])
        for item in worst.content()["worst_atoms"]
    ]
    assert found == expected[:KEPT]
    assert worst.content()["atoms_to_review"] == len(expected)


def test_unknown_sources_rank_after_contradicted():
    worst = ReviewList("claim")
    add(worst, "failed", None, None)
    add(worst, "uncited", "uncited", None)
    add(worst, "unlikely", "unverified", 0.01)
    add(worst, "strange", "unknown_source", None)
    add(worst, "denied", "contradicted", 0.6)
    assert [item["claim"] for item in worst.content()["worst_claims"]] == ["denied", "strange", "unlikely"]


def test_disputed_rank_between_contradicted_and_unverified():
    worst = ReviewList("atom")
    for i in range(KEPT):
        add(worst, f"low{i}", "unverified", 0.1 + i / 100)
    for name, p in (("sure", 0.99), ("less", 0.7)):
        add(worst, name, "supported", p, disputed=True)
    add(worst, "denied", "contradicted", 0.4, disputed=True)
    add(worst, "agreed", "supported", 0.55)
    found = worst.content()
    assert [item["atom"] for item in found["worst_atoms"]] == ["denied", "less", "sure", "low0", "low1"]
    assert found["atoms_to_review"] == KEPT + 3
