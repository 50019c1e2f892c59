"""Which claims are shown, in which order, and what is said of records without any."""

from assessments import assessment
from run_folders import append

from factreasoner.analysis.shown_claims import Wanted, shown_claims
from factreasoner.models import Assessment
from factreasoner.runs.finished import FinishedRun
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.labels import WithoutClaims


def finished(path, *results):
    folder = RunFolder(path, TASK)
    folder.start(Config(), {})
    append(folder, *results)
    folder.close()
    return FinishedRun(path, TASK)


def test_by_probability_equal_ones_stand_in_the_order_of_the_run(tmp_path):
    run = finished(
        tmp_path,
        assessment([0.9, 0.2], record_id="one"),
        assessment([0.2, 0.5, 0.1], record_id="two"),
    )
    rows = list(shown_claims(run, Wanted(), WithoutClaims(), by_p=True))
    assert [row.p_true for row in rows] == [0.1, 0.2, 0.2, 0.5, 0.9]
    assert [row.record for row in rows] == ["two", "one", "two", "two", "one"]
    assert list(shown_claims(run, Wanted(limit=2), WithoutClaims(), by_p=True)) == rows[:2]


def test_three_records_without_claims_are_named_and_more_are_counted(tmp_path):
    empty = (
        Assessment(record_id=f"r{n}", status="no_atoms", assessor="factreasoner", response=" ")
        for n in range(5)
    )
    without = WithoutClaims()
    assert list(shown_claims(finished(tmp_path, *empty), Wanted(), without)) == []
    assert without.said("atom") == "No atoms in 5 records: an empty answer (r0, r1, r2 and 2 more)."
