"""The records of a finished run as input."""

import pytest
from assessments import assessment as judged
from run_folders import run_folder

from factreasoner.errors import InputError, InputProblem, RunError
from factreasoner.models import Atom, Context, Record
from factreasoner.runs.finished import PastRecords, record_of

ATOMS = (Atom(id="a0", text="One.", gold="S", span=(0, 4)),)
CONTEXTS = (Context(id="c0", text="A passage.", note="snippet", atom_ids=("a0",)),)


FIELDS = {"prompt": "Who?", "response": "One.", "topic": "Tea", "metadata": {"source": "x"}}


def assessment(record_id, status="ok", atoms=ATOMS, contexts=CONTEXTS):
    found = {"record_id": record_id, "status": status, "atoms": atoms, "contexts": contexts}
    return judged([0.9], **found, **FIELDS)


def folder(tmp_path, *assessments):
    return run_folder(tmp_path, *assessments, finished=False)


def past(path, fits=lambda record: [], **options):
    return PastRecords(path, fits=fits, **options)


def test_past_records_include_atoms_and_contexts(tmp_path):
    records = past(folder(tmp_path, assessment("r0"), assessment("r1", "no_atoms", (), ())))
    assert records.ids == ("r0", "r1")
    first, second = records.records()
    assert first == Record(id="r0", atoms=ATOMS, contexts=CONTEXTS, **FIELDS)
    assert second.atoms == ()
    assert record_of(assessment("r0")) == first


def test_record_failed_before_atoms_is_refused(tmp_path):
    path = folder(tmp_path, assessment("r0", "failed", (), ()), assessment("r1"), assessment("r2", "failed"))
    with pytest.raises(InputError, match=r"record r0: atoms: .*finish that run"):
        past(path)
    records = past(path, skip_invalid=True)
    assert records.ids == ("r1", "r2")
    assert len(records.problems) == 1


def test_misfit_record_is_named(tmp_path):
    path = folder(tmp_path, assessment("r0"))
    with pytest.raises(InputError, match=r"journal\.jsonl: record r0: contexts: no"):
        past(path, fits=lambda record: [InputProblem("", "contexts", "no")])
    with pytest.raises(InputError, match="no valid record is left"):
        past(path, fits=lambda record: [InputProblem("", "contexts", "no")], skip_invalid=True)


def test_shared_problem_is_reported_once(tmp_path):
    path = folder(tmp_path, *(assessment(f"r{number}") for number in range(3)))
    with pytest.raises(InputError, match=r"journal\.jsonl: record r0 and 2 more \(r1, r2\): contexts: no$"):
        past(path, fits=lambda record: [InputProblem("", "contexts", "no")])


def test_a_limit_takes_the_first(tmp_path):
    assert past(folder(tmp_path, assessment("r0"), assessment("r1")), limit=1).ids == ("r0",)


def test_a_run_that_assessed_nothing(tmp_path):
    with pytest.raises(RunError, match="no record has been assessed"):
        past(folder(tmp_path))
    with pytest.raises(RunError, match="not a run folder"):
        past(tmp_path / "nothing")
