"""Settings from environment variables."""

import re

import pytest

from factreasoner import assess
from factreasoner.cli import execute
from factreasoner.errors import ConfigError
from factreasoner.settings import Config, load_config, load_settings


@pytest.fixture
def set_variables(monkeypatch):
    return lambda **values: [monkeypatch.setenv(f"FACTREASONER_{k}", v) for k, v in values.items()]


def test_flags_go_before_the_environment_the_environment_before_the_profile(set_variables, tmp_path):
    profile = tmp_path / "p.yaml"
    profile.write_text("version: 3\natom-prior: 0.2\nvotes: 9\n")
    set_variables(VERSION="1", ATOM_PRIOR="0.3", SEED="7")
    config = load_config(profile, {"version": 2, "votes": None})
    assert (config.version, config.atom_prior, config.votes, config.seed) == (2, 0.3, 9, 7)
    assert Config().seed == 0


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("version", "3", 3),
        ("cache", "false", False),
        ("max_cost", "1.5", 1.5),
        ("k", "5", 5),
        ("collection", "2024", "2024"),
        ("search_url", "https://search.example", "https://search.example"),
        ("allow_domains", "a.example, b.example", ("a.example", "b.example")),
        ("allow_domains", '["a.example"]', ("a.example",)),
        ("model_param", "num_ctx=8192,low=true", {"num_ctx": 8192, "low": True}),
        ("model_param", '{"stop_at": [1, 2]}', {"stop_at": [1, 2]}),
        ("max_cost", "", None),
    ],
)
def test_a_variable_gives_what_a_flag_would(set_variables, key, text, value):
    set_variables(**{key.upper(): text})
    assert getattr(load_settings(), key) == value


def test_several_models_judge(set_variables):
    set_variables(MODEL="openai/a,openai/b")
    assert load_settings().judge_models == ("openai/a", "openai/b")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        (
            {"MODLE": "m"},
            "FACTREASONER_MODLE: no setting has this variable; did you mean 'FACTREASONER_MODEL'?",
        ),
        ({"MAX_CSOT": "1"}, "did you mean 'FACTREASONER_MAX_COST'?"),
        ({"ATOM_PRIOR": "7"}, "FACTREASONER_ATOM_PRIOR: must be a number above 0 and below 1"),
        ({"VERSION": "x"}, "FACTREASONER_VERSION: must be 1, 2 or 3"),
        ({"JUDGE": "verifier"}, "FACTREASONER_JUDGE: 'verifier' needs to know which: add --verifier"),
        ({"MODEL_PARAM": "{"}, "FACTREASONER_MODEL_PARAM: '{' is no parameter"),
        (
            {"API_KEY_ENV": "sk-proj-A1b2C3d4E5f6G7h8"},
            "FACTREASONER_API_KEY_ENV: is no name of an environment",
        ),
    ],
)
def test_an_error_names_the_variable(set_variables, variables, message):
    set_variables(**variables)
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        load_settings()
    assert "sk-proj" not in str(caught.value)


def test_an_error_names_the_place_each_value_is_from(set_variables, tmp_path, capsys):
    profile = tmp_path / "p.yaml"
    profile.write_text("votes: 1\n")
    set_variables(SEED="x")
    assert execute(["run", "x.jsonl", "--config", str(profile), "--atom-prior", "7"]) == 1
    told = capsys.readouterr().err
    assert f"{profile}: votes: must be a whole number of at least 2" in told
    assert "FACTREASONER_SEED: must be a whole number" in told
    assert "--atom-prior: must be a number above 0 and below 1" in told


def test_variables_with_a_meaning_of_their_own_are_no_settings(set_variables):
    set_variables(API_BASE="http://localhost:1", DATA="d", CONTACT="c", DEBUG="1", INTEGRATION="1")
    assert load_settings() == Config()


def test_a_key_may_be_in_a_variable_of_ours_that_a_setting_names(set_variables, tmp_path):
    set_variables(KEY="hush")
    assert load_config(None, {"api_key_env": "FACTREASONER_KEY"}).api_key_env == "FACTREASONER_KEY"
    with pytest.raises(ConfigError, match="FACTREASONER_KEY: no setting") as caught:
        load_config()
    assert "hush" not in str(caught.value)


def test_keyword_arguments_go_before_the_environment(set_variables):
    set_variables(ATOM_PRIOR="0.9", JUDGE="embedded")
    given = {"contexts": ["The mill is in Wales."], "atoms": ["The moon is round."], "retriever": "given"}
    assert assess("The moon is round.", **given).p_true["a0"] == pytest.approx(0.9)
    assert assess("The moon is round.", **given, atom_prior=0.4).p_true["a0"] == pytest.approx(0.4)


def test_a_part_that_is_given_goes_before_the_environment(set_variables):
    class Silent:
        def judge(self, premise, claims):
            raise ConfigError("asked")

    set_variables(JUDGE="verifier")
    with pytest.raises(ConfigError, match="asked"):
        assess("The moon is round.", contexts=["It is."], judge=Silent())
