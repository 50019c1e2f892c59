"""What the verdicts on a claim amount to, in words."""

from verifying_model import Model, verified

from factreasoner.models import Context, Verdict
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.judging import SourceVerdict
from factreasoner.tasks.verify.labelling import labelled, relabelled
from factreasoner.tasks.verify.result import VerifiedClaim

TEXT = CitedText("It opened [1, 2].", [Context(id="c0", text="x"), Context(id="c1", text="y")])
CLAIM = VerifiedClaim(id="a0", text="It opened.", cited=("c0", "c1"))


def holding(*sources, label="neutral"):
    premise = "+".join(sources)
    return SourceVerdict(Verdict(context_id=premise, target_id="a0", label=label, probability=0.9), sources)


def explained(*holdings):
    return labelled(CLAIM, holdings, TEXT, complete=True).explanation


def test_several_sources_are_spoken_of_as_several():
    one, other = holding("c0"), holding("c1")
    assert explained(one) == "[1] neither supports it nor contradicts it."
    assert explained(one, other) == "[1] and [2] neither support it nor contradict it."
    assert explained(holding("c0", label="entailment")) == "[1] supports it."
    assert explained(holding("c0", "c1", label="entailment")) == "[1] and [2] support it."
    assert explained(holding("c0", "c1", label="contradiction")) == "[1] and [2] say otherwise."


def other(result, word, **fields):
    """The result's verdicts, with `fields` for those on a claim that has `word`."""
    ids = {claim.id for claim in result.claims if word in claim.text}
    return tuple(v.model_copy(update=fields) if v.target_id in ids else v for v in result.verdicts)


def test_claims_get_new_labels_and_what_was_changed_stays_changed():
    result = verified(Model())
    fields = {"label": "contradiction", "confidence": "corrected", "note": "corrected by a reader"}
    again = relabelled(result, other(result, "ships", **fields))
    ships = next(claim for claim in again.claims if "ships" in claim.text)
    assert (ships.label, ships.fate) == ("contradicted", "flagged")
    assert ships.explanation == "Corrected by a reader."
    assert again.corrected == result.corrected
    assert [c for c in again.claims if "ships" not in c.text] == [
        c for c in result.claims if "ships" not in c.text
    ]
    rewritten = relabelled(result, other(result, "1930", label="entailment")).claims[0]
    assert (rewritten.label, rewritten.fate) == ("supported", "rewritten")


def test_the_same_verdicts_change_nothing():
    result = verified(Model())
    assert relabelled(result, result.verdicts) == result
