"""Langfuse and Phoenix: what is sent, what they refuse, and what happens while they are down."""

import httpx
import pytest
from receivers import LangfuseServer, PhoenixServer, received

from factreasoner.analysis import services
from factreasoner.analysis.publishing import Place, Score, publish
from factreasoner.analysis.services import Langfuse, Phoenix
from factreasoner.errors import ConfigError, PublishError

SPAN = "b7ad6b7169203331"
SCORE = Score("r1", "factreasoner.precision", "k1", Place("t1", SPAN), 0.5)
CLAIM = Score("r1", "factreasoner.atom", "k2", Place("t1", SPAN), 0.25, None, "contradicted", "so")
LOST = Score("r2", "factreasoner.precision", "k3", Place("t2", SPAN), None, "LLMError")
SERVERS = {Langfuse: LangfuseServer, Phoenix: PhoenixServer}


@pytest.fixture(autouse=True)
def _keys(monkeypatch):
    monkeypatch.setenv("LANGFUSE_PUBLIC_KEY", "pk")
    monkeypatch.setenv("LANGFUSE_SECRET_KEY", "sk")
    monkeypatch.setattr(services, "WAITS", (0.0, 0.0))


def test_scores_as_langfuse_has_them():
    with received(LangfuseServer()) as server:
        assert publish([SCORE, CLAIM, LOST], Langfuse(server.url)).number == 3
    place = {"traceId": "t1", "observationId": SPAN}
    assert server.kept["k1"] == place | {
        "id": "k1",
        "name": "factreasoner.precision",
        "value": 0.5,
        "dataType": "NUMERIC",
        "metadata": {"record": "r1"},
    }
    assert server.kept["k2"]["metadata"] == {"record": "r1", "label": "contradicted"}
    assert server.kept["k2"]["comment"] == "so"
    lost = server.kept["k3"]
    assert (lost["name"], lost["value"], lost["dataType"]) == (
        "factreasoner.error",
        "LLMError",
        "CATEGORICAL",
    )


def test_scores_as_phoenix_has_them():
    with received(PhoenixServer()) as server:
        assert publish([SCORE, CLAIM, LOST], Phoenix(server.url, by_model=True)).number == 3
    assert server.kept["factreasoner.precision", SPAN, "k1"] == {
        "span_id": SPAN,
        "name": "factreasoner.precision",
        "annotator_kind": "LLM",
        "identifier": "k1",
        "result": {"score": 0.5},
        "metadata": {"record": "r1"},
    }
    claim = server.kept["factreasoner.atom", SPAN, "k2"]["result"]
    assert claim == {"score": 0.25, "label": "contradicted", "explanation": "so"}
    assert server.kept["factreasoner.error", SPAN, "k3"]["result"] == {"label": "LLMError"}


@pytest.mark.parametrize("kind", SERVERS, ids=lambda kind: kind.__name__)
def test_sent_twice_they_stand_once(kind):
    many = [SCORE._replace(key=f"k{number}", explanation="x" * 2000) for number in range(2000)]
    with received(SERVERS[kind]()) as server:
        for _ in range(2):
            assert publish(many, kind(server.url)).number == 2000
    assert len(server.kept) == 2000
    assert max(size for _, _, size in server.requests) < 1_000_000


@pytest.mark.parametrize("kind", SERVERS, ids=lambda kind: kind.__name__)
def test_a_backend_that_is_down_is_named_and_loses_nothing(kind):
    many = [SCORE._replace(key=f"k{number}") for number in range(1000)]
    with received(SERVERS[kind]()) as server:
        server.statuses = [503, 429]
        assert publish(many[:600], kind(server.url)).number == 600  # it came back in time
        server.statuses = [503] * 3
        with pytest.raises(PublishError, match=rf"{server.url}.*HTTP 503 \(tried 3 times\)") as failed:
            publish(many, kind(server.url))
        assert not hasattr(failed.value, "__notes__")  # there is nothing to leave out
        assert publish(many, kind(server.url)).number == 1000
    assert len(server.kept) == 1000
    with pytest.raises(PublishError, match=server.url):
        publish(many, kind(server.url))


def test_what_is_refused_is_told_and_never_sent_again():
    unwanted = SCORE._replace(key="k9", place=Place("unwanted"))
    with received(LangfuseServer()) as server:
        sent = publish([SCORE, unwanted], Langfuse(server.url))
    assert (sent.number, len(server.requests)) == (1, 1)
    assert "unwanted" in sent.refused[0]
    unknown = SCORE._replace(key="k9", place=Place("t1", "f" * 16))
    with received(PhoenixServer()) as server:
        sent = publish([SCORE, unknown, unknown._replace(key="k8")], Phoenix(server.url))
    assert (sent.number, sent.refused) == (1, (f"no span {'f' * 16}",) * 2)
    assert [identifier for _, _, identifier in server.kept] == ["k1"]


def test_records_without_a_trace_are_counted():
    with received(PhoenixServer()) as server:
        sent = publish([SCORE, SCORE._replace(key="k9", place=Place("t1"))], Phoenix(server.url))
    assert (sent.number, *sent.lacking.values()) == (1, 1)
    assert "their records have no id of a span" in next(iter(sent.lacking))
    with received(LangfuseServer()) as server:
        sent = publish([SCORE._replace(place=Place())], Langfuse(server.url))
    assert (sent.number, *sent.lacking.values(), server.requests) == (0, 1, [])


def test_keys_that_are_missing_or_wrong(monkeypatch):
    with received(LangfuseServer()) as server:
        monkeypatch.setenv("LANGFUSE_SECRET_KEY", "wrong")
        with pytest.raises(PublishError, match="HTTP 401: no such key"):
            publish([SCORE], Langfuse(server.url))
    monkeypatch.delenv("LANGFUSE_SECRET_KEY")
    with pytest.raises(ConfigError, match="LANGFUSE_SECRET_KEY"):
        Langfuse()


@pytest.mark.parametrize("kind", SERVERS, ids=lambda kind: kind.__name__)
def test_a_page_in_the_place_of_an_answer_is_no_success(kind):
    server = kind("http://localhost:1")
    for status in (200, 207):
        with pytest.raises(
            PublishError, match=r"the reply did not come from .*does --url name another server"
        ):
            server.taken(httpx.Response(status, text="<html>Please log in</html>"), [SCORE])
    with pytest.raises(PublishError, match=r"check .*KEY"):
        server.taken(httpx.Response(401, text="no"), [SCORE])
    if kind is Langfuse:  # one that does not say how many it took, took none
        for body in ({"successes": [], "errors": []}, {"accepted": 1}):
            with pytest.raises(PublishError, match="HTTP 207"):
                server.taken(httpx.Response(207, json=body), [SCORE])


def test_langfuse_has_no_address_of_its_own(monkeypatch):
    for name in ("LANGFUSE_BASE_URL", "LANGFUSE_HOST"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ConfigError, match=r"LANGFUSE_BASE_URL.*--url"):
        Langfuse()
    with pytest.raises(ConfigError, match="http://"):
        Langfuse("localhost:3000")
