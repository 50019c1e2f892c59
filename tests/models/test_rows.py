"""Results as rows: P, the label, the quote that decides it, and nothing made up where judging failed."""

from dataclasses import replace

import pytest
from assessments import assessment

from factreasoner.models import Context, Verdict
from factreasoner.models.rows import Note, claim_label, source_name


def verdict(label="neutral", probability=0.9, **fields):
    return Verdict(**{"context_id": "c0"} | fields, target_id="a0", label=label, probability=probability)


@pytest.mark.parametrize(
    ("label", "probability", "p"),
    [
        ("entailment", 0.9, (0.9, 0.1, 0.0)),
        ("entailment", 0.3, (0.5, 0.5, 0.0)),
        ("entailment", 0.5, (0.5, 0.5, 0.0)),
        ("contradiction", 0.9, (0.1, 0.9, 0.0)),
        ("contradiction", 0.2, (0.5, 0.5, 0.0)),
        ("neutral", 0.99, (0.005, 0.005, 0.99)),
        ("neutral", 0.2, (0.25, 0.25, 0.5)),
    ],
)
def test_one_number_gives_p_of_three_labels(label, probability, p):
    assert verdict(label, probability).p == pytest.approx(p)


THREE = {"True": 0.3, "False": 0.1, "Not clear": 0.6}
TWO = {"True": 0.3, "False": 0.0, "Not clear": 0.7}


@pytest.mark.parametrize(
    ("fields", "p"),
    [
        ({"label_probabilities": THREE}, (0.3, 0.1, 0.6)),
        ({"label_probabilities": {"True": 0.4, "False": 0.6}}, (0.2, 0.2, 0.6)),
        ({"label_probabilities": THREE, "probability": 0.8}, (0.1, 0.1, 0.8)),  # calibrated, or votes
        ({"label_probabilities": THREE, "label": "entailment", "probability": 0.3}, (0.3, 0.1, 0.6)),
        ({"label_probabilities": TWO, "probability": 0.7}, (0.3, 0.0, 0.7)),
        ({"label_probabilities": TWO, "probability": 0.9}, (0.1, 0.0, 0.9)),  # calibrated
        ({"label_probabilities": TWO, "label": "entailment", "probability": 0.8}, (0.8, 0.0, 0.2)),
        ({"label_probabilities": TWO, "label": "contradiction", "probability": 1.0}, (0.0, 1.0, 0.0)),
    ],
)
def test_own_p_of_three_labels_counts(fields, p):
    assert verdict(**{"probability": 0.6} | fields).p == pytest.approx(p)


def test_rows_have_the_best_support_of_their_verdicts():
    near = verdict(probability=0.6, label_probabilities=THREE)
    far = verdict(probability=0.9, context_id="c1")
    (row,) = assessment([0.4], outcome={"verdicts": (far, near), "support": {"a0": "unverified"}}).rows()
    assert (row.label, row.best_support, row.rank) == ("unverified", 0.3, 0.3)
    (row,) = assessment([0.4], outcome={"support": {"a0": "unverified"}}).rows()
    assert (row.best_support, row.rank) == (None, 0.4)


@pytest.mark.parametrize(
    ("fields", "link", "note"),
    [
        ({}, "", "no context decides it"),
        (
            {"note": "nothing to compare"},
            "https://example.org",
            "c0 (https://example.org): nothing to compare",
        ),
    ],
)
def test_a_claim_that_nothing_decides_has_a_reason(fields, link, note):
    context = Context(id="c0", text="x", link=link)
    (row,) = assessment([0.31], contexts=(context,), outcome={"verdicts": (verdict(**fields),)}).rows()
    assert (row.context, row.quote, row.note) == (None, None, note)


def test_supported_claim_row_names_contradicting_context():
    def said(context_id, label, probability):
        fields = {"context_id": context_id, "target_id": "a0", "label": label}
        return Verdict(**fields, probability=probability)

    titles = {"c0": "Old maps", "c1": "", "c2": ""}
    contexts = tuple(Context(id=name, text="x", title=title) for name, title in titles.items())

    def row_of(p_true, *verdicts):
        (row,) = assessment([p_true], contexts=contexts, outcome={"verdicts": verdicts}).rows()
        return row

    for_it, against = said("c2", "entailment", 0.9), said("c1", "contradiction", 0.6)
    row = row_of(0.9, for_it, against, said("c0", "contradiction", 0.8))
    assert (row.cautions, row.context) == (("disputed",), "c2")
    assert row.note == "c0 (Old maps) and 1 more contradict it"
    quoted = against.model_copy(update={"quote": "It closed\nin 1930."})
    assert row_of(0.9, for_it, quoted).note == 'c1 contradicts it: "It closed in 1930."'
    row = row_of(0.2, for_it, said("c0", "entailment", 0.6), quoted)
    assert (row.label, row.context, row.cautions) == ("contradicted", "c1", ("disputed",))
    assert row.note == "c2 and 1 more support it"
    assert (row_of(0.9, for_it).cautions, row_of(0.9, for_it).note) == ((), "")
    silent = row_of(0.7, said("c0", "neutral", 0.9))
    assert (silent.cautions, silent.context) == ((), None)
    twin = for_it.model_copy(update={"quote": "It closed in 1930."})
    told = row_of(0.9, twin, quoted)  # only the deciding source's own quote stands once
    assert told.note_beside_quote == told.note == 'c1 contradicts it: "It closed in 1930."'
    own = Note("[1] supports it", "It closed in 1930.", own=True)
    both = replace(told, notes=(own, Note(" c1 contradicts it", "It closed in 1930.")))
    assert both.note == f'[1] supports it: "It closed in 1930." {told.note}'
    assert both.note_beside_quote == f"[1] supports it. {told.note}"
    both = row_of(0.6, said("c0", "neutral", 0.9), against)
    assert both.cautions == ()  # a passage contradicts it, and none supports it
    assert both.note == "c1 contradicts it"


def test_row_note_names_one_context_and_counts_others():
    notes = {"c0": "", "c1": "the model said False", "c2": "the model said False"}
    verdicts = tuple(verdict(context_id=name, note=note) for name, note in notes.items())
    (row,) = assessment([0.1], outcome={"verdicts": verdicts}).rows()
    assert row.note == "c1 and 1 more: the model said False"


def test_every_correction_is_noted_in_its_row():
    def corrected(context_id, label):
        fields = {"confidence": "corrected", "note": f"corrected by a reader to {label}"}
        return Verdict(context_id=context_id, target_id="a0", label=label, probability=1.0, **fields)

    contexts = (Context(id="c0", text="x", title="Old maps"), Context(id="c1", text="y"))
    both = (corrected("c0", "neutral"), corrected("c1", "entailment"))
    (row,) = assessment([0.9], contexts=contexts, outcome={"verdicts": both}).rows()
    told = "c0 (Old maps): corrected by a reader to neutral"
    assert (row.context, row.note) == ("c1", f"{told}; corrected by a reader to entailment")
    (row,) = assessment([0.5], contexts=contexts, outcome={"verdicts": both[:1]}).rows()
    assert (row.context, row.note) == (None, told)


@pytest.mark.parametrize(
    ("p", "labels", "label"),
    [
        (0.9, ["contradiction"], "unverified"),
        (0.9, ["entailment"], "supported"),
        (0.9, [], "unverified"),
        (0.5, ["entailment", "contradiction"], "conflicting"),
        (0.5, ["contradiction"], "unverified"),
        (0.1, ["neutral"], "unverified"),
        (0.1, ["neutral", "contradiction"], "contradicted"),
    ],
)
def test_silence_is_no_contradiction(p, labels, label):
    verdicts = [Verdict(context_id="c", target_id="x", label=name, probability=0.9) for name in labels]
    assert claim_label(p, verdicts) == label


def test_long_title_is_shortened_but_link_kept():
    link = "https://example.org/" + "x" * 90
    assert source_name("c1", link) == f"c1 ({link})"
    assert source_name("c1", "word " * 20) == f"c1 ({'word ' * 18}…)"
