"""Served verifiers: requests as TEI and vLLM document them, answers of every kind; and language models."""

import gc
import math
import time

import numpy as np
import pytest
from fake_server import Completion, FakeServer
from json_server import Answer, JsonServer, steps

from factreasoner import assess
from factreasoner.errors import ConfigError, UnusableReplyError
from factreasoner.judges.encoder import served
from factreasoner.judges.encoder.adapter import Texts, adapter_of
from factreasoner.judges.encoder.judge import VerifierJudge
from factreasoner.judges.encoder.runtime import Unscored
from factreasoner.judges.encoder.served import ServedRuntime
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Claim, Premise
from factreasoner.models.messages import Chances, Reply
from factreasoner.pipeline.config import Config

ASKED = [adapter_of("minicheck-roberta").texts("a " * n, "b") for n in (20, 1, 30, 4, 9)]


def support(text):
    """What the stand-in says: the longer the likelier."""
    return min(len(text) / 100, 0.99)


def predicts(request):
    """As /predict answers a batch: each text's labels, the likelier first."""
    rows = []
    for parts in request.body["inputs"]:
        p = support("".join(parts))
        row = [{"score": p, "label": "LABEL_1"}, {"score": 1 - p, "label": "LABEL_0"}]
        rows.append(sorted(row, key=lambda one: -one["score"]))
    return Answer(rows)


def classifies(request):
    """As /classify answers."""
    data = [
        {"index": n, "label": "LABEL_1", "probs": [1 - support(text), support(text)], "num_classes": 2}
        for n, text in enumerate(request.body["input"])
    ]
    return Answer({"id": "classify-1", "object": "list", "model": "m", "data": data, "usage": {}})


def config(url, verifier="minicheck-roberta", **settings):
    given = {"max_attempts": 2, "concurrency": 2} | settings
    return Config(judge="verifier", verifier=verifier, verifier_url=url, **given)


def runtime(url, verifier="minicheck-roberta", **settings):
    return ServedRuntime(adapter_of(verifier), config(url, verifier, **settings))


@pytest.mark.parametrize(("path", "answer"), [("/predict", predicts), ("/classify", classifies)])
def test_served_scores_keep_the_request_order(path, answer, monkeypatch):
    monkeypatch.setenv(served.KEY_VARIABLE, "s3cret")
    monkeypatch.setattr(served, "BATCH", 2)
    with JsonServer(answer) as server:
        found = runtime(server.url + path, verifier_model="acme/minicheck").scores(ASKED)
    for row, texts in zip(found, ASKED, strict=True):
        assert row == pytest.approx(np.array([[1 - support(texts.first), support(texts.first)]]))
    asked = []
    for request in server.requests:
        assert (request.path, request.headers["authorization"]) == (path, "Bearer s3cret")
        body = request.body
        if path == "/predict":
            assert body == {"inputs": body["inputs"], "truncate": False}
            asked.append([text for (text,) in body["inputs"]])
        else:
            assert body == {"input": body["input"], "model": "acme/minicheck"}
            asked.append(body["input"])
    assert sorted(asked) == sorted([ASKED[n].first for n in part] for part in ((1, 3), (4, 0), (2,)))


def test_pairs_and_labels_by_name():
    scores = {"CONTRADICTION": 0.7, "entailment": 0.2, "neutral": 0.1}
    row = [{"label": label, "score": score} for label, score in scores.items()]
    with JsonServer(lambda request: Answer([row])) as server:
        judge = VerifierJudge(config(f"{server.url}/predict", "nli"))
        (verdict,) = judge.judge(Premise("c", "A b."), [Claim("a", "C.")]).verdicts
    assert (verdict.label, verdict.probability, verdict.quote) == ("contradiction", 0.7, "A b.")
    assert server.requests[0].body["inputs"] == [["A b.", "C."]]


def test_a_judge_chunks_and_never_contradicts():
    passage = " ".join(f"Sentence number {n} of this passage says little." for n in range(80))
    with JsonServer(classifies) as server:
        judge = VerifierJudge(config(f"{server.url}/classify"))
        (verdict,) = judge.judge(Premise("c", passage), [Claim("a", "It says little.")]).verdicts
    assert verdict.label == "entailment"
    (request,) = server.requests
    assert len(request.body["input"]) > 2
    assert verdict.quote in passage
    assert len(verdict.quote) < len(passage) / 2


def test_refused_text_does_not_affect_others():
    def answer(request):
        if any(len(text) > 50 for (text,) in request.body["inputs"]):
            return Answer({"error": "`inputs` must have less than 512 tokens"}, 413)
        return predicts(request)

    with JsonServer(answer) as server:
        found = runtime(f"{server.url}/predict").scores(ASKED)
    assert [isinstance(row, Unscored) for row in found] == [False, False, True, False, False]
    assert found[2].kind == "ServedError"
    assert "status 413: " in found[2].message
    assert "less than 512 tokens" in found[2].message


def test_unreachable_server_fails_its_claims():
    judged = VerifierJudge(config("http://127.0.0.1:1/predict")).judge(Premise("c", "A."), [Claim("a", "B.")])
    assert [failure.error_type for failure in judged.failures] == ["ServedError"]
    assert "ConnectError" in judged.failures[0].message


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
def test_transient_status_is_retried(status):
    with JsonServer(steps(Answer({}, status), then=predicts)) as server:
        (row,) = runtime(f"{server.url}/predict").scores(ASKED[:1])
    assert (row.shape, len(server.requests)) == ((1, 2), 2)


def test_a_dead_server_is_waited_for_once():
    begun = time.monotonic()
    found = runtime("http://127.0.0.1:1/predict", patience=0.5, max_attempts=99).scores(ASKED)
    assert [row.kind for row in found] == ["ServedError"] * 5
    assert time.monotonic() - begun < 2.0


def test_broken_server_gets_one_request_per_text():
    with JsonServer(lambda request: Answer({}, 500)) as server:
        found = runtime(f"{server.url}/predict", max_attempts=3).scores(ASKED)
    assert ([row.kind for row in found], len(server.requests)) == (["ServedError"] * 5, 3 + 5)


@pytest.mark.parametrize("seconds", ["3600", "86400"])
def test_a_wait_beyond_the_patience_is_a_failure(seconds):
    with JsonServer(lambda request: Answer({}, 429, {"Retry-After": seconds})) as server:
        (found,) = runtime(f"{server.url}/predict", patience=1.0).scores(ASKED[:1])
    assert (found.kind, len(server.requests)) == ("ServedError", 1)


def test_an_answer_without_an_end_is_a_failure(monkeypatch):
    monkeypatch.setattr("factreasoner.judges.encoder.served.MOST_BYTES", 1000)
    with JsonServer(lambda request: Answer(b"[" * 5000)) as server:
        (found,) = runtime(f"{server.url}/predict", max_attempts=1).scores(ASKED[:1])
    assert found.kind == "ServedError"
    assert "more than 1000 bytes" in found.message


def row(**scores):
    return [[{"label": label, "score": score} for label, score in scores.items()]]


@pytest.mark.parametrize(
    ("path", "content", "message"),
    [
        ("/predict", b"<html>", "not the documented answer: invalid JSON"),
        ("/predict", {"error": "no"}, "not the documented answer: "),
        ("/predict", [], "0 answers to 1 texts"),
        ("/predict", row(LABEL_0=3.0, LABEL_1=-2.0), "are not prob"),
        ("/classify", {"data": [{"index": 0, "probs": [0.3, 0.3]}]}, "not probabilities that add up to 1"),
        ("/classify", {"data": [{"index": 0}]}, "not the documented answer: data.0.probs: missing"),
    ],
)
def test_invalid_served_answer_is_a_failure(path, content, message):
    with JsonServer(lambda request: Answer(content)) as server:
        (found,) = runtime(server.url + path).scores(ASKED[:1])
    assert found.kind == "UnusableReply"
    assert message in found.message


@pytest.mark.parametrize(
    ("path", "answer", "message"),
    [
        ("/predict", Answer(row(LABEL_0=1.0)), r"1 probabilities .* labels are 2 \(neutral, ent"),
        ("/classify", Answer({"data": [{"index": 0, "probs": [0.2, 0.3, 0.5]}]}), "3 probabilities per text"),
        ("/predict", Answer(row(joy=0.4, LABEL_0=0.6)), "label 'joy'"),
        ("/predict", Answer("not s3cret", 401), 'status 401: "not [^s]*"; FACTREASONER_VERIFIER_KEY holds'),
        ("/predict", Answer({}, 404), "status 404"),
    ],
)
def test_user_error_shows_no_key(path, answer, message, monkeypatch):
    monkeypatch.setenv(served.KEY_VARIABLE, "s3cret")
    with JsonServer(lambda request: answer) as server, pytest.raises(ConfigError, match=message):
        runtime(server.url + path).scores(ASKED[:1])


@pytest.mark.parametrize(
    ("verifier", "path", "message"),
    [
        ("nli", "/v1", "must end in /predict .* or /classify"),
        ("minicheck-flan-t5", "/predict", "has the head 'decoder_step'; run it here"),
        ("alignscore", "/classify", "accepts one text, but verifier 'alignscore' reads pairs"),
    ],
)
def test_unservable_verifier_is_refused(verifier, path, message):
    with pytest.raises(ConfigError, match=message):
        runtime(f"http://127.0.0.1:1{path}", verifier)


def test_connections_close_with_the_runtime():
    with JsonServer(predicts) as server:
        made = runtime(f"{server.url}/predict")
        made.scores(ASKED[:1])
        close = made.close
        assert close.alive
        del made
        gc.collect()
        assert not close.alive


def test_tokens_are_estimated():
    found = runtime("http://127.0.0.1:1/predict")
    assert found.starts("a river, internationalisation") == [0, 2, 6, 7, 9, 13, 17, 21, 25]
    assert found.taken(Texts("a river", "b")) == (3 + 2) + (1 + 2)


PASSAGE = Premise("c", "The library opens at nine.\nIt closes at five.")
OPENS = Claim("a", "It opens at nine.")


def said(word, yes, mass=1.0, form="word"):
    chances = {"answer": Chances(probabilities={"Yes": yes, "No": 1 - yes}, mass=mass)}
    return Reply(arguments={"answer": word}, form=form, chances=chances)


def asking(llm, **settings):
    given = {"judge": "verifier", "verifier": "bespoke-minicheck", "model": "m", "concurrency": 1} | settings
    return VerifierJudge(Config(**given), None, llm)


def test_a_language_model_gives_p_of_its_word():
    llm = ScriptedLLM([said("Yes", 0.96, 0.99), said("No", 0.2, 0.9)])
    yes, no = asking(llm).judge(PASSAGE, [OPENS, Claim("b", "It opens at ten.")]).verdicts
    assert (yes.label, yes.probability) == ("entailment", pytest.approx(0.96 * 0.99))
    assert (no.label, no.probability) == ("neutral", pytest.approx(1 - 0.2 * 0.9))
    assert llm.calls[0].logprobs


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(arguments={"answer": "Yes"}, form="word"), "NoLogprobs"),
        (said("Yes", 0.9, form="json_schema"), "AnotherForm"),
        (said("Yes", 0.9, mass=0.1), "LowMass"),
        (UnusableReplyError("prose"), "UnusableReplyError"),
    ],
)
def test_invalid_probability_is_a_failure(reply, kind):
    judged = asking(ScriptedLLM([reply])).judge(PASSAGE, [OPENS])
    assert [failure.error_type for failure in judged.failures] == [kind]


def test_missing_model_error_names_the_fix():
    with pytest.raises(ConfigError, match=r"'bespoke-minicheck' is a language model: add `model=NAME`"):
        asking(None, model=None)


def test_served_verifier_gets_its_template_only():
    top = [("Yes", math.log(0.7)), (" yes", math.log(0.1)), ("No", math.log(0.15)), ("The", math.log(0.02))]
    answer = Completion(content="Yes", tokens=[("Yes", top[0][1], top)])
    with FakeServer(lambda request: answer) as server:
        settings = {"model": "fake", "api_base": server.url, "cache": False, "atomizer": "rules"}
        settings |= {"judge": "verifier", "verifier": "bespoke-minicheck", "reviser": "none"}
        found = assess(OPENS.text, contexts=[PASSAGE.text], **settings)
    (verdict,) = found.outcome.verdicts
    assert (verdict.label, verdict.probability) == ("entailment", pytest.approx(0.8))
    (request,) = server.requests
    system, user = request.body["messages"]
    assert (system["role"], user["role"]) == ("system", "user")
    assert system["content"].startswith("Determine whether the provided claim is consistent with the")
    assert system["content"].endswith('by responding with either "Yes" or "No".')
    assert user["content"] == f"Document: {PASSAGE.text}\nClaim: {OPENS.text}"
    assert request.body["max_tokens"] == 2
    assert not {"tools", "response_format"} & request.body.keys()
