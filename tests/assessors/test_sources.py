"""Contexts of one source, and the one node that they become."""

import pytest
from oracle import brute_force

from factreasoner.assessors.sources import group_by_source, merge_sources
from factreasoner.graph.fact_graph import build_fact_graph
from factreasoner.graph.factors import factor_graph
from factreasoner.models import Atom, Context, Relation
from factreasoner.text.links import page_of


def grouped(*contexts):
    return [[context.id for context in group] for group in group_by_source(contexts)]


def context(name, text, link=""):
    return Context(id=name, text=text, link=link)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("https://x.example/a#one", "https://x.example/a#two", True),
        ("https://x.example/a", "http://X.Example/a/", True),
        ("https://x.example:443/a", "http://x.example:80/a", True),
        ("https://x.example:80/a", "https://x.example/a", False),
        ("https://x.example/a?p=1", "https://x.example/a?p=2", False),
        ("https://x.example/a", "https://x.example/A", False),
        ("https://x.example/a", "https://y.example/a", False),
        ("notes/otters.md#3", "notes/otters.md#4", True),
        ("http://[bad", "http://[bad", True),
        ("http://[bad", "http://[worse", False),
        ("", "", False),
        ("#top", "#end", False),
    ],
)
def test_passages_of_one_page(one, other, same):
    assert (page_of(one) == page_of(other) != "") is same
    groups = grouped(context("c0", "The bridge is red.", one), context("c1", "Nine men built it.", other))
    assert groups == ([["c0", "c1"]] if same else [["c0"], ["c1"]])


def test_shared_sources_are_grouped_transitively():
    text = " ".join(f"otter{number}" for number in range(120))
    found = grouped(
        context("page, first part", "Red paint covers it.", "https://x.example/a"),
        context("alone", "Nothing of the kind."),
        context("page, second part", text.replace("otter7", "lamp"), "https://x.example/a#more"),
        context("copy of that", text.replace("otter8", "river"), "https://mirror.example/"),
        context("equal", "NOTHING  of the kind."),
    )
    assert found == [["page, first part", "page, second part", "copy of that"], ["alone", "equal"]]


def test_the_link_of_an_equal_text_counts_too():
    found = grouped(
        context("c0", "The bridge is red.", "https://x.example/a"),
        context("c1", "The bridge is red.", "https://y.example/b"),
        context("c2", "Nine men built it.", "https://y.example/b"),
    )
    assert found == [["c0", "c1", "c2"]]


def test_scripts_without_blanks_and_odd_texts():
    text = "東京は日本の首都であり、世界最大の都市圏を形成している。人口は約一千四百万人である。"
    other = "大阪は西日本の中心都市であり、商業の町として古くから栄えてきた歴史を持っている。"
    assert grouped(context("a", text), context("b", f"{text}典"), context("c", other)) == [["a", "b"], ["c"]]
    assert grouped(context("a", ""), context("b", "\ud800 half a character"), context("c", "x")) == [
        ["a"],
        ["b"],
        ["c"],
    ]
    assert group_by_source(()) == []


PAGE, OTHER = "https://x.example/page", "https://y.example/other"
ATOMS = [Atom(id="a0", text="One."), Atom(id="a1", text="Two.")]


def passage(name, link=PAGE, **fields):
    return Context.model_validate({"id": name, "text": f"What {name * 9} says.", "link": link, **fields})


def relation(source, target, kind, probability):
    return Relation(source=source, target=target, kind=kind, probability=probability)


def entails(source, target, probability=0.9):
    return relation(source, target, "entailment", probability)


def contradicts(source, target, probability=0.9):
    return relation(source, target, "contradiction", probability)


def p_true(found):
    graph = factor_graph(build_fact_graph(ATOMS, found.contexts, found.relations))
    return {name: values[1] for name, values in brute_force(graph).items()}


def told(found):
    return [(r.source, r.target, r.kind, r.probability) for r in found.relations]


def test_a_source_has_its_strongest_relation_alone():
    contexts = [passage("c0"), passage("c1"), passage("c2")]
    found = merge_sources(contexts, [entails("c0", "a0", 0.7), entails("c1", "a0"), entails("c2", "a0", 0.8)])
    assert told(found) == [("c1", "a0", "entailment", 0.9)]
    assert [c.id for c in found.contexts] == ["c1"]
    assert found.independence.sources == (("c1", "c0", "c2"),)
    assert found.independence.relations_left_out == 2
    assert p_true(found)["a0"] == pytest.approx(0.86)


def test_different_sources_add_up():
    contexts = [passage("c0"), passage("c1", OTHER)]
    relations = [entails("c0", "a0"), entails("c1", "a0")]
    found = merge_sources(contexts, relations)
    assert found.relations == tuple(relations)
    assert found.contexts == tuple(contexts)
    assert found.independence.sources == ()
    assert p_true(found)["a0"] > 0.95


def test_stronger_side_of_a_source_counts():
    contexts = [passage("c0"), passage("c1"), passage("c2")]
    relations = [entails("c0", "a0", 0.7), contradicts("c1", "a0"), entails("c2", "a0", 0.7)]
    found = merge_sources(contexts, relations)
    assert told(found) == [("c1", "a0", "contradiction", 0.9)]


def test_equally_strong_sides_cancel_out():
    contexts = [passage("c0"), passage("c1")]
    found = merge_sources(contexts, [entails("c0", "a0"), contradicts("c1", "a0"), entails("c1", "a1")])
    assert told(found) == [("c0", "a1", "entailment", 0.9)]
    assert found.independence.relations_left_out == 2
    assert p_true(found) == pytest.approx({"a0": 0.5, "a1": 0.86, "c0": 0.9})


def test_source_cannot_confirm_itself_or_count_twice():
    contexts = [passage("c0"), passage("c1"), passage("d0", OTHER), passage("d1", OTHER)]
    relations = [
        entails("c0", "a0"),
        relation("c0", "c1", "equivalence", 0.9),
        contradicts("d0", "c0", 0.8),
        contradicts("c1", "d1", 0.95),
        contradicts("d1", "c0", 0.7),
    ]
    found = merge_sources(contexts, relations)
    assert told(found) == [("c0", "a0", "entailment", 0.9), ("c0", "d0", "contradiction", 0.95)]
    assert [c.id for c in found.contexts] == ["c0", "d0"]


def test_the_largest_own_prior_is_the_sources():
    contexts = [passage("c0", prior=0.6), passage("c1", prior=0.7), passage("c2"), passage("d", OTHER)]
    found = merge_sources(contexts, [entails("c0", "a0")])
    assert [(c.id, c.prior) for c in found.contexts] == [("c0", 0.7), ("d", None)]
    assert merge_sources([passage("c0"), passage("c1")], ()).contexts[0].prior is None
