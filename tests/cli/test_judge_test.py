"""`doctor --judge-test` against servers that know the answers, are blind, or take one form alone."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from fake_server import FakeServer, Request, refusing

from factreasoner import cli
from factreasoner.judges.trial import calls_of, trial

ANSWERS = {"true": "True", "contradicted": "False", "silent": "Not clear"}


def value_of(truth: str, allowed: list[str]) -> str:
    return next(value for value in allowed if value.startswith(ANSWERS[truth]))


def knowing(request: Request) -> dict[str, Any]:
    """Reads passage and facts where a model would, and knows the verdicts."""
    passages = {premise.id for premise in trial().premises if premise.text in request.text}
    found = {}
    for name, prop in request.properties.items():
        fact = next(f for f in trial().facts if f.claim.text in prop["description"])
        truth = fact.truth if fact.premise_id in passages else "silent"
        found[name] = value_of(truth, prop["enum"])
    return found


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FACTREASONER_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")


def tried(server: FakeServer, *flags: str) -> int:
    return cli.execute(
        ["doctor", "--judge-test", "--model", "any", "--api-base", server.url, "--no-cache", *flags]
    )


def test_a_judge_is_asked_in_every_form_and_batch_and_advised(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(knowing) as server:
        assert tried(server) == 0
        forms = [request.form for request in server.requests]
    each = sum(calls_of(batch) for batch in (1, 8, 32))
    assert {form: forms.count(form) for form in set(forms)} == dict.fromkeys(
        ("tool", "json_schema", "json_object", "fenced"), each
    )
    out = capsys.readouterr().out
    assert out.count("1.00 [0.94, 1.00]") == 12
    assert "Advice: --form tool --atoms-per-call 32\n" in out


def test_forms_a_server_refuses_are_named_and_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(refusing({"tool", "json_object"}, knowing)) as server:
        assert tried(server) == 0
    out = capsys.readouterr().out
    assert "tool, 1 a call: not usable" in out
    assert "Advice: --form json_schema --atoms-per-call 32\n" in out


def test_a_blind_model_is_no_judge_and_said_so(capsys: pytest.CaptureFixture[str]) -> None:
    with FakeServer(lambda request: {n: p["enum"][0] for n, p in request.properties.items()}) as server:
        assert tried(server, "--form", "json_schema") == 1
    out = capsys.readouterr().out
    assert "BLIND" in out
    assert "can't be used as a judge" in out
    assert "Advice" not in out


def test_a_poor_judge_is_advised_to_reason_first(capsys: pytest.CaptureFixture[str]) -> None:
    def half(request: Request) -> dict[str, Any]:
        right = knowing(request)
        return {name: "False" if value.startswith("Not clear") else value for name, value in right.items()}

    with FakeServer(half) as server:
        assert tried(server, "--form", "tool") == 0
    out = capsys.readouterr().out
    assert "--mode tfn_reasoning" in out
    assert "silence" in out


def test_a_model_that_guesses_is_no_judge(capsys: pytest.CaptureFixture[str]) -> None:
    draw = random.Random(5)
    with FakeServer(
        lambda request: {name: draw.choice(p["enum"]) for name, p in request.properties.items()}
    ) as server:
        assert tried(server, "--form", "tool") == 1
    out = capsys.readouterr().out
    assert "hardly better than guessing" in " ".join(out.split())
    assert "Advice" not in out


@pytest.mark.parametrize("mode", ["tf", "tf_citation"])
def test_modes_in_which_silence_and_contradiction_are_one_are_refused(
    mode: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with FakeServer(knowing) as server:
        assert tried(server, "--mode", mode) == 1
        assert not server.calls
    assert "take --mode tfn" in capsys.readouterr().err


def test_without_a_model_there_is_nobody_to_ask(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.execute(["doctor", "--judge-test"]) == 1
    assert "add --model NAME" in capsys.readouterr().err
