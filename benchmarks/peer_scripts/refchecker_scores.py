"""RefChecker on the records of a JSONL file; run by `peers.py` in an environment of its own.

    python refchecker_scores.py RECORDS.jsonl URL CONCURRENCY faithfulness

Prints {"faithfulness": [share of each record's claims that a passage entails, null without claims]} as its
last line. Claims are judged five a call, as RAGChecker does.
"""

import json
import sys
from pathlib import Path

from refchecker import LLMChecker, LLMExtractor

records, url, concurrency = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rows = [json.loads(line) for line in records.read_text(encoding="utf-8").splitlines()]
questions = [row["input"] for row in rows]
place = {"model": "openai/gpt-4o-mini", "batch_size": concurrency, "api_base": url}
extracted = LLMExtractor(**place).extract(
    batch_responses=[row["output"] for row in rows], batch_questions=questions, max_new_tokens=1000
)
labels = LLMChecker(**place).check(
    batch_claims=[[claim.content for claim in found.claims] for found in extracted],
    batch_references=[[context["text"] for context in row["contexts"]] for row in rows],
    batch_questions=questions,
    merge_psg=True,
    is_joint=True,
)
scores = [sum(label == "Entailment" for label in found) / len(found) if found else None for found in labels]
print(json.dumps({"faithfulness": scores}))
