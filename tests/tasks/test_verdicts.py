"""Whether a premise bears a claim out: above one half, and never by silence."""

import pytest

from factreasoner.models import Verdict
from factreasoner.tasks.verdicts import known_verdict, p_borne_out, p_denied


def verdict(label, probability, belief=None):
    return Verdict(context_id="answer", target_id="f0", label=label, probability=probability, belief=belief)


@pytest.mark.parametrize(
    ("label", "probability", "belief", "p", "borne_out"),
    [
        ("entailment", 0.9, None, 0.9, True),
        ("entailment", 0.3, None, 0.5, False),
        ("entailment", 0.5, None, 0.5, False),
        ("contradiction", 0.9, None, 0.1, False),
        ("contradiction", 0.2, None, 0.5, False),
        ("neutral", 0.99, None, 0.005, False),
        ("neutral", 0.99, 0.7, 0.7, False),
        ("neutral", 0.99, 0.5 + 1e-12, 0.5, False),
        ("neutral", 0.99, 0.1, 0.1, False),
        ("entailment", 0.9, 0.1, 0.9, True),
    ],
)
def test_what_a_verdict_comes_to(label, probability, belief, p, borne_out):
    found = verdict(label, probability, belief)
    assert p_borne_out(found) == pytest.approx(p)
    assert found.supports is borne_out


def test_a_verdict_that_needs_no_judge_says_why():
    found = known_verdict("answer", "f0", "neutral", "the answer is empty")
    assert (found.context_id, found.target_id, found.note) == ("answer", "f0", "the answer is empty")
    assert not found.supports


@pytest.mark.parametrize(
    ("label", "probability", "p"),
    [("contradiction", 0.9, 0.9), ("entailment", 0.9, 0.1), ("neutral", 0.9, 0.05), ("neutral", 0.2, 0.25)],
)
def test_how_probable_it_is_that_the_premise_denies_the_claim(label, probability, p):
    assert p_denied(verdict(label, probability, 0.7)) == pytest.approx(p)
