"""An answer on its way to the corrected one: what its sentences become, and the fates of its claims."""

import pytest

from factreasoner.models import Context
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.revision import Revision, changes_of, new_text

CONTEXTS = (Context(id="c0", text="x"),)
ANSWER = "It opened in 1930 [1]. It shows maps [1]. It is big."
TEXT = CitedText(ANSWER, CONTEXTS)
FIRST, SECOND, THIRD = (sentence.place for sentence in TEXT.sentences)


def revision_after(edits):
    """The answer after edits of its sentences."""
    text, done, _ = new_text(TEXT, edits, "q")
    return Revision(text, (), {place: done.stands_for(place) for place in (FIRST, SECOND, THIRD)})


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


def test_what_stays_as_it_was_is_no_change():
    assert changes_of(ANSWER, revision_after({FIRST: ANSWER[slice(*FIRST)]}), {FIRST: ["doubt"]}) == ()


def test_a_new_sentence_that_the_next_one_goes_on_with_is_not_put_in():
    found = new_text(TEXT, {FIRST: "It opened with Mr.", THIRD: "It is small."}, "q")
    assert found.text.text == "It opened in 1930 [1]. It shows maps [1]. It is small."
    (failure,) = found.failures
    assert (failure.item_id, failure.error_type) == (f"q[{FIRST[0]}:{FIRST[1]}]", "JoinedSentenceError")
    assert new_text(TEXT, {}, "q").done.edits == ()


@pytest.mark.parametrize("mark", ["**", "*", "_", "~~", "<b>"])
def test_marks_that_stay_of_a_sentence_taken_out_join_nothing(mark):
    closing = mark.replace("<", "</")
    text = CitedText(f"{mark}It is big [1]. It is old [1].{closing} It shows maps [1].", CONTEXTS)
    found = new_text(text, {text.sentences[1].place: ""}, "q")
    assert found.text.text == f"{mark}It is big [1].{closing} It shows maps [1]."
    assert found.failures == ()
    second = text.sentences[1].place
    revision = Revision(found.text, (), {second: found.done.stands_for(second)})
    assert [change.after for change in changes_of(text.text, revision, {second: ["wrong"]})] == [""]
