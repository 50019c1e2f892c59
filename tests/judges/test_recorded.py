"""Verdicts from a file: a table of relations, or an earlier run's journal."""

import json

import pytest

from factreasoner.errors import ConfigError, InputError
from factreasoner.judges.recorded import RecordedJudge, recording_fingerprint
from factreasoner.models import Assessment, Atom, Claim, Context, Outcome, Premise, Verdict
from factreasoner.models.journal import Packed, pack
from factreasoner.pipeline.config import Config
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import line_of

TABLE = [
    {"record": "r1", "source": "c0", "target": "a0", "label": "entailment", "probability": 0.7},
    {"record": "r1", "source": "c0", "target": "a1", "label": "contradiction"},
    {"record": "r1", "source": "c0", "target": "c1", "label": "neutral", "probability": 1, "note": "ignored"},
    {"record": 2, "source": "c0", "target": "a0", "label": "contradiction", "probability": 0.99},
]


def write(path, *lines):
    texts = (line if isinstance(line, str) else json.dumps(line) for line in lines)
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def judge(path, **settings):
    return RecordedJudge(Config(judge="recorded", relations=path, **settings))


def premise(context_id="c0", record="r1", text="A passage."):
    return Premise(context_id, text, record_id=record)


def claims(*ids, text="An atom."):
    return [Claim(i, text) for i in ids]


def test_recorded_verdicts_keep_the_claim_order(tmp_path):
    j = judge(write(tmp_path / "t.jsonl", *TABLE))
    judged = j.judge(premise(), claims("c1", "a1", "a0"))
    assert [(v.target_id, v.label, v.probability, v.confidence) for v in judged.verdicts] == [
        ("c1", "neutral", 1.0, "recorded"),
        ("a1", "contradiction", 0.9, "constant"),
        ("a0", "entailment", 0.7, "recorded"),
    ]
    assert judged.failures == ()
    assert j.judge(premise(record="2"), claims("a0")).verdicts[0].label == "contradiction"


def test_unlisted_pair_is_a_named_failure(tmp_path):
    file = write(tmp_path / "t.jsonl", *TABLE)
    judged = judge(file).judge(premise(), claims("a0", "a7"))
    assert [v.target_id for v in judged.verdicts] == ["a0"]
    (failure,) = judged.failures
    assert (failure.stage, failure.item_id, failure.error_type) == ("judge", "c0->a7", "MissingVerdict")
    assert str(file) in failure.message
    assert len(judge(file).judge(premise("c9"), claims("a0")).failures) == 1
    assert len(judge(file).judge(premise(record="r9"), claims("a0")).failures) == 1


def test_quote_absent_from_passage_is_dropped(tmp_path):
    quoted = [TABLE[0] | {"quote": "a  PASSAGE"}, TABLE[1] | {"quote": "another passage"}]
    j = judge(write(tmp_path / "t.jsonl", *quoted))
    judged = j.judge(premise(), claims("a0", "a1"))
    assert [(v.quote, v.citation) for v in judged.verdicts] == [("a  PASSAGE", None), (None, "absent")]
    assert not judged.failures


def test_unlisted_neutral_needs_a_known_record(tmp_path):
    j = judge(write(tmp_path / "t.jsonl", *TABLE), unlisted="neutral")
    judged = j.judge(premise(), claims("a0", "a7"))
    assert [(v.target_id, v.label) for v in judged.verdicts] == [("a0", "entailment"), ("a7", "neutral")]
    assert judged.verdicts[1].confidence == "unlisted"
    (failure,) = j.judge(premise(record="r9"), claims("a0")).failures
    assert failure.item_id == "c0->a0"
    assert "has no verdict for this record" in failure.message
    assert "add one neutral line for this record" in failure.message


GOOD = {"record": "r", "source": "c", "target": "a", "label": "neutral"}


@pytest.mark.parametrize(
    ("line", "field", "words"),
    [
        ({"record": "r", "source": "c", "target": "a"}, "label", "missing"),
        (GOOD | {"label": "supports"}, "label", "'neutral'"),
        ({"source": "c", "target": "a", "label": "neutral"}, "record", "missing"),
        (GOOD | {"record": ""}, "record", "must not be empty"),
        (GOOD | {"source": True}, "source", "must be a string"),
        (GOOD | {"target": ["a"]}, "target", "must be a string"),
        (GOOD | {"probability": 1.5}, "probability", "1"),
        (GOOD | {"probability": "0.5"}, "probability", ""),
        (GOOD | {"probability": float("nan")}, "probability", ""),
        ('{"record": "r", "source": "c"', "", "JSON"),
        ("[1]", "", "object"),
        ({"id": "r", "output": "An answer."}, "record, source, target, label", "missing"),
    ],
)
def test_a_bad_line_is_named_with_its_field(tmp_path, line, field, words):
    file = write(tmp_path / "t.jsonl", TABLE[0], "", line, {"record": "r"})
    with pytest.raises(InputError) as caught:
        judge(file)
    problem = next(p for p in caught.value.problems if p.field == field)
    assert problem.where == f"{file}:3"
    assert {p.where for p in caught.value.problems} == {f"{file}:3", f"{file}:4"}
    assert words in problem.message
    assert '"record", "source", "target", "label"' in problem.message


@pytest.mark.parametrize("change", [{"label": "contradiction"}, {"probability": 0.6}])
def test_two_verdicts_on_one_pair_must_agree(tmp_path, change):
    file = write(tmp_path / "t.jsonl", TABLE[0], TABLE[1], TABLE[0] | change)
    with pytest.raises(InputError, match=r"t\.jsonl:3: label: line 1 has another verdict on c0->a0 of 'r1'"):
        judge(file)
    assert judge(write(tmp_path / "u.jsonl", TABLE[0], TABLE[0])).judge(premise(), claims("a0")).verdicts


@pytest.mark.parametrize(("content", "words"), [(None, "can't be read"), ("\n \n", "empty")])
def test_empty_or_missing_relations_file_is_refused(tmp_path, content, words):
    file = tmp_path / "t.jsonl"
    if content is not None:
        file.write_text(content)
    with pytest.raises(InputError, match=words):
        judge(file)
    with pytest.raises(InputError, match=r"journal\.jsonl: is missing; put it back"):
        judge(tmp_path)
    with pytest.raises(ConfigError, match="`relations=FILE`"):
        RecordedJudge(Config())


def assessment(record_id="r1", texts=("One.", "Two.", "one."), label="entailment", pairs=(("c0", "a0"),)):
    verdicts = (
        Verdict(context_id=c, target_id=t, label=label, probability=0.8, quote="One", citation="found")
        for c, t in pairs
    )
    return Assessment(
        record_id=record_id,
        status="ok",
        assessor="factreasoner",
        atoms=(Atom(id="a0", text="First."), Atom(id="a1", text="Second.")),
        contexts=tuple(Context(id=f"c{i}", text=text) for i, text in enumerate(texts)),
        outcome=Outcome(p_true={}, support={}, verdicts=tuple(verdicts)),
    )


def journal(tmp_path, *assessments, end=b""):
    lines = b"".join(line_of(TASK, one).text for one in assessments)
    (tmp_path / "journal.jsonl").write_bytes(lines + end)
    return tmp_path


@pytest.mark.parametrize("as_folder", [True, False])
def test_earlier_run_is_replayed_with_quotes(tmp_path, as_folder):
    folder = journal(tmp_path, assessment())
    j = judge(folder if as_folder else folder / "journal.jsonl")
    (verdict,) = j.judge(premise(text="One."), claims("a0", text="First.")).verdicts
    assert (verdict.label, verdict.probability, verdict.confidence) == ("entailment", 0.8, "recorded")
    assert (verdict.quote, verdict.citation) == ("One", "found")


def with_verdicts(made, *changes):
    """The assessment, each verdict with its changes."""
    changed = (v.model_copy(update=change) for v, change in zip(made.outcome.verdicts, changes, strict=True))
    return made.model_copy(update={"outcome": made.outcome.model_copy(update={"verdicts": tuple(changed)})})


def test_replay_uses_uncalibrated_verdicts(tmp_path):
    was = {"uncalibrated": 0.999, "uncalibrated_label": "entailment"}
    made = with_verdicts(assessment(), {"label": "neutral", "probability": 0.735, **was})
    judged = judge(journal(tmp_path, made)).judge(premise(text="One."), claims("a0", text="First."))
    found = [(v.label, v.probability, v.uncalibrated) for v in judged.verdicts]
    assert found == [("entailment", 0.999, None)]


def test_last_assessment_counts_and_torn_line_is_ignored(tmp_path):
    half = line_of(TASK, assessment(label="neutral")).text[:-20]
    folder = journal(tmp_path, assessment(), assessment(label="contradiction"), end=half)
    (verdict,) = judge(folder).judge(premise(text="One."), claims("a0", text="First.")).verdicts
    assert verdict.label == "contradiction"


@pytest.mark.parametrize(
    "line",
    [
        "{broken",
        '{"record_id": [1], "status": "ok"}',
        '{"record_id": 5, "status": "ok"}',
        '{"record_id": "r1"}',
        '{"record_id":' + "[" * 5000,
    ],
    ids=range(5),
)
def test_a_damaged_line_is_named(tmp_path, line):
    folder = journal(tmp_path, assessment())
    with (folder / "journal.jsonl").open("a") as file:
        file.write(f"{line}\n")
    with pytest.raises(InputError, match=r"journal\.jsonl:2: damaged"):
        judge(folder)


def test_unreadable_assessment_is_named_when_needed(tmp_path):
    line = Packed("r1", None, "ok", 0, b'{"record_id": "r1", "status": "ok", "atoms": 7}')
    (tmp_path / "journal.jsonl").write_bytes(pack(line))
    with pytest.raises(InputError, match="the result of 'r1' can't be read"):
        judge(tmp_path).judge(premise(), claims("a0"))


def test_internal_error_is_not_reported_as_input_error(tmp_path, monkeypatch):
    def broken(contexts):
        raise TypeError("a fault")

    monkeypatch.setattr("factreasoner.judges.recorded.equal_groups", broken)
    with pytest.raises(TypeError, match="a fault"):
        judge(journal(tmp_path, assessment())).judge(premise(), claims("a0"))


@pytest.mark.parametrize(
    ("passage", "atom", "count"), [("One.", "First.", 1), ("Other.", "First.", 0), ("One.", "Other.", 0)]
)
def test_a_verdict_on_other_texts_is_no_verdict(tmp_path, passage, atom, count):
    j = judge(journal(tmp_path, assessment()), unlisted="neutral")
    judged = j.judge(premise(text=passage), claims("a0", text=atom))
    assert len(judged.verdicts) == count
    assert [("other texts" in f.message) for f in judged.failures] == [True] * (1 - count)


def test_a_context_as_a_claim_may_be_cut(tmp_path):
    j = judge(journal(tmp_path, assessment(pairs=(("c0", "c1"),))))
    assert j.judge(premise(text="One."), claims("c1", text="Tw")).verdicts


def test_verdict_applies_to_all_equal_contexts(tmp_path):
    pairs = (("c0", "a0"), ("c2", "a1"), ("c2", "c1"), ("c1", "c0"))
    j = judge(journal(tmp_path, assessment(pairs=pairs)))
    first, second = claims("a0", text="First."), claims("a1", text="Second.")
    for context, text in (("c0", "One."), ("c2", "one.")):
        judged = j.judge(premise(context, text=text), [*first, *second, *claims("c1", text="Two.")])
        found = [(v.context_id, v.target_id) for v in judged.verdicts]
        assert found == [(context, "a0"), (context, "a1"), (context, "c1")]
    assert j.judge(premise("c1", text="Two."), claims("c2", text="one.")).verdicts[0].target_id == "c2"


def test_own_verdict_precedes_that_of_equal_context(tmp_path):
    own = with_verdicts(assessment(pairs=(("c0", "a0"), ("c2", "a0"))), {}, {"label": "contradiction"})
    j = judge(journal(tmp_path, own))
    first = claims("a0", text="First.")
    assert j.judge(premise("c0", text="One."), first).verdicts[0].label == "entailment"
    assert j.judge(premise("c2", text="one."), first).verdicts[0].label == "contradiction"


def test_a_record_without_an_outcome_has_no_verdicts(tmp_path):
    failed = Assessment(record_id="r1", status="failed", assessor="factreasoner")
    assert len(judge(journal(tmp_path, failed)).judge(premise(), claims("a0")).failures) == 1


def test_the_fingerprint_is_that_of_the_content(tmp_path):
    file = write(tmp_path / "t.jsonl", *TABLE)
    before = recording_fingerprint(file)
    assert recording_fingerprint(write(tmp_path / "u.jsonl", *TABLE)) == before
    assert recording_fingerprint(write(file, *TABLE[:3])) != before
    journal(tmp_path, assessment())
    assert recording_fingerprint(tmp_path) == recording_fingerprint(tmp_path / "journal.jsonl")
    with pytest.raises(InputError, match="can't be read"):
        recording_fingerprint(tmp_path / "nothing")
