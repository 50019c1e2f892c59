"""What errors mean, from status, headers and words alone."""

import time
from email.utils import formatdate

import httpx
import pytest

from factreasoner.llm.faults import LONGEST_WAIT, fault_of, retry_after_of, shown


class ProviderSaidError(Exception):
    """An error as a provider's library raises it."""

    def __init__(self, status, message="", **headers):
        super().__init__(message)
        self.status_code = status
        self.litellm_response_headers = httpx.Headers({k.replace("_", "-"): v for k, v in headers.items()})


class UnsupportedParamsError(ProviderSaidError):
    """litellm's own, raised before anything is sent."""


OPTIONAL = ("temperature", "max_tokens", "logprobs")


def fault(error, form="tool", optional=OPTIONAL, secret=None):
    return fault_of(error, form=form, optional=optional, secret=secret)


@pytest.mark.parametrize(
    ("status", "message", "kind"),
    [
        (429, "Rate limit reached", "retry"),
        (500, "oops", "retry"),
        (502, "<html>Bad gateway</html>", "retry"),
        (529, "overloaded", "retry"),
        (408, "late", "retry"),
        (409, "conflict", "retry"),
        (None, "Connection reset by peer", "retry"),
        (400, "bad", "final"),
        (413, "too large", "final"),
        (422, "unprocessable", "final"),
        (400, "content management policy triggered", "final"),
        (403, "Your input was flagged by moderation", "final"),
        (401, "no", "config"),
        (403, "forbidden", "config"),
        (404, "The model `x` does not exist", "config"),
        (400, "x is not a valid model ID", "config"),
        (400, "API key not valid. Please pass a valid API key.", "config"),
        (500, "Missing credentials. Please pass an `api_key`", "config"),
        (500, "No module named 'boto3'", "config"),
        (402, "Insufficient credits", "config"),
        (429, "insufficient_quota", "config"),
        (429, "You exceeded your current quota, check your plan and billing. Please retry in 12.5s", "retry"),
        (400, "'temperature' does not support 0", "parameter"),
        (400, "'max_tokens' is too large: 4096", "parameter"),
        (422, "logprobs: extra fields not permitted", "parameter"),
        (400, "`tools` is not supported", "form"),
        (400, "response_format.type must be text", "form"),
        (404, "No endpoints found that support tool use", "form"),
        (500, "tools param requires --jinja flag", "form"),
        (500, "tool worker crashed", "retry"),
        (400, "maximum context length is 10 tokens (5 in the functions)", "final"),
    ],
)
def test_kinds(status, message, kind):
    found = fault(ProviderSaidError(status, message))
    assert found.kind == kind
    assert (found.remedy != "") == (kind == "config")


@pytest.mark.parametrize("message", ["OpenAIException - Connection error.", "[Errno 111] Connection refused"])
def test_where_nobody_answers_the_invented_status_goes(message):
    found = fault(ProviderSaidError(500, message))
    assert (found.kind, found.status, found.remedy) == ("retry", None, "connection")


def test_a_form_is_not_refused_on_the_last_rung():
    assert fault(ProviderSaidError(400, "tools"), form="fenced").kind == "final"


def test_only_parameters_that_were_sent_can_be_refused():
    error = ProviderSaidError(400, "temperature and logprobs are not supported")
    assert fault(error).parameters == {"temperature", "logprobs"}
    assert fault(error, optional=("temperature",)).parameters == {"temperature"}
    assert fault(error, optional=()).kind == "final"


def test_what_the_library_itself_refuses():
    error = UnsupportedParamsError(400, "anthropic does not support parameters: ['logprobs', 'top_logprobs']")
    assert fault(error).parameters == {"logprobs"}
    assert fault(UnsupportedParamsError(400, "x does not support parameters: ['tools']")).kind == "form"


# Retry-After


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": " 0.5 "}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "2"}, 1.5),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-4"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_retry_after(headers, seconds):
    assert retry_after_of(headers) == seconds


def test_retry_after_as_a_date():
    wait = retry_after_of({"retry-after": formatdate(time.time() + 30, usegmt=True)})
    assert 25 < wait <= 30


@pytest.mark.parametrize(
    ("message", "seconds"),
    [
        ("Please try again in 1.2s.", 1.2),
        ("retry in 250ms", 0.25),
        ("try again in 6m0s", None),
        ("", None),
    ],
)
def test_a_wait_that_stands_in_words(message, seconds):
    assert retry_after_of({}, message) == seconds


def test_headers_are_found_where_the_library_keeps_them():
    assert fault(ProviderSaidError(429, "slow down", retry_after="7")).retry_after == 7.0
    plain = Exception("slow down")
    plain.status_code = 503
    plain.response = httpx.Response(503, headers={"Retry-After": "2"})
    assert fault(plain).retry_after == 2.0


def test_nobody_waits_for_hours():
    found = fault(ProviderSaidError(429, "daily limit", retry_after=str(LONGEST_WAIT + 1)))
    assert found.kind == "final"
    assert "asks to wait 301 s" in found.message


# What is shown


def test_keys_are_never_shown(monkeypatch):
    monkeypatch.setenv("SOME_VENDOR_API_KEY", "plain-words-as-a-key")
    monkeypatch.setenv("DB_PASSWORD", "hunter2hunter2")
    text = shown(
        "key plain-words-as-a-key, own-secret, sk-proj-abc_123*456, AIzaSyA1234567890, Bearer eyJhbGciOi, "
        "http://me:pw@host/v1?key=abc123 hunter2hunter2",
        secret="own-secret",
    )
    for secret in ("plain-words", "own-secret", "abc_123", "AIza", "eyJ", "me:pw", "abc123", "hunter2"):
        assert secret not in text
    assert "host/v1" in text


def test_messages_are_short_lines_without_a_traceback():
    text = shown("litellm.InternalServerError: InternalServerError: OpenAIException - bad\n  news\nTraceback "
                 "(most recent call last):\n  File x")  # fmt: skip
    assert text == "bad news"
    assert len(shown("x" * 5000)) == 300
    assert shown('AnthropicException - {"error": {"type": "x", "message": "no \\"such\\" thing"}}') == (
        'no \\"such\\" thing'
    )
