"""Settings: precedence, and errors that say what to do."""

from pathlib import Path

import pytest

from factreasoner.errors import ConfigError
from factreasoner.settings import Config, load_config

PROFILES = sorted((Path(__file__).parents[2] / "configs").glob("*.yaml"))


@pytest.mark.parametrize("path", PROFILES, ids=lambda path: path.stem)
def test_every_profile_loads(path):
    needed = {"model": "openai/any"} if path.stem == "rag" else {}
    assert isinstance(load_config(path, needed), Config)


def test_profiles_exist():
    wanted = "fr1 fr2 fr3 factscore veriscore factverify embedded local-server"
    assert set(wanted.split()) <= {path.stem for path in PROFILES}


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"verison": 2}, ["verison", "did you mean 'version'?"]),
        ({"zzzzzz": 2}, ["zzzzzz", "known:", "atom_prior"]),
        ({"version": 4}, ["version: must be 1, 2 or 3"]),
        ({"atom_prior": 1.0}, ["atom_prior: must be a number above 0 and below 1"]),
        ({"k": 0}, ["k: must be a positive integer"]),
        ({"k": "mean"}, ["k: must be a positive integer, 'median' or 'half'"]),
        ({"wikipedia_url": "https://me:pw@wiki.example/api.php"}, ["wikipedia_url", "leave them out"]),
        ({"search_url": "https://search.example/?key=hush"}, ["search_url", "leave them out"]),
        ({"model": "m", "api_base": "http://me:pw@localhost/v1"}, ["api_base", "leave them out"]),
        ({"api_base": "localhost:8000/v1"}, ["api_base", "write http://localhost:8000/v1"]),
        ({"max_cost": -1}, ["max_cost: must be a number of at least 0"]),
        ({"temperature": "hot"}, ["temperature: must be a number from 0 to 2"]),
        ({"further_models": 3}, ["further_models: must be a list of texts"]),
        (
            {"judge": "recorded", "relations": "r.jsonl", "unlisted": "false"},
            ["unlisted: must be missing or neutral"],
        ),
        ({"calls": "many"}, ["calls: must be batched or single"]),
        ({"gamma": 0}, ["gamma"]),
    ],
)
def test_wrong_settings_name_the_key_and_the_remedy(values, words):
    with pytest.raises(ConfigError) as caught:
        load_config(None, values)
    assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_wrong_setting_beside_a_profile_is_not_blamed_on_the_profile(tmp_path):
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
        ("a: [", "YAML"),
        ("a: " + "[" * 2_000, "not valid YAML: nested too deeply"),
        ("1: 2\n", "mapping"),
        ("version: 1\nseed: 3\nversion: 2\n", "'version' stands twice: lines 1 and 3"),
        ("max-cost: 1\nmax_cost: 2\n", "'max_cost' stands twice"),
    ],
)
def test_a_file_that_is_no_profile(tmp_path, content, word):
    profile = tmp_path / "p.yaml"
    profile.write_text(content)
    with pytest.raises(ConfigError, match=word):
        load_config(profile)


def test_a_profile_that_is_missing_or_empty(tmp_path):
    with pytest.raises(ConfigError, match=r"nothing\.yaml"):
        load_config(tmp_path / "nothing.yaml")
    (tmp_path / "p.yaml").touch()
    assert load_config(tmp_path / "p.yaml") == Config()


@pytest.mark.parametrize(("model", "plugin"), [(None, "embedded"), ("openai/x", "llm")])
def test_auto_follows_the_model(model, plugin):
    config = Config(model=model)
    assert [config.plugin(kind) for kind in ("judge", "atomizer", "reviser")] == [plugin] * 3
