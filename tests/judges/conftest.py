"""What tests of judges share."""

import pytest

from factreasoner.judges.overlap import OverlapJudge


@pytest.fixture(scope="module")
def judge() -> OverlapJudge:
    return OverlapJudge()
