"""Results of recorded verdicts on given atoms do not move, and no name leaves without a word.

What is held and how it is made: `tests/data/frozen/`.
"""

import json

import frozen
import inventory
import pytest


@pytest.mark.parametrize("name", frozen.RUNS)
def test_results_do_not_move(name, tmp_path):
    wanted = frozen.RUNS[name]
    stored = (frozen.RESULTS / f"{wanted.like or name}.jsonl").read_text(encoding="utf-8").splitlines()
    was = [json.loads(line) for line in stored]
    now = inventory.run(wanted, tmp_path / "run")
    # A run without rows has as many lines less as the one it is like has rows.
    found = frozen.differences(was, [*now, *was[len(now) :]] if wanted.like else now, inventory.removed())
    assert list(found)[:20] == []


def test_a_result_that_moves_is_seen():
    assert list(frozen.differences({"p": [0.5]}, {"p": [0.5 + 2e-12]}, set())) == [
        ".p[0]: 0.5 -> 0.500000000002"
    ]
    assert list(frozen.differences({"p": 1, "q": 2}, {"p": 1, "new": 3}, set())) == [".q is missing"]
    assert list(frozen.differences({"p": 1, "q": 2}, {"p": 1.0}, {"q"})) == []
    assert list(frozen.differences({"p": True}, {"p": 1}, set())) == [".p: True -> 1"]


def test_names_that_are_gone_stand_in_the_changelog(tmp_path):
    now, before, gone = inventory.live(tmp_path), inventory.stored(), inventory.removed()
    untold = sorted(line for line in before - now if not inventory.is_told(line, gone))
    assert untold == [], 'gone: name them in backticks under "### Removed" of CHANGELOG.md'
    assert sorted(now - before) == [], "new: run `python tests/data/frozen/make.py inventory`"


def test_the_changelog_tells_by_name_or_command():
    assert inventory.is_told("flag run --chroma-url", {"--chroma-url"})
    assert inventory.is_told("flag solve --json", {"solve"})
    assert inventory.is_told("field run results.jsonl solver.stderr", {"stderr"})
    assert not inventory.is_told("flag run --chroma-url", {"--chroma", "chroma_url"})
    assert not inventory.is_told("plugin solver merlin", {"solver"})
