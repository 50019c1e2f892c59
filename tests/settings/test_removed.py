"""What is gone says what replaces it, however it is given."""

import logging
import re

import pytest

from factreasoner import assess
from factreasoner.cli import execute
from factreasoner.errors import ConfigError
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import load_settings, stored_config
from factreasoner.report.terminal import in_flags
from factreasoner.settings.removed import REMOVED, removal_notice

SETTINGS = sorted(key for key in REMOVED if " " not in key)
PAIRS = sorted(key.partition(" ")[::2] for key in REMOVED if " " in key)
VALUES = [pair for pair in PAIRS if pair[0] in Config.model_fields]
FLAGS = [pair for pair in PAIRS if pair not in VALUES]


def test_removed_settings_do_not_exist():
    assert not set(SETTINGS) & Config.model_fields.keys()


def test_every_replacement_is_a_setting_that_is_there():
    named = {name for gone in REMOVED.values() for name in re.findall(r"`([a-z]+_[a-z_]+)`", gone.instead)}
    assert named <= Config.model_fields.keys()


@pytest.mark.parametrize("key", SETTINGS)
def test_a_removed_setting_is_named_however_given(key, monkeypatch, tmp_path, capsys):
    told, flag = f"removed: {REMOVED[key].instead}", f"--{key.replace('_', '-')}"
    (tmp_path / "p.yaml").write_text(f"{key}: 1\n")
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path / "p.yaml")
    assert str(caught.value) == f"{tmp_path}/p.yaml: {key}: {told}"
    with pytest.raises(ConfigError) as caught:
        assess("x", contexts=["y"], **{key: 1})
    assert str(caught.value).startswith(f"{key}: {told}")
    assert execute(["run", "x.jsonl", flag, "1"]) == 2
    assert capsys.readouterr().err == f"Error: {flag}: {in_flags(told)}\n"
    monkeypatch.setenv(f"FACTREASONER_{key.upper()}", "1")
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert str(caught.value) == f"FACTREASONER_{key.upper()}: {told}"


@pytest.mark.parametrize(("key", "value"), VALUES)
def test_a_removed_value_is_named_however_given(key, value, monkeypatch, tmp_path, capsys):
    told, flag = f"{value!r} was removed: {REMOVED[f'{key} {value}'].instead}", f"--{key}"
    flag = f"--{key.replace('_', '-')}"
    (tmp_path / "p.yaml").write_text(f"{key}: {value}\n")
    with pytest.raises(ConfigError) as caught:
        load_settings(tmp_path / "p.yaml")
    assert str(caught.value) == f"{tmp_path}/p.yaml: {key}: {told}"
    with pytest.raises(ConfigError) as caught:
        assess("x", contexts=["y"], **{key: value})
    assert str(caught.value) == f"{key}: {told}"
    for arguments in ([flag, value], [f"{flag}={value}"]):
        assert execute(["run", "x.jsonl", *arguments]) in (1, 2)
        assert capsys.readouterr().err == f"Error: {flag}: {in_flags(told)}\n"
    monkeypatch.setenv(f"FACTREASONER_{key.upper()}", value)
    with pytest.raises(ConfigError) as caught:
        load_settings()
    assert str(caught.value) == f"FACTREASONER_{key.upper()}: {told}"


@pytest.mark.parametrize(("command", "key"), FLAGS)
def test_removed_flag_of_a_command_is_named(command, key, capsys):
    flag = f"--{key.replace('_', '-')}"
    for arguments in (["x", flag, "1"], [f"{flag}=1", "x"]):
        assert execute([command, *arguments]) == 2
        told = f"removed: {REMOVED[f'{command} {key}'].instead}"
        assert capsys.readouterr().err == f"Error: {flag}: {in_flags(told)}\n"


def test_a_manifest_is_read_without_what_is_gone(caplog):
    kept = {"version": 3, **{key: REMOVED[key].default for key in SETTINGS}}
    with caplog.at_level(logging.WARNING):
        assert stored_config(kept, "m.json") == Config(version=3)
        assert caplog.messages == []
        assert stored_config(kept | {SETTINGS[0]: "x", "prefilter": "words"}, "m.json") == Config(version=3)
    assert caplog.messages == [
        f"m.json: {SETTINGS[0]}: {removal_notice(SETTINGS[0])}",
        "m.json: prefilter: 'words' was removed: `bundled` replaces it",
    ]
