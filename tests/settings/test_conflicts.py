"""Settings that can't be had together are refused by name, with what to add or leave out."""

import pytest

from factreasoner.errors import ConfigError
from factreasoner.settings import Config, load_settings
from factreasoner.settings.conflicts import PARTS_BY_MODEL

RAY = {"executor": "ray"}
PROCESSES = {"executor": "processes"}


@pytest.mark.parametrize(
    ("values", "setting", "remedy"),
    [
        ({"further_models": ("b",)}, "further_models", "add --model NAME"),
        ({"model": ["a", "a"]}, "model", "named twice"),
        ({"model": ["a", "b"], "judge": "embedded"}, "model", "--judge embedded asks none"),
        ({"model": ["a", "b"], "assessor": "factscore"}, "model", "name one"),
        ({"model": ["a", "b"], "mode": "prompt-tf"}, "model", "name one"),
        (
            {"model": "m", "reasoning_effort": "low", "model_param": {"reasoning_effort": "high"}},
            "reasoning_effort",
            "leave one out",
        ),
        ({"api_base": "http://localhost:8000/v1"}, "api_base", "add --model NAME"),
        *[({part: "llm"}, part, "add --model NAME") for part in PARTS_BY_MODEL],
        ({"judge": "recorded"}, "judge", "add --relations"),
        ({"relations": "r.jsonl"}, "relations", "add --judge recorded"),
        ({"judge": "llm", "model": "m", "relations": "r.jsonl"}, "'llm'", "add --judge recorded"),
        ({"judge": "verifier"}, "judge", "add --verifier NAME"),
        ({"verifier_model": "m"}, "verifier_model", "add --judge verifier"),
        ({"verifier": "factcg", "model": "m"}, "verifier", "add --judge verifier"),
        ({"verifier_labels": "a,b", "judge": "embedded"}, "verifier_labels", "add --judge verifier"),
        ({"reviser": "inline"}, "reviser", "add --model NAME"),
        ({"reviser": "inline", "model": "m", "atomizer": "embedded"}, "reviser", "add --model NAME"),
        ({"reviser": "inline", "model": "m", "revise_given": True}, "reviser", "leave out --revise-given"),
        ({"ray_address": "auto"}, "ray_address", "--executor ray"),
        ({"workers": 2}, "workers", "add --executor processes"),
        (RAY | {"retriever": "given,wikipedia"}, "executor", "give its folder to the run on Ray"),
        (PROCESSES | {"model": "m"}, "executor", "leave it out"),
        (PROCESSES | {"retriever": "web"}, "executor", "leave it out"),
        (PROCESSES | {"max_cost": 1.0}, "max_cost", "leave out --executor processes"),
        ({"batch": "openai"}, "batch", "add --model NAME"),
        (RAY | {"batch": "openai", "model": "m"}, "batch", "leave out 'ray'"),
    ],
)
def test_a_conflict_names_the_setting_and_the_remedy(values, setting, remedy):
    with pytest.raises(ConfigError) as caught:
        load_settings(None, values)
    assert setting.replace("_", "-") in str(caught.value).replace("_", "-")
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        {"model": ["a", "b"]},
        {"reviser": "inline", "model": "m"},
        RAY | {"model": "m", "max_cost": 1.0, "ray_address": "auto"},
        PROCESSES | {"workers": 2, "judge": "nli", "verifier_model": "m"},
        {"api_base": "http://localhost:8000/v1", "model": "m"},
    ],
)
def test_settings_that_go_together_are_taken(values):
    assert isinstance(load_settings(None, values), Config)
