"""Metrics in ragas. Needs no key; ``pip install ragas 'langchain-community<0.4'``, then run it."""
# ruff: noqa: T201

import os

os.environ.setdefault("RAGAS_DO_NOT_TRACK", "true")

from ragas import EvaluationDataset, evaluate

from factreasoner.integrations.ragas_metric import FactReasonerMetric

ANSWER = "Skerry Point lighthouse opened on 4 May 1931. Its tower is 25 metres high. Twain was born in Rome."
PASSAGES = ["Skerry Point lighthouse opened on 4 May 1931. Its tower is 25 metres high."]
ROWS = [
    {"user_input": "When did it open?", "response": ANSWER, "retrieved_contexts": PASSAGES},
    {"user_input": "Who built it?", "response": "I don't know.", "retrieved_contexts": PASSAGES},
]


def main() -> None:
    """Print two metrics of two answers: the second says nothing, which is NaN and not 0."""
    metrics = [FactReasonerMetric(), FactReasonerMetric("faithfulness")]
    result = evaluate(EvaluationDataset.from_list(ROWS), metrics=metrics, show_progress=False)
    for row in result.scores:
        print(row)
    print(metrics[0].score(response=ANSWER, retrieved_contexts=PASSAGES).reason)


if __name__ == "__main__":
    main()
