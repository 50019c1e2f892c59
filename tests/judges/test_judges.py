"""What judged, in words that say no more than was measured."""

import re
from pathlib import Path

import pytest

from factreasoner.integrations.scoring import Scoring
from factreasoner.judges import EMBEDDED, judged_by
from factreasoner.llm.capabilities import Capabilities
from factreasoner.models import Probe
from factreasoner.settings import Config

JUDGES = Path(__file__).parents[2] / "docs/judges.md"


def test_the_embedded_judge_is_said_to_find_no_more_than_was_measured():
    table = (
        JUDGES.read_text(encoding="utf-8")
        .split("contradiction: right of said, recall |", 1)[1]
        .split("\n\n")[0]
    )
    recalls = [float(found) for found in re.findall(r", (\.\d{2,3}) \|$", table, re.MULTILINE)]
    assert len(recalls) == 5  # of four sets, and of all together
    assert "none |" in table
    assert max(recalls) < 0.1, "this is what the words say"
    assert judged_by(Config()) == EMBEDDED == "embedded word overlap (finds few errors, and only in English)"


def test_a_model_is_named_with_what_its_probe_found():
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
        ({"judge": "word_judge:WordJudge", "model": "openai/m"}, EMBEDDED),
        ({"judge": "mine"}, "judge 'mine'"),
    ],
)
def test_other_judges_are_named(settings, words):
    assert judged_by(Config(**settings)) == words


class Mine:
    """A judge of one's own."""

    def judge(self, premise, claims):
        raise AssertionError("nobody is asked here")


def test_a_judge_of_ones_own_is_not_taken_for_another():
    assert Scoring(judge=Mine()).judged_by == f"judge '{__name__}:Mine'"
