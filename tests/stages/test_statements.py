"""What a text states: what counts as a statement, sources, labels, lists with their lead-in, tables."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.language.parsing import find_parser
from factreasoner.stages.statements import Statement, statements


def texts(text: str) -> list[str]:
    """The statements of a parse, which in these cases are those without one too."""
    parsed = [statement.text for statement in statements(text, find_parser())]
    assert [statement.text for statement in statements(text)] == parsed
    return parsed


def test_tags_are_read_as_in_markdown() -> None:
    text = (
        "<h2>Skerry Point</h2><p><strong>Background</strong></p>"
        '<p><b>The light</b> is <a href="https://x.org">tall</a>.<sup><a href="#1">[1]</a></sup> '
        "The lamp (of <i>glass</i>) is old.</p>"
        "<p>The keepers were:</p><ul><li>Ann Moore</li><li><b>Height:</b> 38&nbsp;m</li></ul>"
        "<table>\n<tr>\n<th>Year</th>\n<th>Event</th>\n</tr>\n"
        "<tr><td>1871</td><td>Opened &amp; lit</td></tr></table>"
    )
    assert texts(text) == [
        "The light is tall.",
        "The lamp (of glass) is old.",
        "The keepers included Ann Moore.",
        "The keepers included Height: 38 m.",
        "Year: 1871; Event: Opened & lit",
    ]
    assert statements(text)[1].original == "The lamp (of <i>glass</i>) is old."


@pytest.mark.parametrize(
    "text",
    [
        "Sure! Here is a list of facts:",
        "What is the capital of France?",
        "Hello!",
        "Certainly.",
        "I hope this helps! Let me know if you have any other questions.",
        "Please note that the information may be out of date.",
        "# Early life",
        "**Career**",
        "The winners are:",
        "I don't know where he was born.",
        "As an AI language model, I do not have access to that.",
        "https://example.org/page",
        "```\nX = 1\n```",
        "---\n***",
        "!!! 🙂",
        "Is it so? 是吗？ هل هذا صحيح؟",
    ],
)
def test_states_nothing(text: str) -> None:
    assert texts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "[1] Curie, M. (1911). Radium and its rays. Chemistry Letters, 5(2), 101-110.",
        "Einstein, A. (1905). On the electrodynamics of moving bodies.",
        "Vaswani et al. (2017), Attention, arXiv:1706.03762",
        "NASA: https://www.nasa.gov/moon",
        "[Wikipedia page](https://en.wikipedia.org/wiki/Oslo)",
        "Official website: www.example.org",
        "References:\n- The Oxford History of Norway\n- Oslo through the ages",
        "## Sources\n1. Encyclopedia of cities\n2. A traveller's companion",
        "I recommend visiting the museum.",
        "You should always check the label.",
        "It is important to keep the lid closed.",
        "Make sure that the valve is shut.",
        "However, it is important to note that flowers should never be picked.",
        "As of my last update, the information above may be outdated.",
        "The list above is not exhaustive.",
        "For more information, see the official website.",
    ],
)
def test_sources_advice_and_remarks_are_left_out(text: str) -> None:
    assert texts(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Paris.",
        "Here lies the oldest temple of the island.",
        "You can see the tower from 30 km away.",
        "Hello Kitty is a character of a Japanese company made in 1974.",
        "Unknown to him, the war had ended in 1945.",
        "The information age began in 1950.",
        "The law requires that ships be inspected.",
        "Einstein (1905) is his most famous paper.",
        "他出生于1950年。",
    ],
)
def test_states_something(text: str) -> None:
    assert texts(text) != []
    assert [statement.text for statement in statements(text)] == [text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("However, Oslo is cold.", "Oslo is cold."),
        ("It is worth noting that Oslo is cold.", "Oslo is cold."),
        ("In addition, please note that Oslo is cold.", "Oslo is cold."),
        ("As an AI model, I think that Oslo is cold.", "Oslo is cold."),
        ("So Yeon is a singer.", "So Yeon is a singer."),
        ("According to the provided context, Oslo is cold.", "Oslo is cold."),
        ("Based on the information provided, Oslo is cold.", "Oslo is cold."),
        ("According to the first passage, Oslo is cold.", "Oslo is cold."),
        ("According to the report, Oslo is cold.", "According to the report, Oslo is cold."),
        ("According to sources, Oslo is cold.", "According to sources, Oslo is cold."),
        ("Based on the text of the treaty, Oslo pays.", "Based on the text of the treaty, Oslo pays."),
    ],
)
def test_what_only_opens_a_statement_goes(text: str, said: str) -> None:
    assert [one[:1].upper() + one[1:] for one in texts(text)] == [said]


def test_an_item_without_a_verb_takes_its_lead_in() -> None:
    text = "The four presidents were:\n1. Ada Roe (1797-1801)\n2. Jo Doe\n\nThey met in 1810."
    assert statements(text)[0] == Statement(
        "The four presidents included Ada Roe (1797-1801).", statements(text)[0].span, "Ada Roe (1797-1801)"
    )
    assert texts(text)[1:] == ["The four presidents included Jo Doe.", "They met in 1810."]


@pytest.mark.parametrize("lead", ["Here are some examples:", "They are:", "These include the following:"])
def test_a_lead_in_that_says_nothing_is_not_taken(lead: str) -> None:
    assert texts(f"{lead}\n- Jo Doe, 1980\n- Ada Roe, 1990") == ["Jo Doe, 1980", "Ada Roe, 1990"]


def test_an_item_with_a_verb_stands_alone() -> None:
    assert texts("The steps were:\n- Ada was hired.\n- Jo was fired.") == ["Ada was hired.", "Jo was fired."]


def test_emphasis_and_line_breaks_go_and_the_original_stays() -> None:
    text = "**Ada** was\nborn in __1815__, and M*A*S*H is 5 * 3."
    assert statements(text) == [
        Statement("Ada was born in 1815, and M*A*S*H is 5 * 3.", statements(text)[0].span, text)
    ]


def test_a_table_row_is_read_with_its_header() -> None:
    text = "| Name | Born |\n|------|------|\n| Ada | 1815 |\n| Jo | |\n"
    assert texts(text) == ["Name: Ada; Born: 1815", "Name: Jo"]


def test_a_row_of_several_cells_is_a_statement_a_cell_on_what_the_first_names() -> None:
    text = "|  | Height | Lit |\n|---|---|---|\n| Skerry | 38 m | 1871 |\n| Tern | | 1902 |\n"
    assert texts(text) == ["Skerry; Height: 38 m", "Skerry; Lit: 1871", "Tern; Lit: 1902"]
    assert [s.original for s in statements(text)] == ["38 m", "1871", "| Tern | | 1902 |"]
    assert texts("| Ada | 1815 |\n| Jo | 1816 |\n") == ["Ada; 1815", "Jo; 1816"]
    assert texts("<table><tr><td>Ada</td><td>1815</td></tr><tr><td>Jo</td><td>1816</td></tr></table>") == [
        "Ada; 1815",
        "Jo; 1816",
    ]
    assert texts("| a \\| b | c |\n") == ["a \\| b; c"]


def test_a_sentence_with_a_link_states_something() -> None:
    text = "The [mill](https://example.org/a) works. It opened in 1932 ([page](https://example.org/b))."
    assert texts(text) == ["The mill works.", "It opened in 1932 (page)."]


def test_marks_of_quotation_are_no_part_of_a_statement() -> None:
    long = "The mill, which stands on the hill behind the town, was built in 1871."
    found = [statement.text for statement in statements(f"> {long}\n> The bell was\n> cast in 1902.\n")]
    assert found == [long, "The bell was cast in 1902."]


def test_characters_that_nobody_sees_are_no_part_of_a_statement() -> None:
    assert texts("The mill\u200b works.\ufeff It is\x00 old.") == ["The mill works.", "It is old."]


def test_a_label_before_a_sentence_goes_or_becomes_its_subject() -> None:
    text = "1. Jo Doe: He served in 1990.\n2. Best Paper: In 2015, Jo Doe won the award.\n"
    assert [s.text for s in statements(text, find_parser())] == [
        "Jo Doe served in 1990.",
        "In 2015, Jo Doe won the award.",
    ]


def test_a_list_of_names_after_a_colon_is_read_with_what_stands_before_it() -> None:
    text = "The albums of the band are: Black & White, Songs of Hope and Glory, and Ultra."
    expected = ["Black & White", "Songs of Hope and Glory", "Ultra"]
    assert texts(text) == [f"The albums of the band include {name}." for name in expected]


def test_markdown_and_citations_go_and_spans_stay() -> None:
    text = "## Life\n\n**Ada** was born in 1815 [1], and she wrote [notes](https://example.org/n) [2][3]."
    found = statements(text, find_parser())
    assert [s.text for s in found] == ["Ada was born in 1815.", "She wrote notes."]
    assert [text[slice(*s.span)] for s in found if s.span] == [s.original for s in found]


@pytest.mark.parametrize(
    "text",
    [
        "According to [1], Ada was born in 1815.",
        "[1] reports that Ada was born in 1815.",
        "The bound holds for x in [1, 2].",
        "The point is in [0, 1].",
    ],
)
def test_what_the_sentence_needs_as_a_word_is_no_citation(text: str) -> None:
    assert texts(text) == [text]


PARTS = st.sampled_from(
    [
        "Ada",
        "was",
        "born in 1815",
        ", ",
        "and",
        "who",
        "which",
        "(born 1815)",
        '"The Game,"',
        "**bold**",
        "[1]",
        "https://a.b/c",
        "such as",
        "a",
        "b",
        "is an actor",
        "is",
        ". ",
        "\n- ",
        "\n\n",
        ":",
        ";",
        "because",
        "`x`",
        "all of which",
        "films",
        "he",
        "the",
        "not",
        "or",
        "…",
        "—",
        "🙂",
        "他",
        "|",
        "having",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(PARTS, max_size=30).map(" ".join) | st.text(max_size=80))
def test_any_text_can_be_read(text: str) -> None:
    for parser in (find_parser(), None):
        for statement in statements(text, parser):
            assert statement.text.strip()
            assert statement.span is not None
            verbatim = text[statement.span.start : statement.span.end]
            assert verbatim == (statement.original or statement.text)


def test_a_long_text_takes_linear_time_and_keeps_every_sentence() -> None:
    text = "\n\n".join(f"Ship {count} was built in {1800 + count % 100}." for count in range(300))
    assert len(statements(text, find_parser())) == 300


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Each value has one owner (Klabnik 2019).", "Each value has one owner."),
        ("It is 52 metres high (Smith 2020) [2].", "It is 52 metres high."),
        ("It lowers risk (Wu et al. 2021a; Smith & Lee, 2020).", "It lowers risk."),
        ("It is the longest river after the Nile¹.", "It is the longest river after the Nile."),
        ("It works as it should [Smith20; Lee21].", "It works as it should."),
        ("It rose in May (Smith, 2020) ([1], [2]).", "It rose in May."),
        ("The phone [Galaxy20] sold well.", "The phone [Galaxy20] sold well."),
        (
            "He has two patents (Velcro, 1955; Teflon, 1941).",
            "He has two patents (Velcro, 1955; Teflon, 1941).",
        ),
        ("She was in a band (Nirvana, 1990).", "She was in a band (Nirvana, 1990)."),
        (
            "Major storms (Andrew 1992, Katrina 2005) hit Florida.",
            "Major storms (Andrew 1992, Katrina 2005) hit Florida.",
        ),
        ("The page is https://a.b/c?d=[1].", "The page is https://a.b/c?d=[1]."),
        ("Curie (born 1867 [1]) died in 1934.", "Curie (born 1867) died in 1934."),
        ("Smith et al. (2020) found it [1](https://example.org/a).", "Smith et al. (2020) found it."),
        ("Curie (born 1867) died in 1934.", "Curie (born 1867) died in 1934."),
        ("He won gold (Berlin 1936).", "He won gold (Berlin 1936)."),
        ("The H¹ norm of x² is finite (2020).", "The H¹ norm of x² is finite (2020)."),
    ],
)
def test_citations_go_and_what_is_said_in_parentheses_stays(text: str, said: str) -> None:
    assert texts(text) == [said]
