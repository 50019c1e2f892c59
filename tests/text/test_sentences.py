"""Sentence borders: the cases a naive splitter gets wrong, and properties that hold for any text."""

import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.text.sentences import blocks, sentences

CASES_FILE = Path(__file__).with_name("sentence_cases.txt")


def split(text):
    return [text[start:end] for start, end in sentences(text)]


CASES = [
    *(line for line in CASES_FILE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")),
    "It is tall.\u200b¦ It is old.\u200b¦The light works\ufeff.¦ Visit example.\u200bcom now.",
    "It is tall.\x00¦ It is old.\u200f¦ \u2067It works.",
    "Elle répondit : «\u00a0Oui.\u00a0»¦ Puis elle rit.",
]
"""A "¦" stands where a sentence ends and the next one begins."""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "<ul><li>It opened in May</li><li>It <b>shows</b> maps.</li>\n<li>It closed.</ul>",
            ["It opened in May", "It <b>shows</b> maps.", "It closed."],
        ),
        (
            "<p>It opened in May<br/>It closed. Ends.</p>So it is.",
            ["It opened in May", "It closed.", "Ends.", "So it is."],
        ),
        (
            "It is tall [1].The light works.[2]However, not now.",
            ["It is tall [1].", "The light works.[2]", "However, not now."],
        ),
        *(
            (f"{one}{two}", [one, two])
            for one, two in [
                ("It was opened in 1932.", "The tower is tall."),
                ("It was opened to all in 1932.", "Nobody had seen it before."),
                ("One in five stayed (20%).", "The rest left."),
                ("The price rose by 20%.", "Sales then fell."),
                ("He worked for NASA.", "The job was hard."),
                ("It weighs 5 kg.", "The box is red."),
                ("Мост был открыт в 1932 году.", "Башня стоит на берегу."),
                ("Die Brücke wurde 1932 eröffnet.", "Der Turm ist hoch."),
                ("It opened in 1932!", "The crowd came."),
            ]
        ),
        ("It helps in motion.Nausea is bad.", ["It helps in motion.", "Nausea is bad."]),
        ("Entry is free.Dogs are not allowed.", ["Entry is free.", "Dogs are not allowed."]),
        (
            "It opened in 2003.Entry is free.Dogs stay.",
            ["It opened in 2003.", "Entry is free.", "Dogs stay."],
        ),
        ("It is old.Nobody lives there.", ["It is old.", "Nobody lives there."]),
        ("L'entrée est libre.Les chiens restent.", ["L'entrée est libre.", "Les chiens restent."]),
        ("Der Turm ist alt.Niemand wohnt dort.", ["Der Turm ist alt.", "Niemand wohnt dort."]),
        (
            "It is in json.Decoder or the yaml.Loader here.",
            ["It is in json.Decoder or the yaml.Loader here."],
        ),
        ("Take paroxetine.Sertraline is like it.", ["Take paroxetine.Sertraline is like it."]),
        ("It is not like paroxetine.Sertraline is.", ["It is not like paroxetine.", "Sertraline is."]),
        ("We use the class threading.Thread here.", ["We use the class threading.Thread here."]),
        ("Use Paint.Net, http.Get or a/file.Md here.", ["Use Paint.Net, http.Get or a/file.Md here."]),
        ("See a[1].Name and b.Then.", ["See a[1].Name and b.Then."]),
        ("<i>It is tall.</i>The light works.", ["<i>It is tall.</i>", "The light works."]),
        ("It is tall.**The light** works. So.", ["It is tall.**The light** works.", "So."]),
        ("It is *tall*[1].However, it is old.", ["It is *tall*[1].", "However, it is old."]),
        ("See __init__.The and a.**Then** b.", ["See __init__.The and a.**Then** b."]),
        (
            "It is. It was. <!-- Not. So. --> It will be.<!-- Nor so. -->",
            ["It is.", "It was.", "It will be."],
        ),
        ("<!-- Only. This. -->", []),
    ],
)
def test_tags_separate_sentences_and_citations_do_not(text, found):
    assert split(text) == found


LIST = "# Life\n\nHere it is:\n1. First. Still first.\n2) Second\n(3) Third\n- dash\n  * star\n"
MORE = "• dot\n- [x] done\na) letter\n---\n> quoted\n1.Tight\n"
WRAPPED = "In the year of nineteen hundred and fifty he came to live in the U.S.\nVirgin Islands and\nstayed."
LIT = "The tower has a lamp that was lit for the first time in 1871."
LINES = {
    LIST + MORE: "Life|Here it is:|First.|Still first.|Second|Third|dash|star|dot|done|letter|quoted|Tight",
    "**1. Demand and supply**\nIt varies.\n\n## 2. Costs\nThey rose.": "**1. Demand and supply**|It varies.|"
    "2. Costs|They rose.",
    f"> {LIT}\n> It is tall.\n>> It is\n>> old.\n": f"{LIT}|It is tall.|It is\n>> old.",
    "```\nx = 1\r\r": "```\nx = 1",
    "```(```\n、": "```(```|、",
    "> ```\n> Hello.\n>\n> So.\n> ```\n> It froze.": "```\n> Hello.\n>\n> So.\n> ```|It froze.",
    "> ~~~py\n> It says hello.\n\nIt froze.": "~~~py\n> It says hello.|It froze.",
    ">> ```\n>> Hello.\n> It froze.": "```\n>> Hello.|It froze.",
    "```\n> ```\nSo it is.\n```\nIt froze.": "```\n> ```\nSo it is.\n```|It froze.",
    "> It froze.\n> ---\n> It thawed.": "It froze.|It thawed.",
    "Run:\n```\nx = 1. Y\n\nz. W": "Run:|```\nx = 1. Y\n\nz. W",
    "The chairs: 1. Yang Liu: He served. 2. Haifeng Wang. 3. Jing Jiang.": "The chairs:|Yang Liu: He served.|"
    "Haifeng Wang.|Jing Jiang.",
    "He scored: 2. She scored: 1. They drew.": "He scored: 2.|She scored: 1.|They drew.",
    WRAPPED: WRAPPED,
    "Name: Ada\nBorn: 1815\r\nDied: 1852": "Name: Ada|Born: 1815|Died: 1852",
}


@pytest.mark.parametrize(("text", "found"), LINES.items())
def test_headings_lists_quotations_code_and_wrapped_lines(text, found):
    assert split(text) == found.split("|")


@pytest.mark.parametrize("case", CASES)
def test_borders(case):
    assert split(case.replace("¦", "")) == [part.strip() for part in case.split("¦")]


def test_kinds_of_blocks():
    text = "# A\n**B**\nC here.\n\n- D\n\n| x | y |\n|---|---|\n| 1 | 2 |\n\n```\ne. F\n```\n"
    assert [(block.kind, text[block.start : block.end]) for block in blocks(text)] == [
        ("heading", "A"),
        ("heading", "**B**"),
        ("prose", "C here."),
        ("item", "D"),
        ("table", "| x | y |"),
        ("table", "| 1 | 2 |"),
        ("code", "```\ne. F\n```"),
    ]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Lake Facts\n==========\n\nIt froze.", ["heading", "prose"]),
        ("Sea\n---\nIt froze.", ["heading", "prose"]),
        ("It froze.\n\nSea\n=\nIt thawed.", ["prose", "heading", "prose"]),
        ("Facts\n===\nSea\n---\nIt froze.", ["heading", "heading", "prose"]),
        ("> Sea\n> ---\n> It froze.", ["heading", "prose"]),
        ("It froze.\n---\nIt thawed.", ["prose", "prose"]),
        ("It froze.\nIt thawed\n---\nIt froze.", ["prose", "prose", "prose"]),
        ("Sea\n\n---\nIt froze.", ["prose", "prose"]),
        ("- Sea\n---\nIt froze.", ["item", "prose"]),
        ("Sea\n***\nIt froze.", ["prose", "prose"]),
    ],
)
def test_line_above_a_rule_is_a_heading(text, kinds):
    assert [block.kind for block in blocks(text)] == kinds


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("You need: 1. Salt. 2. Oil.", [("You need:", "prose"), ("Salt.", "item"), ("Oil.", "item")]),
        (
            "Fees are due. - After a year (see 2.) - They rise.",
            [("Fees are due.", "prose"), ("After a year (see 2.)", "item"), ("They rise.", "item")],
        ),
        ("- Salt. - Oil.", [("Salt.", "item"), ("Oil.", "item")]),
        ("A thing - which is. Good - Very good.", [("A thing - which is. Good - Very good.", "prose")]),
        ("It rose.- Then it fell.", [("It rose.- Then it fell.", "prose")]),
        ("It fell to 5. - 3 is left.", [("It fell to 5. - 3 is left.", "prose")]),
    ],
)
def test_run_on_items_become_separate_blocks(text, parts):
    assert [(text[block.start : block.end], block.kind) for block in blocks(text)] == parts


ANY_TEXT = st.one_of(
    st.text(max_size=200),
    st.text(alphabet=" .\n!?…\"'“”()[]{}`*_-#>|:;,1aA。！」।؟\r\t\u2028", max_size=60),
    st.lists(
        st.sampled_from(
            ["Dr. ", "U.S. ", "He", "1. ", "- ", "\n", ". ", "Inc.", '"', "(", ")", "```\n", "。", "x"]
        )
    ).map("".join),
)


@settings(max_examples=150, deadline=None)
@given(ANY_TEXT)
def test_spans_are_in_order_trimmed_and_lose_nothing(text):
    last = 0
    for start, end in sentences(text):
        assert last <= start < end <= len(text)
        assert not text[start].isspace()
        assert not text[end - 1].isspace()
        assert_nothing_said(text[last:start])
        last = end
    assert_nothing_said(text[last:])


def assert_nothing_said(gap):
    """Between sentences stand blanks, rules and list markers: never a word."""
    for line in gap.splitlines():
        assert not re.search(r"[^\W_]{5}|[^\W_]\W+[^\W_]\W+[^\W_]", re.sub(r"\[[ xX]\]", "", line)), gap


UNITS = [
    *(".", ". ", "(", "\n", "a. ", '"', "A. B", "1. ", "> "),
    *("。", ".)", "**", "[1]", " [1]", ". [1", "#", "```\n", "a", "|\n"),
]


@pytest.mark.parametrize("unit", UNITS)
def test_a_long_hostile_text_is_split(unit):
    text = "It rained." + unit * (30_000 // len(unit))
    spans = sentences(text)
    assert all(a.end <= b.start for a, b in pairwise(spans))
