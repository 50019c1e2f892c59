"""Factuality scores: worked examples, the known value of the entropy, bounds."""

import json
import math

import pytest
from assessments import assessment
from hypothesis import given
from hypothesis import strategies as st
from oracle import DATA

from factreasoner.errors import ConfigError
from factreasoner.models import Context, FactGraph, Marginals, Node, factuality, judged_atoms

posteriors = st.lists(st.one_of(st.none(), st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1)), max_size=12)


def test_worked_example():
    scores = factuality(assessment([0.9, 0.8, 0.5, 0.1]), k=4)
    assert (scores.num_atoms, scores.num_true_atoms, scores.num_false_atoms, scores.num_uniform_atoms) == (
        4,
        2,
        2,
        1,
    )
    assert scores.precision == 0.5
    assert scores.recall_k == 0.5
    assert scores.f1_k == 0.5
    # -(.9 log10 .9 + .8 log10 .8 + .5 log10 .5 + .1 log10 .1)
    assert scores.entropy == pytest.approx(0.0411818 + 0.0775280 + 0.1505150 + 0.1, abs=1e-7)
    assert scores.avg_entropy == pytest.approx(0.3692248 / 4, abs=1e-7)
    assert scores.norm_entropy == pytest.approx(0.4689956 + 0.7219281 + 1.0 + 0.4689956, abs=1e-7)
    assert scores.avg_norm_entropy == pytest.approx(2.6599193 / 4, abs=1e-7)
    assert scores.avg_prob == pytest.approx(0.575)
    assert scores.avg_logprob == pytest.approx((-0.1053605 - 0.2231436 - 0.6931472 - 2.3025851) / 4, abs=1e-7)


def test_conflicting_atoms_entropy_equals_the_paper():
    scores = factuality(assessment([0.5] * 7))
    assert scores.avg_entropy == pytest.approx(0.150515, abs=5e-7)
    assert scores.avg_norm_entropy == 1.0


@pytest.mark.skipif(not (DATA / "factreasoner_reference").is_dir(), reason="no shared data")
def test_scores_equal_the_ibm_result_file():
    path = DATA / "factreasoner_reference" / "factreasoner_output.json"
    expected = json.loads(path.read_text("utf-8"))["results"]
    posteriors = [found["probabilities"][1] for found in expected["marginals"]]  # rounded to six digits
    scores = factuality(assessment(posteriors), k=19)
    assert scores.num_true_atoms == sum(p > 0.5 for p in posteriors)
    own = scores._replace(
        entropy=scores.entropy * math.log(10), avg_entropy=scores.avg_entropy * math.log(10)
    )
    same = (
        "factuality_score recall_k f1_k num_atoms num_true_atoms num_false_atoms num_uniform_atoms entropy "
    )
    same += "avg_entropy norm_entropy avg_norm_entropy avg_prob avg_logprob"
    for name in same.split():
        assert getattr(own, name) == pytest.approx(expected[name], abs=2e-4), name


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_certain_atoms(p):
    scores = factuality(assessment([p, p]), k=2)
    assert (scores.entropy, scores.norm_entropy, scores.avg_prob) == (0.0, 0.0, p)
    assert scores.avg_logprob == pytest.approx(math.log(1 - 1e-6) if p else math.log(1e-6))
    assert scores.f1_k == p


@pytest.mark.parametrize(
    ("supported", "n", "k", "recall", "f1"),
    [
        (2, 5, 10, 0.2, 2 * 0.4 * 0.2 / 0.6),
        (5, 5, 10, 0.5, 2 / 3),
        (5, 5, 3, 1.0, 1.0),
        (3, 6, 3, 1.0, 2 / 3),
        (0, 4, 3, 0.0, 0.0),
    ],
)
def test_f1_at_k(supported, n, k, recall, f1):
    scores = factuality(assessment([0.9] * supported + [0.2] * (n - supported)), k)
    assert scores.k == k
    assert scores.recall_k == pytest.approx(recall)
    assert scores.f1_k == pytest.approx(f1)


def test_recall_needs_a_positive_k():
    with pytest.raises(ConfigError, match="k is 0; it must be a positive integer"):
        factuality(assessment([0.9]), k=0)
    for k in (1.5, "x"):
        with pytest.raises(ConfigError, match=f"k is {k!r}; it must be a positive integer"):
            factuality(assessment([0.9]), k=k)
    scores = factuality(assessment([0.9]))
    assert (scores.precision, scores.recall_k, scores.f1_k, scores.k) == (1.0, None, None, None)


@pytest.mark.parametrize("made", [assessment([]), assessment([0.5], outcome=None, status="failed", atoms=())])
def test_no_atoms_have_no_scores(made):
    scores = factuality(made, k=3)._asdict()
    counts = {name: scores.pop(name) for name in list(scores) if name.startswith("num_")}
    assert set(counts.values()) == {0}
    assert scores.pop("k") == 3
    assert set(scores.values()) == {None}


def test_unjudged_atoms_are_excluded_and_widen_bounds():
    scores = factuality(assessment([0.9, 0.9, 0.1, None]), k=2)
    assert scores.num_atoms == 3
    assert scores.precision == pytest.approx(2 / 3)
    assert (scores.precision_low, scores.precision_high) == (0.5, 0.75)


def test_partly_judged_and_conflicting_atoms_widen_bounds():
    made = assessment([0.9, 0.9, 0.5, 0.5, 0.1, 0.1], outcome={"partly_judged": ("a0", "a2", "a5")})
    scores = factuality(made)
    assert scores.precision == pytest.approx(2 / 6)
    assert (scores.precision_low, scores.precision_high) == (pytest.approx(1 / 6), pytest.approx(5 / 6))


def test_sampled_atom_near_half_widens_bounds():
    near = {"probabilities": {"a0": (0.499, 0.501)}, "solver": "gibbs", "exact": False, "stderr": 0.002}
    made = assessment([0.501], outcome={"marginals": Marginals(**near), "support": {"a0": "conflicting"}})
    assert (factuality(made).precision_low, factuality(made).precision_high) == (0.0, 1.0)


def test_unjudged_record_has_open_bounds():
    scores = factuality(assessment([None, None]), k=2)
    assert (scores.num_atoms, scores.precision, scores.precision_low, scores.precision_high) == (
        0,
        None,
        0.0,
        1.0,
    )
    failed = factuality(assessment([None], outcome=None, status="failed"))
    assert (failed.precision, failed.precision_low, failed.precision_high) == (None, 0.0, 1.0)


def test_evaluator_decides_supported_atoms():
    made = assessment([0.5 + 1e-10, 0.6], outcome={"support": {"a0": "conflicting", "a1": "conflicting"}})
    assert (factuality(made).num_supported_atoms, factuality(made).num_true_atoms) == (0, 0)
    # a posterior without such a word is read by the rule, and no evidence means unverified
    made = assessment([0.5 + 1e-10, 0.5 + 1e-8, 0.4], outcome={"support": {}})
    assert [item.support for item in judged_atoms(made)] == ["unverified"] * 3


def test_contexts_are_those_of_the_graph():
    contexts = tuple(Context(id=f"c{i}", text="same") for i in range(2))
    made = assessment([0.9], contexts=contexts)
    assert factuality(made).num_contexts == 2
    graph = FactGraph(nodes=(Node(id="a0", kind="atom", prior=0.5), Node(id="c0", kind="context", prior=0.9)))
    made = assessment([0.9], contexts=contexts, outcome={"graph": graph})
    assert factuality(made).num_contexts == 1


@given(posteriors, st.integers(1, 20))
def test_scores_stay_in_their_ranges(p_true, k):
    scores = factuality(assessment(p_true), k)
    judged = [p for p in p_true if p is not None]
    assert scores.num_atoms == len(judged)
    assert scores.num_true_atoms + scores.num_false_atoms == scores.num_atoms
    assert (scores.precision is None) == (not judged)
    if not judged:
        return
    assert 0 <= scores.precision_low <= scores.precision + 1e-12
    assert scores.precision <= scores.precision_high + 1e-12 <= 1 + 1e-12
    assert 0 <= scores.avg_entropy <= 0.16
    assert 0 <= scores.avg_norm_entropy <= 1 + 1e-12
    assert math.log(1e-6) <= scores.avg_logprob < 0
    assert all(value is None or math.isfinite(value) for value in scores)


@given(st.lists(st.booleans(), min_size=1, max_size=10), st.data())
def test_bounds_hold_every_completion(true, data):
    """However the unresolved atoms turn out, the precision over all atoms lies within the bounds."""
    hidden = data.draw(st.lists(st.booleans(), min_size=len(true), max_size=len(true)))
    full = [0.9 if supported else 0.1 for supported in true]
    seen = [None if is_hidden else p for p, is_hidden in zip(full, hidden, strict=True)]
    scores = factuality(assessment(seen))
    precision = factuality(assessment(full)).precision
    assert scores.precision_low <= precision <= scores.precision_high
    assert scores.precision_high - scores.precision_low == pytest.approx(sum(hidden) / len(hidden))
