"""Atoms made without a model beside those that people wrote; skipped without the data."""

import json
import re

import pytest
from oracle import DATA

from factreasoner.atoms.rules import RuleAtomizer, RuleReviser
from factreasoner.models import Record
from factreasoner.text.language import word_set

PRONOUN = re.compile(r"(?:He|She|It|They|His|Her|Its|Their)\b")
FUNCTION_WORDS = word_set("a an the of in on at to and is are was were he she it they his her has have had")


def content(text):
    return {word for word in re.findall(r"\w+", text.lower()) if word not in FUNCTION_WORDS}


@pytest.mark.parametrize(
    ("folder", "least_covered", "most_pronouns"),
    [("factscore_bios", 0.7, 0.1), ("factcheck_bench", 0.65, 0.12)],
)
def test_atoms_agree_with_human_atoms(folder, least_covered, most_pronouns):
    file = DATA / folder / "records.jsonl"
    if not file.exists():
        pytest.skip(f"{file} is absent")
    covered = []
    pronouns = []
    for line in file.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        record = Record(id=row["id"], response=row["output"], topic=row.get("topic"))
        atomized = RuleAtomizer().atomize(record).atoms
        assert all(a.span and record.response[slice(*a.span)] == (a.original or a.text) for a in atomized)
        ours = RuleReviser().revise(atomized, record).atoms
        bags = [content(atom.text) for atom in ours]
        pronouns += [PRONOUN.match(atom.text) is not None for atom in ours]
        for atom in row["atoms"]:
            wanted = content(atom["text"])
            covered.append(any(4 * len(wanted & bag) >= 3 * len(wanted) for bag in bags))
    assert 0.4 <= len(pronouns) / len(covered) <= 1.25
    assert sum(covered) / len(covered) >= least_covered
    assert sum(pronouns) / len(pronouns) <= most_pronouns
