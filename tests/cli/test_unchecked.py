"""What was not checked of an answer: in the results of all tasks, and wherever people read of it."""

import json

import pytest
from command import results, summary_of, write_records
from table_judge import TableJudge

from factreasoner import assess, rag, recall, verify
from factreasoner.integrations.scoring import Scoring

DRAFT = "<think>It may be 1931.</think>"
ANSWER = f"{DRAFT}\nThe bridge opened in 1932 [1]. Is it tall? Take two tablets [1].</s>"
SOURCE = "The bridge opened in 1932. Take two tablets."
PARTS = [(DRAFT, "removed reasoning"), ("Is it tall?", "question"), ("</s>", "removed reasoning")]
TOLD = "3 of 5 sentences not checked: 2 removed reasoning, 1 question"


def parts_of(unchecked):
    return [(ANSWER[slice(*part["span"])], part["reason"]) for part in unchecked]


@pytest.mark.parametrize("parsed", [True, False])
def test_every_splitting_task_accounts_for_the_answer(request, parsed):
    _ = parsed or request.getfixturevalue("whole_sentences")
    for task in (assess, verify, rag):
        result = task(ANSWER, contexts=[SOURCE])
        assert parts_of(part.model_dump() for part in result.unchecked) == PARTS
        claims = getattr(result, "atoms", None) or result.claims
        assert [claim.text for claim in claims] == ["The bridge opened in 1932.", "Take two tablets."]
        cited = ["The bridge opened in 1932 [1].", "Take two tablets [1]."]
        assert [ANSWER[slice(*claim.span)] for claim in claims] == cited
        assert (result.response, result.removed_reasoning, result.not_checked) == (ANSWER, 34, TOLD)
        assert TOLD in repr(result)


def test_answer_not_split_accounts_for_nothing():
    for result in (
        recall(ANSWER, facts=["The bridge opened in 1931."]),
        assess(ANSWER, contexts=[SOURCE], atoms=["The bridge opened in 1932."]),
        verify(ANSWER, contexts=[SOURCE], atoms=["The bridge opened in 1932."]),
    ):
        assert (result.unchecked, result.sentences, result.not_checked) == (None, None, "")
        assert result.removed_reasoning == 34


def test_a_draft_in_an_answer_states_no_fact():
    result = recall("<think>It opened in 1931.</think>It is steel.", facts=["It opened in 1931."])
    assert [verdict.label for verdict in result.verdicts] != ["entailment"]
    text = "It opened in 1931.</think>It opened in 1932."
    found = rag(text, contexts=["It opened in 1932."], reference="It opened in 1931.")
    assert found.metrics["coverage"] == 0.0
    assert verify(text, contexts=["It opened in 1933."], uncited="check").corrected.strip() != text


def test_cited_instructions_count_in_citation_recall():
    answer = "Take 40 g a day [1]. Take two tablets if you forget one [1]. Do not call a doctor [1]."
    source = "Take 4 g a day. Never take two tablets if you forget one. Call a doctor."
    result = verify(answer, contexts=[source], judge=TableJudge({}))
    assert len(result.claims) == 3
    assert result.before.citation_recall == 0.0


def test_unchecked_parts_are_in_files_and_terminal(factreasoner, tmp_path):
    data = write_records(
        tmp_path / "d.jsonl",
        {"output": ANSWER, "contexts": [SOURCE]},
        {"output": "I don't know.", "contexts": [SOURCE]},
    )
    done = factreasoner("run", data, "--out", "o", code=0)
    first, second = results(tmp_path / "o")
    assert parts_of(first["unchecked"]) == PARTS
    assert (first["num_unchecked"], first["num_sentences"], first["removed_reasoning"]) == (3, 5, 34)
    assert [part["reason"] for part in second["unchecked"]] == ["abstention"]
    summary = summary_of(tmp_path / "o")
    assert summary["unchecked"] == {"removed reasoning": 2, "question": 1, "abstention": 1}
    assert (summary["num_unchecked"], summary["num_sentences"], summary["removed_reasoning"]) == (4, 6, 34)
    whole = "4 of 6 sentences not checked: 2 removed reasoning, 1 question, 1 abstention"
    assert whole.replace(" not checked", "") in " ".join(done.stdout.split())
    assert whole in " ".join(factreasoner("show", "o").stdout.split())
    assert whole in factreasoner("report", "o", "--format", "md").stdout
    factreasoner("report", "o", "--out", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert all(told in page for told in ("4 of 6 sentences not checked", '["Is it tall?","question"]'))


def test_a_run_names_what_fails_again(bundled_judge, factreasoner, tmp_path):
    data = write_records(tmp_path / "d.jsonl", {"output": "Der Turm ist hoch.", "contexts": [SOURCE]})
    assert "would fail again" in factreasoner("run", data, "--out", "o", code=3).stderr


def test_assess_reports_unchecked_sentences(factreasoner, tmp_path):
    (tmp_path / "a.txt").write_text(ANSWER, encoding="utf-8")
    (tmp_path / "p.txt").write_text(SOURCE, encoding="utf-8")
    assert f"2 atoms; {TOLD}" in factreasoner("assess", "--file", "a.txt", "--context", "p.txt").stdout
    done = factreasoner("verify", "--text", "a.txt", "--source", "p.txt")
    assert f"2 claims; {TOLD}" in done.stdout
    found = json.loads(factreasoner("verify", "--text", "a.txt", "--source", "p.txt", "--json").stdout)
    assert parts_of(found["unchecked"]) == PARTS


def test_scoring_reason_reports_unchecked_sentences():
    scored = Scoring().score(ANSWER, [SOURCE])
    assert scored.value == 1.0
    assert TOLD in scored.reason
    assert "1 question" in Scoring().score("Is it tall?", [SOURCE]).reason
