"""Results of recorded verdicts on given atoms do not move.

What is held and how it is made: `tests/data/frozen/`.
"""

import json

import contract
import frozen
import pytest


@pytest.mark.parametrize("name", frozen.RUNS)
def test_results_do_not_move(name, tmp_path):
    wanted = frozen.RUNS[name]
    stored = (frozen.RESULTS / f"{wanted.like or name}.jsonl").read_text(encoding="utf-8").splitlines()
    was = [json.loads(line) for line in stored]
    now = contract.run(wanted, tmp_path / "run")
    # A run without rows has as many lines less as the one it is like has rows.
    found = frozen.differences(was, [*now, *was[len(now) :]] if wanted.like else now, contract.NAMES)
    assert list(found)[:20] == []


def test_a_result_that_moves_is_seen():
    assert list(frozen.differences({"p": [0.5]}, {"p": [0.5 + 2e-12]}, ())) == [
        ".p[0]: 0.5 -> 0.500000000002"
    ]
    assert list(frozen.differences({"p": 1, "q": 2}, {"p": 1, "new": 3}, ("q",))) == [".q is missing"]
    assert list(frozen.differences({"p": 1, "q": 2}, {"p": 1.0}, ("p",))) == []
    assert list(frozen.differences({"p": True}, {"p": 1}, ())) == [".p: True -> 1"]
