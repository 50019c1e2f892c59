"""A scorer in inspect_ai. Needs no key; ``pip install inspect-ai``, then run it.

``inspect eval examples/integrations/with_inspect.py --model openai/gpt-4o-mini`` has a model answer.
"""
# ruff: noqa: T201

import tempfile

from inspect_ai import Task, eval, task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from factreasoner.integrations.inspect_scorer import factuality

ANSWER = "Skerry Point lighthouse opened on 4 May 1931. Its tower is 25 metres high. Twain was born in Rome."
PASSAGES = ["Skerry Point lighthouse opened on 4 May 1931. Its tower is 25 metres high."]


@task
def lighthouse() -> Task:
    """Two questions, with the passages that answers are held against."""
    samples = [
        Sample(input=question, metadata={"contexts": PASSAGES})
        for question in ("When did Skerry Point lighthouse open?", "Who built it?")
    ]
    return Task(dataset=samples, scorer=factuality())


def main() -> None:
    """Print the scores of two answers: the second says nothing, which is unscored and not 0."""
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in (ANSWER, "I don't know.")]
    for output in outputs:
        output.usage = ModelUsage()  # else inspect_ai counts tokens, for which it downloads a tokenizer
    model = get_model("mockllm/model", custom_outputs=outputs)
    with tempfile.TemporaryDirectory() as folder:
        (log,) = eval(lighthouse(), model=model, log_dir=folder, display="none", max_samples=1)
        if log.status != "success" or log.results is None:
            raise SystemExit(f"not scored: {log.error.message if log.error else log.status}")
        for sample in log.samples or ():
            for score in (sample.scores or {}).values():
                print(score.value, score.reason, score.explanation)
        print({name: metric.value for name, metric in log.results.scores[0].metrics.items()})


if __name__ == "__main__":
    main()
