"""The table of metrics: what a row brings about everywhere, and rows that are well made."""

import json
import math
import re

import pytest
from assessments import assessment
from run_folders import run_folder
from samples_of_records import sampled

from factreasoner.analysis.comparison import compare_runs, named_runs
from factreasoner.analysis.evaluation import evaluate_run, summarize_run
from factreasoner.analysis.rules import FailedJudgements, apply_rules, parse_rules
from factreasoner.metrics.factuality import FACTUALITY, GAMMA, LABELS, scored_record
from factreasoner.metrics.statistics import OfClaims, OfRecords
from factreasoner.metrics.table import Metric, Table
from factreasoner.report.comparison_tables import comparison_csv, comparison_markdown
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.factuality import TASK


def test_mean_names_its_number_of_records():
    sample = sampled(assessment([0.9], gold="S"), assessment([0.4, 0.6]), assessment([]))
    found = FACTUALITY.estimates(sample)
    counts = {name: found[name].content()["records"] for name in ("precision", "accuracy")}
    assert counts == {"precision": 2, "accuracy": 1}


def test_unlabelled_claims_are_not_computed(monkeypatch):
    computed = []
    monkeypatch.setattr(OfClaims, "statistic", lambda self, sample, name: computed.append(name))
    found = FACTUALITY.estimates(sampled(assessment([0.9]), assessment([])))
    assert computed == []
    assert found["accuracy"].value is None
    assert found["accuracy"].reason


def test_a_row_is_a_metric_everywhere(tmp_path, monkeypatch, capsys):
    row = Metric(
        "worst_p",
        "worst P",
        "smallest P of a record",
        FACTUALITY["precision"].needs,
        OfRecords(_worst),
        decimals=2,
    )
    monkeypatch.setitem(FACTUALITY.metrics, "worst_p", row)
    first, low, high = (
        assessment([0.9, p], gold="SN", record_id=r) for p, r in ((0.2, "r0"), (0.4, "r1"), (0.6, "r1"))
    )
    paths = [run_folder(tmp_path / name, first, second) for name, second in (("a", low), ("b", high))]
    lines = [json.loads(line) for line in (paths[0] / "results.jsonl").read_text().splitlines()]
    assert [line["worst_p"] for line in lines] == [0.2, 0.4]
    summary = json.loads((paths[0] / "summary.json").read_text())
    assert summary["metrics"]["worst_p"]["value"] == pytest.approx(0.3)
    assert summary["metrics"]["worst_p"]["interval_95"][0] == pytest.approx(0.0, abs=1e-3)
    run = FinishedRun(paths[0], TASK)
    content = evaluate_run(run, run.config, out=tmp_path / "e")
    assert content["scores"]["worst_p"]["value"] == pytest.approx(0.3)
    compared = compare_runs(named_runs(paths))
    assert "| worst P | 0.30 | 0.40 |" in comparison_markdown(compared)
    assert re.search(r"worst_p,a,0\.3,\S{1,8},0\.\d{12},", comparison_csv(compared))
    rules, failed = parse_rules(["worst_p=0.25"], [], TASK), FailedJudgements(TASK)
    found = apply_rules(rules, summarize_run(run, run.config, failed.add), TASK, failed)
    assert found[0].kept


def _worst(record):
    return min(record.assessment.p_true.values())


def test_line_has_fields_the_record_supports():
    def fields(record):
        return set(FACTUALITY.line(record))

    plain = fields(scored_record(assessment([0.9]), 1))
    labelled = fields(scored_record(assessment([0.9], gold="S"), 1))
    penalised = fields(scored_record(assessment([0.9]), 1, 10.0))
    free = [m for m in FACTUALITY.metrics_at("line") if not m.needs.labels and m.needs is not GAMMA]
    assert plain == {metric.line_name for metric in free}
    assert labelled - plain == {m.line_name for m in FACTUALITY.metrics_at("line") if m.needs is LABELS}
    assert penalised - plain == {"penalised_score"}


def test_every_metric_is_printable_and_within_bounds():
    sample = sampled(assessment([0.9, 0.5, 0.1], gold="SCU"), assessment([0.3, 1.0, 0.0], gold="SNU"))
    for metric in FACTUALITY:
        value = metric.statistic(sample).value
        assert metric.needs is GAMMA or metric.bounds[0] <= value <= metric.bounds[1], metric.name
        assert math.isfinite(float(metric.text(0.5)))
        assert metric.meaning
        assert metric.average.words
        assert "{" not in metric.caption(7)
    assert len({metric.line_name for metric in FACTUALITY}) == len(list(FACTUALITY))


def test_text():
    row = Metric("share", "share", "a share", LABELS, OfRecords(_worst), percent=True, decimals=1)
    assert (row.text(0.1234), row.text(-0.1, signed=True), row.text(None)) == ("12.3 %", "-10.0 %", "-")
    assert FACTUALITY["cost"].text(0.12345) == "0.1235"
    assert FACTUALITY["f1_at_k"].caption("half") == "F1@half"


def test_few_records_note_names_unreliable_metrics():
    parts = [assessment([0.9, 0.2], gold="SN")] * 49
    assert FACTUALITY.few_records(sampled(*parts)) == ("49 records: below 50, AUROC and ECE are unreliable")
    assert FACTUALITY.few_records(sampled(*parts), ["brier"]) is None
    assert FACTUALITY.few_records(sampled(*parts, parts[0])) is None
    assert FACTUALITY.few_records(sampled(assessment([0.9]))) is None


def test_a_table_has_each_name_once():
    row = Metric("share", "share", "a share", LABELS, OfRecords(_worst))
    with pytest.raises(ValueError, match="twice"):
        Table("t", "share", lambda record: ((), 0), [row, row])
    with pytest.raises(ValueError, match="'other' is not among them"):
        Table("t", "other", lambda record: ((), 0), [row])
