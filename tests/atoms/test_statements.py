"""What a text states: what counts as a statement, sources, labels, lists with their lead-in, tables."""

import pytest

from factreasoner.atoms.statements import Statement, statements
from factreasoner.text.parsing import find_parser


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
        "<p>The keepers were:</p><ul><li>Ann Moore</li></ul><p><b>Height:</b> 38&nbsp;m</p>"
        "<table>\n<tr>\n<th>Year</th>\n<th>Event</th>\n</tr>\n"
        "<tr><td>1871</td><td>Opened &amp; lit</td></tr></table>"
    )
    assert texts(text) == [
        "The light is tall.",
        "The lamp (of glass) is old.",
        "The keepers were: Ann Moore",
        "Height: 38 m",
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
def test_what_only_opens_a_statement_goes(text: str, said: str) -> None:
    assert [one[:1].upper() + one[1:] for one in texts(text)] == [said]


def test_an_item_without_a_verb_takes_its_lead_in() -> None:
    text = "The four presidents were:\n1. Ada Roe (1797-1801)\n2. Jo Doe\n\nThey met in 1810."
    assert statements(text)[0] == Statement(
        "The four presidents were: Ada Roe (1797-1801)", statements(text)[0].span, "Ada Roe (1797-1801)"
    )
    assert texts(text)[1:] == ["The four presidents were: Jo Doe", "They met in 1810."]


def parsed(text: str) -> list[str]:
    return [statement.text for statement in statements(text, find_parser())]


@pytest.mark.parametrize(
    "text",
    [
        "Preheat the oven to 200 degrees.",
        "Click Next.",
        "You're welcome!",
        "I'd ask a lawyer before signing anything.",
        "As a medical expert, I would recommend a walk.",
        "Do not use compressed files.",
        "Be respectful in your feedback.",
        "Log in and choose a region from the menu.",
        "If symptoms persist, see a doctor.",
        "If the pain lasts, it is recommended to see a doctor.",
        "Research and Contacts: Look for resources of the court.",
        "For details, refer to the manual of the printer.",
        "To reset it, follow these steps:\n1. Press the button.\n2. Wait for ten seconds.",
        "To secure the house, it is best to:\n- Lock the doors",
        "When you meet a lawyer, ask about:\n- Costs and fees",
    ],
)
def test_instructions_state_nothing(text: str) -> None:
    assert parsed(text) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Symptoms include:\n- fever\n- chills", ["Symptoms include fever.", "Symptoms include chills."]),
        ("## Symptoms of flu\n\n- Sore throat", ["Symptoms of flu: Sore throat"]),
        ("Here are common causes of cough:\n- Smoking", ["Common causes of cough: Smoking"]),
        (
            "The lake is home to many species, including:\n- brown trout",
            ["The lake is home to many species, including: brown trout"],
        ),
        ("Systemic features, such as:\n- fever", ["Systemic features, such as: fever"]),
        ("The committee can:\n- Issue fines", ["The committee can: Issue fines"]),
        (
            "The kit provides:\n1. Fast search.\n2. A clock",
            ["The kit provides: Fast search.", "The kit provides: A clock"],
        ),
        ("If you have a fever, you may have:\n- A cold", ["If you have a fever, you may have: A cold"]),
        ("She won:\n- Founded the school", ["She won: Founded the school"]),
        ("The museum is open on:\n- Mondays", ["The museum is open on: Mondays"]),
        ("The tool helps you:\n- Scale services", ["The tool helps you: Scale services"]),
        (
            "Within two years:\n1. prices rose by 5%;\n2. wages fell, and\n3. exports of steel doubled.",
            [
                "Within two years: prices rose by 5%",
                "Within two years: wages fell",
                "Within two years: exports of steel doubled.",
            ],
        ),
        ("Facts:\n- Founded in 1850", ["Facts: Founded in 1850"]),
        ("Here is a list of albums:\n- Skerry", ["A list of albums: Skerry"]),
        (
            "Copper displaces iron, as the equation shows:\n\nCu(s) → CuO(s)",
            ["Copper displaces iron, as the equation shows: Cu(s) → CuO(s)"],
        ),
        (
            "The court looks at two points:\n- whether the trial was fair",
            ["The court looks at two points: whether the trial was fair"],
        ),
    ],
)
def test_an_item_becomes_a_sentence_with_what_leads_in_to_it(text: str, said: list[str]) -> None:
    assert parsed(text) == said


@pytest.mark.parametrize(
    "list_",
    [
        "- Two rivers:\n  - Syr, from the north\n  - Amu, from the south\n- Closed in 1987",
        "1. Two rivers:\n- Syr, from the north\n- Amu, from the south\n2. Closed in 1987",
    ],
)
def test_an_item_further_out_does_not_go_on_with_the_lead_in_of_an_inner_list(list_: str) -> None:
    assert parsed(f"Facts:\n{list_}") == [
        "Two rivers: Syr, from the north",
        "Two rivers: Amu, from the south",
        "Facts: Closed in 1987",
    ]


def test_a_lead_in_without_a_noun_is_joined_unless_it_only_points() -> None:
    assert parsed("It helps you:\n- save energy\n- sleep") == [
        "It helps you: save energy",
        "It helps you: sleep",
    ]
    assert parsed("They are found in:\n- Asia\n- The north of Africa") == [
        "They are found in: Asia",
        "They are found in: The north of Africa",
    ]
    assert parsed("These include:\n- Ada Roe and her son") == ["Ada Roe and her son"]
    assert parsed("It works like this:\n- The pump draws water.") == ["The pump draws water."]


def test_headings_and_lines_above_a_list_state_nothing() -> None:
    text = "# How cats hunt\n\n**Diet.** Cats eat meat.\n\nKey facts\n\n- Cats sleep a lot."
    assert parsed(text) == ["Cats eat meat.", "Cats sleep a lot."]
    assert parsed("Mr. Heck Tate") == ["Mr. Heck Tate"]


def test_bold_type_may_end_in_the_middle_of_a_sentence() -> None:
    assert parsed("**Skerry: The** light was lit in 1871.") == ["Skerry: The light was lit in 1871."]


def test_a_header_ends_with_its_table() -> None:
    assert parsed("| A | B |\n|---|---|\n| a | b |\n\n| C | D |\n|---|---|\n| c | d |\n") == [
        "A: a; B: b",
        "C: c; D: d",
    ]


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


def test_a_label_stays_before_its_sentence() -> None:
    text = "1. Jo Doe: He served in 1990.\n2. Best Paper: In 2015, Jo Doe won the award.\n"
    assert [s.text for s in statements(text, find_parser())] == [
        "Jo Doe: He served in 1990.",
        "Best Paper: In 2015, Jo Doe won the award.",
    ]


def test_any_number_of_remarks_before_a_colon_go() -> None:
    text = "Sure: " * 1000 + "The lake is deep."
    assert [statement.text for statement in statements(text)] == ["The lake is deep."]


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
        ("Smith et al. (2020) found it [1](https://example.org/a).", "Smith et al. (2020) found it."),
        ("He won gold (Berlin 1936).", "He won gold (Berlin 1936)."),
        ("The H¹ norm of x² is finite (2020).", "The H¹ norm of x² is finite (2020)."),
    ],
)
def test_citations_go_and_what_is_said_in_parentheses_stays(text: str, said: str) -> None:
    assert texts(text) == [said]


def test_a_lead_in_begins_with_a_capital() -> None:
    lists = "In Oslo, there are two orders:\n\n- The friars.\n\nHere are rules for guests:\n\n- Quiet."
    assert parsed(lists) == ["In Oslo, there are two orders: The friars.", "Rules for guests: Quiet."]
