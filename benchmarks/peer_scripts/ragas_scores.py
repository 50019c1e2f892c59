"""ragas on the records of a JSONL file; run by `peers.py` in an environment of its own.

    python ragas_scores.py RECORDS.jsonl URL CONCURRENCY (faithfulness|all) MODEL

Prints {"metric": [score of each record, null for NaN]} as its last line.
"""

import json
import math
import sys
import warnings
from pathlib import Path

warnings.simplefilter("ignore")

from langchain_openai import ChatOpenAI  # noqa: E402
from ragas import EvaluationDataset, RunConfig, SingleTurnSample, evaluate  # noqa: E402
from ragas.llms import LangchainLLMWrapper  # noqa: E402
from ragas.metrics import FactualCorrectness, Faithfulness, LLMContextPrecisionWithReference, LLMContextRecall  # noqa: E402  # noqa: E402

records, url, concurrency = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
which, name = sys.argv[4:]
rows = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
samples = [
    SingleTurnSample(
        user_input=row["input"],
        response=row["output"],
        retrieved_contexts=[context["text"] for context in row["contexts"]],
        reference=row.get("reference"),
    )
    for row in rows
]
metrics = [Faithfulness()]
if which == "all":
    metrics += [FactualCorrectness(), LLMContextRecall(), LLMContextPrecisionWithReference()]
model = ChatOpenAI(model=name, base_url=url, api_key="none")
result = evaluate(
    EvaluationDataset(samples=samples),
    metrics=metrics,
    llm=LangchainLLMWrapper(model),
    run_config=RunConfig(max_workers=concurrency, timeout=900),
    show_progress=False,
)
scores: dict[str, list[float | None]] = {}
for line in result.scores:
    for metric, score in line.items():
        scores.setdefault(metric.split("(")[0], []).append(None if math.isnan(score) else float(score))
print(json.dumps(scores))
