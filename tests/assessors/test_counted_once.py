"""Which contexts get into the graph, with what weight, and which count as one source."""

import pytest

from factreasoner import ScriptedLLM
from factreasoner.assessors.graph import GraphEvaluator, solved
from factreasoner.judges.llm import LLMJudge
from factreasoner.models import Atom, Context, Outcome, Record
from factreasoner.pipeline.config import Config
from factreasoner.solvers.exact import ExactSolver

RECORD = Record(id="r", response="x")
ATOMS = (Atom(id="a0", text="The bridge is red."),)
PAGE = "https://x.example/bridge"


def context(name, **fields):
    return Context.model_validate(
        {"id": name, "text": f"Passage {name} of its own words.", "atom_ids": ("a0",)} | fields
    )


def yes(prompt, schema):
    return dict.fromkeys(schema.arguments, "True")


def evaluate(*contexts, llm=None, **settings):
    config = Config(model="scripted", **settings)
    evaluator = GraphEvaluator(LLMJudge(llm or ScriptedLLM(yes), config), ExactSolver(), config)
    return evaluator.evaluate(ATOMS, contexts, RECORD)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_dropped_context_is_neither_judged_nor_graphed(version):
    llm = ScriptedLLM(yes)
    outcome = evaluate(context("c0", dropped="irrelevant"), context("c1"), llm=llm, version=version)
    assert len(llm.calls) == 1
    assert [node.id for node in outcome.graph.nodes] == ["a0", "c1"]
    assert outcome.p_true["a0"] == pytest.approx(0.86)


@pytest.mark.parametrize(
    ("fields", "summary_prior", "prior"),
    [
        ({"summary": "s", "p_summary": 0.5}, True, 0.45),
        ({"summary": "s", "p_summary": 0.5, "prior": 0.6}, True, 0.3),
        ({"summary": "s", "p_summary": 0.5}, False, 0.9),
        ({"summary": "s"}, True, 0.9),
    ],
)
def test_a_summarys_confidence_scales_the_prior_on_request(fields, summary_prior, prior):
    outcome = evaluate(context("c0", **fields), summary_prior=summary_prior)
    assert outcome.graph.nodes[1].prior == pytest.approx(prior)
    assert outcome.p_true["a0"] == pytest.approx(0.5 + 0.4 * prior)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_passages_of_a_page_count_once_on_request(version):
    page = [context("c0", link=f"{PAGE}#a"), context("c1", link=f"{PAGE}#b")]
    outcome = evaluate(*page, version=version, independence=True)
    assert len(outcome.verdicts) == (4 if version == 3 else 2)
    assert outcome.p_true["a0"] == pytest.approx(0.86)
    assert outcome.independence.sources == (("c0", "c1"),)
    apart = evaluate(*page, version=version)
    assert apart.independence is None
    assert apart.p_true["a0"] > 0.95


def test_deciding_context_gives_the_summary_confidence():
    page = [context("c0", link=PAGE, p_summary=1.0), context("c1", link=PAGE, p_summary=0.5)]

    def second(prompt, schema):
        return dict.fromkeys(
            schema.arguments, "True" if "Passage c1" in prompt.user else "Not clear from the given passage"
        )

    outcome = evaluate(*page, llm=ScriptedLLM(second), independence=True, summary_prior=True)
    assert [(node.id, node.prior) for node in outcome.graph.nodes[1:]] == [("c1", pytest.approx(0.45))]


def test_without_a_graph_there_is_nothing_to_solve():
    with pytest.raises(ValueError, match="graph"):
        solved(Outcome(p_true={}, support={}), ExactSolver(), Config(), record_id="r")
