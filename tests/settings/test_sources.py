"""Where settings come from: precedence, and errors that say what to do."""

import re
from pathlib import Path

import pytest

from factreasoner import assess
from factreasoner.cli import execute
from factreasoner.errors import ConfigError
from factreasoner.integrations.pytest_plugin import Factuality
from factreasoner.integrations.scoring import Scoring
from factreasoner.models.formatting import in_python
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import load_settings, python_call
from factreasoner.report.terminal import in_flags
from factreasoner.settings.sources import warn_once

PROFILES = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))

load_config = python_call(load_settings)


@pytest.fixture
def set_variables(monkeypatch):
    return lambda **values: [monkeypatch.setenv(f"FACTREASONER_{k}", v) for k, v in values.items()]


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"verison": 2}, ["verison", "did you mean 'version'?"]),
        ({"zzzzzz": 2}, ["zzzzzz", ": atomizer, summarizer, workers"]),
        ({"version": 4}, ["version: must be 1, 2 or 3"]),
        ({"atom_prior": 1.0}, ["atom_prior: must be a number above 0 and below 1"]),
        ({"cache": "perhaps"}, ["cache: must be True or False"]),
        ({"wikipedia": "https://me:pw@wiki.example/api.php"}, ["wikipedia", "remove them"]),
        ({"wikipedia": "German"}, ["wikipedia: must be a language, such as de, or the URL"]),
        ({"search_url": "https://search.example/?key=hush"}, ["search_url", "remove them"]),
        ({"model": "m", "api_base": "http://me:pw@localhost/v1"}, ["api_base", "remove them"]),
        ({"api_base": "localhost:8000/v1"}, ["api_base", "write http://localhost:8000/v1"]),
        ({"max_cost": -1}, ["max_cost: must be a number of at least 0"]),
        ({"temperature": "hot"}, ["temperature: must be a number from 0 to 2"]),
        ({"model": 3}, ["model: must be a string or a list of strings"]),
        ({"judge": "recorded", "relations": "r", "unlisted": "false"}, ["unlisted: must be missing or"]),
        ({"gamma": 0}, ["gamma"]),
    ],
)
def test_wrong_settings_name_key_and_fix(values, words):
    with pytest.raises(ConfigError) as caught:
        load_config(None, values)
    assert all(word in str(caught.value) for word in words), str(caught.value)


@pytest.mark.parametrize(
    ("model", "plugin"), [(None, ["verifier", "rules", "rules"]), ("openai/x", ["llm"] * 3)]
)
def test_auto_follows_the_model(bundled_judge, model, plugin):
    config = Config(model=model)
    assert [config.plugin(kind) for kind in ("judge", "atomizer", "reviser")] == plugin


# Profiles


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_every_profile_loads(path):
    needed = {"model": "openai/any"} if path.stem == "rag" else {}
    assert isinstance(load_config(path, needed), Config)


def test_profiles_exist():
    wanted = "fr1 fr2 fr3 factscore veriscore factverify rules local-server"
    assert set(wanted.split()) <= {path.stem for path in PROFILES}


def test_wrong_setting_is_not_blamed_on_profile(tmp_path):
    profile = tmp_path / "p.yaml"
    profile.write_text("version: 9\nverison: 2\n")
    with pytest.raises(ConfigError) as caught:
        load_config(profile, {"atom_prior": 7})
    assert sorted(str(caught.value).splitlines()) == [
        f"{profile}: unknown setting 'verison'; did you mean 'version'?",
        f"{profile}: version: must be 1, 2 or 3",
        "atom_prior: must be a number above 0 and below 1",
    ]


@pytest.mark.parametrize(
    ("content", "word"),
    [
        ("- a\n- b\n", "mapping"),
        ("a: [", r"p\.yaml:1: column 5: not valid YAML: expected the node content"),
        (
            'a: 1\nb: "x\nc: 2\n',
            r":4: column 1: not valid YAML: .*end of stream \(in what begins in line 2\); wr",
        ),
        (
            "a: 1\nbc: \x01",
            r"p\.yaml:2: column 5: not valid YAML: the character U\+0001 is not allowed; write",
        ),
        ("a: " + "[" * 2_000, "not valid YAML: nested too deeply"),
        ("a: 2024-02-30", "a value can't be read .*; write dates and tags in quotes"),
        ("a: !!bool z", "a value can't be read .*; write dates and tags in quotes"),
        ("1: 2\n", "mapping"),
        ("model: é", r"p\.yaml: not UTF-8: .*; save it as UTF-8"),
        ("version: 1\nseed: 3\nversion: 2\n", "'version' appears twice: lines 1 and 3"),
        ("max-cost: 1\nmax_cost: 2\n", "'max_cost' appears twice"),
    ],
)
def test_a_file_that_is_not_a_profile(tmp_path, content, word):
    profile = tmp_path / "p.yaml"
    profile.write_bytes(content.encode("latin-1"))
    with pytest.raises(ConfigError, match=word) as caught:
        load_config(profile)
    assert "\n" not in str(caught.value)


def test_a_profile_that_is_missing_or_empty(tmp_path):
    with pytest.raises(ConfigError, match=r"nothing\.yaml: .*; name a YAML file of settings"):
        load_config(tmp_path / "nothing.yaml")
    (tmp_path / "p.yaml").touch()
    assert load_config(tmp_path / "p.yaml") == Config()


# The environment


def test_flags_override_environment_and_environment_profile(set_variables, tmp_path):
    profile = tmp_path / "p.yaml"
    profile.write_text("version: 3\natom-prior: 0.2\nmax_attempts: 9\n")
    set_variables(VERSION="1", ATOM_PRIOR="0.3", SEED="7")
    config = load_config(profile, {"version": 2, "max_attempts": None})
    assert (config.version, config.atom_prior, config.max_attempts, config.seed) == (2, 0.3, 9, 7)
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
    assert getattr(load_config(), key) == value


def test_several_models_judge(set_variables):
    set_variables(MODEL="openai/a,openai/b")
    assert load_config().judge_models == ("openai/a", "openai/b")


@pytest.mark.parametrize(
    ("variables", "message"),
    [
        ({"ATOM_PRIOR": "7"}, "FACTREASONER_ATOM_PRIOR: must be a number above 0 and below 1"),
        ({"VERSION": "x"}, "FACTREASONER_VERSION: must be 1, 2 or 3"),
        ({"VERSION": "9" * 5000}, "FACTREASONER_VERSION: must be 1, 2 or 3"),
        (
            {"JUDGE": "verifier", "VERIFIER_MODEL": "x"},
            "FACTREASONER_VERIFIER_MODEL: needs a verifier; add `verifier=NAME`",
        ),
        ({"MODEL_PARAM": "{"}, "FACTREASONER_MODEL_PARAM: '{' is not a parameter"),
        (
            {"API_KEY_ENV": "sk-proj-A1b2C3d4E5f6G7h8"},
            "FACTREASONER_API_KEY_ENV: not the name of an environment variable",
        ),
    ],
)
def test_an_error_names_the_variable(set_variables, variables, message):
    set_variables(**variables)
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        load_config()
    assert "sk-proj" not in str(caught.value)


def test_error_names_the_source_of_each_value(set_variables, tmp_path, capsys):
    profile = tmp_path / "p.yaml"
    profile.write_text("max_attempts: 0\n")
    set_variables(SEED="x")
    assert execute(["run", "x.jsonl", "--config", str(profile), "--atom-prior", "7"]) == 1
    told = capsys.readouterr().err
    assert f"{profile}: max_attempts: must be a whole number of at least 1" in told
    assert "FACTREASONER_SEED: must be a whole number" in told
    assert "--atom-prior: must be a number above 0 and below 1" in told


def test_variables_with_another_meaning_are_not_settings(set_variables):
    set_variables(API_BASE="http://localhost:1", DATA="d", CONTACT="c", DEBUG="1", INTEGRATION="1")
    assert load_config() == Config()


def test_unknown_variable_is_a_warning(set_variables, caplog):
    warn_once.cache_clear()
    set_variables(KEY="hush", MODLE="m", MAX_CSOT="1")
    assert load_config(None, {"api_key_env": "FACTREASONER_KEY"}).api_key_env == "FACTREASONER_KEY"
    said = [record.getMessage() for record in caplog.records]
    assert said == [
        f"FACTREASONER_{name}: no setting has this variable; did you mean 'FACTREASONER_{meant}'?"
        for name, meant in (("MAX_CSOT", "MAX_COST"), ("MODLE", "MODEL"))
    ]


# Keyword arguments


def test_keyword_arguments_go_before_the_environment(set_variables):
    set_variables(ATOM_PRIOR="0.9", JUDGE="verifier")
    given = {"contexts": ["The mill is in Wales."], "atoms": ["The moon is round."], "retriever": "given"}
    assert assess("The moon is round.", **given).p_true["a0"] == pytest.approx(0.9)
    assert assess("The moon is round.", **given, atom_prior=0.4).p_true["a0"] == pytest.approx(0.4)


def test_a_given_part_goes_before_the_environment(set_variables):
    class Silent:
        def judge(self, premise, claims):
            raise ConfigError("asked")

    set_variables(JUDGE="verifier")
    with pytest.raises(ConfigError, match="asked"):
        assess("The moon is round.", contexts=["It is."], judge=Silent())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: assess("x", quesiton="y"), "unknown setting 'quesiton'; did you mean 'input'?\nbesides"),
        (lambda: assess("x", context=["y"]), "unknown setting 'context'; did you mean 'contexts'?\nbesides"),
        (lambda: assess("x", versoin=3), "unknown setting 'versoin'; did you mean 'version'?\nbesides"),
        (lambda: assess("x", zzz="y"), "unknown setting 'zzz'\nbesides settings"),
        (lambda: assess("x", given="x"), "accepts output, input, contexts, topic, atoms, id, llm, config"),
        (
            lambda: Scoring(metrik="rag"),
            "did you mean 'metric'?\nbesides settings, this call accepts metric, llm",
        ),
        (lambda: Factuality({}).check("x", min_precison=1), "did you mean 'min_precision'?"),
        (
            lambda: assess("x", contexts=["y"], judge="verifier", verifier_model="m"),
            "verifier_model: needs a verifier; add `verifier=NAME`",
        ),
        (lambda: assess("x", contexts=["y"], workers=2), "number of threads; add `executor='processes'`"),
    ],
)
def test_errors_of_a_call_are_worded_for_python(call, message):
    with pytest.raises(ConfigError) as caught:
        call()
    assert message in str(caught.value)
    assert "--" not in str(caught.value)


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("(`column_map={'answer': 'output'}`)", "(--column-map answer=output)"),
        ("delete it, or use `cache=False`", "delete it, or use --no-cache"),
        ("use another `out`, or `fresh=True` to start over", "use another --out, or --fresh to start over"),
        ("add `judge='verifier'` or `model=NAME`", "add --judge verifier or --model NAME"),
        ("`patience=120` waits longer, `version=2`", "--patience 120 waits longer, --version 2"),
        ("`min=precision=0.8` or `gold=FILE`", "--min precision=0.8 or --gold FILE"),
        ("patience: must be a number",) * 2,
        ("(`column_map={'out put': 'output'}`)", "(--column-map 'out put=output')"),
        ("kept on disk; set `store`", "kept on disk; set --store"),
        ("c.yaml: patience: must be a number; of `run` and `name`",) * 2,
        ("fetch it with `factreasoner doctor --verifier-model m --download`",) * 2,
        ("isn't 'use `seed=4`, don\\'t', or \"`seed=4`\"",) * 2,
    ],
)
def test_messages_show_flags_on_the_command_line(message, shown):
    assert in_flags(message) == shown
    assert (
        in_flags(f"max_cost: {message}\nmodel: no", of_settings=True) == f"--max-cost: {shown}\n--model: no"
    )


@pytest.mark.parametrize(
    ("message", "shown"),
    [
        ("is null; it must be an object: {...}", "is None; it must be a dict"),
        (
            "is a list; it must be a string, or an object with a 'text'",
            "is a list; it must be a string, or a dict with a 'text'",
        ),
        ("must be true or false; write it or null", "must be True or False; write it or None"),
        ("my true run/null: not a run folder",) * 2,
        ("is 'null' of \"true\"; must be a mapping", "is 'null' of \"true\"; must be a dict"),
        ("can't be null, 'a null object', \"it's true\"", "can't be None, 'a null object', \"it's true\""),
    ],
)
def test_messages_have_the_words_of_python(message, shown):
    assert in_python(message) == shown
