"""What is found of a record, in brief."""

from factreasoner.models import Atom, Context
from factreasoner.tasks.rag.result import RagResult


def test_only_what_was_there_is_counted():
    found = RagResult(record_id="q", status="ok", claims=(Atom(id="a", text="A."),), contexts=())
    assert found.in_brief() == ["claims of the answer: 1", "contexts: 0"]
    full = found.model_copy(update={"reference_claims": (), "contexts": (Context(id="c", text="x"),)})
    assert full.in_brief()[1:] == ["claims of the reference: 0", "contexts: 1"]
    assert RagResult.model_validate_json(full.model_dump_json()) == full
