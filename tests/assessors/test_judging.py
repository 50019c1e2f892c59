"""Putting pairs to a judge, and those that need no judging."""

import time

import pytest

from factreasoner.assessors.judging import judging_threads, pieces
from factreasoner.models import Atom, Context, Record, Verdict
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.plugins.kinds import load
from factreasoner.plugins.table import PLUGINS
from factreasoner.protocols import Judged, asks_model


@pytest.mark.parametrize("name", PLUGINS["judge"])
def test_only_llm_and_custom_judges_call_models(name):
    assert asks_model(object())
    judge = load("judge", name)
    assert asks_model(judge) is (name == "llm")
    assert judging_threads(judge, Config(concurrency=7)) == (7 if name == "llm" else 1)


@pytest.mark.parametrize(("told", "threads"), [(None, 4), (True, 4), (False, 1)])
def test_custom_judge_declares_whether_it_waits(told, threads):
    class Own:
        running = most = 0

        def judge(self, premise, claims):
            Own.running += 1
            Own.most = max(Own.most, Own.running)
            time.sleep(0.05)
            Own.running -= 1
            return Judged(
                tuple(
                    Verdict(context_id=premise.id, target_id=claim.id, label="neutral", probability=0.97)
                    for claim in claims
                )
            )

    if told is not None:
        Own.asks_model = told
    contexts = tuple(Context(id=f"c{n}", text=f"It is passage {n}.") for n in range(4))
    build_pipeline(Config(concurrency=4), judge=Own).assess(
        Record(id="r", response="", atoms=tuple(ATOMS[:1]), contexts=contexts)
    )
    assert (Own.most > 1) == (threads > 1)


ATOMS = [Atom(id="a0", text="The bridge opened in 1931."), Atom(id="a1", text="Its bakers sell rye bread.")]


LONG = " ".join(f"Ship {n} lay in the harbour." for n in range(200))


def test_title_appears_once_on_every_piece():
    assert [part.text for part in pieces(Context(id="a", text="Ships. Two.", title="Ships"), 99)] == [
        "Ships. Two."
    ]
    cut = pieces(Context(id="a", text=LONG, title="Harbour"), 200)
    assert len(cut) > 3
    assert all(part.text.startswith("Harbour\nShip") for part in cut)
