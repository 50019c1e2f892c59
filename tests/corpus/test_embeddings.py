import sys
import zlib

import numpy as np
import pytest
from json_server import Answer, JsonServer, steps

from factreasoner.calls.limits import Budget
from factreasoner.calls.usage import Meter
from factreasoner.corpus.embeddings import (
    LiteLLMEmbedding,
    MiniLM,
    OwnEmbedding,
    VectorCache,
    embedding_named,
)
from factreasoner.errors import BudgetError, ConfigError, MissingExtraError, StoreError
from factreasoner.models import Usage
from factreasoner.pipeline.config import Config


def vectors(request):
    """An OpenAI-compatible answer, last text first: the index tells which is which."""
    rows = [
        {"object": "embedding", "index": n, "embedding": [float(len(text)), zlib.crc32(text.encode()) % 97]}
        for n, text in enumerate(request.body["input"])
    ]
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return Answer({"object": "list", "model": request.body["model"], "data": rows[::-1], "usage": usage})


def embedding(server, **settings):
    values = {"embedding_api_base": server.url, "max_attempts": 2, "timeout": 60, **settings}
    return LiteLLMEmbedding("BAAI/some-model", Config.model_validate(values))


def test_embedding_requests_run_in_parallel_in_order(monkeypatch):
    monkeypatch.setenv("FACTREASONER_EMBEDDING_KEY", "sk-embedding-key")
    texts = [f"text {n}" * n for n in range(1, 151)]
    with JsonServer(vectors) as server:
        config = Config(embedding_api_base=server.url, cache=False)
        model = embedding_named("BAAI/some-model", config)
        found = model.embed(texts)
        assert sorted(len(request.body["input"]) for request in server.requests) == [22, 64, 64]
        asked = {(r.path, r.body["model"], r.headers["authorization"]) for r in server.requests}
        assert asked == {("/embeddings", "BAAI/some-model", "Bearer sk-embedding-key")}
    assert found.shape == (150, 2)
    assert found[:, 0].tolist() == [len(text) for text in texts]


def test_a_passing_fault_is_tried_again():
    with JsonServer(steps(Answer({"error": {"message": "busy"}}, 503), then=vectors)) as server:
        assert embedding(server).embed(["abc"])[0, 0] == 3


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (Answer({"error": {"message": "busy"}}, 503), StoreError, "busy"),
        (
            Answer({"error": {"message": "bad key"}}, 401),
            ConfigError,
            "put it into FACTREASONER_EMBEDDING_KEY",
        ),
        (
            Answer({"error": {"message": "no"}}, 404),
            ConfigError,
            "check `embedding` and `embedding_api_base`",
        ),
        (Answer({"object": "list", "data": [{"embedding": [1]}]}), ConfigError, "list of numbered vectors"),
        (Answer({"object": "list", "data": []}), ConfigError, r"shape \(0,\) for 1 texts"),
    ],
)
def test_embedding_errors_are_reported(answer, error, words):
    with JsonServer(lambda request: answer) as server, pytest.raises(error, match=words) as caught:
        embedding(server).embed(["abc"])
    assert "BAAI/some-model" in str(caught.value)
    assert len(server.requests) == (2 if error is StoreError else 1)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("failing", "RuntimeError: no model for 2 texts"),
        ("shorter_by_one", "has no 'shorter_by_one'"),
        ("uneven", "one vector per text, all of the same length"),
        ("infinite", "not finite"),
        ("calls", "not callable"),
    ],
)
def test_a_function_that_gives_no_vectors(name, words):
    with pytest.raises(ConfigError, match=words):
        OwnEmbedding(f"own_embedding:{name}", Config()).embed(["a", "b"])


def test_a_function_of_the_users_own():
    found = OwnEmbedding("own_embedding:shorter", Config()).embed(["a", "bcd"])
    assert found.dtype == np.float32
    assert found.tolist() == [[1, 1], [1, 3]]


def test_minilm_without_its_model_and_without_a_network(monkeypatch):
    from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2

    def offline(self):
        raise OSError("Name or service not known")

    monkeypatch.setattr(ONNXMiniLM_L6_V2, "_download_model_if_not_exists", offline)
    with pytest.raises(ConfigError) as caught:
        MiniLM().embed(["a"])
    for word in ("Name or service not known", "all-MiniLM-L6-v2", "onnx.tar.gz", "embedding='none'"):
        assert word in str(caught.value)


def test_minilm_without_chromadb(monkeypatch):
    monkeypatch.setitem(sys.modules, "chromadb.utils.embedding_functions", None)
    with pytest.raises(MissingExtraError, match=r"\.\[corpus\]"):
        MiniLM()


def test_model_vectors_are_cached_and_function_vectors_not():
    with JsonServer(vectors) as server:
        config = Config(embedding_api_base=server.url)
        assert embedding_named("none", config) is None
        for _ in range(2):
            model = embedding_named("some-model", config)
            assert model.embed(["abc", "de", "abc"])[:, 0].tolist() == [3, 2, 3]
        assert [request.body["input"] for request in server.requests] == [["abc", "de"]]
        uncached = embedding_named("some-model", config.model_copy(update={"cache": False}))
        uncached.embed(["abc"])
        assert len(server.requests) == 2
    assert isinstance(embedding_named("own_embedding:shorter", config), OwnEmbedding)


def unreported(request):
    """The answer of a server that tells nothing of tokens."""
    answer = vectors(request)
    return Answer({key: value for key, value in answer.body.items() if key != "usage"})


def thousands(request):
    """One that reports a thousand tokens a text."""
    usage = {"prompt_tokens": 1000 * len(request.body["input"]), "total_tokens": 1}
    return Answer({**vectors(request).body, "usage": usage})


def spent_on(model, texts):
    meter = Meter()
    with meter.stage("index"):
        model.embed(texts)
    return meter.total


@pytest.fixture
def price(monkeypatch):
    """Sets the price of every embedding, in US dollars per million tokens."""

    def set_price(dollars):
        priced = lambda _, tokens: dollars and dollars * tokens / 1e6  # noqa: E731
        monkeypatch.setattr(LiteLLMEmbedding, "_price", priced)

    return set_price


def test_requests_count_in_usage_reported_or_estimated(price):
    with JsonServer(thousands) as server:
        assert spent_on(embedding(server), ["a"]).cost == 0.0  # a server of one's own
        price(2.0)
        found = spent_on(embedding(server), ["a"] * 65)
        assert (found.calls, found.prompt_tokens, found.cost) == (1, 65_000, pytest.approx(0.13))
    with JsonServer(unreported) as server:
        price(1.0)
        found = spent_on(embedding(server), ["Marie Curie was born in Warsaw."])
        assert (found.calls, found.cost) == (1, pytest.approx(found.prompt_tokens / 1e6))
        assert 6 <= found.prompt_tokens <= 10


def test_kept_vectors_cost_nothing(tmp_path, price):
    price(2.0)
    with JsonServer(thousands) as server:
        config = Config(embedding_api_base=server.url, cache_dir=tmp_path)
        for usage in (Usage(calls=1, prompt_tokens=2000, cost=0.004), Usage(cached_calls=1)):
            model = embedding_named("some-model", config)
            assert spent_on(model, ["a", "b"]) == usage
        assert len(server.requests) == 1


def test_embedding_budget_stops_and_keeps_paid_vectors(tmp_path, price):
    price(1.0)
    texts, paid = [f"text {n}" for n in range(200)], []
    with JsonServer(thousands) as server:
        values = {"embedding_api_base": server.url, "cache_dir": tmp_path}
        config = Config.model_validate({**values, "concurrency": 1})
        model = embedding_named("some-model", config, Budget(0.1, paid=paid.append))
        with pytest.raises(BudgetError, match=r"\$0\.1280 are spent"):
            model.embed(texts)
        assert paid == [pytest.approx(0.064)] * 2
        again = embedding_named("some-model", config)
        assert spent_on(again, texts).prompt_tokens == 72_000
    with JsonServer(lambda request: Answer({"error": {"message": "busy"}}, 503)) as server:
        budget = Budget(0.1)
        failing = LiteLLMEmbedding("x", Config(embedding_api_base=server.url, max_attempts=2), budget)
        with pytest.raises(StoreError):
            failing.embed(["a"])
        assert budget.spent == 0


def test_limit_without_known_price_is_refused(price):
    price(None)
    with JsonServer(vectors) as server:
        with pytest.raises(ConfigError, match=r"price of embedding .* is not known.*leave `max_cost` out"):
            embedding(server, max_cost=1.0).embed(["a"])
        assert server.requests == []


def test_model_with_varying_vector_length_is_refused():
    for length, texts in ((2, ["a"]), (3, ["b"])):
        made = np.ones((1, length), np.float32)
        VectorCache("m", lambda texts, made=made: made, Config()).embed(texts)
    with pytest.raises(ConfigError, match="'m': does not give vectors of equal length"):
        VectorCache("m", MiniLM, Config()).embed(["a", "b"])


def test_only_new_texts_are_embedded():
    asked = []

    def lengths(texts):
        asked.extend(texts)
        return np.array([[len(text), 1] for text in texts], np.float32)

    cache = VectorCache("m", lengths, Config())
    assert cache.embed(["a", "bb", "a"]).tolist() == [[1, 1], [2, 1], [1, 1]]
    many = ["x" * n for n in range(1, 1200)]
    assert cache.embed(many)[:, 0].tolist() == list(range(1, 1200))
    assert cache.embed(many)[:, 0].tolist() == list(range(1, 1200))
    assert VectorCache("m", lengths, Config()).embed(["bb"]).tolist() == [[2, 1]]
    assert len(asked) == len(set(asked)) == 2 + 1199


def test_vectors_are_keyed_by_model_and_server():
    asked = []

    def embed(texts):
        asked.extend(texts)
        return np.ones((len(texts), 2), np.float32)

    for name, base in (("m", None), ("n", None), ("m", "http://localhost:1/v1")):
        VectorCache(name, embed, Config(embedding_api_base=base)).embed(["a"])
    assert asked == ["a"] * 3
