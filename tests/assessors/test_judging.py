"""Putting pairs to a judge, and those that need no judging."""

import json
import time

import pytest

from factreasoner.assessors.judging import judging_threads, pieces, prefiltered
from factreasoner.graph.pairs import ContextPairs
from factreasoner.models import Atom, Context, Record, Verdict
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.plugins.kinds import load
from factreasoner.plugins.table import PLUGINS
from factreasoner.protocols import Judged, asks_model


@pytest.mark.parametrize("name", PLUGINS["judge"])
def test_only_the_judge_by_a_model_asks_one_and_one_of_a_users_own_may(name):
    assert asks_model(object())
    judge = load("judge", name)
    assert asks_model(judge) is (name == "llm")
    assert judging_threads(judge, Config(concurrency=7)) == (7 if name == "llm" else 1)


@pytest.mark.parametrize(("told", "threads"), [(None, 4), (True, 4), (False, 1)])
def test_a_users_own_judge_says_whether_it_waits(told, threads):
    class Own:
        running = most = 0

        def judge(self, premise, claims):
            Own.running += 1
            Own.most = max(Own.most, Own.running)
            time.sleep(0.05)
            Own.running -= 1
            found = [silent(claim.id).model_copy(update={"context_id": premise.id}) for claim in claims]
            return Judged(tuple(found))

    if told is not None:
        Own.asks_model = told
    contexts = tuple(Context(id=f"c{n}", text=f"It is passage {n}.") for n in range(4))
    build_pipeline(Config(concurrency=4), judge=Own).assess(
        Record(id="r", response="", atoms=tuple(ATOMS[:1]), contexts=contexts)
    )
    assert (Own.most > 1) == (threads > 1)


ATOMS = [Atom(id="a0", text="The bridge opened in 1931."), Atom(id="a1", text="Its bakers sell rye bread.")]


def silent(target, probability=0.97, label="neutral"):
    return Verdict(context_id="c0", target_id=target, label=label, probability=probability)


WORK = (ContextPairs("c0", ("a0", "a1"), ()),)


@pytest.mark.parametrize(
    ("judged", "left"),
    [
        ([silent("a0"), silent("a1", 0.94)], ("a1",)),
        ([silent("a0"), silent("a1", 0.95)], ()),
        ([silent("a0", 0.99, "contradiction")], ("a0", "a1")),
        ([], ("a0", "a1")),
    ],
)
def test_only_surely_neutral_pairs_are_pruned(judged, left):
    found = prefiltered(WORK, judged, lambda pair: False)
    assert tuple(atom for item in found.work for atom in item.atom_ids) == left
    assert {v.target_id for v in found.verdicts} == {"a0", "a1"} - set(left)
    assert {v.confidence for v in found.verdicts} <= {"bundled"}


def test_what_the_audit_picks_is_judged_all_the_same():
    found = prefiltered(WORK, [silent("a0"), silent("a1")], lambda pair: pair[1] == "a0")
    assert found.work == (ContextPairs("c0", ("a0",), ()),)
    assert [v.target_id for v in found.verdicts] == ["a1"]
    said = [silent("a0", 0.9, "contradiction"), silent("a9", 0.9, "contradiction")]
    assert found.report(said).model_dump() == {"pairs": 2, "audited": 1, "missed": 1}


def test_prefilter_saves_calls_and_moves_no_posterior(tmp_path):
    contexts = [
        Context(id="c0", text="The bridge was opened in 1931, says the town."),
        Context(id="c1", text="Whales are mammals."),
        Context(id="c2", text="Bakers here sell white bread alone."),
    ]
    said = [("c0", "a0", "entailment")]
    table = tmp_path / "relations.jsonl"
    lines = [{"record": "r", "source": s, "target": t, "label": label} for s, t, label in said]
    table.write_text("".join(json.dumps(line) + "\n" for line in lines))
    found = [
        build_pipeline(Config(judge="recorded", relations=table, unlisted="neutral", prefilter=prefilter))
        .assess(Record(id="r", response="A.", atoms=tuple(ATOMS), contexts=tuple(contexts)))
        .outcome
        for prefilter in ("none", "bundled")
    ]
    assert found[1].p_true == found[0].p_true
    assert found[0].pruned is None
    assert found[1].pruned.pairs >= 3
    assert {v.confidence for v in found[1].verdicts} >= {"bundled"}
    assert len(found[1].verdicts) == len(found[0].verdicts)


LONG = " ".join(f"Ship {n} lay in the harbour." for n in range(200))


def test_a_title_stands_once_on_every_piece():
    assert [part.text for part in pieces(Context(id="a", text="Ships. Two.", title="Ships"), 99)] == [
        "Ships. Two."
    ]
    cut = pieces(Context(id="a", text=LONG, title="Harbour"), 200)
    assert len(cut) > 3
    assert all(part.text.startswith("Harbour\nShip") for part in cut)
