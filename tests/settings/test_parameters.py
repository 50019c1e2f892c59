"""Parameters that users add to a model's requests."""

import pytest

from factreasoner.errors import ConfigError
from factreasoner.settings import Config, load_settings


def test_values_are_json_where_they_can_be_read_as_that():
    given = ["num_ctx=8192", "stop_early=true", "effort=low", 'options={"a": [1]}', "note=a=b", "none=null"]
    assert Config(model="m", model_param=given).model_param == {
        "num_ctx": 8192,
        "stop_early": True,
        "effort": "low",
        "options": {"a": [1]},
        "note": "a=b",
        "none": None,
    }


def test_a_profile_gives_a_mapping(tmp_path):
    profile = tmp_path / "p.yaml"
    profile.write_text("model: m\nreasoning-effort: low\nmodel-param:\n  num_ctx: 8192\n")
    config = load_settings(profile)
    assert config.model_parameters == {"reasoning_effort": "low", "num_ctx": 8192}
    assert load_settings(profile, {"model_param": ["num_ctx=1"]}).model_param == {"num_ctx": 1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["num_ctx"], "write KEY=VALUE"),
        (["=3"], "write KEY=VALUE"),
        (["api_key=sk-abc"], "--api-key-env"),
        ({"extra_headers": {"Authorization": "x"}}, "--api-key-env"),
        (["aws_secret_access_key=x"], "--api-key-env"),
        (["temperature=1"], "--temperature"),
        (["max_completion_tokens=9"], "--max-tokens"),
        (["messages=[]"], "can't be set"),
        ({"x": float("nan")}, "no JSON"),
        ({"x": {1, 2}}, "no JSON"),
        ("num_ctx=1", "must be a mapping"),
    ],
)
def test_what_can_be_no_parameter_is_refused(given, message):
    with pytest.raises(ConfigError, match=message) as caught:
        load_settings(None, {"model": "m", "model_param": given})
    assert "sk-abc" not in str(caught.value)
