"""Putting pairs to a judge, and those that need no judging."""

import json

import pytest
from factreasoner.judges.overlap import OverlapJudge
from hypothesis import given
from hypothesis import strategies as st

from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.assessors.judging import asks_model, judging_threads, pieces, prefiltered
from factreasoner.errors import ConfigError
from factreasoner.graph.pairs import Work, pairs
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Atom, Context, Record, Verdict
from factreasoner.pipeline import build_pipeline
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings import Config
from factreasoner.solvers.exact import ExactSolver

OF_JUDGES = {
    "llm": {"model": "m"},
    "verifier": {"verifier": "factcg", "verifier_model": "m"},
    "recorded": {"relations": "r.jsonl"},
}


@pytest.mark.parametrize("name", PLUGINS["judge"])
def test_only_the_judge_by_a_model_asks_one_and_one_of_a_users_own_may(name):
    assert asks_model(Config(judge="my_package.my_module:MyJudge"))
    config = Config.model_validate({"judge": name} | OF_JUDGES.get(name, {}))
    assert asks_model(config) is (name == "llm")
    assert judging_threads(config) == (config.concurrency if name == "llm" else 1)


def test_a_judge_is_registered_in_one_place(monkeypatch):
    monkeypatch.setitem(PLUGINS["judge"], "overlap", PLUGINS["judge"]["embedded"])
    config = Config(judge="overlap", audit_share=0.5)
    assert not asks_model(config)
    with pytest.raises(ConfigError, match="the overlap judge is not a model"):
        GraphEvaluator(OverlapJudge(), ExactSolver(), config)


ATOMS = [Atom(id="a0", text="The bridge opened in 1931."), Atom(id="a1", text="Its bakers sell rye bread.")]


def pruned_pairs(text, atom_ids=(), audited=lambda pair: False):
    contexts = [Context(id="c0", text=text, atom_ids=atom_ids)]
    return prefiltered(pairs(2, ATOMS, contexts), ATOMS, contexts, audited)


@pytest.mark.parametrize(
    ("text", "pruned"),
    [
        ("The bridges of the town are old.", {"a1"}),
        ("In 1931 it snowed.", {"a1"}),
        ("A baker's shop.", {"a0"}),
        ("Whales are mammals.", {"a0", "a1"}),
        ("The and of in was its.", {"a0", "a1"}),
        ("Le pont a été ouvert et la ville est dans une vallée avec des maisons.", set()),
        ("橋は1931年に開通した。", set()),
    ],
)
def test_only_pairs_without_a_shared_stem_are_pruned(text, pruned):
    found = pruned_pairs(text)
    assert {target for _, target in found.pruned} == pruned
    left = {atom for item in found.work for atom in item.atom_ids}
    assert left == {"a0", "a1"} - pruned


def test_a_context_keeps_the_atoms_it_was_retrieved_for():
    assert pruned_pairs("Whales are mammals.", ("a1",)).pruned == {("c0", "a0")}


def test_what_the_audit_picks_is_judged_all_the_same():
    found = pruned_pairs("Whales are mammals.", audited=lambda pair: pair[1] == "a0")
    assert found.work == (Work("c0", ("a0",), ()),)
    said = [
        Verdict(context_id="c0", target_id="a0", label="contradiction", probability=0.9),
        Verdict(context_id="c0", target_id="a9", label="contradiction", probability=0.9),
    ]
    assert found.report(said).model_dump() == {"pairs": 2, "audited": 1, "missed": 1}


@given(st.lists(st.text(max_size=40), min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_wild_texts_in_any_order(texts, random):
    contexts = [Context(id=f"c{i}", text=text) for i, text in enumerate(texts)]
    found = prefiltered(pairs(3, ATOMS, contexts), ATOMS, contexts, lambda pair: False)
    shuffled = random.sample(contexts, len(contexts))
    again = prefiltered(pairs(3, ATOMS, shuffled), ATOMS, shuffled, lambda pair: False)
    assert again.pruned == found.pruned
    assert all((other, one) in found.pruned for one, other in found.pruned if other.startswith("c"))


def test_pruning_recorded_neutrals_leaves_every_posterior_as_it_was(tmp_path):
    contexts = [
        Context(id="c0", text="The bridge was opened in 1931, says the town."),
        Context(id="c1", text="Whales are mammals."),
        Context(id="c2", text="Bakers here sell white bread alone."),
    ]
    said = [("c0", "a0", "entailment"), ("c2", "a1", "contradiction")]
    table = tmp_path / "relations.jsonl"
    lines = [{"record": "r", "source": s, "target": t, "label": label} for s, t, label in said]
    table.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = [
        build_pipeline(
            Config(
                judge="recorded",
                relations=table,
                unlisted="neutral",
                version=3,
                prefilter=prefilter,
                prefilter_audit=audit,
            )
        )
        .assess(Record(id="r", response="A.", atoms=tuple(ATOMS), contexts=tuple(contexts)))
        .outcome
        for prefilter, audit in (("none", 0.05), ("words", 0.0), ("words", 1.0))
    ]
    assert [outcome.p_true for outcome in found[1:]] == [found[0].p_true] * 2
    assert [outcome.pruned and outcome.pruned.model_dump() for outcome in found] == [
        None,
        {"pairs": 10, "audited": 0, "missed": 0},
        {"pairs": 10, "audited": 10, "missed": 0},
    ]


def test_a_judge_whose_verdicts_hang_on_the_call_is_refused():
    with pytest.raises(ConfigError, match="prefilter"):
        build_pipeline(Config(model="scripted", prefilter="words"), llm=ScriptedLLM([]))


LONG = " ".join(f"Ship {n} lay in the harbour." for n in range(200))


def test_a_title_stands_once_on_every_piece():
    assert [part.text for part in pieces(Context(id="a", text="Ships. Two.", title="Ships"), 99)] == [
        "Ships. Two."
    ]
    cut = pieces(Context(id="a", text=LONG, title="Harbour"), 200)
    assert len(cut) > 3
    assert all(part.text.startswith("Harbour\nShip") for part in cut)
