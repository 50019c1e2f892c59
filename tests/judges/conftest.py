"""What tests of judges share."""

import pytest

from factreasoner.judges.embedded import EmbeddedJudge


@pytest.fixture(scope="module")
def judge() -> EmbeddedJudge:
    return EmbeddedJudge()
