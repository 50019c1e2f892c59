"""The cited answers: their wrong sentence, unknown source and uncited claim are found, without a model."""

import json
from pathlib import Path

import pytest

from factreasoner import verify
from factreasoner.corpus.documents import documents_of
from factreasoner.inputs.input import CheckedInput

EXAMPLES = Path(__file__).parents[2] / "examples"
RECORDS = {record.id: record for record in CheckedInput(EXAMPLES / "cited.jsonl").records()}


@pytest.fixture(params=["sentences", "parsed"])
def results(request):
    """Both answers verified, with claims that are sentences and with what the installed parser makes."""
    if request.param == "sentences":
        request.getfixturevalue("whole_sentences")
    return {
        name: verify(record.response, contexts=record.contexts, input=record.prompt)
        for name, record in RECORDS.items()
    }


def test_the_one_without_a_source_goes(results):
    result = results["skerry-point"]
    removed = [change.before for change in result.changes]
    assert "A hotel opened in the keepers' house in 2015 [5]." in removed
    assert [claim.text for claim in result.claims if claim.label == "uncited"] == [
        "The view is the finest of the whole coast."
    ]
    assert all(sentence not in result.corrected for sentence in removed)


def test_notes_links_and_raised_numbers_are_read(results):
    result = results["tidal-mill"]
    cited = {claim.cited for claim in result.claims}
    assert cited == {("c0",), ("c1",), ("c2",)}
    assert {claim.by for claim in result.claims if claim.cited == ("c0",)} == {"paragraph", "sentence"}
    assert "[is run by volunteers](https://example.org/mill/today)." in result.corrected


def test_the_files_are_the_first_record():
    record = RECORDS["skerry-point"]
    assert (EXAMPLES / "cited" / "answer.md").read_text(encoding="utf-8") == record.response
    for name, context in zip(("history.md", "light.txt", "visitors.html"), record.contexts, strict=True):
        (document,) = documents_of(EXAMPLES / "cited" / name)
        assert set(context.text.split()) <= set(document.text.split())


def test_the_profile_is_one():
    from factreasoner.pipeline.loading import load_settings

    config = load_settings(EXAMPLES.parent / "configs" / "verify.yaml")
    assert (config.uncited, config.rounds) == ("flag", 2)
    assert json.dumps(config.model_dump(mode="json"))
