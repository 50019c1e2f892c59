import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.text.language import terms
from factreasoner.text.passages import Locator, best, excerpt, fused, relevance, split_passages
from factreasoner.text.sentences import Span, sentences

SENTENCES = [f"Sentence number {i} speaks of subject {i * i} in a few more words." for i in range(60)]
TEXT = " ".join(SENTENCES)


def test_passages_are_whole_sentences_with_positions():
    for passage in split_passages(TEXT, words=50, overlap=12):
        assert TEXT[passage.start : passage.start + len(passage.text)] == passage.text
        assert passage.text.startswith("Sentence number")
        assert passage.text.endswith("words.")
        assert len(passage.text.split()) <= 50


def test_overlapping_passages_repeat_the_last_sentence():
    assert " ".join(p.text for p in split_passages(TEXT, words=50, overlap=0)) == TEXT
    passages = split_passages(TEXT, words=50, overlap=12)
    for one, other in itertools.pairwise(passages):
        assert other.text.startswith(one.text[one.text.rindex("Sentence") :])


def test_short_text_gives_one_passage_or_none():
    assert [split_passages(text) for text in ("", "   \n", "\n\n---\n")] == [()] * 3
    assert [tuple(p) for p in split_passages("  One sentence. Another.  ")] == [("One sentence. Another.", 2)]


def test_an_endless_sentence_is_cut_between_words():
    text = " ".join(f"w{i}" for i in range(1000))
    passages = split_passages(text, words=200, overlap=40)
    assert [len(p.text.split()) for p in passages] == [200] * 5
    assert " ".join(p.text.strip() for p in passages) == text


def test_chinese_is_counted_by_characters():
    text = "这座桥于一九三一年五月四日通车。" * 40
    passages = split_passages(text, words=100, overlap=20)
    assert all(len(p.text) <= 120 for p in passages)
    assert passages[0].text.endswith("。")


@given(st.text(alphabet="ab .\n!?1中", max_size=300), st.integers(1, 20), st.integers(0, 30))
def test_every_sentence_is_in_the_passages(text, words, overlap):
    passages = split_passages(text, words=words, overlap=overlap)
    covered = {i for p in passages for i in range(p.start, p.start + len(p.text))}
    # Markers of lists ("a.") belong to no sentence; the first one may stand outside every passage.
    assert all(covered.issuperset(range(span.start, span.end)) for span in sentences(text))
    for p in passages:
        said = [p.text[max(0, a - p.start) : b - p.start] for a, b in sentences(text) if p.start < b]
        assert len(re.findall(r"中|[^\W中]+", " ".join(said))) <= words


def test_terms_fold_case_inflection_and_separators_of_thousands():
    assert terms("The BRIDGES cost $1,250,000.") == terms("the bridge cost 1250000")
    assert terms("北京bridge") == ["北", "京", "bridg"]


def test_passage_about_the_claim_ranks_first():
    passages = [
        "The bridge is painted red every seven years.",
        "Mara Lindqvist designed the arches of the bridge in Gothenburg.",
        "Fares rose in 1958.",
    ]
    assert best("The arches were designed by Mara Lindqvist.", passages, 2)[0] == 1
    assert best("Kangaroos hop.", passages, 3) == []
    assert relevance("Kangaroos hop.", passages) == [0.0, 0.0, 0.0]
    assert relevance("anything", []) == []
    assert best("x", ["", ""], 2) == []


def test_rare_terms_weigh_more_and_ties_stay():
    passages = ["common rare", "common common", "common else", "common else"]
    scores = relevance("common rare", passages)
    assert scores[0] == max(scores)
    assert best("else", passages, 4) == [2, 3]


def test_function_words_count_only_alone():
    assert best("It is in the zoo.", ["It is in the hall.", "A zoo."], 2) == [1]
    assert best("it is", ["It is in the hall.", "A zoo."], 2) == [0]


def test_bm25_equals_the_formula_by_hand():
    # n = 2, df = 1: idf = ln 2; tf = 1, length 2, mean 1.5: 2.2 / (1 + 1.2 (0.25 + 0.75 * 2 / 1.5))
    assert relevance("zebra", ["zebra stripe", "cloud"]) == pytest.approx([0.6931471806 * 2.2 / 2.5, 0.0])


def test_number_with_separators_is_one_word():
    assert best("38,000 vehicles", ["38 cars, 000 vans", "38000 of them", "38,000 of them"], 3)[:2] == [1, 2]


@pytest.mark.parametrize("endless", ["ab12" * 10_000, "-=" * 20_000 + " a.", "a" + " " * 40_000 + "b"])
def test_no_passage_is_endless(endless):
    texts = [passage.text for passage in split_passages(endless)]
    assert all(len(text) <= 21_000 for text in texts)
    assert len("".join(texts)) >= 40_000 or not texts


def test_excerpt_is_the_part_about_the_claim():
    text = "Lake Baikal lies in Siberia, between Irkutsk and Buryatia; 1,642 metres make it the deepest lake."
    assert excerpt(text, "It is 1,700 metres deep.", len(text)) == text
    assert "1,642 metres make" in excerpt(text, "Lake Baikal is 1,700 metres deep.", 40)
    assert excerpt(text, "The lake is the deepest.", 40).startswith("… ")
    assert excerpt(text, "It lies in Siberia.", 40) == "Lake Baikal lies in Siberia, between …"
    assert excerpt(text, "Nothing of it.", 12) == "Lake Baikal …"
    text = "The lake and its deep water are known to all who live there; it measures 31,700 in all."
    assert "31,700" in excerpt(text, "The lake has 31,722 square kilometres of deep water.", 20)


@given(text=st.text(alphabet="ab 1\n", max_size=80), longest=st.integers(1, 30))
def test_excerpt_respects_its_length(text, longest):
    shown = excerpt(text, "a 1", longest)
    assert len(shown) <= longest + len("…  …")
    assert shown.removeprefix("… ").removesuffix(" …") in " ".join(text.split())


def test_reciprocal_rank_fusion():
    assert fused([["a", "b", "c"], ["c", "b"]]) == ["c", "b", "a"]
    assert fused([["a"], []]) == ["a"]
    assert fused([]) == []


COUNTESS = "Ada “Countess” Lovelace was born\n in London in 1815. She wrote notes."


def find(part, after=0, text=COUNTESS):
    span = Locator(text, Span(0, len(text)), sentences(text)).find(part, after)
    return None if span is None else text[span.start : span.end]


@pytest.mark.parametrize(
    ("part", "found"),
    [
        ("was born\n in London", "was born\n in London"),
        ("  was born in London ", "was born\n in London"),
        ('ada "countess" lovelace WAS', "Ada “Countess” Lovelace was"),
        ("Lovelace was secretly born in London (1815)", "Lovelace was born\n in London in 1815"),
        ("Babbage built the Difference Engine", None),
        ("", None),
        ("…", None),
    ],
)
def test_find(part, found):
    assert find(part) == found


def test_only_the_first_400_words_are_aligned():
    words = [f"w{n}" for n in range(1000)]
    text = " ".join(words)
    assert find(" ".join(["new", *words[1:]]), text=text) == " ".join(words[1:400])
    assert find(" ".join(["new", *words[300:500]]), text=text) is None


def test_the_next_equal_place_is_preferred():
    text = "It rose. It fell. It rose."
    locator = Locator(text, Span(0, len(text)), sentences(text))
    assert locator.find("It rose.", 1) == Span(18, 26)
    assert locator.find("IT ROSE", 1) == Span(18, 25)
    assert locator.find("It fell.", 20) == Span(9, 17)


def test_locator_stays_inside_its_span():
    text = "One here. Two there."
    assert Locator(text, Span(0, 9), [Span(0, 9)]).find("Two there.") is None


@given(st.text(max_size=60), st.text(max_size=20), st.integers(0, 60))
def test_any_span_lies_in_the_text(text, part, after):
    span = Locator(text, Span(0, len(text)), sentences(text)).find(part, after)
    assert span is None or 0 <= span.start < span.end <= len(text)


@given(st.text(min_size=1, max_size=60).filter(str.strip), st.data())
def test_a_verbatim_part_is_always_found(text, data):
    start = data.draw(st.integers(0, len(text) - 1))
    part = text[start : data.draw(st.integers(start + 1, len(text)))]
    found = find(part, text=text)
    assert found == (part.strip() or None)
