"""A reader's corrections: checked against the run, applied to every task, and never to its journal."""

import json

import pytest
from assessments import scored
from run_folders import run_folder

from factreasoner import Run, recall
from factreasoner.errors import InputError, RunError
from factreasoner.judges.calibration import LabelOffsets, calibrated_verdicts
from factreasoner.models import Verdict
from factreasoner.pipeline.config import Config
from factreasoner.runs.corrections import MOST_PROBLEMS, Corrections
from factreasoner.runs.store import RunFolder
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import task_named

GOOD = {"record": "r1", "task": "run", "premise": "c0", "claim": "a0", "label": "contradiction"}
GOOD["was"] = "entailment"


@pytest.fixture
def folder(tmp_path):
    said = [
        Verdict(context_id="c0", target_id="a0", label="entailment", probability=0.9, quote="so"),
        Verdict(context_id="c0", target_id="a1", label="neutral", probability=0.8),
    ]
    return run_folder(tmp_path / "run", scored(said), config=Config(cache=False))


def corrections(folder, tmp_path, *lines):
    path = tmp_path / "corrections.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    opened = RunFolder.of_any_task(folder)
    return Corrections(path, opened)


def test_correction_decides_and_journal_is_unchanged(folder, tmp_path):
    corrections(folder, tmp_path, GOOD | {"note": "the year is another"})
    before = (folder / "journal.jsonl").read_bytes()
    judged = Run.open(folder).atoms().set_index("atom")
    corrected = Run.open(folder, corrections=tmp_path / "corrections.jsonl").atoms().set_index("atom")
    assert judged["label"]["a0"] == "supported"
    assert corrected["label"]["a0"] == "contradicted"
    # the context is believed at its prior of 0.9, and the verdict kept within 0.999: 0.9 * 0.001 + 0.1 * 0.5
    assert corrected["p_true"]["a0"] == pytest.approx(0.9 * 0.001 + 0.1 * 0.5, abs=1e-9)
    assert corrected["quote"].isna()["a0"]
    expected = "corrected by a reader; the judge gave entailment (0.90): the year is another"
    assert corrected["note"]["a0"] == expected
    assert corrected["p_true"]["a1"] == judged["p_true"]["a1"]
    assert (folder / "journal.jsonl").read_bytes() == before


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (GOOD | {"record": "r11"}, "1: record: .*no record 'r11'; did you mean 'r1'?"),
        (GOOD | {"claim": "a7"}, "1: premise: .*has no verdict of 'c0' on 'a7' in record 'r1'"),
        (GOOD | {"was": "neutral"}, "1: was: is 'neutral', but the run's verdict is 'entailment'"),
        (GOOD | {"task": "rag"}, "1: task: is 'rag', but this is a run of `run`"),
        (GOOD | {"label": "wrong"}, "1: label: .*a line is"),
        ({"record": "r1"}, "1: task, premise, claim, label, was: missing"),
        (GOOD | {"where": "page 3"}, "1: where: unknown key"),
        ("{nothing", "1: not JSON"),
        ("nothing", " no line of it is a JSON object; a line is"),
    ],
)
def test_a_line_that_matches_nothing_is_named(folder, tmp_path, line, message):
    with pytest.raises(InputError, match=r"corrections\.jsonl:" + message):
        corrections(folder, tmp_path, line)


def test_all_correction_problems_are_reported(folder, tmp_path):
    with pytest.raises(InputError) as caught:
        corrections(folder, tmp_path, GOOD, GOOD, GOOD | {"claim": "a7"})
    assert [problem.where.rpartition(":")[2] for problem in caught.value.problems] == ["2", "3"]
    assert "corrections.jsonl:1 corrects that verdict too" in caught.value.problems[0].message


def test_lookup_stops_after_enough_problems(folder, tmp_path, monkeypatch):
    looked_up = []

    def unknown(folder, record_id):
        looked_up.append(record_id)
        raise RunError("no such record")

    monkeypatch.setattr(RunFolder, "known_id", unknown)
    with pytest.raises(InputError, match="no such record"):
        corrections(folder, tmp_path, *(GOOD | {"record": f"x{n}"} for n in range(MOST_PROBLEMS + 50)))
    assert len(looked_up) == MOST_PROBLEMS


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_without_a_correction(folder, tmp_path, content):
    with pytest.raises(InputError, match="has no corrections"):
        corrections(folder, tmp_path, content)


def test_a_calibration_leaves_corrected_verdicts_alone(folder, tmp_path):
    found = corrections(folder, tmp_path, GOOD)
    opened = RunFolder(folder, TASK)
    (result,) = opened.results(["r1"])
    corrected = found.applied(result).outcome.verdicts
    again = calibrated_verdicts(corrected, LabelOffsets(neutral=9.0))
    assert [verdict.probability for verdict in again] == [1.0, 0.8]


def test_a_corrected_fact_counts(tmp_path):
    result = recall("It opened in 1932.", facts=["It opened in 1932.", "It is big and old."])
    first = result.verdicts[0]
    assert result.recall == 0.5
    wrong = first.model_copy(update={"label": "contradiction", "probability": 1.0})
    assert task_named("recall").with_verdicts(result, (wrong, *result.verdicts[1:])).recall == 0.0
