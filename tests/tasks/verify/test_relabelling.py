"""A verified answer with other verdicts."""

from verifying_model import Model, verified

from factreasoner.tasks.verify.relabelling import relabelled


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
