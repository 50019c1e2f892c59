"""`rag(...)`: what a caller gives, and what comes back."""

import pytest

from factreasoner import ScoredRag, ScriptedLLM, rag
from factreasoner.errors import ConfigError, InputError

PASSAGES = ["The museum opened in 1932.", {"text": "Trains leave every hour.", "id": "trains"}]


def test_without_a_model():
    scored = rag("The museum opened in 1932.", contexts=PASSAGES, gold_contexts=["c0"], k=1)
    assert isinstance(scored, ScoredRag)
    assert scored.values["faithfulness"] == 1.0
    assert scored.values["retrieval_precision"] == 1.0
    assert (scored.values["correctness"], scored.reasons["correctness"]) == (None, "no reference")


def test_instructions_are_held_against_contexts_and_reference():
    source = "To update the tool, run the installer and restart the machine. Keep a copy of the data."
    answer = (
        "To update the tool:\n1. Run the installer.\n2. Restart the machine.\n3. Pay the yearly licence fee."
    )
    scored = rag(answer, prompt="How do I update the tool?", contexts=[source], reference=source)
    assert len(scored.result.claims) == 3
    assert scored.values["faithfulness"] == scored.values["correctness"] == 2 / 3
    assert scored.values["coverage"] is not None


def test_with_claims_and_a_model_of_ones_own():
    llm = ScriptedLLM(
        lambda prompt, schema: {n: "True" if t == "A." else "False" for n, t in schema.items.items()}
    )
    scored = rag("A. B.", reference="A.", claims=["A.", "B."], reference_claims=["A."], llm=llm, cache=False)
    assert (scored.values["correctness"], scored.values["coverage"]) == (0.5, 1.0)
    assert [claim.id for claim in scored.result.claims] == ["a0", "a1"]
    assert len(llm.calls) == 2


def test_what_is_wrong_is_said_with_the_remedy():
    with pytest.raises(InputError, match=r"rag\(\): contexts: none given, and no 'reference' either"):
        rag("An answer.")
    with pytest.raises(InputError, match="must be a list"):
        rag("An answer.", contexts="a text")
    with pytest.raises(InputError, match="must be a list of ids"):
        rag("An answer.", contexts=["A."], gold_contexts="c0")
    with pytest.raises(ConfigError, match="unknown setting 'premis'"):
        rag("An answer.", contexts=["A."], premis="joint")
