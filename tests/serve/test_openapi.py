"""The service keeps what its OpenAPI document says, whatever is sent."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_schema_conformance,
    status_code_conformance,
)
from service_scene import running

DESCRIBED = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
]


@pytest.fixture(scope="module")
def described():
    with running(judge="auto") as service:
        yield schemathesis.openapi.from_url(f"{service.url}/openapi.json")


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE], ids=lambda m: m.value)
@pytest.mark.parametrize("route", ["assess", "check", "verify", "rag", "recall"])
def test_every_reply_is_one_that_the_document_describes(described, route, mode):
    checks = [*DESCRIBED, negative_data_rejection] if mode is GenerationMode.NEGATIVE else DESCRIBED

    @settings(
        max_examples=20,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=described[f"/v1/{route}"]["POST"].as_strategy(generation_mode=mode))
    def replied(case):
        case.call_and_validate(checks=checks)

    replied()
