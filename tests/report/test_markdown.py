"""A run as Markdown: short, and read by a Markdown parser exactly as its texts are written."""

import re

import pytest
from markdown_it import MarkdownIt
from reported import LOST, PASSAGES, answered, bridge, cited
from run_folders import run_folder
from table_judge import TableJudge

from factreasoner import rag
from factreasoner.report.markdown import MOST_CLAIMS, markdown
from factreasoner.runs.finished import FinishedRun

HOSTILE = (
    "a | b || \\| `code` ``x`` <b>bold</b> <img src=x onerror=alert(1)> <!-- -->",
    "[link](https://example.org) ![i](//x) https://example.org www.example.org &lt; &#60; #12 x#12",
    "@team/all and @someone, mail a@b.example, *bold* __bold__ _so_ ~~gone~~ ~x~ $x$ $5 and $6",
    "# head\n\n- item\n\n> quote\n\n| a |\n|---|\n| b |",
)


def read(text):
    """The rows of the table in a text, as they are shown, and all that is marked up in it."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    inline = [child for token in tokens for child in token.children or ()]
    rows, cells = [], []
    for token in tokens:
        if token.type == "inline":
            cells.append("".join(child.content for child in token.children))
        if token.type == "tr_close":
            rows.append(cells)
            cells = []
        if token.type == "paragraph_close":
            cells = []
    return rows, {token.type for token in (*tokens, *inline)}


def told_of(path, *results, **options):
    """A run of these results as Markdown."""
    return markdown(FinishedRun.of_any_task(run_folder(path, *results, **options)))


def test_markdown_has_counts_scores_and_worst_claims(tmp_path):
    text = told_of(tmp_path / "run", bridge(version=3), bridge("other"))
    assert text.startswith(
        "**2 contradicted and 2 unverified of 8 atoms; 2 are disputed.**\n\nprecision 0.500"
    )
    assert "\n\nJudged by: judge 'word_judge:WordJudge'.\n\n" in text
    head, first, *_ = read(text)[0]
    assert head == ["P(true)", "label", "4 of 4 atoms to review", "evidence"]
    assert first[1:] == [
        "✕ contradicted, disputed",
        "other: The bridge opened in 1930.",
        '"The bridge opened in 1932."; history (History); old supports it: "In 1930 the bridge was opened"',
    ]


def test_unjudged_claims_and_records_are_counted(tmp_path):
    nothing = told_of(tmp_path / "nothing", bridge(table=LOST))
    assert nothing.startswith("**Nothing was judged: 4 atoms not judged.**\n\nJudged by")
    text = told_of(tmp_path / "run", bridge(), bridge("lost", LOST), bridge("empty", atoms=[]))
    headline, scores, *_ = text.split("\n\n")
    assert headline == "**1 contradicted, 1 unverified and 4 not judged of 8 atoms; 1 is disputed.**"
    assert scores.startswith("precision 0.500 (1 of 2 records); ")


def test_claims_of_the_reference_are_not_counted(tmp_path):
    claims = {"atoms": [], "reference_atoms": ["The bridge opened in 1932."]}
    silent = rag("I don't know.", contexts=PASSAGES, judge=TableJudge({}), **claims)
    assert repr(silent) == "<RagResult 'r1': ok, coverage 0.000, context precision 0.000>"
    answer = answered().model_copy(update={"record_id": "answered"})
    text = told_of(tmp_path / "rag", silent, answer, task="rag")
    assert text.startswith("**1 contradicted of 2 claims.**")
    assert "1 of 1 claims to review" in text


def test_of_many_claims_it_shows_the_first(tmp_path):
    text = told_of(tmp_path / "run", *(bridge(f"r{n}") for n in range(9)))
    rows, _ = read(text)
    assert rows[0][2] == f"{MOST_CLAIMS} of 18 atoms to review"
    assert len(rows) == MOST_CLAIMS + 1


@pytest.mark.parametrize("hostile", HOSTILE)
def test_texts_have_no_effect(tmp_path, hostile):
    table = {("c|`<b>", "1930"): ("contradiction", 0.9, hostile)}
    contexts = [{"id": "c|`<b>", "text": hostile, "title": hostile}]
    record = bridge(f"r {hostile[:20]}", table, contexts=contexts, atoms=[f"1930 {hostile}"])
    text = told_of(tmp_path / "run", record, bridge("two", {}))
    rows, kinds = read(text)
    line = " ".join(hostile.split())
    assert rows[1][2].replace("\u200b", "").endswith(f"1930 {line}")
    assert rows[1][3].replace("\u200b", "").startswith(f'"{line}"')
    plain = {"strong_open", "strong_close", "text", "inline", "paragraph_open", "paragraph_close"}
    assert {kind for kind in kinds - plain if not re.match(r"(table|t[rhd]|thead|tbody)_", kind)} <= {
        "text_special"
    }
    shown = "\n".join(cell for row in rows for cell in row)
    assert not re.search(r"(?<!\w)@\w", shown), "nobody is called"
    assert not re.search(r"https?://|www\.|#\d", text.replace("&#", "")), "nothing becomes a link"


def test_other_tasks_have_it_too(tmp_path):
    text = told_of(tmp_path / "verify", cited(), task="verify")
    assert "| ✕ contradicted |" in text
    assert "| ! unknown source |" in text
