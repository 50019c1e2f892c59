"""What the commands print, how they end and which files they leave is what was recorded.

A change that is meant is recorded anew by `python tests/scenarios/record.py`, and its diff explained.
"""

from pathlib import Path

import pytest
from scenarios import SCENARIOS
from scene import play

NEEDS = {"mcp": "mcp", "corpus": "chromadb"}
"""Scenario -> the optional package without which it is skipped."""
RECORDED = Path(__file__).parent / "recorded"


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_is_as_recorded(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    was = (RECORDED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert play(SCENARIOS[name], tmp_path).splitlines() == was


def test_every_record_has_its_scenario():
    assert {path.stem for path in RECORDED.iterdir()} == set(SCENARIOS)
