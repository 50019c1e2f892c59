"""What the commands print, how they end and which files they leave is what was recorded.

A change that is meant is recorded anew by `python tests/scenarios/record.py`, and its diff explained.
"""

import re

import pytest
from scenarios import ALL, RECORDED
from scene import play

NEEDS = {"mcp": "mcp", "corpus": "chromadb"}
"""Scenario -> the optional package without which it is skipped."""
FITTED = {"calibrate"}
"""Scenarios whose numbers an optimizer finds, elsewhere in other steps."""


@pytest.mark.parametrize("name", ALL)
def test_scenario_is_as_recorded(name, tmp_path):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    was = (RECORDED / f"{name}.txt").read_text(encoding="utf-8")
    now = play(ALL[name], tmp_path)
    if name in FITTED:
        assert words(now) == words(was)
        assert numbers(now) == pytest.approx(numbers(was), abs=2e-3, rel=5e-3)
    else:
        assert now.splitlines() == was.splitlines()


def words(text):
    return re.sub(r"\d+\.\d+", "NUMBER", text).split()


def numbers(text):
    return [float(number) for number in re.findall(r"\d+\.\d+", text)]


def test_every_recorded_file_has_a_scenario():
    recorded = {path.relative_to(RECORDED).with_suffix("").as_posix() for path in RECORDED.rglob("*.txt")}
    assert recorded == set(ALL)
