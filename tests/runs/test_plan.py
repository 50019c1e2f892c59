"""What a dry run counts is what a run calls."""

from __future__ import annotations

from typing import Any

import pytest

from factreasoner import ScriptedLLM, build_pipeline
from factreasoner.config import Config
from factreasoner.llm.messages import FunctionSchema, Prompt
from factreasoner.models import Atom, Context, Record
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.per_atom import FoundPassage, Query, retrieve_each
from factreasoner.runs.fingerprints import prompt_fingerprints
from factreasoner.runs.plan import plan
from factreasoner.tasks.factuality import TASK

ATOMS = tuple(Atom(id=f"a{i}", text=f"The bridge has {i} arches.") for i in range(5))
CONTEXTS = tuple(Context(id=f"c{i}", text=f"Passage {i} of the book.", atom_ids=(f"a{i}",)) for i in range(4))
GIVEN = Record(id="r", response="x", atoms=ATOMS, contexts=CONTEXTS)
BARE = Record(id="r", response="x", prompt="How many arches?", atoms=ATOMS)
LIBRARY = f"{__name__}:Library"


class Library:
    """Finds as much as may be found."""

    def __init__(self, config: Config) -> None:
        self.config = config

    def retrieve(self, atoms: tuple[Atom, ...], record: Record) -> Retrieved:
        def search(query: Query) -> list[FoundPassage]:
            return [FoundPassage(f"{query.text} {rank}") for rank in range(50)]

        return retrieve_each(search, atoms, record, self.config)


def answer(prompt: Prompt, schema: FunctionSchema) -> dict[str, Any]:
    if prompt.name == "summarizer":
        return {"reason": "r", "relevance": "relevant", "summary": "It says so.", "confidence": 90}
    return dict.fromkeys(schema.arguments, "True")


@pytest.mark.parametrize("version", [1, 2, 3])
@pytest.mark.parametrize(
    ("record", "settings", "stages"),
    [
        (GIVEN, {"summarizer": "llm"}, {"summarizer", "evaluator"}),
        (GIVEN, {"query_builder": "llm"}, {"evaluator"}),
        (
            BARE,
            {"summarizer": "auto", "query_builder": "auto", "retriever": LIBRARY, "retrieve_k": 2},
            {"query_builder", "summarizer", "evaluator"},
        ),
        (BARE, {"retriever": LIBRARY, "assessor": "factscore"}, {"evaluator"}),
    ],
)
def test_planned_calls_are_made(
    version: int, record: Record, settings: dict[str, Any], stages: set[str]
) -> None:
    config = Config(model="scripted", version=version, **settings)
    planned = {item.stage: item.calls for item in plan([record], config).stages}
    assessment = build_pipeline(config, llm=ScriptedLLM(answer)).assess(record)
    called = {stage: usage.calls for stage, usage in assessment.usage.items() if usage.calls}
    assert set(called) == stages
    names = {"evaluator": "assessor" if "assessor" in settings else "judge"}
    assert planned == {names.get(stage, stage): calls for stage, calls in called.items()}
    assert all(item.prompt_tokens and item.completion_tokens for item in plan([record], config).stages)


def test_nothing_is_planned_for_a_record_without_atoms() -> None:
    config = Config(model="scripted", summarizer="llm", retriever="web", query_builder="llm")
    assert plan([BARE.model_copy(update={"atoms": ()})], config) == ([], 0, 0)


@pytest.mark.parametrize(
    ("record", "settings", "searches"),
    [
        (BARE, {"retriever": "web"}, 6),
        (BARE, {"retriever": "web", "version": 1}, 5),
        (BARE, {"retriever": "web", "retrieve_question": False}, 5),
        (BARE, {}, 0),
        (GIVEN, {"retriever": "web"}, 0),
    ],
)
def test_planned_searches(record: Record, settings: dict[str, Any], searches: int) -> None:
    assert plan([record], Config(**settings)).searches == searches


def test_only_prompts_that_may_be_asked_are_in_the_manifest() -> None:
    assert set(prompt_fingerprints(TASK, Config(model="m"))) == {"atomizer", "judge", "reviser"}
    both = prompt_fingerprints(TASK, Config(model="m", query_builder="llm", summarizer="llm"))
    assert set(both) == {"atomizer", "judge", "reviser", "query", "summarizer"}
