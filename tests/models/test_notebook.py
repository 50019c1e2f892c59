"""What a notebook and a prompt show of a result: short, and safe whatever the texts hold."""

import re

import pytest
from assessments import assessment

from factreasoner import assess, rag, recall, verify
from factreasoner.models import Atom, Context, Failure, Verdict
from factreasoner.models.notebook import MOST_ROWS

HOSTILE = "<script>alert(1)</script> {{ 7 * 7 }} <img src=x onerror=alert(1)>"


def found():
    """A result of every task, by the words that its short form has."""
    answer, passage = "The bridge opened in 1930 [1].", "The bridge opened on 4 May 1932."
    return {
        r"<Assessment 'r1': ok, 1 atom \(1 \w+\), precision \d\.\d{3}>": assess(answer, contexts=[passage]),
        r"<RecallResult 'r1': ok, 1 claim \(1 not stated\), recall 0\.000>": recall(
            answer, facts=["It is a red car."]
        ),
        r"<RagResult 'r1': ok, 1 claim \(1 \w+\), faithfulness .*\d>": rag(answer, contexts=[passage]),
        r"<VerifyResult 'r1': ok, 1 claim \(1 \w+\), citation recall .*, uncited 0.000>": verify(
            answer, contexts=[passage]
        ),
    }


def test_every_result_has_short_repr_and_table():
    for words, result in found().items():
        assert re.fullmatch(words, repr(result)), repr(result)
        assert len(repr(result)) < 300
        html = result._repr_html_()
        assert "<table>" in html
        assert ("1930" in html) == ("Recall" not in words)
    assert str(assess("", contexts=[])) == "<Assessment 'r1': no atoms>"


def test_notebook_table_shows_labels_quotes_and_failures():
    said = Verdict(context_id="c0", target_id="a0", label="contradiction", probability=0.9, quote="in 1867")
    result = assessment(
        [0.1, None], outcome={"verdicts": (said,)}, contexts=(Context(id="c0", text="x", title="Lives"),)
    ).model_copy(
        update={"failures": (Failure(stage="judge", item_id="a1", error_type="LLMError", message="lost"),)}
    )
    assert "2 atoms (1 contradicted, 1 not judged)" in repr(result)
    assert repr(result).endswith("1 failure>")
    html = result._repr_html_()
    assert all(
        words in html for words in ("0.100", "✕ contradicted", "c0 (Lives)", "in 1867", "– not judged")
    )
    assert "failed: <bdi>judge a1: lost</bdi>" in html


def test_verified_claim_shows_its_quote_once():
    html = verify("The museum opened in 1930 [1].", contexts=["The museum opened in 1932."])._repr_html_()
    assert html.count("The museum opened in 1932.") == 1
    assert "[1] contradicts it.<" in html


def test_verdict_failures_are_shown_once_each():
    lost = Failure(stage="judge", item_id="c0->a0", error_type="LLMError", message="lost")
    result = assessment([None], outcome={"failures": (lost,)}, failures=(lost,))
    assert result.failures == (lost,)
    assert repr(result).endswith("1 failure>")
    assert "failed: <bdi>judge c0-&gt;a0: lost</bdi>" in result._repr_html_()


@pytest.mark.parametrize("where", ["answer", "title"])
def test_hostile_texts_are_text(where):
    title = HOSTILE if where == "title" else "x"
    answer = f"The bridge opened in 1932 {HOSTILE}." if where == "answer" else "The bridge opened in 1932."
    passage = {"text": "The bridge opened in 1932.", "title": title}
    html = assess(answer, atoms=[answer], contexts=[passage])._repr_html_()
    assert not re.search("<script|<img", html)
    assert "&lt;script&gt;" in html
    assert "{{ 7 * 7 }}" in html


def test_of_many_atoms_the_first_are_shown():
    count = MOST_ROWS + 3
    many = assessment([0.9] * count, atoms=tuple(Atom(id=f"a{i}", text=f"No. {i}.") for i in range(count)))
    html = many._repr_html_()
    assert "The other atoms are not shown." in html
    assert html.count("<tr>") == MOST_ROWS + 1
