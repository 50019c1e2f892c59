"""Keys: where they come from, where they are sent, and where they never appear."""

import logging
from dataclasses import replace

import pytest
from fake_server import obliging, server_error, unauthorized
from llm_scene import PROMPT, SCHEMA

from factreasoner.errors import ConfigError, ProviderError

KEY = "an-odd-looking-key-0123456789"


def authorization(server):
    return server.requests[-1].headers.get("authorization")


def test_the_named_key_is_sent(scene, monkeypatch):
    monkeypatch.setenv("MY_KEY", KEY)
    set_up = scene()
    set_up.client(api_key_env="MY_KEY").call(PROMPT, SCHEMA)
    assert authorization(set_up.server) == f"Bearer {KEY}"


@pytest.mark.parametrize("value", [None, "", "  "])
def test_a_named_key_that_is_not_there(scene, monkeypatch, value):
    monkeypatch.delenv("MY_KEY", raising=False)
    if value is not None:
        monkeypatch.setenv("MY_KEY", value)
    with pytest.raises(ConfigError, match="MY_KEY"):
        scene().client(api_key_env="MY_KEY")


def test_local_server_gets_no_key(scene, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    set_up = scene()
    assert set_up.client().call(PROMPT, SCHEMA).arguments
    assert KEY not in str(set_up.server.requests[-1].headers)


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (lambda request: unauthorized(), ConfigError),
        (lambda request: server_error(), ProviderError),
        (obliging, None),
    ],
    ids=["401", "500", "OK"],
)
def test_key_is_absent_from_errors_logs_and_cache(scene, monkeypatch, caplog, capfd, answer, error):
    monkeypatch.setenv("MY_KEY", KEY)

    def echo(request):
        made = answer(request)
        if isinstance(made, dict):
            return made
        return replace(made, body=made.body.replace(b"The", KEY.encode()).replace(b"sk-secr", KEY.encode()))

    set_up = scene(echo)
    client = set_up.client(api_key_env="MY_KEY", cache=True, max_attempts=2)
    caplog.set_level(logging.DEBUG)
    if error is None:
        client.call(PROMPT, SCHEMA)
    else:
        with pytest.raises(error) as caught:
            client.call(PROMPT, SCHEMA)
        told = caught.value
        while told is not None:
            assert KEY not in f"{told!s} {told!r}"
            told = told.__cause__ or told.__context__
    for handled in ("factreasoner", "LiteLLM"):
        assert not [r for r in caplog.records if r.name.startswith(handled) and KEY in r.getMessage()]
    printed = capfd.readouterr()
    assert KEY not in printed.out + printed.err
    for path in set_up.folder.iterdir():
        assert KEY.encode() not in path.read_bytes()
