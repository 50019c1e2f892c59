"""What a text states: what counts as a statement, sources, labels, lists with their lead-in, tables."""

from pathlib import Path

import pytest

from factreasoner.atoms.statements import Statement, statements
from factreasoner.text.parsing import find_parser


def texts(text):
    """The statements of a parse, which in these cases are those without one too."""
    parsed = [statement.text for statement in statements(text, find_parser())]
    assert [statement.text for statement in statements(text)] == parsed
    return parsed


def test_tags_are_no_words():
    text = "The <b>light</b> is <i>tall</i>.<sup>[1]</sup><br>The lamp (of <i>glass</i>) is 38&nbsp;m high."
    assert texts(text) == ["The light is tall.", "The lamp (of glass) is 38 m high."]
    assert statements(text)[1].original == "The lamp (of <i>glass</i>) is 38&nbsp;m high."


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
        "# Heat pumps at a glance",
        "**Career**",
        "The winners are:",
        "I don't know where he was born.",
        "As an AI language model, I do not have access to that.",
        "https://example.org/page",
        "```\nX = 1\n```",
        "---\n***",
        "!!! 🙂",
        "Is it so? 是吗？ هل هذا صحيح؟",
        "NASA: https://www.nasa.gov/moon",
        "[Wikipedia page](https://en.wikipedia.org/wiki/Oslo)",
        "Official website: www.example.org",
        "References:\n- The Oxford History of Norway\n- Oslo through the ages",
        "## Sources\n1. Encyclopedia of cities\n2. A traveller's companion",
        "As of my last update, the information above may be outdated.",
        "The list above is not exhaustive.",
        "For more information, see the official website.",
    ],
)
def test_sources_advice_and_remarks_are_left_out(text):
    assert texts(text) == []


def test_text_after_source_line_is_kept():
    assert texts("It rained.\n\nSources: [1], [2]\n\nIt snowed in 1999.") == [
        "It rained.",
        "It snowed in 1999.",
    ]


@pytest.mark.parametrize("heading", ["__Sources__", "_References_:"])
def test_text_after_underlined_heading_is_a_source(heading):
    assert texts(f"It rained.\n\n{heading}\n\n- Smith, J. wrote an atlas in 1999.") == ["It rained."]


def test_the_colon_of_a_citation_ends_no_label():
    assert texts("Cats sleep [cite: 1]. Dogs bark [source: 2].") == ["Cats sleep.", "Dogs bark."]
    assert texts("Cats sleep. [cite: 1] Dogs bark. [cite: 2, 3]") == ["Cats sleep.", "Dogs bark."]


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
def test_states_something(text):
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
        ("As stated in the context, Oslo is cold.", "Oslo is cold."),
        ("The text mentions that Oslo is cold.", "Oslo is cold."),
        ("In addition, the provided documents state that Oslo is cold.", "Oslo is cold."),
        ("The report states that Oslo is cold.", "The report states that Oslo is cold."),
        ("The text of the treaty states that Oslo pays.", "The text of the treaty states that Oslo pays."),
        ("The text suggests that Oslo is cold.", "The text suggests that Oslo is cold."),
        ("According to the first passage, Oslo is cold.", "Oslo is cold."),
        ("According to the report, Oslo is cold.", "According to the report, Oslo is cold."),
        ("According to sources, Oslo is cold.", "According to sources, Oslo is cold."),
        ("Based on the text of the treaty, Oslo pays.", "Based on the text of the treaty, Oslo pays."),
    ],
)
def test_statement_openings_are_removed(text, said):
    assert [one[:1].upper() + one[1:] for one in texts(text)] == [said]


def test_item_without_verb_gets_its_lead_in():
    text = "The four presidents were:\n1. Ada Roe (1797-1801)\n2. Jo Doe\n\nThey met in 1810."
    assert statements(text)[0] == Statement(
        "The four presidents included Ada Roe (1797-1801).", statements(text)[0].span, "Ada Roe (1797-1801)"
    )
    assert texts(text)[1:] == ["The four presidents included Jo Doe.", "They met in 1810."]


def parsed(text):
    return [statement.text for statement in statements(text, find_parser())]


INSTRUCTIONS = [
    "Preheat the oven to 200 degrees.",
    "Click Next.",
    "Take two tablets if you forget one.",
    "Never take two tablets if you forget one.",
    "Please take it with food.",
    "If you miss a dose, please take it as soon as you remember.",
    "If you feel dizzy, ask your doctor.",
    "I recommend 40 g a day.",
    "You should stop the drug at once.",
    "Please ask your doctor first.",
    "I'd ask a lawyer before signing anything.",
    "Make sure that the valve is shut.",
    "It is important to keep the lid closed.",
    "Do not use compressed files.",
    "Be respectful in your feedback.",
    "Log in and choose a region from the menu.",
    "If symptoms persist, see a doctor.",
    "If the pain lasts, it is recommended to see a doctor.",
    "Research and Contacts: Look for resources of the court.",
    "For details, refer to the manual of the printer.",
    "Feel free to eat as much as you want.",
]


@pytest.mark.parametrize("text", INSTRUCTIONS)
def test_an_instruction_is_a_statement_and_stays_whole(text):
    assert parsed(text) == texts(text) == [text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Take 40 g a day [1].", "Take 40 g a day."),
        ("As a medical expert, I would recommend a walk.", "I would recommend a walk."),
        (
            "To secure the house, it is best to:\n- Lock the doors",
            "To secure the house, it is best to lock the doors.",
        ),
        (
            "When you meet a lawyer, ask about:\n- Costs and fees",
            "When you meet a lawyer, ask about costs and fees.",
        ),
        ("Seek medical help if:\n- Your tongue hurts.", "Seek medical help if your tongue hurts."),
        ("You should call a doctor if:\n- You are pregnant", "You should call a doctor if you are pregnant."),
    ],
)
def test_an_instruction_is_read_with_its_condition(text, said):
    assert parsed(text) == [said]


@pytest.mark.parametrize(
    "text",
    [
        "You're welcome!",
        "Let me know if you need more.",
        "See the table below.",
        "Please see the list above.",
        "Feel free to ask more questions.",
        "If you have questions, let me know.",
        "If you want, I can write a summary.",
        "Please provide more context.",
        "Please ask me again.",
        "For the latest figures, please check the official website.",
        "See my previous answer.",
    ],
)
def test_a_remark_to_the_reader_states_nothing(text):
    assert parsed(text) == texts(text) == []


@pytest.mark.parametrize(
    "text", ["Die Stadt liegt am Rhein und hat 300.000 Einwohner.", "1914: Start of the First World War"]
)
def test_possible_noun_is_not_an_instruction(text):
    assert parsed(text) == [text]


def test_emphasis_is_removed_and_original_kept():
    text = "**Ada** was\nborn in __1815__, and M*A*S*H is 5 * 3."
    (found,) = statements(text)
    assert found == Statement("Ada was born in 1815, and M*A*S*H is 5 * 3.", found.span, text)


def test_table_row_gives_one_statement_per_cell():
    text = "|  | Height | Lit |\n|---|---|---|\n| Skerry | 38 m | 1871 |\n| Tern | | 1902 |\n"
    assert texts(text) == ["Skerry; Height: 38 m", "Skerry; Lit: 1871", "Tern; Lit: 1902"]
    assert [s.original for s in statements(text)] == ["38 m", "1871", "| Tern | | 1902 |"]
    assert texts("| Ada | 1815 |\n| Jo | 1816 |\n") == ["Ada; 1815", "Jo; 1816"]
    assert texts("| a \\| b | c |\n") == ["a | b; c"]


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        (
            "Year | Event |\n---|---|\n1871 | Opened |\n1872 | Closed |",
            ["Year: 1871; Event: Opened", "Year: 1872; Event: Closed"],
        ),
        ("Year |\n---|\n1871 |", ["Year: 1871"]),
        ("| Year | Event\n|---|---\n| 1871 | Opened", ["Year: 1871; Event: Opened"]),
        ("Year | Event |\n:--|:-:|\n1871 | Opened |", ["Year: 1871; Event: Opened"]),
        ("a\\|b | c\n---|---\nx | y\\|z", ["a|b: x; c: y|z"]),
    ],
)
def test_table_without_bar_on_one_side(text, atoms):
    assert texts(text) == atoms


@pytest.mark.parametrize(
    "rest",
    [
        "[^1]: Smith, J. (2001). Bridges.\n    It was reprinted in 2005.",
        "[^1]: Smith, J. (2001).\n\n    It was reprinted in 2005.",
        "[^a]: See Smith.\n\tIt was reprinted in 2005.\n  It is rare.",
        "## References\nSmith, J. Bridges of the World. Penguin.\nDoe, A. Towers.",
        "## References\n[1] Smith, J. Bridges.\n[2] Doe, A. (2001). Towers.",
        "**References**\n\nSmith, J., Bridges of the World\n\nDoe, A. Towers",
        "## Literatur\nSmith, J. Bridges.",
        "### 参考文献\n王明，大桥。",
    ],
)
def test_footnotes_and_sources_state_nothing(rest):
    assert texts(f"It is tall.[^1]\n\n{rest}\n\n# End\nIt is old.") == ["It is tall.", "It is old."]


@pytest.mark.parametrize(
    ("text", "atoms"),
    [
        (
            "It is tall.¹ It is old².\n\n¹ It was built in 1815.\n² Ada said so.",
            ["It is tall.", "It is old."],
        ),
        ("It is tall.¹²\n\n¹²It was built in 1815.", ["It is tall."]),
        ("It is tall.¹\n\n² It was built in 1815.", ["It is tall.", "It was built in 1815."]),
        ("It is light.\n\n³He is rare.", ["It is light.", "³He is rare."]),
    ],
)
def test_raised_digit_used_above_begins_a_footnote(text, atoms):
    assert texts(text) == atoms


def test_split_leaves_no_bracket_or_quote_open():
    text = "The rule is not in the book but is named in Section 5.09(c)(1) (Rule 7.10(a) Comment)."
    assert [s.text for s in statements(text, find_parser())] == [text]
    text = 'The word "lord is a title and may mean any owner" to them.'
    assert all(s.text.count('"') % 2 == 0 for s in statements(text, find_parser()))


def test_prose_below_sources_stays():
    assert texts("It is tall.\n\n## Sources\n- Smith\n\nIt is old.") == ["It is tall.", "It is old."]
    assert texts("i. Ada ran\nii. Bob sat\niii. Cy slept\niv. Di ate")[1:3] == ["Bob sat", "Cy slept"]


def test_markdown_and_citations_go_and_spans_stay():
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
        "The phone [Galaxy20] sold well.",
        "He has two patents (Velcro, 1955; Teflon, 1941).",
        "She was in a band (Nirvana, 1990).",
        "Major storms (Andrew 1992, Katrina 2005) hit Florida.",
        "The page is https://a.b/c?d=[1].",
        "He won gold (Berlin 1936).",
        "A name may have hyphens (-).",
        "The H¹ norm of x² is finite (2020).",
    ],
)
def test_words_in_parentheses_are_no_citations(text):
    assert texts(text) == [text]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Each value has one owner (Smith & Lee, 2020).", "Each value has one owner."),
        ("Each value has one owner. (Klabnik 2019)", "Each value has one owner."),
        ("It is the longest river after the Nile¹.", "It is the longest river after the Nile."),
        ("Smith et al. (2020) found it [1](https://example.org/a).", "Smith et al. (2020) found it."),
        ("It rained, says Smith et al. (2020).", "It rained, says Smith et al. (2020)."),
    ],
)
def test_citations_go(text, said):
    assert texts(text) == [said]


LISTS = Path(__file__).with_name("lists.txt").read_text(encoding="utf-8").rstrip().split("\n\n")
"""The lines of a text, "." for a blank one, and its statements; below "~" a parser changes nothing."""


@pytest.mark.parametrize("case", LISTS)
def test_statements_keep_lead_ins_labels_and_headers(case):
    lines = case.removeprefix("~\n").split("\n")
    text = "\n".join(line if line != "." else "" for line in lines if line[:2] != "= ")
    read = texts if case.startswith("~") else parsed
    assert read(text) == [line[2:] for line in lines if line[:2] == "= "]


UNLISTED = {
    "Sure: " * 1000 + "The lake is deep.": ["The lake is deep."],
    "| Name | Born |\n|---|---|\n| Ada | 1815 |\n| Jo | |\n": ["Name: Ada; Born: 1815", "Name: Jo"],
    "|   |   |\n": [],
    "| A | B |\n|---|---|\n| a | b |\n\n| C | D |\n|---|---|\n| c | d |\n": ["A: a; B: b", "C: c; D: d"],
    "The mill\u200b works.\ufeff It is\x00 old.": ["The mill works.", "It is old."],
    "> The mill that stands on the hill behind the town opened in 1871.\n> The bell was\n> cast in 1902.\n": [
        "The mill that stands on the hill behind the town opened in 1871.",
        "The bell was cast in 1902.",
    ],
}


@pytest.mark.parametrize(("text", "said"), UNLISTED.items())
def test_titles_tables_and_unseen_characters_are_read(text, said):
    assert parsed(text) == said


def test_table_without_outer_bars_keeps_its_columns():
    text = "Name | Born\n--- | ---\nAda | 1815\nBo Roe | 1900"
    assert [one.text for one in statements(text)] == ["Name: Ada; Born: 1815", "Name: Bo Roe; Born: 1900"]


@pytest.mark.parametrize("answer", ["42", "€5", "1815.", "3.5 %"])
def test_number_alone_is_a_statement(answer):
    assert [statement.text for statement in statements(answer)] == [answer]
