"""What log-probabilities say of a value."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.llm.responses import Token, Tokens, tokens_of

VALUES = ("True", "False", "Not clear")


def chances(top, value="True", logprob=None):
    pairs = tuple((text, math.log(share)) for text, share in top)
    own = pairs[0][1] if logprob is None else logprob
    return Tokens([Token(value.encode(), own, pairs)]).chances(0, value, VALUES)


def test_probabilities_are_normalised_over_allowed_values():
    found = chances([("True", 0.4), (" true", 0.1), ("Not", 0.2), ("False", 0.1), ("The", 0.2)])
    assert found.mass == pytest.approx(0.8)
    assert found.probabilities == pytest.approx({"True": 0.625, "False": 0.125, "Not clear": 0.25})


def test_word_that_begins_no_value_is_ignored():
    found = chances([("True", 0.3), ("No", 0.5), ("F", 0.1), ("Not", 0.05)])
    assert found.mass == pytest.approx(0.45)


def test_no_counts_where_it_is_allowed():
    top = tuple((text, math.log(share)) for text, share in [("No", 0.6), (" no", 0.1), ("Yes", 0.2)])
    found = Tokens([Token(b"No", top[0][1], top)]).chances(0, "No", ("Yes", "No"))
    assert found.mass == pytest.approx(0.9)
    assert found.probabilities["Yes"] == pytest.approx(0.2 / 0.9)


def test_ambiguous_token_gives_no_probabilities():
    top = tuple((text, math.log(share)) for text, share in [("N", 0.6), ("Not", 0.3)])
    assert Tokens([Token(b"N", top[0][1], top)]).chances(0, "Not clear", ("None", "Not clear")) is None


def test_unseen_value_has_the_least_seen_probability():
    """As a server reports that restricts what is sampled by a grammar, and its probabilities not."""
    found = chances([("the", 0.5), ("a", 0.2), ("{", 0.1), ("an", 0.01)], logprob=math.log(0.005))
    assert found.probabilities["True"] == pytest.approx(1 / 3)
    assert found.mass == pytest.approx(0.005)


def test_token_without_alternatives_has_no_mass():
    found = chances([("True", 0.8)])
    assert (found.probabilities["True"], found.mass) == (pytest.approx(0.8), None)
    assert sum(found.probabilities.values()) == pytest.approx(1.0)


@given(st.lists(st.floats(1e-6, 1.0), min_size=2, max_size=5))
def test_value_never_exceeds_its_share_seen(weights):
    shares = [weight / sum(weights) / 1.25 for weight in weights]
    texts = ["True", "False", "Not clear", "x", "y"]
    found = chances(list(zip(texts, shares, strict=False))).probabilities["True"]
    assert 0.0 < found <= shares[0] / sum(shares[:3]) + 1e-12


def entry(token, logprob, top=(), raw=None):
    alternatives = [{"token": t, "logprob": p} for t, p in top]
    return {"token": token, "logprob": logprob, "bytes": raw, "top_logprobs": alternatives}


@pytest.mark.parametrize("unsound", [None, "x", True, float("nan"), float("-inf"), 0.5, -(10**400)])
def test_invalid_log_probability_is_ignored(unsound):
    found = tokens_of({"content": [entry("True", unsound), entry("!", -0.1)]})
    assert found.chances(0, "True", VALUES) is None
    assert tokens_of({"content": [entry("True", unsound)]}) is None
    other = tokens_of({"content": [entry("True", -0.1, [("False", unsound)]), entry("!", -0.1)]})
    assert other.chances(0, "True", VALUES) is None


def test_tokens_are_joined_by_their_bytes():
    raw = "é".encode()
    parts = [entry("?", -0.1, raw=list(raw[:1])), entry("?", -0.2, raw=list(raw[1:]))]
    found = tokens_of({"content": [*parts, entry("True", -0.3, [("True", -0.3), ("False", -1.5)])]})
    assert found.raw.decode() == "éTrue"
    assert found.chances(len(raw), "True", VALUES).mass == pytest.approx(math.exp(-0.3) + math.exp(-1.5))


@pytest.mark.parametrize("logprobs", [None, {}, {"content": None}, {"content": []}, {"content": "x"}])
def test_invalid_log_probabilities_give_no_tokens(logprobs):
    assert tokens_of(logprobs) is None


def test_long_repetitive_reply_is_read_quickly():
    tokens = tokens_of({"content": [entry("a", -0.1)] * 100_000})
    assert tokens.chances(50_000, "True", VALUES) is None
