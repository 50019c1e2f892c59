"""`rag` as a task: what records lack, which prompts, and results as lines."""

import pytest
from rag_records import record_of

from factreasoner import Config, ScriptedLLM, rag
from factreasoner.errors import ConfigError, InputError
from factreasoner.models import Atom, Context, Verdict
from factreasoner.tasks.rag.table import RagResult
from factreasoner.tasks.rag.task import TASK


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({}, "contexts: none given, and no 'reference' either"),
        ({"reference": " "}, "contexts: none given"),
        ({"contexts": []}, None),
        ({"reference": "R."}, None),
        ({"reference_atoms": ["R."]}, None),
        ({"contexts": [{"id": "answer", "text": "x"}]}, "contexts[0].id: 'answer' names another premise"),
        ({"contexts": [{"id": "contexts:2", "text": "x"}]}, "contexts[0].id: 'contexts:2' names another"),
    ],
)
def test_rag_record_needs_contexts_or_reference(fields, problem):
    found = [str(one) for one in TASK.problems(record_of(**fields), Config())]
    assert [problem in one for one in found] == ([] if problem is None else [True])


def test_numeric_k_truncates_the_ranking():
    contexts = [{"id": f"c{n}", "text": "x"} for n in range(3)]
    record = record_of(contexts=contexts, gold_contexts=["c0", "c2"])
    fields = {"contexts": record.contexts, "gold_contexts": record.gold_contexts}
    result = RagResult(record_id="q", status="ok", **fields)
    for k, precision in ((1, 1.0), ("half", 2 / 3)):
        line = TASK.tally(Config(k=k), ()).add(result)
        assert line["retrieval_precision"] == pytest.approx(precision)


def test_rag_size_counts_judged_claims():
    verdicts = [
        Verdict(context_id=premise, target_id="a", label="neutral", probability=0.9)
        for premise in ("c0", "reference")
    ]
    assert TASK.size(RagResult(record_id="r", status="ok", verdicts=tuple(verdicts))) == 1


PASSAGES = ["The museum opened in 1932.", {"text": "Trains leave every hour.", "id": "trains"}]


def test_instructions_are_judged_like_claims():
    source = "To update the tool, run the installer and restart the machine. Keep a copy of the data."
    answer = (
        "To update the tool:\n1. Run the installer.\n2. Restart the machine.\n3. Pay the yearly licence fee."
    )
    scored = rag(answer, input="How do I update the tool?", contexts=[source], reference=source)
    assert len(scored.claims) == 3
    assert scored.metrics["faithfulness"] == scored.metrics["correctness"] == 2 / 3
    assert scored.metrics["coverage"] is not None


def test_rag_accepts_claims_and_custom_model():
    llm = ScriptedLLM(
        lambda prompt, schema: {n: "True" if t == "A." else "False" for n, t in schema.items.items()}
    )
    scored = rag("A. B.", reference="A.", atoms=["A.", "B."], reference_atoms=["A."], llm=llm, cache=False)
    assert (scored.metrics["correctness"], scored.metrics["coverage"]) == (0.5, 1.0)
    assert [claim.id for claim in scored.claims] == ["a0", "a1"]
    assert len(llm.calls) == 2


def test_invalid_arguments_name_the_fix():
    with pytest.raises(InputError, match=r"rag\(\): contexts: none given, and no 'reference' either"):
        rag("An answer.")
    with pytest.raises(InputError, match="must be a list"):
        rag("An answer.", contexts=5)
    with pytest.raises(InputError, match="must be a list"):
        rag("An answer.", contexts=["A."], gold_contexts="c0")
    with pytest.raises(ConfigError, match="unknown setting 'premis'"):
        rag("An answer.", contexts=["A."], premis="joint")


def test_result_is_read_from_its_json():
    found = RagResult(record_id="q", status="ok", claims=(Atom(id="a", text="A."),), contexts=())
    full = found.model_copy(update={"reference_claims": (), "contexts": (Context(id="c", text="x"),)})
    assert RagResult.model_validate_json(full.model_dump_json()) == full
