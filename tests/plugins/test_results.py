"""What a part of a user's own may not return: each result fails the record with its cause."""

import math

import numpy as np
import pytest

from factreasoner.errors import PluginError
from factreasoner.models import (
    Atom,
    AtomAnswer,
    Claim,
    Context,
    FactGraph,
    Marginals,
    Node,
    Outcome,
    Premise,
    Record,
    Relation,
    Verdict,
)
from factreasoner.models.graph import Factor, FactorGraph
from factreasoner.plugins import kinds
from factreasoner.protocols import Atomized, Judged, Retrieved

ATOM = Atom(id="a0", text="Rome is old.")
CONTEXT = Context(id="c0", text="Rome is  OLD. It is large.", atom_ids=("a0",))
RECORD = Record(id="r1", response=ATOM.text, atoms=(ATOM,), contexts=(CONTEXT,))
GRAPH = FactorGraph(("a0", "c0"), (2, 2), (Factor((0, 1), np.ones((2, 2))),))
ASKED = {
    kinds.ATOMIZER: (RECORD,),
    kinds.REVISER: ([ATOM], RECORD),
    kinds.QUERY_BUILDER: ([ATOM], RECORD),
    kinds.RETRIEVER: ([ATOM], RECORD),
    kinds.SUMMARIZER: ([CONTEXT], [ATOM]),
    kinds.JUDGE: (Premise("c0", CONTEXT.text, others=("A forum.",)), [Claim("a0", ATOM.text)]),
    kinds.SOLVER: (GRAPH,),
    kinds.ASSESSOR: ([ATOM], [CONTEXT], RECORD),
}


def verdict(**changed):
    fields = {"context_id": "c0", "target_id": "a0", "label": "entailment", "probability": 0.9}
    return Verdict(**fields).model_copy(update=changed)


class Reasoned(Verdict):
    why: str


def marginals(*a0, **others):
    return Marginals(probabilities={"a0": a0, "c0": (0.1, 0.9)}, solver="own", exact=True, **others)


def outcome(**changed):
    return Outcome(p_true={"a0": 0.9}, support={"a0": "supported"}).model_copy(update=changed)


def graph(*nodes):
    relation = Relation(source="c0", target="a0", kind="entailment", probability=0.9)
    return FactGraph.model_construct(nodes=nodes, relations=(relation,))


def returned(kind, result):
    """What a part gets back that returns `result`."""
    part = type("Part", (), {kind.method: lambda self, *given: result})()
    return getattr(kind.make(part, {}), kind.method)(*ASKED[kind])


NODES = (Node(id="a0", kind="atom", prior=0.5), Node(id="c0", kind="context", prior=0.9))


@pytest.mark.parametrize(
    ("kind", "result", "words"),
    [
        (kinds.ATOMIZER, Atomized((ATOM, ATOM)), "two atoms with the same id"),
        (kinds.ATOMIZER, Atomized((Atom(id="a0", text=" "),)), "atom 'a0' without text"),
        (kinds.REVISER, Atomized(()), "nothing; it must return a0 in this order"),
        (kinds.REVISER, Atomized((ATOM, ATOM)), "a0, a0; it must return a0 "),
        (kinds.REVISER, Atomized((ATOM.model_copy(update={"text": ""}),)), "atom 'a0' without text"),
        (kinds.REVISER, Atomized((ATOM.model_copy(update={"text": None}),)), "Atom: text: is null; it must"),
        (kinds.QUERY_BUILDER, Atomized((Atom(id="a0", text="rome age"),)), "with the same id and text"),
        (kinds.SUMMARIZER, Retrieved(()), "nothing; it must return c0"),
        (kinds.SUMMARIZER, Retrieved((Context(id="c0", text="Rome."),)), "with the same id and text"),
        (kinds.RETRIEVER, Retrieved((CONTEXT, CONTEXT)), "the id 'c0' twice"),
        (kinds.RETRIEVER, Retrieved((Context(id="a0", text="A."),)), "the id 'a0' twice"),
        (kinds.RETRIEVER, Retrieved((Context(id="x", text="A.", atom_ids=("a9",)),)), "for atom 'a9', which"),
        (kinds.RETRIEVER, Retrieved((Context(id="x", text="half \ud800"),)), "can't be written to a file"),
        (kinds.JUDGE, Judged((verdict(probability=math.nan),)), "probability: is nan; it must be a finite"),
        (kinds.SOLVER, Marginals(probabilities={}, solver="own", exact=True), "no probabilities of 'a0'"),
        (kinds.SOLVER, marginals(1.0), "(1.0,) for 'a0'; it has 2 states"),
        (kinds.SOLVER, marginals(-0.5, 1.5), "(-0.5, 1.5) for 'a0'; it has 2 states"),
        (kinds.SOLVER, marginals(0.9, 0.9), "(0.9, 0.9) for 'a0'; it has 2 states"),
        (
            kinds.SOLVER,
            marginals(0.5, 0.5).model_copy(update={"stderr": math.nan}),
            "stderr: is nan; it must",
        ),
        (kinds.ASSESSOR, outcome(p_true={"a0": 7.0}), "P(true) 7.0; it must be from 0 to 1"),
        (kinds.ASSESSOR, outcome(p_true={}, support={}), "neither P(true) nor a failure for a0"),
        (kinds.ASSESSOR, outcome(support={}), "`support` and `p_true` of different atoms"),
        (kinds.ASSESSOR, outcome(unjudged=("a9",)), "something about 'a9', which it was not asked about"),
        (kinds.ASSESSOR, outcome(verdicts=(verdict(context_id="c9"),)), "something about 'c9'"),
        (
            kinds.ASSESSOR,
            outcome(answers=(AtomAnswer(atom_id="a9", support="supported", probability=0.9),)),
            "something about 'a9'",
        ),
        (
            kinds.ASSESSOR,
            outcome(graph=graph(*NODES, NODES[0].model_copy(update={"id": "c9"}))),
            "about 'c9'",
        ),
        (kinds.ASSESSOR, outcome(graph=graph(NODES[0])), "relations[0].source: unknown node 'c0'"),
        (kinds.ASSESSOR, outcome(marginals=marginals(1.0)), "(1.0,) for 'a0'; it has 2 states"),
    ],
)
def test_misfit_result_is_a_plugin_error(kind, result, words):
    with pytest.raises(PluginError, match=r"Part': \w+\(\) returned .* \(.*test_results\.py:\d+\)") as caught:
        returned(kind, result)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        (kinds.JUDGE, Judged((verdict(quote="rome is old."),))),
        (kinds.JUDGE, Judged((Reasoned(**verdict().model_dump(), why="It says so."),))),
        (kinds.SOLVER, marginals(0.3334, 0.6667)),
        (kinds.ASSESSOR, outcome(graph=graph(*NODES), marginals=marginals(0.1, 0.9), verdicts=(verdict(),))),
    ],
)
def test_a_result_that_fits_comes_back(kind, result):
    assert returned(kind, result) == result


@pytest.mark.parametrize(
    ("quote", "shown", "citation"), [("Rome is new", None, "absent"), ("a forum", "a forum", "elsewhere")]
)
def test_quote_not_in_passage_keeps_verdict(quote, shown, citation):
    given = verdict(quote=quote, citation="found")
    (found,) = returned(kinds.JUDGE, Judged((given,))).verdicts
    assert found == given.model_copy(update={"quote": shown, "citation": citation})
