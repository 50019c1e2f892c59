"""`factreasoner publish`: a run's scores arrive, and what did not is told."""

import json

import pytest
from receivers import Collector, PhoenixServer, received

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
    assert execute(["run", str(data), "--out", str(folder), "--spacy-model", "none", "--quiet"]) == 0
    return str(folder)


def test_events_of_all_records(run, capsys):
    with received(Collector()) as collector:
        wanted = ["--metric", "precision", "--claims", "--texts"]
        assert execute(["publish", run, "--to", "otlp", "--url", collector.url, *wanted]) == 0
    said = capsys.readouterr()
    assert f"4 scores of 2 records sent to {collector.url}" in said.out
    assert "2 scores sent without a trace: their records have none" in said.err
    assert [record.span_id.hex() for record in collector.kept.values()] == [SPAN, SPAN, "", ""]


def test_records_that_name_no_span_are_told(run, capsys):
    with received(PhoenixServer()) as server:
        assert execute(["publish", run, "--to", "phoenix", "--url", server.url, "--metric", "precision"]) == 3
    said = capsys.readouterr()
    assert "1 score of 1 record sent" in said.out
    assert "1 score left out: their records have no id of a span" in said.err
    (kept,) = server.kept.values()
    assert (kept["annotator_kind"], kept["result"]) == ("CODE", {"score": 1.0})


def test_of_how_many_records_is_left_open_where_some_scores_are_refused(tmp_path, capsys):
    spans = {"r1": SPAN, "r2": "f" * 16}
    run = ran(
        tmp_path, *(RECORD | {"id": i, "traceparent": f"00-{TRACE}-{span}-01"} for i, span in spans.items())
    )
    with received(PhoenixServer()) as server:
        assert execute(["publish", run, "--to", "phoenix", "--url", server.url, "--metric", "precision"]) == 3
    said = capsys.readouterr()
    assert said.out.startswith(f"1 score sent to {server.url}/")
    assert "1 score refused" in said.err


def test_without_the_sdk_the_extra_is_named(run, monkeypatch, capsys):
    import sys

    monkeypatch.delitem(sys.modules, "factreasoner.analysis.otlp", raising=False)
    monkeypatch.setitem(sys.modules, "opentelemetry._logs", None)
    assert execute(["publish", run, "--to", "otlp"]) == 1
    assert "pip install 'factreasoner[otel]'" in capsys.readouterr().err
