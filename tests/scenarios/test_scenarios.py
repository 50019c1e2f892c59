"""What the commands print, how they end and which files they leave is what was recorded.

A change that is meant is recorded anew by `python tests/scenarios/record.py`, and its diff explained.
"""

import re
from pathlib import Path

import pytest
from scenarios import SCENARIOS
from scene import play

NEEDS = {"mcp": "mcp", "corpus": "chromadb"}
"""Scenario -> the optional package without which it is skipped."""
FITTED = {"calibrate"}
"""Scenarios whose numbers an optimizer finds, elsewhere in other steps."""
RECORDED = Path(__file__).parent / "recorded"


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_is_as_recorded(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    was = (RECORDED / f"{name}.txt").read_text(encoding="utf-8")
    now = play(SCENARIOS[name], tmp_path)
    if name in FITTED:
        assert words(now) == words(was)
        assert numbers(now) == pytest.approx(numbers(was), abs=2e-3, rel=5e-3)
    else:
        assert now.splitlines() == was.splitlines()


def words(text):
    return re.sub(r"\d+\.\d+", "NUMBER", text).split()


def numbers(text):
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


def test_every_record_has_its_scenario():
    assert {path.stem for path in RECORDED.iterdir()} == set(SCENARIOS)
