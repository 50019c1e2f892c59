"""deepeval on the records of a JSONL file; run by `peers.py` in an environment of its own.

    python deepeval_scores.py RECORDS.jsonl URL CONCURRENCY (faithfulness|all) MODEL

Prints {"metric": [score of each record, null where there is none]} as its last line, after its errors.
Reasons are left out, which saves a call a metric; it has no metric of claims that compares with a reference
answer. It sends a JSON schema only for OpenAI's names, so MODEL is not used; local servers take any name.
"""

import json
import sys
from pathlib import Path

from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, CacheConfig, DisplayConfig, ErrorConfig
from deepeval.metrics import ContextualPrecisionMetric, ContextualRecallMetric, FaithfulnessMetric
from deepeval.models import GPTModel
from deepeval.test_case import LLMTestCase

records, url, concurrency = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
which = sys.argv[4]
rows = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
cases = [
    LLMTestCase(
        name=row["id"],
        input=row["input"],
        actual_output=row["output"],
        retrieval_context=[context["text"] for context in row["contexts"]],
        expected_output=row.get("reference"),
    )
    for row in rows
]
model = GPTModel(model="gpt-4o-mini", base_url=url, api_key="none")
metrics = [FaithfulnessMetric(model=model, include_reason=False)]
if which == "all":
    metrics += [
        kind(model=model, include_reason=False)
        for kind in (ContextualRecallMetric, ContextualPrecisionMetric)
    ]
result = evaluate(
    cases,
    metrics,
    async_config=AsyncConfig(max_concurrent=concurrency),
    display_config=DisplayConfig(show_indicator=False, print_results=False, inspect_after_run=False),
    cache_config=CacheConfig(write_cache=False, use_cache=False),
    error_config=ErrorConfig(ignore_errors=True),
)
scores: dict[str, list[float | None]] = {metric.__name__.lower(): [None] * len(rows) for metric in metrics}
places = {row["id"]: place for place, row in enumerate(rows)}
for test in result.test_results:
    for metric in test.metrics_data or ():
        scores[metric.name.lower()][places[test.name]] = metric.score
        if metric.error:
            print(test.name, metric.error)
print(json.dumps(scores))
