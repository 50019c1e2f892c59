"""The System One form: its request, well-behaved servers, and hostile ones."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from factreasoner import rag
from factreasoner.errors import ConfigError
from factreasoner.judges.llm import LLMJudge
from factreasoner.judges.probe import cases, probe
from factreasoner.llm.client import LiteLLMClient
from factreasoner.models import Claim, Premise
from factreasoner.pipeline.config import Config

PREMISE = Premise("c0", "The mill opens at nine.", title="Mill")
CLAIMS = [Claim("a0", "It opens at nine."), Claim("a1", "It opens at ten.")]
TRUE = {"True": 0.7, "False": 0.1, "Not clear": 0.2}
GIVEN = {"model": "systemone/jev", "cache": False, "patience": 1.0, "max_attempts": 2, "atoms_per_call": 32}


def choice(p, **more):
    return {"type": "choice", "choice": max(p, key=p.get), "probabilities": p, "confidence": 0.01} | more


def well(body, p=TRUE):
    answers = {name: choice(p) for name in body["questions"]}
    return {"model": "jev-1", "answers": answers, "usage": {"input_tokens": 40, "output_tokens": 2}}


@pytest.fixture
def served():
    """Starts servers: `served(answer)` gives settings; `answer(body)` a body, or (status, headers, bytes)."""
    servers = []

    def start(answer, **settings):
        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.seen.append((self.path, body, dict(self.headers)))
                said = answer(body)
                status, headers, raw = (
                    said if isinstance(said, tuple) else (200, {}, json.dumps(said).encode())
                )
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(raw))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *args):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.seen = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        return Config(**GIVEN | {"api_base": url} | settings), server

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


def judged(config):
    return LLMJudge(LiteLLMClient(config), config).judge(PREMISE, CLAIMS)


def test_one_call_asks_all_facts_with_criteria(served, monkeypatch):
    monkeypatch.setenv("JEV_KEY", "secret-key-1")
    config, server = served(well, api_key_env="JEV_KEY", model_param={"top": 1})
    found = judged(config)
    ((path, body, headers),) = server.seen
    assert path == "/v1/systemone"
    assert headers["Authorization"] == "Bearer secret-key-1"
    assert body.keys() == {"model", "state", "questions", "top"}
    assert body["model"] == "jev"
    assert "The mill opens at nine." in body["state"]
    first = body["questions"]["fact_0"]
    assert (first["type"], list(first["criteria"])) == ("choice", ["True", "False", "Not clear"])
    assert first["criteria"]["True"].startswith("every part of the fact is stated")
    assert first["instructions"].endswith("It opens at nine.")
    assert [(v.label, v.probability, v.confidence) for v in found.verdicts] == 2 * [
        ("entailment", 0.7, "model")
    ]
    assert found.verdicts[0].label_probabilities == TRUE


@pytest.mark.parametrize(
    "settings", [{}, {"model": "jev", "form": "systemone"}, {"model": "openai/jev", "form": "systemone"}]
)
def test_the_form_is_found_by_name_or_set(served, settings):
    config, server = served(well, **settings)
    assert len(judged(config).verdicts) == 2
    assert [body["model"] for _, body, _ in server.seen] == ["jev"]
    assert "Authorization" not in server.seen[0][2]


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        "True",
        {"type": "choice", "choice": "True"},
        choice(TRUE, choice="False"),
        choice(TRUE, choice="Maybe"),
        choice({"True": 0.7, "False": 0.3}),
        choice(TRUE | {"Maybe": 0.0}),
        choice({"True": 0.9, "False": 0.9, "Not clear": 0.9}),
        choice({"True": 1.2, "False": -0.1, "Not clear": -0.1}),
        choice({"True": float("nan"), "False": 0.5, "Not clear": 0.5}),
        choice(TRUE) | {"probabilities": {"True": "0.7", "False": "0.1", "Not clear": "0.2"}},
        choice(TRUE) | {"probabilities": [0.7, 0.1, 0.2]},
    ],
)
def test_invalid_answer_fails_its_fact(served, wrong):
    def answer(body):
        said = well(body)
        asked = {name: q["instructions"] for name, q in body["questions"].items()}
        bad = [name for name, text in asked.items() if "ten" in text]
        return said | {"answers": said["answers"] | dict.fromkeys(bad, wrong) | {"fact_99": choice(TRUE)}}

    found = judged(served(answer)[0])
    assert [v.target_id for v in found.verdicts] == ["a0"]
    assert [f.item_id for f in found.failures] == ["c0->a1"]


@pytest.mark.parametrize(
    ("said", "error"),
    [
        ((200, {}, b"<html>login</html>"), "ProviderError"),
        ((200, {}, b""), "ProviderError"),
        ((200, {}, b'{"answers": [1]}'), "ProviderError"),
        ((200, {}, b'{"answers": {"fact_0": ' + b"[" * 5000), "ProviderError"),
        ((200, {}, b'{"x": "' + b"y" * 9_000_000 + b'"}'), "UnusableReplyError"),
        ((422, {}, b'{"detail": "questions: too many"}'), "ProviderError"),
        ((500, {}, b"oops"), "ProviderError"),
        ((429, {"Retry-After": "99"}, b"slow down"), "ProviderError"),
    ],
)
def test_useless_responses_are_failures(served, said, error):
    found = judged(served(lambda body: said)[0])
    assert {failure.error_type for failure in found.failures} == {error}
    assert len(found.failures) == 2
    if said[0] == 200 and error == "ProviderError":
        assert "check `api_base`" in found.failures[0].message


def test_of_equal_values_the_choice_counts(served):
    tie = {"True": 0.5, "False": 0.5, "Not clear": 0.0}

    def answer(body):
        said = well(body)
        return said | {"answers": {name: choice(tie, choice="False") for name in said["answers"]}}

    assert {v.label for v in judged(served(answer)[0]).verdicts} == {"contradiction"}


@pytest.mark.parametrize(("status", "remedy"), [(401, "key"), (404, "check `model` and `api_base`")])
def test_user_fixable_error_ends_the_run(served, status, remedy):
    config, _ = served(lambda body: (status, {}, b'{"error": {"message": "no"}}'))
    with pytest.raises(ConfigError, match=remedy):
        judged(config)


@pytest.mark.parametrize(
    ("status", "said"), [(503, b"busy"), (200, b'{"error": {"message": "model is loading", "code": 503}}')]
)
def test_a_passing_error_is_tried_again(served, status, said):
    answers = iter([(status, {}, said)])
    config, server = served(lambda body: next(answers, None) or well(body), patience=5.0)
    assert len(judged(config).verdicts) == 2
    assert len(server.seen) == 2


def test_odd_usage_and_names_change_no_verdict(served):
    for usage in ({"input_tokens": -5}, {"input_tokens": "many"}, [], None, {"output_tokens": 1e99}):
        config, _ = served(lambda body, usage=usage: well(body) | {"usage": usage, "model": 7})
        assert len(judged(config).verdicts) == 2


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"mode": "tfn_citation"}, "`mode='tf'` or tfn"),
        ({"confidence": "verbal"}, "without `confidence='verbal'`"),
        ({"confidence": "votes"}, "use `confidence='auto'`"),
        ({"api_base": None}, "`api_base=URL`"),
    ],
)
def test_unsupported_system_one_settings_are_refused(served, settings, remedy):
    config, server = served(well, **settings)
    with pytest.raises(ConfigError, match=remedy):
        judged(config)
    assert server.seen == []


def test_the_probe_takes_four_calls(served):
    known = {f.text: case.answers[f.id] for case in cases() for f in case.facts}

    def answer(body):
        said = {}
        for name, question in body["questions"].items():
            value = next(v for text, v in known.items() if question["instructions"].endswith(text))
            said[name] = choice({v: 0.8 if v == value else 0.1 for v in TRUE})
        return {"answers": said}

    config, server = served(answer)
    found = probe(LiteLLMClient(config), config)
    assert (found.facts_per_call, found.right, found.form, len(server.seen)) == (32, 32, "systemone", 4)


def test_rag_splits_by_rules_and_judges_by_model(served):
    config, server = served(well)
    settings = {"model": config.model, "api_base": config.api_base, "cache": False, "atoms_per_call": 32}
    scored = rag(
        "The mill opens at nine. It is old.", contexts=["The mill is old; it opens at nine."], **settings
    )
    assert scored.metrics["faithfulness"] == 1.0
    assert len(server.seen) == 1
