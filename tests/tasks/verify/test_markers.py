"""Citation markers: which there are, what they name, and what only looks like one."""

import pytest

from factreasoner.models import Context
from factreasoner.tasks.verify.markers import Sources, find_markers, notes_on

A = "[A](https://a.com/x)"
CONTEXTS = [Context(id=f"c{n}", text="x", link=f"https://example.org/page{n}") for n in range(1, 4)]


def read(text, contexts=CONTEXTS, defined=None):
    """What each marker of a text names: sources, then unknown labels with a question mark."""
    markers = find_markers(text, Sources(contexts, defined))
    return [[*m.sources, *(f"{label}?" for label in m.unknown)] for m in markers]


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("It rained [1].", [["c1"]]),
        ("It rained [1, 2].", [["c1", "c2"]]),
        ("It rained [1; 2].", [["c1", "c2"]]),
        ("It rained [1 and 3].", [["c1", "c3"]]),
        ("It rained [1-3].", [["c1", "c2", "c3"]]),
        ("It rained [3–1].", [["c1", "c2", "c3"]]),
        ("It rained [1,3-3].", [["c1", "c3"]]),
        ("It rained [1,].", [["c1"]]),
        ("It rained [1][2].", [["c1"], ["c2"]]),
        ("It rained [^1].", [["c1"]]),
        ("It rained [^1, ^2].", [["c1", "c2"]]),
        ("It rained [^1^][^3^].", [["c1"], ["c3"]]),
        ("It rained [١، ٢] a lot [۳].", [["c1", "c2"], ["c3"]]),
        ("It rained [[2]].", [["c2"]]),
        ("It rained [1, [2]].", [["c1", "c2"]]),
        ("It rained [[1], [2]].", [["c1", "c2"]]),
        ("It rained [see the map [2]].", [["c2"]]),
        ("It rained [1, p. 3].", [["c1"]]),
        ("It rained [1, pp. 3-5; 2, ch. 3].", [["c1", "c2"]]),
        (r"It rained \[1\].", [["c1"]]),
        ("It rained ［1］ a lot ［２，３］.", [["c1"], ["c2", "c3"]]),
        ("It rained.¹⁻³ It snowed.", [["c1", "c2", "c3"]]),
        ("It rained (Source 1, Source 2).", [["c1", "c2"]]),
        ("Es regnete (Quelle 1), auch dort (Quellen 1 und 2).", [["c1"], ["c1", "c2"]]),
        ("Llovió [fuente 1] (Quelle der Spree).", [["c1"]]),
        ("It rained (see Source 1 and Source 3, p. 2).", [["c1", "c3"]]),
        ("It rained [c3].", [["c3"]]),
        ("It rained [c3, 1].", [["c3", "c1"]]),
        ("It rained [01].", [["c1"]]),
        ("It rained.¹", [["c1"]]),
        ("It rained in 1930¹ and 2019².", [["c1"], ["c2"]]),
        ("It rained.¹² It snowed.", [["c1", "c2"]]),
        ("It rained.¹,³", [["c1", "c3"]]),
        ("It rained<sup>2</sup>.", [["c2"]]),
        ("It rained<sup>[1, 2]</sup>.", [["c1", "c2"]]),
        ('It rained<sup class="r"><a href="#r1">1</a></sup>.', [["c1"]]),
        ('It rained<sup><a href="#r1">[1]</a></sup>.', [["c1"]]),
        ("<code>a[1]</code> <pre>\n[2]\n</pre>", []),
        ("It rained (Source 1).", [["c1"]]),
        ("It rained (see sources 1 and 2).", [["c1", "c2"]]),
        ("It rained (Source: 3).", [["c3"]]),
        ("It rained [Source 2].", [["c2"]]),
        ("It rained 【2†page】.", [["c2"]]),
        ("It [rained](https://example.org/page2).", [["c2"]]),
        ("It rained [1](https://example.org/page3).", [["c3"]]),
        ("It rained [[1]](https://example.org/page3).", [["c3"]]),
        ("It rained [2](https://elsewhere.org).", [["c2"]]),
        ("It rained (https://example.org/page1).", [["c1"]]),
        ("It rained <https://www.example.org/page1/>.", [["c1"]]),
        ("It rained: https://example.org/page1?utm_source=x.", [["c1"]]),
        (f"It rained ({A}, [B](https://example.org/page1)). So ({A}) it did.", [["c1"]]),
        ("It rained [rain][2].", [["c2"]]),
        ("It rained [4].", [["4?"]]),
        ("It rained [1, 9].", [["c1", "9?"]]),
        ("It rained [c9, c1] (source_9).", [["c1", "c9?"], ["source_9?"]]),
        ("It rained [doc-9; web:12].", [["doc-9?", "web:12?"]]),
        ("It rained [doc2] [cite: 3].", [["c2"], ["c3"]]),
    ],
)
def test_markers_of_every_form(text, named):
    assert read(text) == named


@pytest.mark.parametrize(
    "text",
    [
        "It rained [1987].",
        "It rained [1914-1918].",
        "It rained [sic] and [more] rained [citation needed].",
        "The list starts at [0].",
        "Set a[1] = 3, then call arr[2](x) and grid_x[1][0].",
        "`a[1]` and\n```\nb[2]\n```\n",
        "It rained [1 and (Source one) and (see the Source: Wikipedia).",
        "![a map](https://example.org/page1)",
        "It [rained](https://elsewhere.org/page1) at https://elsewhere.org/page2.",
        "- [ ] open\n- [x] done",
        "It rained [1-900].",
        f"It rained (https://a.com/x). It snowed ({A}; [B](#b)). {A}",
        "It rained (Klabnik 2019; Wu et al. 2021a). It snowed [Smith20]. Lee et al. (2020) say so.",
        "The interface is at (https://a.com/v1). It is described in ([the manual](https://a.com/x)).",
        "White takes [d5]; state [s1], cell [d12] (https://a.com). Go! [A](http://www.a.com/#b)",
        "It [a]lso had vitamin [B2], [p53], [mp3], [x1, x2], [Table 2] and [id-5] at [1:23].",
        "",
    ],
)
def test_lookalikes_are_not_markers(text):
    assert read(text) == []


BEHIND = [
    f"It is 3 km. {A} It snowed.",
    f"It rained! {A}[B](https://b.com/x) The end.",
    f"It rained.”  {A} Snow fell? [B](https://b.com/x)\nIt hailed.",
    f"- It rained. {A}",
]
WITHIN = [
    f"It rained. {A} Snow fell.",
    f"It rained. {A} shows it.",
    f"It is by Dr. {A}",
    f"It rained.{A} It snowed.",
    f"It rained, {A} It snowed.",
    f"It rained {A}. It snowed.",
    f"[B](https://b.com/x) It rained. {A} It snowed.",
    f"{A}\nIt snowed.",
]


@pytest.mark.parametrize("text", [*BEHIND, *WITHIN])
def test_link_between_sentences_has_no_text(text):
    found = find_markers(text, Sources([Context(id="a", text="x", link="https://a.com/x")]))
    assert [m.shown is None for m in found] == [text in BEHIND]


def test_an_id_goes_before_a_number_in_order():
    contexts = [Context(id="2", text="x"), Context(id="1987", text="x"), Context(id="0", text="x")]
    assert read("A [2] B [1] C [1987] D [0] E [3].", contexts) == [["2"], ["2"], ["1987"], ["0"], ["0"]]
    contexts = [Context(id="doc1", text="x"), Context(id="Memo 7", text="x"), Context(id="doc3", text="x")]
    assert read("A [doc3] B [doc2] C [Memo 8] D [2023].", contexts) == [["doc3"], ["doc2?"], ["Memo 8?"]]


def test_reference_list_defines_citation_numbers():
    assert read("A [1].", defined={"1": "https://example.org/page3"}) == [["c3"]]
    assert read("A [1].", defined={"1": "https://elsewhere.org"}) == [["c1"]]


def test_marker_positions_are_exact():
    text = "One [1], (Source 2) and [three](https://example.org/page3)."
    found = [text[m.start : m.end] for m in find_markers(text, Sources(CONTEXTS))]
    assert found == ["[1]", "(Source 2)", "[three](https://example.org/page3)"]


def test_reading_takes_linear_time():
    text = "[1" * 20_000 + "(" * 20_000 + "[" * 20_000 + "https://" * 5_000 + "<sup>" * 5_000 + "¹ " * 5_000
    assert len(find_markers(text, Sources(CONTEXTS))) < 6_000


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("It is $x_{[1]}$ tall [2].", [["c2"]]),
        ("It is $$y = [1]$$ tall [2].", [["c2"]]),
        ("It cost $5 [1] and $6 = A$7 [2].", [["c1"], ["c2"]]),
        ("![a map [1]](map.png) It is tall [2].", [["c2"]]),
    ],
)
def test_mathematics_and_pictures_cite_nothing(text, named):
    assert read(text) == named


@pytest.mark.parametrize(
    ("text", "notes"),
    [
        (
            "It rained [1. It snowed [2] twice 3], and hailed [1, 2].",
            [f"{x!r} lacks a bracket" for x in ("[1", "3]")],
        ),
        ("It rained [1, [2]].", []),
        *(
            (
                f"It rained {name}. So it did {name}. `(Roe 2010)` It was May (May 2020, 1990).",
                [f"{name!r} was not read as a citation: cite sources by number, id or link"],
            )
            for name in (
                *("(Klabnik 2019)", "(Smith & Lee, 2020; Wu et al. 2021a)", "(see Smith 2020, p. 3)"),
                *("[Smith20]", "[Smith et al., 2020]", "Smith et al. (2020)", "(García y Lee, 1999)"),
                *("(van der Berg 2010)", "(O'Brien 2010)", "(Smith, J. et al., 2020)", "[Knuth1997]"),
            )
        ),
        (
            "It rained (1). It rained again (1). (2) It snowed (9), and `f (2).` ran. Page 3(2).",
            ["'(1)' was not read as a citation; if it is one, write '[1]'"],
        ),
        (
            "It rained (1,2). It snowed (1-3). It has (1, 99) and a sum (1+2).",
            [f"'({n})' was not read as a citation; if it is one, write '[{n}]'" for n in ("1,2", "1-3")],
        ),
        *(
            (
                f"It rained {mark}. So it did {mark}.",
                [f"{mark!r} and the like were not read as citations: they name no source by number or id"],
            )
            for mark in (
                *("【4:0†a.pdf】", "citeturn0search1turn12news3", "[turn0search1, turn0search2]"),
                *('<cite index="0-1,0-2">', '<cite index="1-1">', "[oaicite:0]"),
                ":contentReference[oaicite:0]{index=0}",
            )
        ),
        ("Type citeturn or <cite>Dune</cite>.", []),
    ],
)
def test_doubtful_citations_are_noted(text, notes):
    sources = Sources(CONTEXTS)
    found = [*notes_on(text, find_markers(text, sources), sources)]
    assert [note.removesuffix(" and was not read as a citation") for note in found] == notes


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("The values in [1, 3] differ.", "read as a citation; it may be"),
        ("Ratings in [1, 5] were asked for.", "read as numbers and not as a citation"),
        ("The values in [0, 1] and the scores in [1987, 1990].", None),
        ("```\nthe values in [1, 2]\n```\n", None),
    ],
)
def test_ambiguous_numbers_cite_only_known_sources(text, reading):
    sources = Sources(CONTEXTS)
    markers = find_markers(text, sources)
    assert bool(markers) == (reading is not None and "may be" in reading)
    assert [reading in note for note in notes_on(text, markers, sources)] == [True] * (reading is not None)
