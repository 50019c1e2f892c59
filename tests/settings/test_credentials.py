"""A key in a setting is refused, and no message repeats it."""

import secrets
import string

import pytest

from factreasoner.errors import ConfigError
from factreasoner.settings import Config, parse_config
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


@pytest.mark.parametrize("field", ["api_key_env", "embedding_api_key_env", "verifier_api_key_env"])
@pytest.mark.parametrize("key", KEYS)
def test_a_key_in_the_place_of_its_variable(field, key):
    message = refusal(**{field: key})
    assert "put the key into the environment" in message
    assert key not in message


@pytest.mark.parametrize("name", NAMES)
def test_names_of_variables(name):
    assert Config(model="m", api_key_env=name).api_key_env == name


@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_random_keys_are_told(alphabet):
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
    "url",
    [
        "http://localhost:8000/v1",
        "https://x.openai.azure.com/openai?api-version=2024-10-21",
        "http://[::1]:8000",
        "https://gateway.example/v1/0123456789abcdef0123456789abcdef/openai?region=eu",
    ],
)
def test_other_urls(url):
    assert Config(model="m", api_base=url).api_base == url
