"""Served verifiers: requests as TEI and vLLM document them, answers of every kind; and language models."""

import gc
import json
import math
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import numpy as np
import pytest
from fake_server import Completion, FakeServer

from factreasoner import assess
from factreasoner.errors import ConfigError, UnusableReplyError
from factreasoner.judges.encoder import VerifierJudge
from factreasoner.judges.encoder.adapter import Texts, adapter_of
from factreasoner.judges.encoder.runtime import Unscored
from factreasoner.judges.encoder.served import ServedRuntime
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Claim, Premise
from factreasoner.models.messages import Chances, Reply
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
    requests = []
    for where, body, key in seen:
        assert (where, key) == (path, "Bearer s3cret")
        if path == "/predict":
            assert body == {"inputs": body["inputs"], "truncate": False}
            requests.append([text for (text,) in body["inputs"]])
        else:
            assert body == {"input": body["input"], "model": "acme/minicheck"}
            requests.append(body["input"])
    assert sorted(requests) == sorted([ASKED[n].first for n in part] for part in ((1, 3), (4, 0), (2,)))


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
        ("/predict", b"<html>", "not the documented answer"),
        ("/predict", {"error": "no"}, "not the documented answer"),
        ("/predict", [], "0 answers to 1 texts"),
        (
            "/predict",
            [[{"label": "LABEL_0", "score": 3.0}, {"label": "LABEL_1", "score": -2.0}]],
            "are not prob",
        ),
        (
            "/classify",
            {"data": [{"index": 0, "probs": [0.3, 0.3]}]},
            "are not probabilities that add up to 1",
        ),
        ("/classify", {"data": [{"index": 0}]}, "not the documented answer"),
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


def test_its_connections_are_closed_when_it_is_no_longer_used():
    with serving(predicts) as (url, _):
        served = runtime(f"{url}/predict")
        served.scores(ASKED[:1])
        close = served.close
        assert close.alive
        del served
        gc.collect()
        assert not close.alive


def test_tokens_are_estimated():
    found = runtime("http://127.0.0.1:1/predict")
    assert found.starts("a river, internationalisation") == [0, 2, 6, 7, 9, 13, 17, 21, 25]
    assert found.taken(Texts("a river", "b")) == (3 + 2) + (1 + 2)


PASSAGE = Premise("c", "The library opens at nine.\nIt closes at five.")


def said(word, yes, mass=1.0, form="word"):
    chances = {"answer": Chances(probabilities={"Yes": yes, "No": 1 - yes}, mass=mass)}
    return Reply(arguments={"answer": word}, form=form, chances=chances)


def asking(llm, **settings):
    given = {"judge": "verifier", "verifier": "bespoke-minicheck", "model": "m", "concurrency": 1} | settings
    return VerifierJudge(Config(**given), None, llm)


def test_the_model_s_own_words_and_p_of_yes():
    llm = ScriptedLLM([said("Yes", 0.96, 0.99), said("No", 0.2, 0.9)])
    judged = asking(llm).judge(PASSAGE, [Claim("a", "It opens at nine."), Claim("b", "It opens at ten.")])
    yes, no = judged.verdicts
    assert (yes.label, yes.probability) == ("entailment", pytest.approx(0.96 * 0.99))
    assert (no.label, no.probability) == ("neutral", pytest.approx(1 - 0.2 * 0.9))
    first = llm.calls[0]
    assert first.prompt.user == f"Document: {PASSAGE.text}\nClaim: It opens at nine."
    assert first.prompt.system.startswith("Determine whether the provided claim is consistent with the")
    assert first.prompt.system.endswith('by responding with either "Yes" or "No".')
    assert first.prompt.examples == ()
    assert first.logprobs
    assert first.schema.properties["answer"]["enum"] == ["Yes", "No"]


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Reply(arguments={"answer": "Yes"}, form="word"), "NoLogprobs"),
        (said("Yes", 0.9, form="json_schema"), "AnotherForm"),
        (said("Yes", 0.9, mass=0.1), "LowMass"),
        (UnusableReplyError("prose"), "UnusableReplyError"),
    ],
)
def test_what_is_no_p_is_a_failure(reply, kind):
    judged = asking(ScriptedLLM([reply])).judge(PASSAGE, [Claim("a", "It opens at nine.")])
    assert [failure.error_type for failure in judged.failures] == [kind]


def test_without_a_model_the_remedy_is_named():
    with pytest.raises(ConfigError, match=r"'bespoke-minicheck' is a language model: add --model NAME"):
        asking(None, model=None)


def test_on_a_server_it_is_one_word_by_the_verifier_s_template_and_nothing_else(tmp_path):
    top = [("Yes", math.log(0.7)), (" yes", math.log(0.1)), ("No", math.log(0.15)), ("The", math.log(0.02))]
    answer = Completion(content="Yes", tokens=[("Yes", top[0][1], top)])
    with FakeServer(lambda request: answer) as server:
        found = assess(
            "It opens at nine.",
            contexts=[PASSAGE.text],
            judge="verifier",
            verifier="bespoke-minicheck",
            model="fake",
            api_base=server.url,
            atomizer="embedded",
            reviser="none",
            spacy_model="none",
            cache=False,
        )
    (verdict,) = found.outcome.verdicts
    assert (verdict.label, verdict.probability) == ("entailment", pytest.approx(0.8))
    (request,) = server.requests
    assert [message["role"] for message in request.body["messages"]] == ["system", "user"]
    system, user = (message["content"] for message in request.body["messages"])
    assert system.endswith('by responding with either "Yes" or "No".')
    assert user == f"Document: {PASSAGE.text}\nClaim: It opens at nine."
    assert request.body["max_tokens"] == 2
    assert not {"tools", "response_format"} & request.body.keys()
