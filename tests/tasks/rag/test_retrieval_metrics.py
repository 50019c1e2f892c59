"""Scores of rankings, against values worked out by hand and against another way to compute them."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.tasks.rag.retrieval_metrics import retrieval_scores


def test_the_tutorials_example():
    """[relevant, not, relevant], of four relevant ones."""
    found = retrieval_scores(["a", "x", "b"], ["a", "b", "c", "d"])
    assert found["retrieval_precision"] == pytest.approx(2 / 3)
    assert found["retrieval_recall"] == 0.5
    assert found["map_at_hits"] == pytest.approx(5 / 6)
    assert found["map"] == pytest.approx((1 + 2 / 3) / 4)
    assert found["mrr"] == 1.0
    ideal = 1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5)
    assert found["ndcg"] == pytest.approx((1 + 1 / 2) / ideal)


def test_nothing_found_is_zero_and_nothing_to_find_is_none():
    assert set(retrieval_scores(["x"], ["a"]).values()) == {0.0}
    none = retrieval_scores(["x"], [])
    assert none.pop("retrieval_precision") == 0.0
    assert set(none.values()) == {None}
    assert retrieval_scores([], ["a"])["retrieval_precision"] is None
    assert retrieval_scores([], ["a"])["retrieval_recall"] == 0.0


@given(
    st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8),
    st.sets(st.sampled_from("abcdefgh"), min_size=1),
    st.none() | st.integers(1, 9),
)
def test_scores_agree_with_their_definitions(retrieved, relevant, k):
    found = retrieval_scores(retrieved, relevant, k)
    gains = [int(i in relevant) for i in retrieved][: len(retrieved) if k is None else k]
    assert found["retrieval_recall"] == pytest.approx(sum(gains) / len(relevant))
    at_hits = [sum(gains[: n + 1]) / (n + 1) for n, gain in enumerate(gains) if gain]
    assert found["map"] == pytest.approx(math.fsum(at_hits) / len(relevant))
    assert found["map_at_hits"] == pytest.approx(math.fsum(at_hits) / max(len(at_hits), 1))
    first = gains.index(1) + 1 if 1 in gains else math.inf
    assert found["mrr"] == pytest.approx(1 / first)
    assert all(0 <= value <= 1 + 1e-12 for value in found.values() if value is not None)
    best = sorted(relevant) + sorted(set("abcdefgh") - relevant)
    assert retrieval_scores(best, relevant, k)["ndcg"] == pytest.approx(1)
