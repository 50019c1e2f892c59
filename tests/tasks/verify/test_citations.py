"""Which sentences cite what."""

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from factreasoner.models import Context
from factreasoner.tasks.verify.citations import CitedText
from factreasoner.text.sentences import CITED_HERE, sentences

CONTEXTS = [Context(id=f"c{n}", text="x", link=f"https://example.org/page{n}") for n in range(1, 4)]


def cited(text):
    """(sentence, what it cites, how it comes to it) for every sentence of a text."""
    found = CitedText(text, CONTEXTS)
    return [(text[s.start : s.end], [*s.cited, *s.unknown], s.by) for s in found.sentences]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "It rained. It snowed [1], a lot. It hailed. [2] It thawed.³",
            ["It rained.", "It snowed [1], a lot.", "It hailed. [2]", "It thawed.³"],
        ),
        ("It hailed. ([1], [2]) It thawed.", ["It hailed. ([1], [2])", "It thawed."]),
        (
            "[1] It rained. [2] It snowed.\n\nIt hailed. [1] It thawed.",
            ["[1] It rained.", "[2] It snowed.", "It hailed. [1]", "It thawed."],
        ),
        (
            "It rained\n[1]. It snowed\n[2].\nIt hailed\n[3], a lot.",
            ["It rained\n[1].", "It snowed\n[2].", "It hailed\n[3], a lot."],
        ),
        ("It rained [1]. It snowed. It hailed [2].", ["It rained [1].", "It snowed.", "It hailed [2]."]),
        ("It rained [1. It snowed [2].", ["It rained [1.", "It snowed [2]."]),
        (
            "Weather:\n- It rained [1].\n- [2] It snowed.\n- It hailed.\n",
            ["Weather:", "It rained [1].", "[2] It snowed.", "It hailed."],
        ),
        ("It rained.<br>It snowed<sup>[1]</sup>.", ["It rained.", "It snowed<sup>[1]</sup>."]),
    ],
)
def test_marker_belongs_to_its_sentence(text, found):
    marked = [[f"c{n}" for n in re.findall(r"\[(\d)\]", one.replace("³", "[3]"))] for one in found]
    by = ["sentence" if cites else "none" for cites in marked]
    assert cited(text) == list(zip(found, marked, by, strict=True))


@pytest.mark.parametrize(
    "said", ["It has vitamin C", "It lies in the U.S", "Made by Rain Inc", "It is 300 ft", "No"]
)
@pytest.mark.parametrize(
    "mark", ["[1]", "[^1]", "[1][2]", "(Source 1)", "【1†a】", "([A](https://example.org/page1))"]
)
def test_marker_beside_stop_ends_the_sentence(said, mark):
    for end in (f" {mark}.", f"{mark}.", *(() if said[-2:] in ("ft", "No") else (f".{mark}", f". {mark}"))):
        for next_one in ("Snow fell.", '"Snow" fell [3].', "5 fell."):
            found = CitedText(f"{said}{end} {next_one}", CONTEXTS)
            assert [s.cited[:1] for s in found.sentences] == [("c1",), ("c3",) if "3" in next_one else ()]
            assert len(sentences(found.plain)) == 2


@pytest.mark.parametrize(
    "text", ["It is approx. [2] 5 m high.", "Dr. [1] Snow, e.g. [2] Rain, is No. [3] 5."]
)
def test_marker_after_abbreviation_continues_the_sentence(text):
    assert len(cited(text)) == 1


@pytest.mark.parametrize("said", ["He left at 5 p.m. [2]", "It has vitamin C. [2]", "It has vitamin C [2]."])
@pytest.mark.parametrize(
    "item", ["1. It rained.", "1. It rained.\n2. It rained.", "1. It rained.\nIt rained."]
)
def test_item_begins_after_a_marker(said, item):
    sentences = CitedText(f"{said}\n{item}", []).sentences
    found = [f"{said}\n{item}"[slice(*sentence.place)] for sentence in sentences]
    assert found == [said, *["It rained."] * (len(sentences) - 1)]


def test_a_marker_ends_a_sentence_in_lower_case():
    assert [one[0] for one in cited("it has vitamin c [1]. it snowed.")] == [
        "it has vitamin c [1].",
        "it snowed.",
    ]


@pytest.mark.parametrize(
    "end", ["It hailed [1][2].", "It hailed. [1][2]", "It hailed (https://example.org/page1, [2])."]
)
def test_closing_marker_covers_uncited_sentences_of_paragraph(end):
    found = cited(f"It rained. It snowed. {end}\n\nIt thawed.")
    assert [(cites, by) for _, cites, by in found] == [
        (["c1", "c2"], "paragraph"),
        (["c1", "c2"], "paragraph"),
        (["c1", "c2"], "sentence"),
        ([], "none"),
    ]


@pytest.mark.parametrize("said", ["A [page](https://a.com) says it rained.", "See https://a.com. It rained."])
def test_inline_link_to_unknown_source_is_noted(said):
    text = CitedText(f"{said} It snowed [1].\n\n`https://b.com`\n\nSources\n[1] https://c.com", CONTEXTS)
    assert (text.sentences[0].by, text.sentences[0].cited) == ("none", ())
    assert text.notes == ("'https://a.com' was not read as a citation: it leads to no source",)


def test_link_after_sentence_cites_for_it():
    one, two = (f"[Page](https://example.org/page{n})" for n in (1, 2))
    found = cited(f"It is 3 km. {one} It rained. {two} It snowed. ([Fake](https://a.com/x)) The end [3].")
    assert [cites for _, cites, _ in found] == [["c1"], ["c2"], [], ["c3"]]


def test_link_text_counts_unless_bracketed_alone():
    link = "[Reuters](https://example.org/page1)"
    text = CitedText(f"It rained ({link}, {link}). Says {link}. It hailed (see {link}).", CONTEXTS)
    assert text.plain == "It rained. Says Reuters. It hailed (see Reuters)."
    assert [sentence.cited for sentence in text.sentences] == [("c1",)] * 3


@pytest.mark.parametrize("parted", ["\n", "\n\n", "\r\n"])
def test_markers_on_own_lines_find_their_text(parted):
    below = parted.join(["It rained.", "[1]", "It snowed.", "[2] [3]"])
    assert [cites for _, cites, _ in cited(below)] == [["c1"], ["c2", "c3"]]
    above = parted.join(["# Weather", "[1]", "It rained.", "[2]", "It snowed."])
    assert [cites for _, cites, _ in cited(above)][1:] == [["c1"], ["c2"]]


def test_entry_with_other_link_needs_the_title():
    titles = ["Rain in Spain", "Snow", ""]
    linked = [c.model_copy(update={"title": title}) for c, title in zip(CONTEXTS, titles, strict=True)]
    listed = (
        "[1] Rain in Spain https://doi.org/10.1/x\n[2] Hail https://a.com/x\n"
        "[3] https://a.com/y\n[4] https://example.org/page3\n"
    )
    text = CitedText(f"It rained [1]. It hailed [2]. It froze [3]. Ice [4].\n\nReferences\n{listed}", linked)
    found = [[*sentence.cited, *sentence.unknown] for sentence in text.sentences[:4]]
    assert found == [["c1"], ["https://a.com/x"], ["https://a.com/y"], ["c3"]]
    assert text.notes == ()


def test_wrapped_lines_stay_joined_after_marker_removal():
    text = "It snowed on all of the hills (Source 1). The great hail was seen in\n1707 [2]. It thawed [3]."
    assert [cites for _, cites, _ in cited(text)] == [["c1"], ["c2"], ["c3"]]
    assert "seen in 1707. It" in CitedText(text, CONTEXTS).plain


@pytest.mark.parametrize(
    ("text", "plain", "cites"),
    [
        ("It [snowed][1].", "It [snowed].", ["c1"]),
        ("It has vitamin B[1]. and C.", "It has vitamin B\u200b. and C.", ["c1"]),
        ("In the U.S.[Alps](https://example.org/page1) It rains.", "In the U.S.Alps It rains.", ["c1"]),
        (
            "[cite_start]It rained[cite: 1]. [cite_start]It snowed.[cite: 1, 2]",
            "It rained. It snowed.",
            ["c1", "c1 c2"],
        ),
        ("It rained.[citation needed] It snowed.[1]", "It rained. It snowed.", ["", "c1"]),
        ("It rained (Smith 2020). It snowed [1].", "It rained (Smith 2020). It snowed.", ["", "c1"]),
        (
            "It rained.\ue200cite\ue202turn0search1\ue201 It snowed【4:0†a.pdf】.",
            "It rained. It snowed.",
            ["", ""],
        ),
        ("It rained. citeturn0search1 It snowed.citeturn0news2 [1]", "It rained. It snowed.", ["", "c1"]),
        *(
            (
                f'<{tag} index="1-1">It rained.</{tag}> It <{tag} index="1-2">snowed</{tag}>. It hailed [1].',
                "It rained. It snowed. It hailed.",
                ["", "", "c1"],
            )
            for tag in ("cite", "antml:cite")
        ),
        ("It rained (see [1]). It snowed (cf. [2]).", "It rained. It snowed.", ["c1", "c2"]),
        (
            "It rained [1, S. 3].\n\nSources: [1], [2]\n\nIt snowed in 1999.",
            "It rained.\n\n\n\nIt snowed in 1999.",
            ["c1", ""],
        ),
        (
            "It rained.\n\nSources: [1]\n\n1. It snowed [2].\n2. It hailed.",
            "It rained.\n\n\n\n1. It snowed.\n2. It hailed.",
            ["", "c2", ""],
        ),
    ],
)
def test_marks_of_programs_and_styles_are_no_words(text, plain, cites):
    found = CitedText(text, CONTEXTS)
    assert found.plain.strip() == plain
    assert [" ".join(s.unknown + s.cited) for s in found.sentences] == cites


def test_marker_may_be_word_of_its_sentence():
    found = CitedText("It rained. [1] reports that it snowed. As [2] says, it hailed.", CONTEXTS)
    assert [s.cited for s in found.sentences] == [(), ("c1",), ("c2",)]
    assert found.plain == found.text


def test_plain_text_reads_as_if_uncited():
    plain = CitedText("It rained [1]. It [snowed](https://example.org/page1) ([2], [3]).", CONTEXTS).plain
    assert plain == "It rained. It snowed."


def test_marker_used_as_noun_stays():
    text = "According to [1], it rained. It snowed (as reported in [2])."
    found = CitedText(text, CONTEXTS)
    assert found.plain == text
    assert [s.cited for s in found.sentences] == [("c1",), ("c2",)]


@pytest.mark.parametrize(
    "tail",
    [
        "References:\n[1] A page. https://example.org/page2\n[2] Another.\n",
        "## Sources\n\n1. https://example.org/page2\n2. Another, https://example.org/page3\n",
        "[^1]: https://example.org/page2\n",
    ],
)
def test_reference_list_is_no_citation_or_sentence(tail):
    for line_end in ("\n", "\r\n", "\r"):
        found = CitedText(f"It rained [1].\n\n{tail}".replace("\n", line_end), CONTEXTS)
        assert len(found.sentences) == 1
        assert found.plain.strip() == "It rained."


def test_named_footnote_cites_its_definition():
    notes = "[^page]: A page https://example.org/page2\n[^id]: c3\n[^none]: A book\n"
    found = CitedText(
        f"It rained.[^page] It snowed.[^id] It froze.[^none] Not [^defined].\n\n{notes}", CONTEXTS
    )
    assert [(s.cited, s.unknown) for s in found.sentences] == [
        (("c2",), ()),
        (("c3",), ()),
        ((), ("none",)),
        ((), ()),
    ]
    assert found.plain.strip() == "It rained. It snowed. It froze. Not [^defined]."


def test_a_comment_and_code_cite_nothing():
    found = [("It rained.", [], "none"), ("<pre>a[2] b</pre>", [], "none")]
    assert cited("It rained. <!-- See [1]. -->\n\n<pre>a[2] b</pre>") == found


@pytest.mark.parametrize("unit", [" ", "\t", "references" + 9_000 * " ", "# "])
def test_a_text_of_many_blanks_is_read(unit):
    found = CitedText("It rained [1].\n\n" + unit * (100_000 // len(unit)) + ".\n\nIt snowed [2].", CONTEXTS)
    assert found.sentences[-1].cited == ("c2",)


PIECES = st.sampled_from(
    [*". \n()[]`¹", "It rained", " a lot", "\n\n", "- ", "[1]", "[2, 3]", "[9]", "**", "(Source 1)", "é😀"]
) | st.sampled_from(["https://example.org/page1", "[x](https://example.org/page2)", "```\n", "[^1]: "])


@given(st.lists(PIECES, max_size=40).map("".join))
@example("It rained\n(Source 1)[^1]: \n(Source 1)\nIt rained")
@example("([x](https://example.org/page2).")
def test_any_text_splits_into_its_own_pieces(text):
    found = CitedText(text, CONTEXTS)
    places = [found.original((n, n + 1)) for n in range(len(found.plain))]
    characters = "".join(text[a:b] for a, b in places)
    parting = {m.start for s in found.sentences for m in s.markers}
    for n, (character, shown) in enumerate(zip(characters, found.plain, strict=True)):
        parts = places[n].start in parting or character in "\n.!?"
        assert shown in (character, CITED_HERE) or (shown == " " and parts)
    for sentence in found.sentences:
        assert 0 <= sentence.start <= sentence.words.start < sentence.words.end <= sentence.end <= len(text)
        assert all(sentence.start <= m.start and m.end <= sentence.end for m in sentence.markers)
    starts = [(s.start, s.end) for s in found.sentences]
    assert all(one[1] <= other[0] for one, other in itertools.pairwise(starts))


def test_reference_list_ends_with_its_entries():
    text = "It rained [1].\n\nSources:\n[1] https://example.org/page2\nIt snowed [1].\n"
    assert cited(text) == [("It rained [1].", ["c2"], "sentence"), ("It snowed [1].", ["c2"], "sentence")]
