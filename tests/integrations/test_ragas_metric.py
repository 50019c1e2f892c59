"""The metric in ragas' own evaluate()."""

import math

import pytest
from tools import PASSAGES, RIGHT, run_example, scripted, tool

tool("ragas")

from ragas import EvaluationDataset, evaluate

from factreasoner.errors import ConfigError
from factreasoner.integrations.ragas_metric import FactReasonerMetric

ROW = {"user_input": "When?", "response": RIGHT, "retrieved_contexts": PASSAGES, "reference": RIGHT}


def scores(rows, *metrics):
    result = evaluate(EvaluationDataset.from_list(rows), metrics=list(metrics), show_progress=False)
    return result.scores


def test_the_example_runs(capsys):
    run_example("with_ragas")
    said = capsys.readouterr().out
    assert "{'factreasoner_precision': 0.6666666666666666, 'factreasoner_faithfulness': 0.666" in said
    assert "{'factreasoner_precision': nan, 'factreasoner_faithfulness': nan}" in said
    assert "unverified: Twain was born in Rome." in said


def test_failed_judgement_is_nan_and_logged(caplog):
    (row,) = scores([ROW], FactReasonerMetric(**scripted()))
    assert math.isnan(row["factreasoner_precision"])
    assert "factreasoner_precision: no precision; " in caplog.text
    assert "prose" in caplog.text


def test_failures_beside_a_score_are_logged(caplog):
    row = ROW | {"retrieved_contexts": [*PASSAGES, "Another."]}
    assert scores([row], FactReasonerMetric(**scripted({"fact_0": "True"}))) == [
        {"factreasoner_precision": 1.0}
    ]
    assert "1 failed, the first: judge" in caplog.text


def test_metrics_that_take_a_right_answer():
    row = {key: value for key, value in ROW.items() if key != "retrieved_contexts"}
    assert scores([row], FactReasonerMetric("correctness", name="right")) == [{"right": 1.0}]


def test_unknown_metric_suggests_the_nearest():
    with pytest.raises(ConfigError, match="did you mean 'faithfulness'"):
        FactReasonerMetric("faithfullness")
