"""Sentence borders: the cases a naive splitter gets wrong, and properties that hold for any text."""

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.text.sentences import blocks, sentences


def split(text):
    return [text[start:end] for start, end in sentences(text)]


# A "¦" stands where a sentence ends and the next one begins.
CASES = [
    "<b>It opened in May.</b>¦ <i>It shows maps.</i>¦ It closed.",
    # Abbreviations, titles, initials
    "Dr. Smith met Mrs. Jones at St. Mary's.¦ They talked.",
    "J. R. R. Tolkien wrote it.¦ George W. Bush did not.",
    "Its architect was George K. S. Rotne.¦ P. D. Q. Bach and Johann S. Bach wrote on p. 3 and S. 12.",
    "Der Bau kostete rund 866 Mio. Euro.¦ Es waren 3 Mrd. Euro und 5 Tsd. Stück.",
    "Er zahlte 5 Mio.¦ Das war viel.",
    "He lives in the U.S.¦ He was born in the U.S. Virgin Islands.",
    "She studied in Washington, D.C.¦ In 1990 she left the D.C. area.",
    "See No. 5, pp. 3-4, and Fig. 2 of vol. 7.¦ It is clear.",
    "Was it wrong?¦ No.¦ Nobody knew.",
    "Use fruit, e.g. apples, i.e. Malus, vs. pears.¦ Then stop.",
    "On Jan. 3 and Sept. 4, 1990, it rained.¦ It ended in Dec.¦ Nobody cared.",
    "Apple Inc. was founded in 1976.¦ It bought Beats Inc.¦ The price was high.",
    "Smith et al. (2010) found it.¦ So did Jones et al. in 2011.",
    "It began at 5 p.m. sharp.¦ It ended at 7 p.m.¦ The end.",
    "He has a Ph.D. from Yale.¦ Sammy Davis Jr. sang.",
    "Roe v. Wade came later.¦ It was in World War I.¦ The end.",
    "He sold cars, boats, etc.¦ The firm failed.",
    # Characters without width or meaning, and a citation that is not closed
    "It is tall.\u200b¦ It is old.\u200b¦The light works\ufeff.¦ Visit example.\u200bcom now.",
    "It is tall.\x00¦ It is old.\u200f¦ \u2067It works.",
    "It is tall [1.¦ It is old 2].¦ It works [3].",
    "Others work in other ways.¦It is possible to stop.¦However, ask first.",
    # Numbers and versions
    "Pi is 3.14.¦ Version v2.0.1 costs $1.2 billion.¦ It fell by .5 percent.",
    "It happened in 1950.¦ 14 bears flew.",
    # The number of an item
    "It rained.¦ 1. Prices rose.",
    "How many won?¦ 12. That is a lot.",
    "A. The bridge opened.¦ B. The tower fell.",
    "(1). Prices rose.¦ **2.** Bread rose.¦ 2.1. Taxes fell.",
    # Ellipses, other marks
    "He waited...¦ Nothing came.",
    "He waited... and left.¦ Really?!¦ Yes!",
    "Wait . . .¦ What?",
    "Yahoo! Inc. bought it.¦ Wow!",
    # Quotations and parentheses
    'He acted in "Knots Landing."¦ Sheehan began late.',
    "She said “It is over.”¦ Then she left.",
    'He said "I left. I came back." and sat down.¦ She sat, too.',
    "He died (in Paris. Really.) in 1950.¦ (She did not.)¦ So it was.",
    "She is 5'10\" tall.¦ He is 6'2\" tall.",
    # Links, addresses, code, markdown, references
    "See https://example.org/a.b?c=1.2!x and mail a.b@example.org.¦ Thanks.",
    "Call `a.b. C()` first.¦ **Bold.**¦ *Italics.*¦ Done.",
    "He was born in 1950.[1][2]¦ He died.",
    "He was born in 1950. [1] [2]¦ He died. [3]",
    "He was born in 1950.¦ [3] 4 things are said.",
    "It has vitamin C.[1, 2]¦ Plan B.¹¦ In the U.S.【1†source】¦ Ends.[1](https://a.org/)¦ So.[^1] [2]¦ Yes.",
    "It was led by Dr.[1] Smith.",
    "The act is Pub. L. No. 88-352.¦ Vgl. Band 2.¦ He left the pub.¦ Alice slept.",
    "Use Node.js and ASP.NET.¦ They work.",
    "It runs iOS.¦ iPhone sales rose.",
    # Lower case throughout
    "he was born in paris.¦ he died in 1990, e.g. there.",
    # Other scripts and languages
    "他出生于1950年。¦他死了！¦真的？¦价格是３．１４元。",
    "「行く。」と彼は言った。¦終わり。",
    "他说：“你好。”¦然后走了。",
    "वह 1950 में पैदा हुआ।¦ डॉ. राम ने कहा॥¦ ठीक।",
    "هل هذا صحيح؟¦ نعم.¦ انتهى.",
    "یہ سچ ہے۔¦ وہ گیا۔",
    "Τι είναι αυτό\u037e¦ Δεν ξέρω.",
    "Am 3. Oktober 1990 kam z.B. Dr. Müller.¦ Der 2. Weltkrieg war vorbei.",
    "¿Qué pasó?¦ ¡Nada!¦ La Sra. López salió.",
    "Он родился в 1950 г. в Москве.¦ Он умер.",
    "Բարեւ։¦ Ինչպես ես։",
    "塔很旧。¦The tower is old.¦桥很长。",
    "是谁建的?¦艾达建的。",
    "太好了!¦桥很长。",
    "誰が建てた?¦エイダが建てた。",
    "Он родился в 1815 г.¦ Умер он в 1852 г.¦ Его знали все.",
    "В 1812 г. Наполеон вошёл в Москву.¦ Он ушёл.",
    "Когда в 1812 г. Наполеон вошёл в Москву, был сентябрь.",
    "Летом 1812 г. Наполеон начал войну.",
    "Во время войны в 1812 г. Наполеон вошёл в Москву.",
    "Башня построена в 1815 г.¦ Высота её 38 м.",
    "Она была открыта в 1932 г.¦ Москва праздновала.",
    "Он родился в 1815 г. в Москве.",
    "Он жил в XIX в.¦ Умер он в Риме.",
    "В XIX в. Москва выросла.",
    "Urodził się w 1815 r.¦ Zmarł w 1852 r.",
    "W 1815 r. Napoleon wrócił.",
    "Он правил в 1812–1815 гг.¦ Россия победила.",
    "Il dit : « Je pars. »¦ Il part.",
    "« Je pars. »¦ Il part.",
    "« Qui est là ? » demanda-t-elle.¦ Elle sortit.",
    "Il cria : « Non ! »¦ Puis il partit.",
    "Er kam.¦ »Ich gehe«, sagte er.",
    "Er sagte: »Ich gehe.«¦ Er ging.",
    "« Je pars. Je reviens. »¦ Il part.",
    "Il a dit « Je pars » hier.¦ Il part.",
    "Elle répondit : «\u00a0Oui.\u00a0»¦ Puis elle rit.",
    "Sie wohnt in der 2. Straße.¦ Er wohnt im 3. Haus.",
    "Er kam am 2.¦ Er ging am 3. Mai.",
    "Jeder 3. Mensch schläft.¦ Die 4. Auflage ist neu.",
    "Er wurde 3.¦ Max wurde 4.",
    "EE. UU. la compró en 1867.¦ Rusia la vendió.",
    "Vive en EE. UU.¦ En 1990 se fue a los JJ. OO. de Roma.",
    "Los RR. HH. son caros.",
    "वह 5 कि.मी. चले।¦ राम घर गया।",
    "यह 3 सें.मी. लंबा है।",
    "उसने बी.ए. किया।¦ वह गया।",
    "He served in the SS.¦ Hitler fled.",
    "It was World War II.¦ Churchill won.",
    "J.K.罗琳写了它。¦约翰.史密斯读了它。",
    "Dr.王来了。",
    "他在1932.5年来。",
    "使用Node.js和ASP.NET框架。",
    "It cost 5 Mio.¦ It is.",
    "谁?¦“艾达”来了。",
    "He said it (twice).¦桥很长。",
    "누가 지었나?¦에이다가 지었다.",
    "Yahoo!是一家公司。",
    '他说:"你好!"¦然后走了。',
    '塔很旧。¦"The tower is old."¦桥很长。',
    "Народився він у 1815 р.¦ Помер у 1852 р.",
    "Башня стоит здесь с 1815 г.¦ Её высота 38 м.",
    "С 1815 г. Анна жила в Риме.",
    "Роден е през 1815 г.¦ Умира през 1852 г.",
    "« Pourquoi ? »¦ Elle ne répondit pas.",
    "Los EE.UU. la compraron.¦ Era cara.",
    "È alto 3.357 m.¦ Si trova in Sicilia.",
    "Mide 3 m.¦ Está en Madrid.",
    "Er ist 38 m.¦ Max baute ihn.",
    "Pesa 5 g.¦ Costa 3 l. 5.",
    "Er starb 5 v. Chr. in Rom.",
    "वह 5 कि.मी. चला और 3 कि.ग्रा. लाया।¦ वह थक गया।",
]


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
def test_tags_part_sentences_and_citations_do_not_join_them(text, found):
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
def test_items_that_run_on_in_a_paragraph_are_parts_of_their_own(text, parts):
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
