"""A metric in deepeval. Needs no key; ``pip install deepeval``, then run it."""
# ruff: noqa: T201

import os

os.environ.setdefault("DEEPEVAL_TELEMETRY_OPT_OUT", "YES")

from deepeval.test_case import LLMTestCase

from factreasoner.errors import NoScoreError
from factreasoner.integrations.deepeval_metric import FactReasonerMetric

ANSWER = "Skerry Point lighthouse opened on 4 May 1931. Its tower is 25 metres high. Twain was born in Rome."
PASSAGES = ["Skerry Point lighthouse opened on 4 May 1931. Its tower is 25 metres high."]


def main() -> None:
    """Print the score of an answer and why it fails; one that says nothing has no score."""
    metric = FactReasonerMetric(threshold=0.9)
    case = LLMTestCase(input="When did it open?", actual_output=ANSWER, retrieval_context=PASSAGES)
    print(metric.measure(case), metric.is_successful(), metric.reason, sep="\n")
    silent = LLMTestCase(input="Who built it?", actual_output="I don't know.", retrieval_context=PASSAGES)
    try:
        metric.measure(silent)
    except NoScoreError as error:
        print(error, metric.is_successful(), sep="\n")


if __name__ == "__main__":
    main()
