"""Priors of contexts by the domain of their link."""

import random

import pytest
from table_judge import TableJudge

from factreasoner.assessors.credibility import add_priors, domain_of, read_credibility
from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.errors import InputError
from factreasoner.models import Atom, Context, Record
from factreasoner.pipeline.config import Config
from factreasoner.solvers.exact import ExactSolver


def posterior(contexts, listed, version=2, **settings):
    """P(true) of every node."""
    config = Config(version=version, **settings)
    evaluator = GraphEvaluator(TableJudge(listed), ExactSolver(), config)
    record = Record(id="r", response="A.")
    outcome = evaluator.evaluate([Atom(id="a", text="A.")], contexts, record)
    return outcome, outcome.marginals.p_true


def context(number, prior=None, link="", text=None):
    return Context(id=f"c{number}", text=text or f"Text {number}.", prior=prior, link=link)


@pytest.mark.parametrize(("prior", "p"), [(0.95, 0.88), (0.7, 0.78), (0.5, 0.70), (0.3, 0.62), (0, 0.50)])
def test_one_entailing_context(prior, p, tmp_path):
    table = tmp_path / "credit.csv"
    table.write_text(f"domain,prior\nexample.org,{prior}\n")
    contexts = [context(0, link="https://www.example.org/page")]
    outcome, found = posterior(contexts, {("c0", "a"): ("entailment", 0.9)}, credibility=table)
    assert found["a"] == pytest.approx(p, abs=1e-12)
    assert (outcome.prior_from, outcome.used_domains) == ({"c0": "table"}, ("example.org",))


@pytest.mark.parametrize(
    ("priors", "factors", "between", "values"),
    [
        ((0.95, 0.3), "conditional", False, {"a": 0.818004, "c0": 0.938845, "c1": 0.143836}),
        ((0.3, 0.95), "conditional", False, {"a": 0.181996}),
        ((0.95, 0.3), "conditional", True, {"a": 0.853491}),
        ((0.9, 0.3), "conditional", False, {"a": 0.790135}),
        ((0.95, 0.3), "table1", False, {"a": 0.825}),
    ],
)
def test_known_values(priors, factors, between, values):
    listed = {("c0", "a"): ("entailment", 0.9), ("c1", "a"): ("contradiction", 0.9)}
    if between:
        listed["c0", "c1"] = ("contradiction", 0.9)
    contexts = [context(i, prior) for i, prior in enumerate(priors)]
    for given_contexts in (contexts, contexts[::-1]):
        _, found = posterior(given_contexts, listed, version=3 if between else 2, factors=factors)
        for name, value in values.items():
            assert found[name] == pytest.approx(value, abs=1e-6)


def test_equal_texts_take_the_largest_resolved_prior():
    contexts = [context(0, 0.3, text="Same."), context(1, text="same.")]
    for given_contexts in (contexts, contexts[::-1]):
        outcome, _ = posterior(given_contexts, {})
        assert [node.prior for node in outcome.graph.nodes if node.kind == "context"] == [0.9]


def test_precedence_and_the_longest_domain():
    table = {"org": 0.5, "example.org": 0.6, "news.example.org": 0.7, "*": 0.1}
    links = {
        "https://news.example.org/a": "news.example.org",
        "http://x.news.example.org:8080/": "news.example.org",
        "https://EXAMPLE.org./": "example.org",
        "badexample.org/page": "org",
        "https://example.com": "*",
        "": None,
        "   ": None,
    }
    assert {link: domain_of(link, table) for link in links} == links
    assert domain_of("https://example.com", {"example.org": 0.6}) is None


def test_record_prior_wins_and_default_comes_last(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("domain,prior\nexample.org,.2\n*,.4\n", encoding="utf-8-sig")
    contexts = [
        context(0, 0.8, "https://example.org"),
        context(1, None, "https://example.org/x"),
        context(2, None, "https://other.net"),
        context(3),
        context(4, 0.0, "https://example.org"),
    ]
    random.Random(1).shuffle(contexts)
    found = add_priors(contexts, Config(credibility=path, context_prior=0.6))
    assert {c.id: c.prior for c in found.contexts} == {"c0": 0.8, "c1": 0.2, "c2": 0.4, "c3": 0.6, "c4": 0.0}
    own = dict.fromkeys(("c0", "c4"), "record")
    assert found.prior_from == own | {"c1": "table", "c2": "table", "c3": "default"}
    assert found.used == {"example.org", "*"}


def test_summary_prior_acts_after_the_table(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("domain,prior\nexample.org,0.5\n")
    one = context(0, None, "https://example.org").model_copy(update={"p_summary": 0.5})
    outcome, _ = posterior([one], {}, credibility=path, summary_prior=True)
    assert [node.prior for node in outcome.graph.nodes if node.kind == "context"] == [0.25]


def test_every_bad_line_is_named(tmp_path):
    path = tmp_path / "bad.csv"
    path.write_text(
        "domain,prior\nhttps://example.org/x,0.5\nexample.org,1.5\nexample.org,nan\nok.org,0.5\n"
        "OK.org.,0.6\nthree,columns,0.5\n\nx y.org,none\n"
    )
    with pytest.raises(InputError) as caught:
        read_credibility(path)
    told = str(caught.value)
    for line in (2, 3, 4, 6, 7, 9):
        assert f"{path}:{line}" in told
    assert f"{path}:5" not in told
    assert "on line 5 too" in told


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "must be 'domain,prior'"),
        (b"example.org,0.5\n", "must be 'domain,prior'"),
        (b"domain,prior\n\n", "no rows"),
        (b"domain,prior\n\xff.org,0.5\n", "not UTF-8"),
        (b'domain,prior\n"' + b"x" * 140_000, "bad.csv:2.*not a clean table"),
    ],
)
def test_a_file_that_is_no_table(tmp_path, content, told):
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    with pytest.raises(InputError, match=told):
        read_credibility(path)
    with pytest.raises(InputError, match="can't be read"):
        read_credibility(tmp_path / "none.csv")
