"""The claims of a text, each at its sentence with what that cites; and what sentences become."""

import pytest
from verifying_model import Model, verified

from factreasoner import ScriptedLLM
from factreasoner.atoms.atomizer import LLMAtomizer
from factreasoner.atoms.rules import RuleAtomizer, RuleReviser
from factreasoner.calls.usage import Meter
from factreasoner.models import Atom, Context, Record, Verdict
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.claims import ClaimFinder, citations_of, labelled, relabelled
from factreasoner.tasks.verify.correcting import RevisedText, changes_of
from factreasoner.tasks.verify.editing import Edit, edited
from factreasoner.tasks.verify.judging import SourceVerdict
from factreasoner.tasks.verify.result import VerifiedClaim

CONTEXTS = tuple(Context(id=f"c{n}", text="x") for n in range(1, 4))


def record(answer, **fields):
    return Record(id="q", prompt="What of it?", response=answer, contexts=CONTEXTS, **fields)


def found(answer, atomizer=None, **fields):
    text = CitedText(answer, CONTEXTS)
    finder = ClaimFinder(atomizer or RuleAtomizer(), RuleReviser())
    return finder.claims(text, record(answer, **fields), Meter())


def listing(*statements):
    """An atomizer whose model lists `statements`."""
    reply = {"statements": list(statements)}
    return LLMAtomizer(ScriptedLLM(lambda prompt, schema: reply))


@pytest.mark.parametrize("atomizer", [None, listing("The tower is tall.", "The mill works.")])
def test_repeated_sentence_is_checked_with_each_citation(atomizer):
    answer = "The tower is tall [1]. The mill works [2]. \u200bTHE *TOWER* IS TALL [3].\n\n- The mill works\n"
    claims = found(answer, atomizer).claims
    assert [(claim.text, claim.cited) for claim in claims] == [
        ("The tower is tall.", ("c1",)),
        ("The mill works.", ("c2",)),
        ("The tower is tall.", ("c3",)),
        ("The mill works.", ()),
    ]
    assert len({claim.id for claim in claims}) == 4
    assert [answer[slice(*claim.span)] for claim in claims[2:]] == [
        "\u200bTHE *TOWER* IS TALL [3].",
        "The mill works",
    ]


def test_sentence_repeating_a_part_gets_its_claim():
    answer = "The tower is tall and old [1]. The tower is tall [2]."
    claims = found(answer, listing("The tower is tall and old.", "The tower is tall.")).claims
    assert [claim.cited for claim in claims] == [("c1",), ("c1",), ("c2",)]


def test_given_claim_not_in_text_fails():
    atoms = (Atom(id="a", text="The tower is tall."), Atom(id="b", text="Entry to it is free of charge."))
    claims, failures = found("The tower is tall [1]. The tower is tall [2].", atoms=atoms)
    assert [(claim.id, claim.cited, claim.fate) for claim in claims] == [
        ("a", ("c1",), "kept"),
        ("b", (), "flagged"),
    ]
    assert [(failure.item_id, failure.error_type) for failure in failures] == [("b", "NotInTextError")]
    assert "Give the atom its 'original' wording" in failures[0].message


def test_made_claims_get_other_ids_than_the_sources():
    contexts = tuple(Context(id=f"a{n}", text="x") for n in range(2))
    answer = "The tower is tall [1]. The mill works [2]."
    finder = ClaimFinder(RuleAtomizer(), RuleReviser())
    asked = Record(id="q", response=answer, contexts=contexts)
    claims = finder.claims(CitedText(answer, contexts), asked, Meter()).claims
    assert [(claim.id, claim.cited) for claim in claims] == [("a2", ("a0",)), ("a3", ("a1",))]


def test_closing_marker_cites_all_paragraph_claims():
    text = CitedText("The tower is tall. The mill works [1][9].", CONTEXTS)
    claims = found(text.text).claims
    assert [(c.label, c.source, c.claims) for c in citations_of(text, claims)] == [
        ("c1", "c1", ("a0", "a1")),
        ("9", None, ("a0", "a1")),
    ]


SOURCE = (Context(id="c0", text="x"),)
ANSWER = "It opened in 1930 [1]. It shows maps [1]. It is big."
TEXT = CitedText(ANSWER, SOURCE)
FIRST, SECOND, THIRD = (sentence.place for sentence in TEXT.sentences)


def revision_after(edits):
    """The answer after edits of its sentences."""
    done = edited(TEXT.text, [Edit(*place, after) for place, after in edits.items()])
    text = CitedText(done.text, SOURCE)
    return RevisedText(text, (), {place: done.replacement_span(place) for place in (FIRST, SECOND, THIRD)})


def test_each_sentence_knows_what_it_became():
    revision = revision_after({FIRST: "It opened in 1932 [1].", SECOND: ""})
    assert revision.text.text == "It opened in 1932 [1]. It is big."
    assert [revision.origins(sentence) for sentence in revision.text.sentences] == [[FIRST], [THIRD]]
    assert revision.places[SECOND][0] == revision.places[SECOND][1]
    changes = changes_of(ANSWER, revision, {FIRST: ["wrong year"], SECOND: ["no maps", "no maps"]})
    assert [(change.before, change.after, change.why) for change in changes] == [
        ("It opened in 1930 [1].", "It opened in 1932 [1].", ("wrong year",)),
        ("It shows maps [1].", "", ("no maps",)),
    ]


def test_unchanged_sentence_is_no_change():
    assert changes_of(ANSWER, revision_after({FIRST: ANSWER[slice(*FIRST)]}), {FIRST: ["doubt"]}) == ()


@pytest.mark.parametrize("mark", ["**", "*", "_", "~~"])
def test_leftover_marks_of_removed_sentence_are_unchanged(mark):
    text = CitedText(f"{mark}It is big [1]. It is old [1].{mark} It shows maps [1].", SOURCE)
    second = text.sentences[1].place
    done = edited(text.text, [Edit(*second, "")])
    assert done.text == f"{mark}It is big [1].{mark} It shows maps [1]."
    revision = RevisedText(CitedText(done.text, SOURCE), (), {second: done.replacement_span(second)})
    assert [change.after for change in changes_of(text.text, revision, {second: ["wrong"]})] == [""]


CITING = CitedText("It opened [1, 2].", [Context(id="c0", text="x"), Context(id="c1", text="y")])
CLAIM = VerifiedClaim(id="a0", text="It opened.", cited=("c0", "c1"))


def holding(*sources, label="neutral", **fields):
    premise = "+".join(sources)
    return SourceVerdict(
        Verdict(context_id=premise, target_id="a0", label=label, probability=0.9, **fields), sources
    )


def explained(*holdings):
    return labelled(CLAIM, holdings, CITING, complete=True).explanation


def test_several_sources_are_spoken_of_as_several():
    one, other = holding("c0"), holding("c1")
    assert explained(one) == "[1] neither supports nor contradicts it."
    assert explained(one, other) == "[1] and [2] neither support nor contradict it."
    assert explained(holding("c0", label="entailment")) == "[1] supports it."
    assert explained(holding("c0", "c1", label="entailment")) == "[1] and [2] support it."
    assert explained(holding("c0", "c1", label="contradiction")) == "[1] and [2] contradict it."


def other(result, word, **fields):
    """The result's verdicts, with `fields` for those on a claim that has `word`."""
    ids = {claim.id for claim in result.claims if word in claim.text}
    return tuple(v.model_copy(update=fields) if v.target_id in ids else v for v in result.verdicts)


def test_relabelled_claims_keep_changes_made():
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


def test_given_claim_keeps_its_span():
    atom = Atom(id="a", text="It is tall.", span=(28, 46))
    (claim,) = found("The tower is very tall [1]. The mill works [2].", atoms=(atom,)).claims
    assert (claim.span, claim.cited) == ((28, 46), ("c2",))


def test_weaker_support_is_reported_beside_contradiction():
    support = holding("c1", label="entailment")
    weaker = support._replace(verdict=support.verdict.model_copy(update={"probability": 0.6}))
    assert explained(holding("c0", label="contradiction"), weaker) == "[1] contradicts it. [2] supports it."
