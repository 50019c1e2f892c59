"""The example of `rag`: records as the command wants them, with every kind of loss."""

import json
from pathlib import Path

from factreasoner import Config
from factreasoner.inputs.parsing import Reader
from factreasoner.pipeline.assembly import Calls
from factreasoner.tasks.rag.task import TASK

EXAMPLE = Path(__file__).parents[2] / "examples" / "rag.jsonl"


def test_ten_questions_with_contexts_references_and_gold_contexts():
    lines = [json.loads(line) for line in EXAMPLE.read_text(encoding="utf-8").splitlines()]
    records = [Reader().record(line, where=line["id"]) for line in lines]
    assert len({record.id for record in records}) == 10
    worker, tally = TASK.worker(Config(), Calls()), TASK.tally(Config(), ())
    for record in records:
        assert TASK.problems(record, Config()) == []
        assert record.contexts
        assert record.reference
        assert record.gold_contexts is not None
        assert tally.add(worker.assess(record))["status"] == "ok"
    values = {name: found["value"] for name, found in tally.content()["metrics"].items()}
    for name in ("lost_in_retrieval", "lost_in_generation", "hallucination", "beyond_reference"):
        assert 0 < values[name] < 1, name
