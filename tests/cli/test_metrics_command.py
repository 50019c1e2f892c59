"""`metrics`: every row of the table."""

import json

from factreasoner.metrics.factuality_table import FACTUALITY


def test_every_metric_is_listed_with_what_it_means(factreasoner):
    done = factreasoner("metrics")
    assert done.returncode == 0
    for metric in FACTUALITY:
        assert metric.name in done.stdout
    assert "auroc ↑" in done.stdout


def test_as_json(factreasoner):
    rows = {row["name"]: row for row in json.loads(factreasoner("metrics", "--json").stdout)}
    assert rows.keys() == FACTUALITY.metrics.keys()
    assert rows["brier"]["better"] == "lower"
    assert (rows["precision"]["field"], rows["precision"]["bounds"]) == ("factuality_score", [0.0, 1.0])
    assert rows["entropy"]["bounds"] == [0.0, None]
    assert rows["auroc"]["field"] is None
    assert rows["cost"]["averaged"] == "mean over all records"
