"""Sentences whose claims failed: rewritten by a model, or taken out without one."""

import pytest
from verifying_model import SOURCES, Model, verified

from factreasoner import ScriptedLLM
from factreasoner.models import Context
from factreasoner.tasks.verify.task import verify


@pytest.mark.parametrize(
    "bad",
    [
        "It opened in 1932 [9].",
        "It opened in 1930 [1].",
        "",
        "REMOVE it",
        None,
        7,
        "long " * 200,
        "It is so.",
    ],
)
def test_unusable_rewrite_fails_and_sentence_stays(bad):
    def spoilt(name, arguments, times):
        return dict.fromkeys(arguments, bad) if name == "correct" else arguments

    result = verified(Model(spoilt=spoilt), answer="It opened in 1930 [1]. It shows maps [1].")
    assert result.corrected == result.response
    assert result.status == "partial"
    assert [f.stage for f in result.failures] == ["corrector"]
    assert [(c.label, c.fate) for c in result.claims] == [("contradicted", "flagged"), ("supported", "kept")]
    assert result.changes == ()


def test_rules_remove_only_contradicted_and_unsourced():
    result = verified(
        answer="The Harbour Museum opened in 1930 [1]. It was built by Norwegians [1]. "
        "It has a café [7]. All love it."
    )
    assert [(claim.label, claim.fate) for claim in result.claims] == [
        ("contradicted", "removed"),
        ("unverified", "flagged"),
        ("unknown_source", "removed"),
        ("uncited", "flagged"),
    ]
    assert result.corrected == "It was built by Norwegians [1]. All love it."
    assert result.claims[0].quote == "The Harbour Museum opened on 4 May 1932."
    assert "4 May 1932" in result.claims[0].explanation


def test_prompt_numbers_sources_like_the_reference_list():
    pages = [
        Context(id=f"c{n}", text=text, link=f"https://example.org/{n}") for n, text in enumerate(SOURCES)
    ]
    answer = "Two million people came in 1930 [1].\n\nReferences:\n[1] Visits, https://example.org/1\n"
    model = Model(rewrites={"1930": "1,987,000 people came in 2019 [1]."})
    llm = ScriptedLLM(model)
    result = verify(answer, contexts=pages, llm=llm, rounds=1)
    (prompt,) = [call.prompt.user for call in llm.calls if call.prompt.name == "correct"]
    assert "Source [1]:\n<given_source" in prompt
    assert prompt.count("Source [") == 1
    assert result.corrected == answer.replace(
        "Two million people came in 1930", "1,987,000 people came in 2019"
    )
    assert result.revised.claims[0].cited == ("c1",)


def test_a_row_of_a_table_stays_one():
    table = "| what | when |\n|---|---|\n| opened | 1930 [1] |\n"
    result = verified(Model(), answer=table)
    assert (result.status, result.corrected) == ("partial", table)
    assert "it is not a row of the table any more" in result.failures[0].message


def test_prompt_shows_relevant_parts_of_long_sources():
    filler = " ".join(f"Ship number {n} lay in the harbour of the town for a while." for n in range(1500))
    llm = ScriptedLLM(Model())
    sources = [f"{filler} The Harbour Museum opened on 4 May 1932. {filler}"]
    verify("The Harbour Museum opened in 1930 [1].", contexts=sources, llm=llm, rounds=1)
    (prompt,) = [call.prompt.user for call in llm.calls if call.prompt.name == "correct"]
    assert "opened on 4 May 1932" in prompt
    assert "\n…\n" in prompt
    assert len(prompt) < len(sources[0]) / 2
