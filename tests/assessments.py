"""Assessments made by hand, for tests of what is computed from them."""

from factreasoner.assessors.graph import with_graph
from factreasoner.models import (
    Assessment,
    Atom,
    Context,
    Failure,
    Independence,
    Marginals,
    Outcome,
    Usage,
    Verdict,
    side_of,
)
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import rescore
from factreasoner.solvers.exact import ExactSolver

SAID = {1: "supported", 0: "conflicting", -1: "contradicted"}
"""What an assessor says of an atom, by the side of one half its P(true) is on."""


def assessment(p_true, *, gold="", outcome=None, **fields):
    """One with atoms a0, a1, ...: None stands for an unjudged atom; `gold` has S, N, C, U or - for each."""
    labels = [
        {"S": "S", "N": "NS", "C": "C", "U": "U", "-": None}[letter] for letter in gold or "-" * len(p_true)
    ]
    posterior = {f"a{i}": p for i, p in enumerate(p_true) if p is not None}
    marginals = Marginals(
        probabilities={name: (1 - p, p) for name, p in posterior.items()}, solver="exact", exact=True
    )
    judged = {
        "p_true": posterior,
        "support": {name: SAID[side_of(p)] for name, p in posterior.items()},
        "unjudged": tuple(f"a{i}" for i, p in enumerate(p_true) if p is None),
        "marginals": marginals,
    }
    made = {
        "record_id": "r1",
        "status": "ok" if p_true else "no_atoms",
        "assessor": "factreasoner",
        "atoms": tuple(
            Atom(id=f"a{i}", text=f"Statement {i}.", gold=label) for i, label in enumerate(labels)
        ),
        "outcome": Outcome(**{**judged, **(outcome or {})}) if p_true else None,
    }
    return Assessment(**{**made, **fields})


def scored(verdicts, *, gold="", **fields):
    """One of a passage c0 on which an atom each was judged so, as a run with the usual settings scores it."""
    context, config = Context(id="c0", text="A passage."), Config()
    outcome = {"verdicts": tuple(verdicts)}
    made = assessment([0.5] * len(verdicts), gold=gold, contexts=(context,), outcome=outcome, **fields)
    graphed = with_graph(made.outcome, made.atoms, made.contexts, config)
    return rescore(made.model_copy(update={"outcome": graphed}), ExactSolver(), config)


TIMEOUT = Failure(stage="judge", item_id="c0->a2", error_type="CallTimeoutError", message="60 s", attempts=3)
REVISER = Failure(stage="reviser", item_id="a1", error_type="UnusableReplyError", message="no call")


def full():
    """One with a bit of everything."""
    return assessment(
        [0.9, 0.25, None, 0.5],
        gold="SSN-",
        record_id="bio-1",
        status="partial",
        prompt="Who?",
        response="She.",
        topic="Curie",
        model="openai/gpt-4o-mini",
        contexts=(Context(id="c0", text="t"),),
        outcome={
            "partly_judged": ("a1",),
            "failures": (TIMEOUT,),
            "verdicts": (
                Verdict(
                    context_id="c0", target_id="a0", label="entailment", probability=0.9, citation="found"
                ),
                Verdict(
                    context_id="c0",
                    target_id="a1",
                    label="contradiction",
                    probability=0.8,
                    confidence="logprobs",
                ),
                Verdict(context_id="c0", target_id="a3", label="neutral", probability=0.9),
            ),
        },
        failures=(REVISER, TIMEOUT),
        usage={
            "atomizer": Usage(calls=1, prompt_tokens=10, completion_tokens=5, cost=0.25),
            "evaluator": Usage(calls=2, cached_calls=1, prompt_tokens=100, completion_tokens=50, cost=0.5),
        },
        seconds={"atomizer": 1.0, "evaluator": 3.0, "solver": 0.5},
        metadata={"split": "test"},
    )


NOTHING = Assessment(record_id="r0", status="no_atoms", assessor="factreasoner")


def counted_once(*sources, left_out):
    """One whose contexts come from those sources."""
    independence = Independence(sources=sources, relations_left_out=left_out)
    contexts = (
        Context(id="c0", text="t", dropped="irrelevant: tea"),
        *(Context(id=i, text="u", link="https://a.example/", unread="status 503") for i in ("c1", "c2")),
    )
    return assessment(
        [0.9], outcome={"independence": independence}, contexts=contexts, searched=("documents@a1",)
    )
