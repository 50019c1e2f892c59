"""The example in which a majority of sources is wrong: version 3 sees it, version 2 does not."""

from pathlib import Path

import pytest

from factreasoner.inputs.input import CheckedInput
from factreasoner.pipeline import build_pipeline
from factreasoner.settings import Config

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize(
    ("version", "p_true", "label"), [(2, 0.86, "supported"), (3, 0.055396, "contradicted")]
)
def test_sources_that_others_contradict_lose_their_credit(version, p_true, label):
    (record,) = CheckedInput(EXAMPLES / "conflict.jsonl").records()
    config = Config(
        version=version, judge="recorded", relations=EXAMPLES / "conflict_relations.jsonl", unlisted="neutral"
    )
    outcome = build_pipeline(config).assess(record).outcome
    assert outcome.p_true["a0"] == pytest.approx(p_true, abs=1e-6)
    assert outcome.support["a0"] == label
    assert {outcome.support[atom] for atom in ("a1", "a2")} == {"supported"}
    assert {atom.id: atom.gold for atom in record.atoms} == {"a0": "NS", "a1": "S", "a2": "S"}
