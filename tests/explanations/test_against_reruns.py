"""Explanations say what a run without some contexts would find."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from factreasoner.assessors.graph import solved, with_graph
from factreasoner.explanations.explain import explain
from factreasoner.models import Assessment, Atom, Context, Outcome, Verdict
from factreasoner.pipeline.config import Config
from factreasoner.solvers.exact import ExactSolver

LABELS = st.sampled_from(["neutral", "neutral", "neutral", "entailment", "contradiction"])


@st.composite
def judged(draw):
    contexts, atoms = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    return tuple(
        Verdict(
            context_id=f"c{c}",
            target_id=f"a{a}",
            label=draw(LABELS),
            probability=draw(st.sampled_from([0.6, 0.9])),
        )
        for c in range(contexts)
        for a in range(atoms)
    )


def assessed(verdicts, gone=(), **settings_):
    """What a run leaves that never had the contexts `gone`."""
    config = Config(**settings_)
    kept = tuple(v for v in verdicts if v.context_id not in gone)
    atoms = tuple(Atom(id=i, text=i) for i in sorted({v.target_id for v in verdicts}))
    contexts = tuple(
        Context(id=i, text=f"Passage {i}.") for i in sorted({v.context_id for v in verdicts}) if i not in gone
    )
    outcome = with_graph(Outcome(p_true={}, support={}, verdicts=kept), atoms, contexts, config)
    return Assessment(
        record_id="r",
        status="ok",
        assessor="factreasoner",
        atoms=atoms,
        contexts=contexts,
        outcome=solved(outcome, ExactSolver(), config, record_id="r"),
    )


@settings(max_examples=80, deadline=None)
@given(judged(), st.sampled_from(["conditional", "table1"]))
def test_effects_are_what_a_run_without_contexts_gives(verdicts, table):
    config = Config(factors=table)
    whole = assessed(verdicts, factors=table)
    for atom in explain(whole, config).atoms:
        for effect in atom.effects:
            without = assessed(verdicts, {effect.context_id}, factors=table).p_true[atom.atom_id]
            assert effect.p_without == pytest.approx(without, abs=1e-9)
        told = {effect.context_id for effect in atom.effects}
        own = {v.context_id for v in verdicts if v.target_id == atom.atom_id and v.label != "neutral"}
        for context in own:
            without = assessed(verdicts, {context}, factors=table).p_true[atom.atom_id]
            assert (context in told) == (abs(without - atom.p_true) > 1e-6)
