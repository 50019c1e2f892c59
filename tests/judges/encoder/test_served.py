"""A served classifier: requests as TEI and vLLM document them, and answers of every kind."""

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder import VerifierJudge
from factreasoner.judges.encoder.adapter import Texts, adapter_of
from factreasoner.judges.encoder.runtime import Unscored
from factreasoner.judges.encoder.served import ServedRuntime
from factreasoner.models import Claim, Premise
from factreasoner.settings import Config


@contextmanager
def serving(answer):
    """A server whose `answer(body, number of requests before)` gives (status, content)."""
    seen = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            seen.append((self.path, body, self.headers.get("Authorization")))
            status, content = answer(body, len(seen) - 1)
            raw = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", seen
    finally:
        server.shutdown()
        server.server_close()


def support(text):
    """What the stand-in says: the longer the likelier."""
    return min(len(text) / 100, 0.99)


def predicts(body, number):
    """As /predict answers a batch: each text's labels, the likelier first."""
    rows = []
    for parts in body["inputs"]:
        p = support("".join(parts))
        row = [{"score": p, "label": "LABEL_1"}, {"score": 1 - p, "label": "LABEL_0"}]
        rows.append(sorted(row, key=lambda one: -one["score"]))
    return 200, rows


def classifies(body, number):
    """As /classify answers."""
    data = [
        {"index": n, "label": "LABEL_1", "probs": [1 - support(text), support(text)], "num_classes": 2}
        for n, text in enumerate(body["input"])
    ]
    return 200, {"id": "classify-1", "object": "list", "model": "m", "data": data, "usage": {}}


def config(url, verifier="minicheck-roberta", **settings):
    given = {"max_attempts": 2, "concurrency": 2} | settings
    return Config(judge="verifier", verifier=verifier, verifier_url=url, **given)


def runtime(url, verifier="minicheck-roberta", **settings):
    return ServedRuntime(adapter_of(verifier), config(url, verifier, **settings))


ASKED = [adapter_of("minicheck-roberta").texts("a " * n, "b") for n in (20, 1, 30, 4, 9)]


@pytest.mark.parametrize(("path", "answer"), [("/predict", predicts), ("/classify", classifies)])
def test_scores_in_the_order_asked_by_the_documented_requests(path, answer, monkeypatch):
    monkeypatch.setenv("SERVED_KEY", "s3cret")
    with serving(answer) as (url, seen):
        found = runtime(
            url + path, verifier_batch=2, verifier_model="acme/minicheck", verifier_api_key_env="SERVED_KEY"
        ).scores(ASKED)
    for row, texts in zip(found, ASKED, strict=True):
        assert row == pytest.approx(np.array([[1 - support(texts.first), support(texts.first)]]))
    assert len(seen) == 3
    lengths = []
    for where, body, key in seen:
        assert (where, key) == (path, "Bearer s3cret")
        if path == "/predict":
            assert body.keys() == {"inputs", "truncate"}
            assert body["truncate"] is False
            lengths.append([len(text) for (text,) in body["inputs"]])
        else:
            assert body["model"] == "acme/minicheck"
            lengths.append([len(text) for text in body["input"]])
    assert sorted(map(sorted, lengths)) == sorted(
        [
            sorted(len(t.first) for t in part)
            for part in ([ASKED[1], ASKED[3]], [ASKED[4], ASKED[0]], [ASKED[2]])
        ]
    )


def test_pairs_and_labels_by_name():
    def answer(body, number):
        rows = [
            [
                {"label": "CONTRADICTION", "score": 0.7},
                {"label": "entailment", "score": 0.2},
                {"label": "neutral", "score": 0.1},
            ]
            for _ in body["inputs"]
        ]
        return 200, rows

    with serving(answer) as (url, seen):
        judge = VerifierJudge(config(f"{url}/predict", "nli"))
        (verdict,) = judge.judge(Premise("c", "A b."), [Claim("a", "C.")]).verdicts
    assert (verdict.label, verdict.probability, verdict.quote) == ("contradiction", 0.7, "A b.")
    assert seen[0][1]["inputs"] == [["A b.", "C."]]


def test_a_judge_chunks_and_never_contradicts():
    passage = " ".join(f"Sentence number {n} of this passage says little." for n in range(80))
    with serving(classifies) as (url, seen):
        judge = VerifierJudge(config(f"{url}/classify"))
        (verdict,) = judge.judge(Premise("c", passage), [Claim("a", "It says little.")]).verdicts
        (again,) = judge.judge(Premise("c", passage), [Claim("a", "It says little.")]).verdicts
    assert (verdict.label, again) == ("entailment", verdict)
    assert len(seen) == 1
    assert len(seen[0][1]["input"]) > 2
    assert verdict.quote in passage
    assert len(verdict.quote) < len(passage) / 2


def test_one_text_that_is_refused_does_not_spoil_the_others():
    def answer(body, number):
        if any(len(text) > 50 for (text,) in body["inputs"]):
            return 413, {"error": "`inputs` must have less than 512 tokens", "error_type": "Validation"}
        return predicts(body, number)

    with serving(answer) as (url, _):
        found = runtime(f"{url}/predict").scores(ASKED)
    assert [isinstance(row, Unscored) for row in found] == [False, False, True, False, False]
    assert found[2].kind == "ServedError"
    assert "status 413" in found[2].message
    assert "less than 512 tokens" in found[2].message


def test_a_busy_server_is_asked_again_and_a_dead_one_is_a_failure(monkeypatch):
    monkeypatch.setattr("factreasoner.judges.encoder.served.FIRST_WAIT", 0.01)
    with serving(lambda body, number: (429, {}) if number == 0 else predicts(body, number)) as (url, seen):
        (row,) = runtime(f"{url}/predict").scores(ASKED[:1])
        assert row.shape == (1, 2)
        assert len(seen) == 2
        dead = f"{url}/predict"
    judged = VerifierJudge(config(dead)).judge(Premise("c", "A."), [Claim("a", "B.")])
    assert [failure.error_type for failure in judged.failures] == ["ServedError"]
    assert "ConnectError" in judged.failures[0].message


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("/predict", b"<html>", "another answer than is documented"),
        ("/predict", {"error": "no"}, "another answer than is documented"),
        ("/predict", [], "0 answers to 1 texts"),
        ("/predict", [[{"label": "LABEL_0", "score": 3.0}, {"label": "LABEL_1", "score": -2.0}]], "no prob"),
        ("/classify", {"data": [{"index": 0, "probs": [0.3, 0.3]}]}, "no probabilities that add up to 1"),
        ("/classify", {"data": [{"index": 0}]}, "another answer than is documented"),
    ],
)
def test_what_is_no_answer_is_a_failure(path, content, message):
    with serving(lambda body, number: (200, content)) as (url, _):
        (found,) = runtime(url + path).scores(ASKED[:1])
    assert found.kind == "UnusableReply"
    assert message in found.message


@pytest.mark.parametrize(
    ("path", "status", "content", "message"),
    [
        (
            "/predict",
            200,
            [[{"label": "LABEL_0", "score": 1.0}]],
            r"1 probabilities .* labels are 2 \(neutral, ent",
        ),
        ("/classify", 200, {"data": [{"index": 0, "probs": [0.2, 0.3, 0.5]}]}, "3 probabilities a text"),
        (
            "/predict",
            200,
            [[{"label": "joy", "score": 0.4}, {"label": "LABEL_0", "score": 0.6}]],
            "label 'joy'",
        ),
        ("/predict", 401, {}, "status 401.*--verifier-api-key-env"),
        ("/predict", 404, {}, "status 404"),
    ],
)
def test_what_the_user_must_mend_is_an_error(path, status, content, message):
    with (
        serving(lambda body, number: (status, content)) as (url, _),
        pytest.raises(ConfigError, match=message),
    ):
        runtime(url + path).scores(ASKED[:1])


@pytest.mark.parametrize(
    ("verifier", "url", "message"),
    [
        ("nli", "http://127.0.0.1:1/v1", "must end in /predict .* or /classify"),
        ("minicheck-flan-t5", "http://127.0.0.1:1/predict", "has the head 'decoder_step'; run it here"),
        ("lettucedect-base", "http://127.0.0.1:1/predict", "has the head 'token'"),
        (
            "alignscore",
            "http://127.0.0.1:1/classify",
            "takes single texts, and verifier 'alignscore' reads pairs",
        ),
    ],
)
def test_what_can_t_be_served_is_refused(verifier, url, message):
    with pytest.raises(ConfigError, match=message):
        runtime(url, verifier)
    with pytest.raises(ConfigError, match="verifier_api_key_env: NO_SUCH_KEY is not set"):
        runtime("http://127.0.0.1:1/predict", "factcg", verifier_api_key_env="NO_SUCH_KEY")


def test_tokens_are_estimated():
    found = runtime("http://127.0.0.1:1/predict")
    assert found.starts("a river, internationalisation") == [0, 2, 6, 7, 9, 13, 17, 21, 25]
    assert found.taken(Texts("a river", "b")) == (3 + 2) + (1 + 2)
