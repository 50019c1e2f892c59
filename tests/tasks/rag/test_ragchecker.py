"""The worked example of RAGChecker: its verdicts replayed, every value of it found again."""

import json
import os
from pathlib import Path

import pytest

from factreasoner.inputs.parsing import Reader
from factreasoner.pipeline.assembly import Calls
from factreasoner.settings import Config
from factreasoner.tasks.rag.scores import scored_rag
from factreasoner.tasks.rag.task import TASK

DATA = Path(os.environ.get("FACTREASONER_DATA") or Path(__file__).parents[4] / "shared" / "data")
EXAMPLE = DATA / "ragchecker" / "checking_outputs.json"
OUR_NAMES = {"precision": "correctness", "recall": "coverage", "f1": "claim_f1"}

pytestmark = pytest.mark.skipif(not EXAMPLE.is_file(), reason="no FACTREASONER_DATA")


def examples():
    return json.loads(EXAMPLE.read_text(encoding="utf-8")) if EXAMPLE.is_file() else {"results": []}


def replayed(example, folder):
    """The result of our task with the example's claims and verdicts."""
    data = {
        "id": example["query_id"],
        "input": example["query"],
        "output": example["response"],
        "reference": example["gt_answer"],
        "contexts": [{"id": c["doc_id"], "text": c["text"]} for c in example["retrieved_context"]],
        "atoms": [{"id": f"a{n}", "text": " ".join(t)} for n, t in enumerate(example["response_claims"])],
        "reference_atoms": [
            {"id": f"r{n}", "text": " ".join(t)} for n, t in enumerate(example["gt_answer_claims"])
        ],
    }
    pairs = [("reference", f"a{n}", label) for n, label in enumerate(example["answer2response"])]
    pairs += [("answer", f"r{n}", label) for n, label in enumerate(example["response2answer"])]
    ids = [c["doc_id"] for c in example["retrieved_context"]]
    for letter, matrix in (("a", "retrieved2response"), ("r", "retrieved2answer")):
        for n, row in enumerate(example[matrix]):
            pairs += [(doc, f"{letter}{n}", label) for doc, label in zip(ids, row, strict=True)]
    lines = [
        json.dumps({"record": data["id"], "source": source, "target": target, "label": label.lower()})
        for source, target, label in pairs
    ]
    relations = folder / "relations.jsonl"
    relations.write_text("\n".join(lines), encoding="utf-8")
    worker = TASK.worker(Config(judge="recorded", relations=relations), Calls())
    return worker.assess(Reader().record(data, where="example"))


@pytest.mark.parametrize("example", examples()["results"], ids=lambda e: f"query-{e['query_id']}")
def test_every_value_of_the_worked_example(example, tmp_path):
    result = replayed(example, tmp_path)
    assert result.status == "ok"
    scored = scored_rag(result)
    for theirs, value in example["metrics"].items():
        assert scored.values[OUR_NAMES.get(theirs, theirs)] == pytest.approx(value, abs=1e-9), theirs
    assert scored.undecided == {}
    assert scored.bounds == {}


def test_the_means_of_the_worked_example(tmp_path):
    """Their summary is in percent, rounded to one decimal."""
    tally = TASK.tally(Config(), ())
    for example in examples()["results"]:
        tally.add(replayed(example, tmp_path))
    metrics = tally.content()["metrics"]
    for group in examples()["metrics"].values():
        for theirs, value in group.items():
            ours = metrics[OUR_NAMES.get(theirs, theirs)]["value"]
            assert 100 * ours == pytest.approx(value, abs=0.0501), theirs
