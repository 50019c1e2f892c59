"""A model that drops one verdict in five: asked again, counted where it stays away, no share wrong."""

import json
import random
import threading
from collections import Counter

import pytest
from rag_records import record_of

from factreasoner import Config, ScriptedLLM
from factreasoner.pipeline.assembly import Calls
from factreasoner.tasks.rag.task import TASK

ATOMS = [f"Fact {n}." for n in range(12)]
GOLD = [f"Gold {n}." for n in range(9)]
RECORD = {
    "id": "q1",
    "output": " ".join([*ATOMS[:8], *GOLD[:5]]),
    "reference": " ".join([*GOLD, *ATOMS[4:9]]),
    "atoms": ATOMS,
    "reference_atoms": GOLD,
    "contexts": [" ".join([*ATOMS[n::4], *GOLD[n::5]]) for n in range(3)],
}


def dropping(share, never=""):
    """Answers by the words of the passage; leaves verdicts out by chance, and one fact for ever.

    Chance hangs on the passage, the fact and how often it was asked, not on which thread asks first.
    """
    asked, lock = Counter(), threading.Lock()

    def drawn(passage, fact):
        asked[passage, fact] += 1
        return random.Random(f"{passage} {fact} {asked[passage, fact]}").random()

    def answer(prompt, schema):
        passage = prompt.user.partition("verdict on every fact")[0]
        with lock:
            kept = {
                n: fact for n, fact in schema.items.items() if fact != never and drawn(passage, fact) >= share
            }
        verdicts = {n: "True" if fact in passage else "Not clear" for n, fact in kept.items()}
        named = {f"{n}_sources": "1, 2, 3" for n in kept if f"{n}_sources" in schema.arguments}
        return verdicts | named

    return ScriptedLLM(answer)


def line_of(llm, **settings):
    """The result line, less what the run took."""
    config = Config(model="test", cache=False, confidence="constant", **settings)
    tally = TASK.tally(config, ())
    line = tally.add(TASK.worker(config, Calls(llm=llm)).assess(record_of(**RECORD)))
    json.dumps(line, allow_nan=False)
    return {name: value for name, value in line.items() if name not in ("usage", "elapsed_seconds")}


@pytest.mark.parametrize("premise", ["each", "joint"])
def test_one_verdict_in_five_dropped_changes_nothing(premise):
    sound, bad = dropping(0.0), dropping(0.2)
    expected = line_of(sound, premise=premise)
    assert 0 < expected["faithfulness"] < 1
    assert line_of(bad, premise=premise) == expected
    assert len(bad.calls) > len(sound.calls)


@pytest.mark.parametrize("premise", ["each", "joint"])
def test_a_verdict_that_never_comes_is_counted_and_bounded(premise):
    line = line_of(dropping(0.2, never="Fact 3."), premise=premise)
    whole = line_of(dropping(0.0), premise=premise)
    assert line["status"] == "partial"
    assert line["undecided"]["faithfulness"] == line["undecided"]["correctness"] == 1
    low, high = line["bounds"]["faithfulness"]
    assert low <= whole["faithfulness"] <= high
    assert line["claims"][3]["in_contexts"] is None
    assert line["coverage"] == whole["coverage"]
    assert {failure["item_id"].partition("->")[2] for failure in line["failures"]} == {"a3"}
