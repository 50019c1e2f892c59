"""What every task does unless it says otherwise, and how its worker's model is paid for."""

import pytest

from factreasoner import ScriptedLLM
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rag.task import TASK
from factreasoner.tasks.task import Calls


@pytest.mark.parametrize(
    ("status", "again"), [("ok", False), ("no_atoms", False), ("partial", True), ("failed", True)]
)
def test_what_failed_in_whole_or_part_is_worked_on_anew(status, again):
    assert TASK.to_repeat(RagResult(record_id="r", status=status)) is again


def test_parts_stand_beside_the_other_arguments():
    llm = ScriptedLLM(lambda prompt, schema: {})
    arguments = Calls(llm=llm, spent=0.5, parts={"judge": "mine"}).arguments()
    assert (arguments["llm"], arguments["spent"], arguments["judge"]) == (llm, 0.5, "mine")
    assert "parts" not in arguments
