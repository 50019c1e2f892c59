"""Atoms of one answer that contradict each other, and the largest share free of such pairs."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_judge import TableJudge

from factreasoner.assessors.coherence import CoherenceCheck, coherence, largest_free
from factreasoner.judges.llm import LLMJudge
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Claim, Verdict
from factreasoner.pipeline.config import Config


def said(source, target, label, probability=0.9):
    return Verdict(context_id=source, target_id=target, label=label, probability=probability)


def verdicts_of(count, pairs):
    """A contradiction one way for each of `pairs`, neutral verdicts for all else."""
    return [
        said(f"a{i}", f"a{j}", "contradiction" if (i, j) in pairs else "neutral")
        for i in range(count)
        for j in range(count)
        if i != j
    ]


@pytest.mark.parametrize(
    ("count", "pairs", "score"),
    [
        (1, [], 1),
        (4, [], 1),
        (2, [(0, 1)], 0.5),
        (10, [(0, 1)], 0.9),
        (6, [(0, i) for i in range(1, 6)], 5 / 6),
        (3, [(0, 1), (1, 2), (2, 0)], 1 / 3),
        (5, [(i, (i + 1) % 5) for i in range(5)], 0.4),
    ],
)
def test_known_values(count, pairs, score):
    found = coherence([f"a{i}" for i in range(count)], verdicts_of(count, pairs))
    assert found.score == pytest.approx(score, abs=1e-12)
    assert len(found.self_contradictions) == len(pairs)


def test_coherence_is_none_without_atoms_or_directions():
    assert coherence([], []).score is None
    found = coherence(["a0", "a1"], [said("a0", "a1", "contradiction")])
    assert (found.score, found.unjudged_pairs, len(found.self_contradictions)) == (None, 1, 1)


@pytest.mark.parametrize(
    ("forward", "backward", "probability"),
    [
        (("contradiction", 0.9), ("neutral", 0.9), 0.9),
        (("contradiction", 0.6), ("contradiction", 0.8), 0.8),
        (("contradiction", 0.8), ("entailment", 0.8), 0.8),
        (("contradiction", 0.7), ("entailment", 0.8), None),
        (("contradiction", 0.5), ("neutral", 0.9), None),
        (("entailment", 0.9), ("entailment", 0.9), None),
        (("neutral", 0.9), ("neutral", 0.9), None),
    ],
)
def test_two_directions_are_combined(forward, backward, probability):
    for one, other in ((forward, backward), (backward, forward)):
        found = coherence(["a0", "a1"], [said("a0", "a1", *one), said("a1", "a0", *other)])
        assert [pair.probability for pair in found.self_contradictions] == [probability] * bool(probability)
        if probability:
            (pair,) = found.self_contradictions
            assert pair.directions == {"a0->a1": one[0], "a1->a0": other[0]}


@given(
    st.integers(1, 9).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.sampled_from(list(combinations(range(n), 2)) or [(0, 0)])))
    ),
    st.randoms(use_true_random=False),
)
def test_largest_free_subset_matches_brute_force(drawn, random):
    count, pairs = drawn
    pairs = {(i, j) for i, j in pairs if i != j}
    largest = max(
        mask.bit_count()
        for mask in range(1 << count)
        if not any(mask >> i & 1 and mask >> j & 1 for i, j in pairs)
    )
    assert largest_free(count, sorted(pairs)) == largest
    names = random.sample(range(count), count)
    moved = [(names[i], names[j]) for i, j in random.sample(sorted(pairs), len(pairs))]
    assert largest_free(count, moved) == largest


def test_subset_search_over_the_limit_gives_none():
    every = list(combinations(range(30), 2))
    pairs = [pair for number, pair in enumerate(every) if number * 7 % 5 < 2]
    assert largest_free(30, pairs, most_steps=3) is None
    assert largest_free(2_000, [(i, i + 1) for i in range(1_999)]) == 1_000


@pytest.mark.parametrize(
    ("count", "size", "calls"), [(0, 32, 0), (1, 32, 0), (2, 32, 2), (5, 2, 10), (7, 3, 14)]
)
def test_calls(count, size, calls):
    llm = ScriptedLLM(lambda prompt, schema: dict.fromkeys(schema.items, "Not clear from the given passage"))
    config = Config(model="scripted", atoms_per_call=size, cache=False)
    check = CoherenceCheck(LLMJudge(llm, config), config)
    found, failures = check.check([Claim(f"a{i}", f"Statement {i}.") for i in range(count)], "r")
    assert (len(llm.calls), failures) == (calls, ())
    assert found.score == (1.0 if count else None)


def test_failures_are_of_their_own_stage():
    claims = [Claim(f"a{i}", f"Statement {i}.") for i in range(3)]
    known = {(f"a{i}", f"a{j}"): ("neutral", 0.9) for i in range(3) for j in (0, 2) if i != j}
    found, failures = CoherenceCheck(TableJudge(known, "lost"), Config()).check(claims, "r")
    assert [(failure.stage, failure.item_id) for failure in failures] == [
        ("coherence", "a0->a1"),
        ("coherence", "a2->a1"),
    ]
    assert (found.score, found.unjudged_pairs) == (None, 2)
