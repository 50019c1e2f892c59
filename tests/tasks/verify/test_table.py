"""The metrics of `verify` over records."""

from verifying_model import Model, verified

from factreasoner.errors import UnusableReplyError
from factreasoner.metrics.table import Sampling
from factreasoner.tasks.verify.result import scored_verify
from factreasoner.tasks.verify.table import VERIFY


def test_of_an_answer_no_claim_of_which_was_judged_no_score_is_known():
    def spoilt(name, arguments, times):
        return UnusableReplyError("prose") if name == "verify" else arguments

    result = verified(Model(spoilt=spoilt), answer="It shows ships [1]. It shows maps [1][99].")
    scored = scored_verify(result)
    assert result.status == "failed"
    assert tuple(scored.before) == tuple(scored.after) == (None, None, None)
    sampling = Sampling(VERIFY)
    sampling.add("r", scored)
    precision = VERIFY.estimates(sampling.sample())["citation_precision"]
    assert (precision.value, precision.reason) == (None, "no citation was judged")


def test_an_answer_without_claims_has_no_number_of_changes():
    sampling = Sampling(VERIFY)
    sampling.add("none", scored_verify(verified(Model(), answer="")))
    sampling.add("one", scored_verify(verified(Model(), answer="It shows ships [1].")))
    found = VERIFY.estimates(sampling.sample())
    assert found["num_changes"].records == found["num_claims"].records == 1
