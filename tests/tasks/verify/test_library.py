"""`verify(...)`: what a caller gives, and what comes back."""

import pytest
from verifying_model import ANSWER, SOURCES, Model

from factreasoner import ScriptedLLM
from factreasoner.errors import InputError
from factreasoner.models import Atom
from factreasoner.tasks.verify.library import verify


def test_sources_must_be_given():
    with pytest.raises(InputError, match="none given"):
        verify("It rained [1].", sources=[])


def test_given_claims_are_located_by_their_wording():
    claims = [
        Atom(id="x", text="The museum's opening was in 1930.", original="The Harbour Museum opened in 1930"),
        Atom(id="y", text="Wholly other things are said of whales."),
    ]
    result = verify(ANSWER, sources=SOURCES, claims=claims, llm=ScriptedLLM(Model()))
    assert result.claims[0].cited == ("c0",)
    assert (result.claims[1].label, result.claims[1].sentence) == (None, None)
    assert [failure.item_id for failure in result.failures] == ["y"]
    assert "'original' wording" in result.failures[0].message


def test_notes_and_unknown_citations_are_told_as_in_results():
    result = verify("A dam is high [1. It is wide [7].", sources=["A dam is high."])
    assert result.unknown_citations == ("7",)
    assert len(result.notes) == 1
    assert "[1" in result.notes[0]
