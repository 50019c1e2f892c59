"""Of which records claims are made without a model, so that what parser there is decides them."""

from __future__ import annotations

from typing import Any

import pytest

from factreasoner.models import Atom, Record
from factreasoner.settings import Config
from factreasoner.tasks.rag.task import TASK as RAG
from factreasoner.tasks.recall.task import TASK as RECALL
from factreasoner.tasks.verify.task import TASK as VERIFY

ATOMS = (Atom(id="a0", text="It opened."),)
WANTED = (Atom(id="g0", text="It opened."),)


@pytest.mark.parametrize(
    ("task", "fields", "made"),
    [
        (VERIFY, {}, True),
        (VERIFY, {"atoms": ATOMS}, False),
        (RAG, {"atoms": ATOMS}, False),
        (RAG, {"atoms": ATOMS, "reference": "It opened."}, True),
        (RAG, {"atoms": ATOMS, "reference": "It opened.", "reference_atoms": WANTED}, False),
        (RECALL, {"atoms": ATOMS, "reference": "It opened."}, True),
        (RECALL, {"facts": WANTED}, False),
        (RECALL, {"reference_atoms": WANTED}, False),
    ],
)
def test_they_are_of_what_a_record_does_not_bring(task: Any, fields: dict[str, Any], made: bool) -> None:
    record = Record(id="r", response="It opened.", **fields)
    assert task.makes_claims(record, Config()) is made
    assert not task.makes_claims(record, Config(model="openai/x"))


def test_given_atoms_that_are_revised_are_read_too() -> None:
    record = Record(id="r", response="It opened.", atoms=ATOMS)
    assert VERIFY.makes_claims(record, Config(revise_given=True))
