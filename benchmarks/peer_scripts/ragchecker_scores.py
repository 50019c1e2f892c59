"""RAGChecker on the records of a JSONL file; run by `peers.py` in an environment of its own.

    python ragchecker_scores.py RECORDS.jsonl URL CONCURRENCY (faithfulness|all)

Prints {"metric": [score of each record]} as its last line.
"""

import json
import math
import sys
from pathlib import Path

from ragchecker import RAGChecker, RAGResults
from ragchecker.metrics import all_metrics, faithfulness

records, url, concurrency, which = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4]
rows = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
results = [
    {
        "query_id": row["id"],
        "query": row["input"],
        "gt_answer": row.get("reference", ""),
        "response": row["output"],
        "retrieved_context": [
            {"doc_id": context["id"], "text": context["text"]} for context in row["contexts"]
        ],
    }
    for row in rows
]
given = RAGResults.from_dict({"results": results})
model = "openai/gpt-4o-mini"
checker = RAGChecker(
    extractor_name=model,
    checker_name=model,
    extractor_api_base=url,
    checker_api_base=url,
    batch_size_extractor=concurrency,
    batch_size_checker=concurrency,
)
checker.evaluate(given, all_metrics if which == "all" else faithfulness)
scores: dict[str, list[float | None]] = {}
for result in given.results:
    for name, score in result.metrics.items():
        scores.setdefault(name, []).append(None if math.isnan(score) else float(score))
print(json.dumps(scores))
