"""The guardrail as the proxy calls it; tests/integration asks a real proxy."""

import held_judge
import pytest
from loops import run_apart

from factreasoner.llm import transport

transport.load()  # quiet and offline, and with its filters of warnings, for the tests after these too

from litellm.exceptions import GuardrailRaisedException

from factreasoner.errors import ConfigError
from factreasoner.integrations.litellm_guardrail import FactualityGuardrail

TRUE, FALSE = "The tower was built in 1889.", "The tower was built in 1898."
GIVEN = {"metadata": {"contexts": [TRUE]}}
TOLD = {"messages": [{"role": "user", "content": "When?"}, {"role": "tool", "content": TRUE}]}
IN_PARTS = {"messages": [{"role": "tool", "content": [{"type": "text", "text": TRUE}]}]}
EMBEDDED = {"settings": {"spacy_model": "none"}}
HELD = {"settings": {"judge": held_judge.HeldJudge, "spacy_model": "none"}}


def applied(text, request, *, input_type="response", **options):
    guardrail = FactualityGuardrail(guardrail_name="factuality", **EMBEDDED | options)
    inputs = {"texts": [text]}
    return run_apart(guardrail.apply_guardrail(inputs, dict(request), input_type)) == inputs


@pytest.mark.parametrize("request_data", [GIVEN, TOLD, IN_PARTS])
def test_an_answer_passes_where_its_claims_are_supported(request_data):
    assert applied(TRUE, request_data)
    with pytest.raises(
        GuardrailRaisedException, match=r"contradicted: The tower was built in 1898."
    ) as blocked:
        applied(FALSE, request_data)
    assert blocked.value.guardrail_name == "factuality"


def test_the_share_that_is_asked_for():
    both = f"{TRUE} {FALSE}"
    assert applied(both, GIVEN, min_precision=0.5)
    with pytest.raises(GuardrailRaisedException, match=r"precision 0\.500"):
        applied(both, GIVEN, min_precision=0.51)


def test_what_cannot_be_judged_is_blocked_and_no_claim_is_none():
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


@pytest.mark.parametrize("wrong", [{"on_missing_contexts": "maybe"}, {"min_precision": 80}])
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ConfigError, match=next(iter(wrong))):
        FactualityGuardrail(**wrong)


def test_settings_of_ours_are_held_to_their_names():
    with pytest.raises(ConfigError, match="did you mean 'judge'"):
        FactualityGuardrail(settings={"jugde": "llm"})
