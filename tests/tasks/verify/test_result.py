"""The scores of a verified answer."""

import pytest
from verifying_model import Model, verified

from factreasoner.tasks.verify.result import scored_verify


def test_scores_before_and_after():
    scored = scored_verify(verified(Model()))
    assert scored.before.citation_recall == pytest.approx(2 / 5)
    # [1] of the second sentence alone: the model names source 1 in all its answers, [2]'s call shows it not.
    assert scored.before.citation_precision == pytest.approx(2 / 6)
    assert scored.before.uncited == pytest.approx(1 / 6)
    assert scored.after.citation_recall == 1.0
    assert scored.after.uncited == pytest.approx(1 / 4)


def test_an_answer_without_claims_has_no_scores():
    result = verified(answer="I don't know.")
    assert (result.status, result.corrected) == ("no_atoms", "I don't know.")
    assert tuple(scored_verify(result).before) == (None, None, None)
