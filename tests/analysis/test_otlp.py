"""Scores as events, to a collector that decodes what arrives."""

import pytest
from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from receivers import Collector, received

from factreasoner.analysis.otlp import Otlp, publish
from factreasoner.analysis.publishing import Place, Score
from factreasoner.errors import PublishError

PLACE = Place("0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331", "resp-1")
SCORE = Score("r1", "factreasoner.precision", "k1", PLACE, 0.5)


def attributes(event):
    return dict(event.log_record.attributes)


def test_score_event_belongs_to_its_span():
    exporter = InMemoryLogRecordExporter()
    lost = SCORE._replace(value=None, error="LLMError", place=Place())
    claim = SCORE._replace(value=0.25, label="contradicted", explanation="so")
    assert publish([SCORE, lost, claim], Otlp(exporter=exporter)).number == 3
    first, second, third = exporter.get_finished_logs()
    assert first.log_record.event_name == "gen_ai.evaluation.result"
    assert f"{first.log_record.trace_id:032x}-{first.log_record.span_id:016x}" == "-".join(PLACE[:2])
    shared = {"gen_ai.evaluation.name": SCORE.name, "factreasoner.record": "r1", "factreasoner.key": "k1"}
    response = {"gen_ai.response.id": "resp-1"}
    assert attributes(first) == shared | response | {"gen_ai.evaluation.score.value": 0.5}
    assert attributes(second) == shared | {"error.type": "LLMError"}
    assert not second.log_record.trace_id
    assert attributes(third) == shared | response | {
        "gen_ai.evaluation.score.value": 0.25,
        "gen_ai.evaluation.score.label": "contradicted",
        "gen_ai.evaluation.explanation": "so",
    }


@pytest.mark.parametrize(
    "place", [Place("t1"), Place("0" * 32), Place(None, PLACE.span), Place(PLACE.trace, "s1")]
)
def test_non_otlp_ids_are_named_not_sent(place):
    exporter = InMemoryLogRecordExporter()
    sent = publish([SCORE._replace(place=place), SCORE], Otlp(exporter=exporter))
    assert (sent.number, *sent.lacking.values()) == (1, 1)
    assert f"record r1: trace_id {place.trace!r}, span_id {place.span!r}: OTLP takes" in next(
        iter(sent.lacking)
    )


def test_all_of_many_arrive():
    with received(Collector()) as collector:
        many = (SCORE._replace(record=str(number)) for number in range(5_000))
        assert publish(many, Otlp(collector.url)).number == 5_000
        records = [
            {item.key: item.value.string_value for item in record.attributes}["factreasoner.record"]
            for record in collector.kept.values()
        ]
        assert records == [str(number) for number in range(5_000)]
        assert {record.trace_id.hex() for record in collector.kept.values()} == {PLACE.trace}
        assert {record.span_id.hex() for record in collector.kept.values()} == {PLACE.span}
        assert {record.event_name for record in collector.kept.values()} == {"gen_ai.evaluation.result"}


REFUSED = r"/v1/logs: no collector can be reached: Connection refused; is it running\? `url` names another"


def test_unreachable_collector_is_reported_first():
    with pytest.raises(PublishError, match=f"127.0.0.1:9{REFUSED}"):
        Otlp("http://127.0.0.1:9")
    with pytest.raises(PublishError, match="no collector can be reached: Port"):
        Otlp("http://127.0.0.1:x")


def test_collector_behind_proxy_is_not_tried(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    assert Otlp("http://collector.example:4318").url == "http://collector.example:4318/v1/logs"


def test_lost_collector_is_reported_once(monkeypatch, caplog):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_LOGS_TIMEOUT", "0.5")  # no try more
    with received(Collector()) as collector:
        backend = Otlp(collector.url)
    with pytest.raises(PublishError, match=REFUSED):
        publish([SCORE], backend)
    assert not caplog.records


def test_a_collector_that_fails_is_named(caplog):
    many = [SCORE._replace(record=str(number)) for number in range(1200)]
    with received(Collector()) as collector:
        collector.statuses = [0, 400]
        with pytest.raises(PublishError, match=f"{collector.url}/v1/logs") as failed:
            publish(many, Otlp(collector.url))
        assert failed.value.__notes__ == [
            "512 scores were sent before. Sent again, each has the same key (factreasoner.key)."
        ]
        assert "reason: " in str(failed.value)
        assert not caplog.records
        assert len(collector.kept) == 512


@pytest.mark.parametrize(
    ("variables", "url"),
    [
        ({}, "http://localhost:4318/v1/logs"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:1/"}, "http://c:1/v1/logs"),
        ({"OTEL_EXPORTER_OTLP_LOGS_ENDPOINT": "http://c:2/logs"}, "http://c:2/logs"),
    ],
)
def test_collector_url_comes_from_its_variables(variables, url, monkeypatch):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert Otlp(exporter=InMemoryLogRecordExporter()).url == url
