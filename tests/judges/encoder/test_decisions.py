import numpy as np
import pytest

from factreasoner.judges.encoder.decisions import decided
from factreasoner.text.sentences import Span

THREE = ("contradiction", "neutral", "entailment")
SPANS = (Span(0, 1), Span(1, 2), Span(2, 3))


def read(*parts, labels=THREE, threshold=0.5):
    """Each part is a list of chunks, each chunk one row, or a list of rows, one a token."""
    scores = [[np.atleast_2d(np.array(chunk, dtype=float)) for chunk in part] for part in parts]
    return decided(scores, labels, SPANS[: len(scores[0])], threshold=threshold)[:3]


def test_the_surest_chunk_that_entails_or_contradicts_decides():
    silent, likely, sure = [0.0, 0.99, 0.01], [0.1, 0.2, 0.7], [0.1, 0.0, 0.9]
    assert read([silent, likely, sure]) == ("entailment", 0.9, Span(2, 3))
    assert read([silent, likely]) == ("entailment", 0.7, Span(1, 2))
    assert read([[0.8, 0.1, 0.1], likely]) == ("contradiction", 0.8, Span(0, 1))
    assert read([likely, [0.7, 0.2, 0.1]])[0] == "contradiction"  # a tie


def test_what_is_not_above_the_threshold_is_neutral():
    assert read([[0.1, 0.4, 0.5]]) == ("neutral", 0.4, Span(0, 1))
    assert read([[0.45, 0.1, 0.45]])[0] == "neutral"
    assert read([[0.0, 0.2, 0.8]], threshold=0.9) == ("neutral", 0.2, Span(0, 1))
    assert read([[0.0, 0.99, 0.01], [0.2, 0.5, 0.3]])[:2] == ("neutral", 0.5)


def test_supported_or_not_never_contradicts():
    two = ("neutral", "entailment")
    assert read([[0.999, 0.001]], labels=two) == ("neutral", 0.999, Span(0, 1))
    assert read([[0.4, 0.6], [0.1, 0.9]], labels=two) == ("entailment", 0.9, Span(1, 2))


def test_a_claim_is_the_mean_of_its_sentences_each_at_its_best_chunk():
    first, second = [[0.0, 0.1, 0.9], [0.0, 0.8, 0.2]], [[0.1, 0.8, 0.1], [0.0, 0.3, 0.7]]
    assert read(first, second)[:2] == ("entailment", pytest.approx(0.8))
    assert read(first, [[0.0, 1.0, 0.0], [0.7, 0.2, 0.1]])[:2] == ("contradiction", 0.7)


def test_a_token_is_supported_by_any_chunk_and_the_claim_by_its_worst_token():
    labels = ("entailment", "neutral")
    one, other = [[0.9, 0.1], [0.2, 0.8]], [[0.3, 0.7], [0.8, 0.2]]
    assert read([one], labels=labels)[:2] == ("neutral", pytest.approx(0.8))
    assert read([one, other], labels=labels)[:2] == ("entailment", 0.8)


def test_outputs_of_one_meaning_add_up():
    assert read([[0.3, 0.3, 0.4]], labels=("neutral", "neutral", "entailment"))[:2] == ("neutral", 0.6)
