"""The scores of a verified answer, its metrics over records, and its claims as rows."""

import pytest
from table_judge import PASSAGES, TableJudge
from verifying_model import Model, verified

from factreasoner import verify
from factreasoner.errors import UnusableReplyError
from factreasoner.models import Verdict
from factreasoner.models.rows import Note
from factreasoner.tasks.verify.result import VERIFY, VerifiedClaim, VerifiedText, VerifyResult


@pytest.mark.usefixtures("whole_sentences")
def test_scores_before_and_after():
    scored = verified(Model())
    assert scored.before.citation_recall == pytest.approx(2 / 5)
    # [1] of the second sentence alone: the model names source 1 in all its answers, [2]'s call shows it not.
    assert scored.before.citation_precision == pytest.approx(2 / 6)
    assert scored.before.uncited == pytest.approx(1 / 6)
    assert scored.after.citation_recall == 1.0
    assert scored.after.uncited == pytest.approx(1 / 4)


def test_an_answer_without_claims_has_no_scores():
    result = verified(answer="I don't know.")
    assert (result.status, result.corrected) == ("no_atoms", "I don't know.")
    assert tuple(result.before) == (None, None, None)


def test_answer_without_judged_claim_has_no_score():
    def spoilt(name, arguments, times):
        return UnusableReplyError("prose") if name == "verify" else arguments

    result = verified(Model(spoilt=spoilt), answer="It shows ships [1]. It shows maps [1][99].")
    assert result.status == "failed"
    assert tuple(result.before) == tuple(result.after) == (None, None, None)
    known = {name: value for name, value in result.metrics.items() if value is not None}
    assert known == {"num_claims": 2, "num_unjudged": 2}
    sampling = VERIFY.sampling()
    sampling.add("r", result)
    precision = VERIFY.estimates(sampling.sample())["citation_precision"]
    assert (precision.value, precision.reason) == (None, "no citation was judged")


def test_answer_without_claims_has_no_change_count():
    sampling = VERIFY.sampling()
    sampling.add("none", verified(Model(), answer=""))
    sampling.add("one", verified(Model(), answer="It shows ships [1]."))
    found = VERIFY.estimates(sampling.sample())
    assert found["num_changes"].records == found["num_claims"].records == 1


def test_citation_of_a_contradicted_claim_counts_as_wrong():
    table = {("old", "1930"): ("entailment", 0.85), ("new", "1930"): ("contradiction", 0.9)}
    found = verify("It opened in 1930 [1][2].", contexts=PASSAGES, judge=TableJudge(table))
    assert (found.claims[0].label, found.before.citation_precision) == ("contradicted", 0.0)


def test_cited_claims_keep_their_labels_quotes_and_fates():
    table = {("old", "1930"): ("contradiction", 0.9), ("new", "1999"): ("entailment", 0.9)}
    text = "It opened in 1930 [1]. It closed in 1999 [2]. It is loved [7]. It is big."
    found = verify(text, contexts=PASSAGES, judge=TableJudge(table))
    wrong, right, unknown, uncited = found.rows()
    assert (wrong.label, wrong.fate) == ("contradicted", "removed")
    assert (wrong.context, wrong.title) == ("old", "History")
    assert text[wrong.start : wrong.end] in "It opened in 1930 [1]."
    assert (right.label, right.fate) == ("supported", "kept")
    assert (right.quote, right.against) == ("It closed", "cited")
    assert (unknown.label, uncited.label, uncited.against) == ("unknown_source", "uncited", "contexts")
    assert uncited.p_true is None


def test_claim_notes_keep_quotes_separate():
    quote = 'It reads: "opened in 1932"; and more'
    table = {("old", "1932"): ("entailment", 0.9, quote), ("new", "1932"): ("contradiction", 0.8, "Closed.")}
    sources = [{"id": "old", "text": quote}, {"id": "new", "text": "Closed."}]
    found = verify("It opened in 1932 [1][2].", contexts=sources, judge=TableJudge(table))
    (row,) = found.rows()
    own, other = row.notes
    assert own == Note("[1] supports it", quote, own=True, end=".")
    assert (other.words, other.quote, other.own) == (" [2] contradicts it", "Closed.", False)
    assert row.note == f'[1] supports it: "{quote}". [2] contradicts it: "Closed."'
    assert row.note_beside_quote == '[1] supports it. [2] contradicts it: "Closed."'


def test_quote_prefix_is_not_taken_for_quote():
    whole = '" '.join("abcdefghijklmnopqrst")
    found = verified(Model(), answer="It shows ships [1].")
    (claim,), (said, *_) = found.verified.claims, found.verdicts
    told = claim.model_copy(update={"explanation": f'It reads: "{whole}"; and more'})
    verdicts = tuple(said.model_copy(update={"quote": whole[:end]}) for end in range(1, len(whole) + 1, 3))
    fields = {"verified": found.verified.model_copy(update={"claims": (told,)}), "verdicts": verdicts}
    (row,) = found.model_copy(update=fields).rows()
    assert row.notes[0].quote == whole


def test_note_omits_only_the_claims_own_quote():
    said = Verdict(context_id="c0", target_id="a0", label="entailment", probability=0.9, quote="the\nmill.")
    claim = VerifiedClaim(id="a0", text="It is a mill.", cited=("c0",), label="supported", quote="the mill.")

    def beside(explanation):
        verified = VerifiedText(text="", claims=(claim.model_copy(update={"explanation": explanation}),))
        fields = {"record_id": "r", "status": "ok", "verified": verified, "verdicts": (said,)}
        (row,) = VerifyResult(**fields).rows()
        assert row.note == explanation
        return row.note_beside_quote

    assert beside('[1] supports it: "the mill."') == "[1] supports it."
    for kept in (
        'Because. [2] contradicts it: "the mill."',
        'It says: "the mill." [2] supports it: "the mill."',
    ):
        assert beside(kept).endswith(': "the mill."')
    assert beside('It says: "the mill", and so on.') == 'It says: "the mill", and so on.'
