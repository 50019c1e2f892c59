"""`metrics`: every row of the table."""

import json

import pytest

from factreasoner.metrics.factuality import FACTUALITY
from factreasoner.tasks.task import TASKS, task_named


def test_as_json(factreasoner):
    rows = {row["name"]: row for row in json.loads(factreasoner("metrics", "run", "--json").stdout)}
    assert rows.keys() == FACTUALITY.metrics.keys()
    assert rows["brier"]["better"] == "lower"
    assert (rows["precision"]["field"], rows["precision"]["bounds"]) == ("precision", [0.0, 1.0])
    assert rows["entropy"]["bounds"] == [0.0, None]
    assert rows["auroc"]["field"] is None
    assert rows["cost"]["averaged"] == "mean over all records"


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_its_metrics(factreasoner, task):
    listed = json.loads(factreasoner("metrics", "--json").stdout)
    assert [row["name"] for row in listed if row["task"] == task] == list(task_named(task).table.metrics)
    alone = factreasoner("metrics", task).stdout
    assert task in alone
    assert all(metric.name in alone for metric in task_named(task).table)
    assert task != "run" or "auroc ↑" in alone


def test_a_task_that_is_none(factreasoner):
    assert "did you mean 'recall'?" in factreasoner("metrics", "recal", code=2).stderr
