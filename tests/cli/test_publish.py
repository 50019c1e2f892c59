"""`factreasoner publish`: a run's scores arrive, and what did not is told."""

import json

import pytest
from receivers import Collector, received

from factreasoner.cli import execute

TRACE, SPAN = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
RECORD = {"output": "It opened in 1931.", "contexts": ["It opened in 1931."]}


@pytest.fixture
def run(tmp_path):
    return ran(tmp_path, RECORD | {"id": "r1", "traceparent": f"00-{TRACE}-{SPAN}-01"}, RECORD | {"id": "r2"})


def ran(tmp_path, *records):
    data = tmp_path / "data.jsonl"
    data.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    folder = tmp_path / "run"
    assert execute(["run", str(data), "--out", str(folder), "--quiet"]) == 0
    return str(folder)


def test_events_of_all_records(run, capsys):
    with received(Collector()) as collector:
        wanted = ["--metric", "precision", "--claims", "--texts"]
        assert execute(["publish", run, "--url", collector.url, *wanted]) == 0
    said = capsys.readouterr()
    assert f"4 scores of 2 records sent to {collector.url}" in said.out
    assert "2 scores sent without a trace: their records have none" in said.err
    assert [record.span_id.hex() for record in collector.kept.values()] == [SPAN, SPAN, "", ""]


def test_scores_with_invalid_span_ids_are_excluded(tmp_path, capsys):
    traces = {"r1": TRACE, "r2": "t1"}
    records = (RECORD | {"id": i, "trace_id": trace, "span_id": SPAN} for i, trace in traces.items())
    with received(Collector()) as collector:
        wanted = ["--url", collector.url, "--metric", "precision"]
        assert execute(["publish", ran(tmp_path, *records), *wanted]) == 3
    said = capsys.readouterr()
    assert said.out.startswith(f"1 score of 1 record sent to {collector.url}/")
    assert "1 score not sent: record r2: trace_id 't1'" in said.err
    assert [record.trace_id.hex() for record in collector.kept.values()] == [TRACE]


def test_without_the_sdk_the_extra_is_named(run, monkeypatch, capsys):
    import sys

    monkeypatch.delitem(sys.modules, "factreasoner.analysis.otlp", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry._logs", None)
    assert execute(["publish", run]) == 1
    assert "pip install '.[otel]'" in capsys.readouterr().err
