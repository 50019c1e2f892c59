"""What every task does unless it says otherwise."""

import pytest

from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rag.task import TASK


@pytest.mark.parametrize(
    ("status", "again"), [("ok", False), ("no_atoms", False), ("partial", True), ("failed", True)]
)
def test_what_failed_in_whole_or_part_is_worked_on_anew(status, again):
    assert TASK.to_repeat(RagResult(record_id="r", status=status)) is again
