"""Single values: no key gets into a setting or a message; parameters that users add to requests."""

import secrets
import string

import pytest

from factreasoner.errors import ConfigError
from factreasoner.pipeline.config import PARTS_BY_MODEL, Config
from factreasoner.pipeline.loading import load_settings, parse_config, unused
from factreasoner.settings.values import looks_like_a_key

KEYS = [
    "sk-proj-A1b2C3d4E5f6G7h8I9j0",
    "sk-ant-api03-q8Zr1",
    "gsk_9fT2kLmQ7xVb3nRw8sYd1cHj",
    "AIzaSyD3f9K2mN7pQ1rT5vX8zB4cE6gH0jL2oU",
    "hf_QwErTy1UiOpA2sDfGh3JkLzXc4VbNm",
    "0123456789abcdef0123456789abcdef",
    "abcdefabcdefabcdefabcdefabcdefabcdef",
    "key with spaces",
]
NAMES = ["OPENAI_API_KEY", "MY_KEY", "my_company_openai_key_2024", "K8S_TEAM2_LLM_KEY", "_x", "VLLM_KEY_1"]
ALPHABETS = [string.ascii_letters + string.digits, "0123456789abcdef"]


def refusal(**settings):
    with pytest.raises(ConfigError) as raised:
        parse_config({"model": "m", **settings}, "settings")
    return str(raised.value)


@pytest.mark.parametrize("field", ["api_key_env"])
@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_place_of_its_variable(field, key):
    message = refusal(**{field: key})
    assert "put the key into the environment" in message
    assert key not in message


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_random_keys_are_recognised(alphabet):
    for _ in range(200):
        assert looks_like_a_key("".join(secrets.choice(alphabet) for _ in range(40)))


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("https://x.example/v1?api_key=abc", "abc"),
        ("https://x.example/v1?v=1&subscription-key=abc", "abc"),
        ("https://x.example/v1?access_token=", "access_token"),
        ("https://x.example/v1?q=9fT2kLmQ7xVb3nRw8s", "9fT2"),
        ("https://x.example/v1#9fT2kLmQ7xVb3nRw8s", "9fT2"),
        ("https://me:word@x.example/v1", "word"),
        ("sk-proj-A1b2C3d4E5f6G7h8I9j0", "proj"),
        ("http://[::1", "::1"),
        ("//x.example?key=abc", "abc"),
    ],
)
@pytest.mark.parametrize("field", ["api_base", "embedding_api_base"])
def test_a_url_with_a_key(field, url, secret):
    message = refusal(**{field: url})
    assert secret not in message
    assert url not in message


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("api_key_env", name) for name in NAMES),
        ("api_base", "http://localhost:8000/v1"),
        ("api_base", "https://x.openai.azure.com/openai?api-version=2024-10-21"),
        ("api_base", "http://[::1]:8000"),
        ("api_base", "https://gateway.example/v1/0123456789abcdef0123456789abcdef/openai?region=eu"),
    ],
)
def test_names_of_variables_and_urls_without_a_key(field, value):
    assert getattr(Config(model="m", **{field: value}), field) == value


@pytest.mark.parametrize("value", ["mean", 0, "0", -1, True, "1.5", "²", "9" * 5000])
def test_k_is_a_positive_integer_or_a_word(value):
    assert "must be a positive integer, 'median' or 'half'" in refusal(k=value)


# Parameters of requests


def test_parameter_values_are_parsed_as_json():
    given = ["num_ctx=8192", "stop_early=true", "effort=low", 'options={"a": [1]}', "note=a=b", "none=null"]
    assert Config(model="m", model_param=given).model_param == {
        "num_ctx": 8192,
        "stop_early": True,
        "effort": "low",
        "options": {"a": [1]},
        "note": "a=b",
        "none": None,
    }


def test_a_profile_gives_a_mapping_of_parameters(tmp_path):
    profile = tmp_path / "p.yaml"
    profile.write_text("model: m\nmodel-param:\n  reasoning_effort: low\n  num_ctx: 8192\n")
    config = load_settings(profile)
    assert config.model_param == {"reasoning_effort": "low", "num_ctx": 8192}
    assert load_settings(profile, {"model_param": ["num_ctx=1"]}).model_param == {"num_ctx": 1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["num_ctx"], "write KEY=VALUE"),
        (["=3"], "write KEY=VALUE"),
        (["api_key=sk-abc"], "`api_key_env`"),
        ({"extra_headers": {"Authorization": "x"}}, "`api_key_env`"),
        (["aws_secret_access_key=x"], "`api_key_env`"),
        (["temperature=1"], "`temperature`"),
        (["max_completion_tokens=9"], "`max_tokens`"),
        (["messages=[]"], "can't be set"),
        ({"x": float("nan")}, "not JSON"),
        ({"x": {1, 2}}, "not JSON"),
        ("num_ctx=1", "must be a mapping"),
    ],
)
def test_parameters_that_requests_can_t_carry_are_refused(given, message):
    told = refusal(model_param=given)
    assert message in told
    assert "sk-abc" not in told


RAY = {"executor": "ray"}
PROCESSES = {"executor": "processes"}


@pytest.mark.parametrize(
    ("values", "setting", "remedy"),
    [
        ({"model": ["a", "a"]}, "model", "named twice"),
        ({"model": ["a", "b"], "judge": "verifier"}, "model", "remove `judge` or all models but"),
        ({"model": ["a", "b"], "assessor": "factscore"}, "model", "name only one"),
        ({"model": ["a", "b"], "mode": "prompt-tf"}, "model", "name only one"),
        ({"api_base": "http://localhost:8000/v1"}, "api_base", "add `model=NAME`"),
        *[({part: "llm"}, part, "add `model=NAME`") for part in PARTS_BY_MODEL],
        ({"judge": "recorded"}, "judge", "add `relations`"),
        ({"relations": "r.jsonl"}, "relations", "add `judge='recorded'`"),
        ({"judge": "llm", "model": "m", "relations": "r.jsonl"}, "'llm'", "add `judge='recorded'`"),
        ({"judge": "verifier", "verifier_model": "m"}, "verifier_model", "add `verifier=NAME`"),
        ({"judge": "embedded"}, "judge", "the bundled judge replaces it; remove it"),
        ({"prefilter": "words"}, "prefilter", "`bundled` replaces it"),
        ({"verifier": "factcg", "model": "m"}, "verifier", "add `judge='verifier'`"),
        ({"ray_address": "auto"}, "ray_address", "set the environment variable RAY_ADDRESS"),
        ({"workers": 2}, "workers", "add `executor='processes'`"),
        (RAY | {"retriever": "given, wikipedia"}, "executor", "Use `executor='threads'`"),
        (RAY | {"model": "m"}, "executor", "Use `executor='threads'`"),
        (RAY | {"max_cost": 1.0}, "max_cost", "remove `executor='ray'`"),
        ({"batch": "openai"}, "batch", "add `model=NAME`"),
        (RAY | {"batch": "openai", "model": "m"}, "batch", "remove it"),
    ],
)
def test_conflict_names_setting_and_fix(values, setting, remedy):
    with pytest.raises(ConfigError) as caught:
        load_settings(None, values)
    assert setting.replace("_", "-") in str(caught.value).replace("_", "-")
    assert remedy in str(caught.value)


@pytest.mark.parametrize(
    "values",
    [
        {"model": ["a", "b"]},
        RAY | {"workers": 2},
        PROCESSES | {"workers": 2, "judge": "verifier", "verifier": "nli", "verifier_model": "m"},
        {"api_base": "http://localhost:8000/v1", "model": "m"},
    ],
)
def test_settings_that_go_together_are_taken(values):
    assert isinstance(load_settings(None, values), Config)


def notes(**values):
    return unused(load_settings(None, values), values)


RECORDED = {"judge": "recorded", "relations": "r.jsonl"}


def test_model_unused_by_the_judge_is_noted():
    (told,) = notes(model="m", judge="verifier")
    assert told.startswith("`judge='verifier'` does not ask m: only other parts")
    assert notes(model="m") == notes(model="m", judge="own:Judge") == notes(judge="verifier") == []


def test_settings_unused_by_the_assessor_are_noted():
    told = "`assessor='factscore'` does not use `version=3`, `factors`."
    assert notes(assessor="factscore", version=3, factors="table1", k=5) == [told]
    assert notes(assessor="factreasoner", factors="table1", version=3) == []
    assert notes(assessor="own:Evaluator", factors="table1") == notes(assessor="veriscore", version=1) == []
