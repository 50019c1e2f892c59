"""The order of contexts, atoms and verdicts changes no posterior and no label."""

import json
import random
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import DATA
from shuffled_cases import Case
from table_judge import TableJudge

from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.models import Atom, Context, FactorTable, Record, Verdict
from factreasoner.plugins.table import load
from factreasoner.settings import Config


@pytest.mark.parametrize("table", get_args(FactorTable))
@pytest.mark.parametrize("version", [1, 2, 3])
@settings(max_examples=30, deadline=None)
@given(
    solver=st.sampled_from(["exact", "auto", "gibbs", "pgmpy"]),
    seed=st.integers(0, 2**32),
    merge_sources=st.booleans(),
)
def test_any_order_gives_the_same(version, table, solver, seed, merge_sources):
    case = Case(seed)
    config = Config.model_validate(
        {"version": version, "factors": table, "independence": merge_sources, "summary_prior": True}
    )
    first = case.outcome(config, solver)
    again = case.outcome(config, solver, random.Random(seed))
    assert set(first.graph.nodes) == set(again.graph.nodes)
    assert set(again.graph.relations) == set(first.graph.relations)
    assert len(again.graph.relations) == len(first.graph.relations)
    assert again.p_true == pytest.approx(first.p_true, abs=1e-12, rel=0)
    assert again.support == first.support
    for field in ("unjudged", "partly_judged"):
        assert sorted(getattr(again, field)) == sorted(getattr(first, field))
    assert {f.item_id for f in again.failures} == {f.item_id for f in first.failures}


@pytest.mark.skipif(not (DATA / "wikicontradict").is_dir(), reason="no shared data")
@pytest.mark.parametrize("table", get_args(FactorTable))
def test_contradicting_passages_in_reverse(table):
    """People's relations between two passages and atoms: in most records labels once hung on the order."""
    folder = DATA / "wikicontradict"
    relations = {}
    for line in (folder / "relations.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        pair = row["source"], row["target"]
        relations.setdefault(row["record"], {})[pair] = Verdict(
            context_id=pair[0], target_id=pair[1], label=row["label"], probability=0.9
        )
    changed = 0
    lines = (folder / "records.jsonl").read_text("utf-8").splitlines()
    assert len(lines) > 100
    for line in lines:
        record = json.loads(line)
        config = Config(version=3, factors=table)
        evaluator = GraphEvaluator(
            TableJudge(relations.get(record["id"], {}), "lost"),
            load("solver", "exact")(config=config),
            config,
        )
        atoms = [Atom(id=atom["id"], text=atom["text"]) for atom in record["atoms"]]
        contexts = [Context(id=c["id"], text=c["text"]) for c in record["contexts"]]
        judged = Record(id=record["id"], response="x")
        forward = evaluator.evaluate(atoms, contexts, judged)
        backward = evaluator.evaluate(atoms[::-1], contexts[::-1], judged)
        assert forward.graph.relations
        changed += forward.support != backward.support
    assert changed == 0
