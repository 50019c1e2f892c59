"""The guardrail as the proxy calls it; tests/integration asks a real proxy."""

import math

import held_judge
import pytest
from loops import run_apart

from factreasoner.llm import transport

transport.load()  # quiet and offline, and with its filters of warnings, for the tests after these too

from litellm.exceptions import GuardrailRaisedException
from litellm.types.guardrails import LitellmParams

from factreasoner.errors import ConfigError
from factreasoner.integrations.litellm_guardrail import FactualityGuardrail

TRUE, FALSE = "The tower was built in 1889.", "The tower was built in 1898."
GIVEN = {"metadata": {"contexts": [TRUE]}}
TOLD = {"messages": [{"role": "user", "content": "When?"}, {"role": "tool", "content": TRUE}]}
IN_PARTS = {"messages": [{"role": "tool", "content": [{"type": "text", "text": TRUE}]}]}
EMBEDDED = {"settings": {}}
HELD = {"settings": {"judge": held_judge.HeldJudge}}


def applied(text, request, *, input_type="response", **options):
    guardrail = FactualityGuardrail(guardrail_name="factuality", **EMBEDDED | options)
    inputs = {"texts": [text]}
    return run_apart(guardrail.apply_guardrail(inputs, dict(request), input_type)) == inputs


@pytest.mark.parametrize("request_data", [GIVEN, TOLD, IN_PARTS])
def test_answer_passes_if_claims_are_supported(request_data):
    assert applied(TRUE, request_data)
    with pytest.raises(
        GuardrailRaisedException, match=r"contradicted: The tower was built in 1898."
    ) as blocked:
        applied(FALSE, request_data)
    assert blocked.value.guardrail_name == "factuality"


def test_min_precision_sets_the_required_share():
    both = f"{TRUE} {FALSE}"
    assert applied(both, GIVEN, min_precision=0.5)
    with pytest.raises(GuardrailRaisedException, match=r"precision 0\.500"):
        applied(both, GIVEN, min_precision=0.51)


def test_unjudged_is_blocked_and_claimless_passes():
    assert applied("", GIVEN)
    for passage in ("fail", "partly"):
        with pytest.raises(GuardrailRaisedException):
            applied("It is tall. It is old.", {"metadata": {"contexts": [passage]}}, **HELD)
    with pytest.raises(GuardrailRaisedException, match="could not be judged"):
        applied(TRUE, {"metadata": {"contexts": [5]}})


def test_requests_without_contexts():
    assert applied(FALSE, {})
    assert applied(FALSE, {"metadata": None, "messages": [{"role": "user", "content": TRUE}]})
    with pytest.raises(GuardrailRaisedException, match="no contexts"):
        applied(TRUE, {}, on_missing_contexts="block")
    with pytest.raises(GuardrailRaisedException):  # given, and empty: nothing speaks for it
        applied(TRUE, {"metadata": {"contexts": []}})


def test_questions_pass_as_they_are():
    assert applied(FALSE, GIVEN, input_type="request")


def test_the_proxy_finds_what_it_looks_for():
    assert "apply_guardrail" in FactualityGuardrail.__dict__
    assert FactualityGuardrail().streaming_buffer_until_moderated is True


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"on_missing_contexts": "maybe"}, "on_missing_contexts: 'maybe'"),
        *(({"min_precision": value}, "min_precision: ") for value in (80, "0.8", True, None, math.nan)),
        ({"min_precison": 0.9}, "did you mean 'min_precision'"),
        ({"threshold_of_mine": 1}, "unknown setting 'threshold_of_mine'"),
        ({"model": "openai/gpt-4o-mini"}, "model: it belongs under `settings`"),
        ({"version": 3}, "version: it belongs under `settings`"),
        ({"settings": {"jugde": "llm"}}, "did you mean 'judge'"),
        ({"settings": {"version": "three"}}, "version: must be 1, 2 or 3"),
        ({"settings": {"timeout": "long"}}, "timeout: must be a number"),
        ({"settings": ["version"]}, "settings: "),
    ],
)
def test_wrong_settings_are_refused(wrong, words):
    with pytest.raises(ConfigError) as caught:
        FactualityGuardrail(**wrong)
    assert words in str(caught.value)


def test_the_proxys_own_settings_are_taken():
    given = LitellmParams(guardrail="x", mode="post_call", min_precision=0.5).model_dump(exclude_none=True)
    own = {key: value for key, value in given.items() if key not in ("guardrail", "mode", "default_on")}
    assert FactualityGuardrail(guardrail_name="f", event_hook="post_call", default_on=True, **own)


@pytest.mark.parametrize(
    ("contexts", "words"),
    [
        ({"text": TRUE}, "contexts: is a dict; it must be a list"),
        ([5], "contexts[0]: "),
        (5, "must be a list"),
    ],
)
def test_contexts_are_checked_as_everywhere(contexts, words):
    with pytest.raises(GuardrailRaisedException) as blocked:
        applied(TRUE, {"metadata": {"contexts": contexts}})
    assert words in str(blocked.value)
    assert applied(TRUE, {"metadata": {"contexts": [{"text": TRUE, "url": "https://x.example"}]}})
