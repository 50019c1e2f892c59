"""The words for what decides a label."""

from dataclasses import replace

import pytest
from assessments import assessment

from factreasoner.models.rows import Note, quote_note
from factreasoner.tasks.evidence_text import evidence_of


@pytest.mark.parametrize("quote", ["opened in 1932", ""])
def test_source_is_named_beside_similar_quote(quote):
    (row,) = assessment([0.9]).rows()
    note = Note("c1 (Rail history) contradicts it", "The line opened in 1932 to goods")
    said = evidence_of(replace(row, context="c0", title="City guide", quote=quote, notes=(note,)), 80)
    verb = "" if quote else "supported by "
    assert said == [f"{verb}c0 (City guide)", f'{note.words}: "{note.quote}"']


def test_nearest_sentence_is_never_called_a_quote():
    (row,) = assessment([0.9]).rows()
    row = replace(row, context="c0", title=None, quote="It opened in 1932.", quote_by="nearest", notes=())
    assert evidence_of(row, 80) == ['supported by c0; nearest sentence: "It opened in 1932."']
    assert (
        quote_note("c1 contradicts it", " in\n1931 ", "nearest").words
        == "c1 contradicts it; nearest sentence"
    )
    assert quote_note("c1 contradicts it", None, "nearest") == Note("c1 contradicts it")
    assert quote_note("c1 contradicts it", "in 1931", "model") == Note("c1 contradicts it", "in 1931")


@pytest.mark.parametrize("note", [False, True])
def test_long_quote_is_cut_around_the_claim(note):
    (row,) = assessment([0.1]).rows()
    quote = "The lake lies in the south, between a city and " + "a region and " * 9 + "is 1,642 metres deep."
    row = replace(row, text="The lake is 1,700 metres deep.", context=None if note else "c0", title=None)
    notes = (Note("the reference contradicts it", quote), Note("; and more")) if note else ()
    row = replace(row, quote=quote, notes=notes)
    (said,) = evidence_of(row, 60)
    assert said.endswith('is 1,642 metres deep."; and more' if note else 'is 1,642 metres deep."')
    assert said.startswith('the reference contradicts it: "… ' if note else 'c0: "… ')
    assert len(said) < 105


def test_source_named_by_marker_is_named_once():
    (row,) = assessment([0.9]).rows()
    named = {"context": "s1", "title": "Guide", "quote": "in 1932", "against": "cited"}
    said = evidence_of(replace(row, notes=(Note("[1] says otherwise", "in 1932", own=True),), **named), 80)
    assert said == ['[1] says otherwise: "in 1932" (Guide)']
    without = named | {"quote": None}
    said = evidence_of(replace(row, notes=(Note("[1] supports it."),), **without), 80)
    assert said == ["[1] supports it (Guide)"]
    by_another = (Note("[2] contradicts it", "Closed", own=False),)
    said = evidence_of(replace(row, notes=by_another, **named), 80)
    assert said == ['s1 (Guide): "in 1932"', '[2] contradicts it: "Closed"']
    said = evidence_of(replace(row, notes=(Note("It says", "in 1932", own=True),), **named), 80)
    assert said == ["s1 (Guide)", 'It says: "in 1932"']


INNER = (
    'The museum, which Smith called "a very odd place" in his guide, opened in 1932 and has kept its hall.'
)


def test_inner_quotation_marks_survive_shortening():
    (row,) = assessment([0.1]).rows()
    notes = (Note("the reference contradicts it", INNER), Note("; see c3"))
    row = replace(row, notes=notes, context=None, text="It opened in 1931.")
    assert evidence_of(row, 120) == [f'the reference contradicts it: "{INNER}"; see c3']
    (short,) = evidence_of(row, 40)
    assert short.endswith('"; see c3')
    assert len(short) < 110


def test_note_keeps_number_and_long_context_name():
    (row,) = assessment([0.1]).rows()
    told = f"no context decides it; it is not about c12 ({'Guide ' * 9}1932)"
    assert evidence_of(replace(row, notes=(Note(told),), context=None), 90) == [told]


@pytest.mark.parametrize("begin", [(Note("The source says", "x"),), ()])
def test_a_long_note_is_cut_although_it_quotes(begin):
    (row,) = assessment([0.1]).rows()
    notes = (*begin, Note(" a long word on it" * 60))
    (said,) = evidence_of(replace(row, notes=notes, context=None), 100)
    assert said.endswith(" …")
    assert len(said) <= 102
