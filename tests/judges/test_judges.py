"""What judged, in words that say no more than was measured."""

import json
from pathlib import Path

import pytest

from factreasoner.integrations.scoring import Scoring
from factreasoner.judges import judged_by
from factreasoner.judges.encoder.model_files import BUNDLED_MODEL
from factreasoner.llm.capabilities import Capabilities
from factreasoner.models import Probe
from factreasoner.pipeline.config import Config


def test_the_bundled_judge_is_named_with_its_version():
    settings = json.loads((BUNDLED_MODEL / "config.json").read_text(encoding="utf-8"))
    assert judged_by(Config(judge="verifier")) == f"the bundled judge, version {settings['version']}"
    assert (
        judged_by(Config(judge="verifier"), weights="bundled 7 0123456789abcdef")
        == "the bundled judge, version 7"
    )


def test_model_is_named_with_its_probe():
    probe = Probe(facts_per_call=1, form="word", right=19, changed=0, asked=32)
    known = {"openai/small": Capabilities(probes={"key": probe})}
    assert judged_by(Config(model="openai/small"), known) == f"openai/small ({probe})"
    assert "do not rely on" in judged_by(Config(model="openai/small"), known)
    assert judged_by(Config(model="openai/other"), known) == "openai/other"


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"judge": "verifier", "verifier": "factcg"}, "verifier factcg"),
        ({"judge": "recorded", "relations": Path("r.jsonl")}, "recorded verdicts of r.jsonl"),
        ({"judge": "verifier", "model": "openai/m"}, judged_by(Config(judge="verifier"))),
        ({"judge": "mine"}, "judge 'mine'"),
    ],
)
def test_other_judges_are_named(settings, words):
    assert judged_by(Config(**settings)) == words


class Mine:
    """A judge of one's own."""

    def judge(self, premise, claims):
        raise AssertionError("nobody is asked here")


def test_custom_judge_is_named_by_class():
    assert Scoring(judge=Mine()).judged_by == f"judge '{__name__}:Mine'"
