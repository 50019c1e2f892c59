"""`verify`: an answer verified and corrected, with a model, hostile ones too, and without."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from table_judge import TableJudge
from verifying_model import ANSWER, SOURCES, Model, fates, verified

from factreasoner import Config, ScriptedLLM
from factreasoner.errors import InputError, UnusableReplyError
from factreasoner.models import Atom, Context, Failure, Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.tasks.task import line_of
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.tasks.verify.task import TASK, verify


@pytest.mark.usefixtures("whole_sentences")
def test_a_model_rewrites_what_failed_and_nothing_else():
    result = verified(Model())
    assert result.status == "ok"
    assert result.corrected == (
        "It opened in 1932 [1]. It shows ships and maps [1]. In 2019 2 million people came [2].\n\n"
        "- Entry is free.\n"
    )
    assert fates(result) == [
        ("The Harbour Museum opened in 1930.", "contradicted", "rewritten"),
        ("It shows ships and maps.", "supported", "kept"),
        ("In 2019 2 million people came.", "supported", "kept"),
        ("It is loved by all.", "unverified", "removed"),
        ("It has a café.", "unknown_source", "removed"),
        ("Entry is free.", "uncited", "flagged"),
    ]
    assert [(c.before, c.after) for c in result.changes] == [
        ("The Harbour Museum opened in 1930 [1].", "It opened in 1932 [1]."),
        ("It is loved by all [1][2].", ""),
        ("It has a café [7].", ""),
    ]
    assert result.revised.claims[0].text == "It opened in 1932."
    assert result.claims[0].explanation == "So it says of The Harbour Museum opened in 1930."
    assert (result.claims[0].quote, result.claims[0].quoted) == ("opened on 4 May 1932", "c0")


def test_missing_sources_cause_no_calls_or_rewrites():
    llm = ScriptedLLM(Model())
    result = TASK.worker(Config(model="m"), Calls(llm=llm)).assess(
        Record(id="r", response="It has a café [7].", contexts=())
    )
    assert [claim.fate for claim in result.claims] == ["flagged"]
    assert result.corrected == "It has a café [7]."
    assert not any("sources" in call.prompt.user.lower() for call in llm.calls)


def test_correction_stops_after_maximum_rounds():
    model = Model(
        verdicts={"1931": "False"},
        rewrites={"1930": "It opened in 1931 [1].", "1931": "It opened in 1931 once [1]."},
    )
    result = verified(model, answer="It opened in 1930 [1]. It shows maps [1].")
    assert model.asked.count("correct") == 2
    assert result.corrected == "It opened in 1931 once [1]. It shows maps [1]."
    assert [(c.label, c.fate) for c in result.revised.claims] == [
        ("contradicted", "flagged"),
        ("supported", "kept"),
    ]
    assert len(result.changes) == 1
    assert len(result.changes[0].why) == 2
    once = verified(Model(verdicts={"1931": "False"}, rewrites={"1930": "It opened in 1931 [1]."}), rounds=1)
    assert once.corrected.startswith("It opened in 1931 [1].")
    assert verified(Model(), rounds=0).corrected == ANSWER


def test_unsplittable_rewrite_is_listed_as_failure():
    def spoilt(name, arguments, times):
        return UnusableReplyError("prose") if name == "atomizer" and times > 1 else arguments

    result = verified(Model(spoilt=spoilt), answer="It opened in 1930 [1]. It shows maps [1].")
    assert result.corrected == "It opened in 1932 [1]. It shows maps [1]."
    assert [failure.stage for failure in result.failures] == ["atomizer"]
    assert result.status == "partial"


def test_failed_rejudging_removes_the_label():
    def spoilt(name, arguments, times):
        again = name == "verify" and times > 1
        about = {key[:6] for key, value in arguments.items() if again and "ships" in str(value)}
        return {key: value for key, value in arguments.items() if key[:6] not in about}

    result = verified(
        Model(spoilt=spoilt), answer="It shows ships. The museum opened in 1930 [1][2].", max_attempts=1
    )
    assert result.corrected == "It shows ships. It opened in 1932 [1]."
    ships = result.revised.claims[0]
    assert (ships.cited, ships.label, ships.p, ships.quote) == (("c0",), None, None, None)
    assert (ships.supported_by, ships.explanation, ships.fate) == ((), "", "flagged")
    assert [failure.item_id for failure in result.failures] == ["c0->r1_a0"]
    (ships, _) = result.rows()
    assert (ships.judged, ships.num_entailing) == ("fully", 1)


def test_corrected_claims_get_distinct_ids():
    claims = [
        Atom(id="r1_a0", text="It shows ships.", original="It shows ships."),
        Atom(id="r1_a1", text="The museum opened in 1930.", original="The museum opened in 1930"),
    ]
    result = verified(Model(), answer="It shows ships. The museum opened in 1930 [1][2].", atoms=claims)
    assert [claim.id for claim in result.revised.claims] == ["r1_a2", "r1_a3"]
    assert [claim.id for claim in result.claims] == ["r1_a0", "r1_a1"]
    assert {c.target_id for c in result.verdicts} == {"r1_a0", "r1_a1", "r1_a2", "r1_a3"}


def test_explanations_name_sources_as_the_text_does():
    answer = "In 2019 1,987,000 people visited the Harbour Museum [{}]."
    for cited in ("2", "c1"):
        result = verified(answer=answer.format(cited))
        assert result.claims[0].explanation.startswith(f"[{cited}] supports it")


def test_shared_marker_outlives_its_sentence():
    answer = "It shows ships. It shows maps. The museum opened in 1930 [1]."
    result = verified(Model(rewrites={"1930": "REMOVE"}), answer=answer)
    assert result.corrected == "It shows ships. It shows maps. [1]"
    assert [(c.label, c.cited) for c in result.revised.claims] == [("supported", ("c0",))] * 2
    assert [claim.fate for claim in result.claims] == ["kept", "kept", "removed"]
    rewritten = verified(Model(rewrites={"1930": "It opened in 1932."}), answer=answer)
    assert rewritten.corrected == "It shows ships. It shows maps. It opened in 1932. [1]"


@pytest.mark.usefixtures("whole_sentences")
def test_uncited_claims_use_all_sources_on_request():
    result = verified(Model(verdicts={"free": "False"}), uncited="check")
    free = next(claim for claim in result.claims if "free" in claim.text)
    assert (free.label, free.cited, free.fate) == ("contradicted", (), "removed")
    assert result.before.uncited == pytest.approx(1 / 6)


def test_sources_that_disagree_leave_a_claim_conflicting():
    answer = "It rained [1][2]. It snowed [2]."
    judge = TableJudge({("c0", ""): ("entailment", 0.9), ("c1", ""): ("contradiction", 0.9)})
    result = verify(answer, contexts=SOURCES, judge=judge)
    assert [(c.label, c.p, c.fate) for c in result.claims] == [
        ("conflicting", 0.5, "flagged"),
        ("contradicted", pytest.approx(0.1), "removed"),
    ]
    assert result.corrected == "It rained [1][2]."


def test_a_run_is_replayed_from_its_journal(tmp_path):
    claims = [Atom(id="a0", text="The museum opened in 1930.", original="It opened in 1930 [1].")]
    answer = "It opened in 1930 [1]."
    model = {"llm": ScriptedLLM(Model()), "model": "m", "cache": False}
    first = verify(answer, contexts=SOURCES, atoms=claims, **model, rounds=0)
    journal = tmp_path / "journal.jsonl"
    journal.write_bytes(line_of(TASK, first).text)
    again = verify(answer, contexts=SOURCES, atoms=claims, judge="recorded", relations=journal, rounds=0)
    assert [(c.label, c.p) for c in again.claims] == [(c.label, c.p) for c in first.claims]
    assert again.claims[0].label == "contradicted"


def test_unknown_number_removes_sentence_without_model():
    answer = "It opened in 1932 (Smith 2020). It shows ships [7]. It shows maps (Lee 2019) [8]."
    result = verified(answer=answer)
    assert result.corrected == "It opened in 1932 (Smith 2020)."
    assert [(c.label, c.fate) for c in result.claims] == [
        ("uncited", "flagged"),
        ("unknown_source", "removed"),
        ("unknown_source", "removed"),
    ]
    assert result.claims[1].explanation == "There is no source 7."
    assert "'(Smith 2020)' was not read as a citation" in result.notes[0]
    note = "It opened in 1932.[^a]\n\n[^a]: A book\n"
    assert verified(answer=note).corrected == note


REPLIES = [*("banana", "", None, "REMOVE", "REMOVE it.", "[1]", "I think the answer is mostly fine.")]
REPLIES += ["Es wurde 1932 eröffnet [1].", "It opened in 1930 [1].", "It opened in 1932 [1]."]
REPLIES += ["it opened in 1932 [1]", "It opened in 1932 [1]. It shows maps [1]."]
REPLIES += ["It shows ships and maps [1].", "It opened in 1930 [2]."]
PARAGRAPH = (
    "The museum opened in 1930 [1]. It shows ships [1]. It opened in 1930 [1]. It opened in 1930, too [1]."
)


def spliced(answer, changes):
    for change in reversed(changes):
        answer = answer[: change.span[0]] + change.after + answer[change.span[1] :]
    return " ".join(answer.split())


@settings(deadline=None, max_examples=25)
@given(st.lists(st.sampled_from(REPLIES), min_size=1, max_size=12), st.integers(1, 2))
def test_corrected_text_agrees_with_changes_and_fates(replies, rounds):
    def spoilt(name, arguments, times):
        if name != "correct":
            return arguments
        return {key: replies[(n + times) % len(replies)] for n, key in enumerate(arguments)}

    result = verified(Model(spoilt=spoilt), PARAGRAPH, rounds=rounds)
    assert " ".join(result.corrected.split()) == spliced(PARAGRAPH, result.changes)
    assert not re.search("banana|REMOVE|mostly|eröffnet", result.corrected)
    for change in result.changes:
        assert change.before == PARAGRAPH[slice(*change.span)] != change.after
    for claim in result.claims:
        change = next((c for c in result.changes if c.span[0] <= claim.span[0] < c.span[1]), None)
        assert (claim.fate in ("rewritten", "removed")) == (change is not None)
        assert change is None or (claim.fate == "removed") == (change.after == "")
        assert claim.label == "supported" or change or claim.fate == "flagged"
    failed = {s.place for s in CitedText(PARAGRAPH, ()).sentences if "1930" in PARAGRAPH[slice(*s.place)]}
    unlisted = failed - {change.span for change in result.changes}
    assert len(unlisted) <= len({f.item_id for f in result.failures})


def test_other_language_claims_are_excluded_from_scores():
    answer = "Der Turm ist seit dem Jahr 1871 am Hafen und die Lampe ist noch da [1]. The lamp is red [2]."
    result = verify(answer, contexts=["The tower was built in 1890 by the harbour.", "The lamp is red."])
    foreign, own = result.claims
    assert (foreign.label, foreign.p) == (None, None)
    assert "[1]: atom in German, passage in English." in foreign.explanation
    assert [(f.item_id, f.error_type) for f in result.failures] == [(f"c0->{foreign.id}", "OtherLanguage")]
    assert own.label == "supported"
    assert result.before.citation_recall == 1.0
    sources = ["Der Turm ist seit 1871 am Hafen.", "The lamp is."]
    both = verify(answer.replace("[1]", "[1][2]"), contexts=sources)
    assert both.claims[0].label in (None, "supported")


def test_uncompared_source_leaves_the_claim_label():
    answer = "The tower was built in 1871 by the harbour [1][2][3]."
    sources = ["The lamp is red and it was lit by the keeper.", "The keeper was a tall man."]
    sources += ["Der Turm ist seit vielen Jahren nicht mehr am Hafen."]
    (claim,) = verify(answer, contexts=sources).claims
    assert claim.label == "unverified"
    assert claim.explanation.endswith("[3]: atom in English, passage in German.")


def test_a_foreign_source_hides_no_contradiction():
    answer = "The tower was built in 1871 by the harbour [1][2][3]."
    sources = ["The tower was built in 1890 by the harbour.", "The keeper was a tall man."]
    sources += ["Der Turm ist seit vielen Jahren nicht mehr am Hafen."]
    assert [c.label for c in verify(answer, contexts=sources).claims] == ["contradicted"]
    assert [c.label for c in verify(answer, contexts=[sources[0], *sources[2:] * 2]).claims] == [None]


def test_unknown_citation_is_explained():
    sources = [{"id": f"s{n}", "text": "It is tall.", "link": f"https://b.com/{n}"} for n in (1, 2)]
    listed = "It is red [s7].\n\nIt is old [1].\n\n[1]: https://a.com/x"
    other, none = verify(listed, contexts=sources).claims
    assert (other.explanation, other.fate) == ("There is no source s7 (ids: s1, s2).", "flagged")
    assert none.explanation == "There is no source with the link https://a.com/x."


def test_a_record_needs_sources():
    (problem,) = TASK.problems(Record(id="r1", response="x"), Config())
    assert str(problem).startswith("record r1: contexts: missing; add the sources")
    assert TASK.problems(Record(id="r1", response="x", contexts=()), Config()) == []
    pages = (Context(id="c0", text="It rained."), Context(id="c1", text=" https://a.example/rain "))
    (problem,) = TASK.problems(Record(id="r1", response="x", contexts=pages), Config())
    assert str(problem).startswith("record r1: contexts[1].text: 'https://a.example/rain' is a URL")
    with pytest.raises(InputError, match="none given"):
        verify("It rained [1].", contexts=[])


def test_failed_record_line_has_all_keys():
    failure = Failure(stage="pipeline", item_id="r1", error_type="X", message="lost")
    failed = TASK.failed(Record(id="r1", response="x", contexts=()), Config(), failure)
    tally = TASK.tally(Config(), ())
    line, other = tally.add(failed), tally.add(verified(Model()))
    assert line.keys() == other.keys()
    assert (line["num_claims"], line["num_changes"], line["uncited"]) == (None, None, None)


@pytest.mark.usefixtures("whole_sentences")
def test_verify_line_holds_changes_and_claims():
    result = verified(Model())
    line = TASK.tally(Config(), []).add(result)
    assert line["corrected"].startswith("It opened in 1932 [1].")
    assert len(line["changes"]) == 3
    assert (len(line["claims"]), len(line["corrected_claims"])) == (6, 4)
    assert line["unknown_citations"] == ["7"]
    assert TASK.size(result) == len(result.verdicts)


def test_notes_and_unknown_citations_match_results():
    result = verify("A dam is high [1. It is wide [7].", contexts=["A dam is high."])
    assert result.unknown_citations == ("7",)
    assert len(result.notes) == 1
    assert "[1" in result.notes[0]
