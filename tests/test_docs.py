"""The pages in docs/ say what the files hold, and lead to pages there are."""

import json
import re
from pathlib import Path

import pytest

from factreasoner.cli import execute
from factreasoner.tasks.registry import task_named

ROOT = Path(__file__).parents[1]
FILES = (ROOT / "docs/files.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", ["run", "recall", "rag", "verify"])
def test_every_key_of_a_run_folder_is_on_the_page(task, tmp_path):
    data = {"run": "conflict", "verify": "cited"}.get(task, task)
    folder = tmp_path / "out"
    assert execute([task, str(ROOT / f"examples/{data}.jsonl"), "--out", str(folder), "--quiet"]) == 0
    (first, *_) = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    keys = {"manifest.json": json.loads((folder / "manifest.json").read_text(encoding="utf-8"))}
    keys["results.jsonl"] = json.loads(first)
    named = set(re.findall(r"`(\w+)`", FILES))
    if task == "rag":  # its row says "every metric"
        named |= set(task_named(task).table.metrics)
    for name, found in keys.items():
        unnamed = {key for key in found if key.removeprefix("corrected_") not in named}
        assert not unnamed, f"{name} of {task}"
    assert keys["manifest.json"]["format"] == 1


@pytest.mark.parametrize(
    "page", sorted([*ROOT.glob("*.md"), *ROOT.glob("*/*.md")]), ids=lambda page: page.name
)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (page.parent / target).exists(), target
