"""The bundled judge before a model: which pairs are sent, and what becomes of the others."""

import json

import pytest

from factreasoner import ScriptedLLM, assess, rag, recall, verify
from factreasoner.errors import UnusableReplyError
from factreasoner.judges.encoder.judge import VerifierJudge
from factreasoner.judges.prefilter import PrefilteredJudge
from factreasoner.models import Atom, Claim, Context, Part, Premise, Record, Verdict
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.protocols import Judged

BRIDGE, BREAD = Claim("a0", "The bridge opened in 1931."), Claim("a1", "Its bakers sell rye bread.")
TOWN = "The bridge was opened in 1931, says the town."


class Model:
    """Contradicts everything, and keeps what it was asked."""

    asks_model = True

    def __init__(self):
        self.asked = []

    def judge(self, premise, claims):
        self.asked += [(premise.id, claim.id) for claim in claims]
        said = {"context_id": premise.id, "label": "contradiction", "probability": 0.8}
        return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims))


@pytest.mark.parametrize(
    ("premise", "sent"),
    [
        (Premise("c0", TOWN), ["a0"]),
        (Premise("c0", "Whales are mammals."), []),
        (Premise("c0", "Die Brücke wurde 1931 eröffnet, sagt die Stadt."), ["a0", "a1"]),
        (Premise("c0", "", parts=(Part("c1", "Whales sing."), Part("c2", TOWN))), ["a0", "a1"]),
    ],
)
def test_only_surely_neutral_pairs_are_kept_back(premise, sent):
    model = Model()
    found = PrefilteredJudge(model, VerifierJudge()).judge(premise, [BRIDGE, BREAD])
    assert [claim for _, claim in model.asked] == sent
    assert [v.target_id for v in found.verdicts] == ["a0", "a1"]
    kept = {v.target_id: v for v in found.verdicts if v.target_id not in sent}
    assert all((v.label, v.confidence) == ("neutral", "bundled") for v in kept.values())


def test_run_counts_pairs_kept_back():
    record = Record(
        id="r",
        response="A.",
        atoms=(Atom(id="a0", text=BRIDGE.text), Atom(id="a1", text=BREAD.text)),
        contexts=(Context(id="c0", text=TOWN), Context(id="c1", text="Whales are mammals.")),
    )
    plain, filtered = Model(), Model()
    for model, prefilter in ((plain, "none"), (filtered, "bundled")):
        config = Config(prefilter=prefilter)
        outcome = build_pipeline(config, judge=model).assess(record).outcome
    assert len(plain.asked) == 4
    assert (filtered.asked, outcome.pruned.pairs) == ([("c0", "a0")], 3)
    assert len(outcome.verdicts) == 4


def test_rag_and_recall_send_less():
    calls = []
    for prefilter in ("none", "bundled"):
        llm = ScriptedLLM(lambda prompt, schema: dict.fromkeys(schema.choices, "True"))
        shared = {"llm": llm, "atoms_per_call": 1, "prefilter": prefilter}
        rag("A.", contexts=[TOWN, "Whales are mammals."], atoms=[BRIDGE.text, BREAD.text], **shared)
        recall(TOWN, facts=[BRIDGE.text, BREAD.text], **shared)
        calls.append(len(llm.calls))
    assert calls == [6, 3]


def test_recorded_verdicts_are_never_replaced(tmp_path):
    table = tmp_path / "relations.jsonl"
    told = {"record": "r1", "source": "c0", "target": "a0", "label": "contradiction", "probability": 0.9}
    table.write_text(json.dumps(told) + "\n")
    given = {"contexts": ["Whales are mammals."], "atoms": [BRIDGE.text], "judge": "recorded"}
    found = assess(BRIDGE.text, **given, relations=str(table), prefilter="bundled")
    assert [(v.label, v.confidence) for v in found.outcome.verdicts] == [("contradiction", "recorded")]


def test_verify_ignores_prefilter_of_model(caplog):
    given = {"atoms": [TOWN], "llm": ScriptedLLM(lambda prompt, schema: UnusableReplyError("x"))}
    found = verify(f"{TOWN} [1]", contexts=[TOWN], prefilter="bundled", cache=False, **given)
    assert found.status == "failed"
    assert "`verify` sends a model every pair of claim and source: `prefilter` is not used" in caplog.text
