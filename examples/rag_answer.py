"""Check one answer of a RAG system. Needs no key: ``python examples/rag_answer.py``."""
# ruff: noqa: T201

from factreasoner import rag

ANSWER = "The library was founded in 1911. A reader's card costs 15 euros. Entry is free."
RETRIEVED = ["The library was founded in 1921.", "Entry is free. A reader's card lasts for a year."]
RIGHT = "The library was founded in 1921. A reader's card costs 5 euros."

result = rag(ANSWER, contexts=RETRIEVED, reference=RIGHT)
for name in ("faithfulness", "contradicted", "coverage", "lost_in_retrieval"):
    print(f"{name:18}{result.metrics[name]:.2f}")
for verdict in result.verdicts:
    if verdict.label == "contradiction" and verdict.context_id != "answer":
        print(f'{verdict.target_id} is wrong. {verdict.context_id}: "{verdict.quote}"')
