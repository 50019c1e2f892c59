"""The scorer in inspect_ai's own eval()."""

import math

from tools import PASSAGES, RIGHT, run_example, scripted, tool

tool("inspect_ai")

from inspect_ai import Task, eval
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from factreasoner.integrations.inspect_scorer import factuality
from factreasoner.judges import judged_by
from factreasoner.pipeline.config import Config


def scored(folder, scorer, answers, **sample):
    """The log's scores and metrics of a task whose model answers so."""
    outputs = [ModelOutput.from_content("mockllm/model", text) for text in answers]
    for output in outputs:
        output.usage = ModelUsage()
    samples = [Sample(input="When?", **sample) for _ in answers]
    (log,) = eval(
        Task(dataset=samples, scorer=scorer),
        model=get_model("mockllm/model", custom_outputs=outputs),
        log_dir=str(folder),
        display="none",
        max_samples=1,
    )
    assert log.status == "success", log.error
    metrics = {name: metric.value for name, metric in log.results.scores[0].metrics.items()}
    return [next(iter(sample.scores.values())) for sample in log.samples], metrics


def test_the_example_runs(capsys):
    run_example("with_inspect")
    said = capsys.readouterr().out
    assert "unverified: Twain was born in Rome." in said
    assert "nan no_response no precision; the answer is empty" in said
    assert "{'mean': 0.6666666666666666" in said


def test_unscored_sample_is_excluded_from_mean(tmp_path):
    metadata = {"contexts": PASSAGES}
    scores, metrics = scored(
        tmp_path, factuality(**scripted({"fact_0": "True"})), [RIGHT, RIGHT], metadata=metadata
    )
    right, failed = scores
    assert right.value == 1.0
    assert math.isnan(failed.value)
    assert failed.reason == "grader_failed"
    assert "prose" in failed.explanation
    assert metrics["mean"] == 1.0


def test_the_target_is_the_right_answer(tmp_path):
    (score,), _ = scored(tmp_path, factuality("correctness"), [RIGHT], target=RIGHT)
    assert score.value == 1.0
    assert score.metadata["judged_by"] == judged_by(Config())
