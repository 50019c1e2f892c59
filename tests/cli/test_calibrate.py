"""`calibrate`'s file: applied, resumed, compared, and refused where it can't be made."""

import json
import random
import shutil

import pytest
from assessments import assessment, scored
from command import manifest_of, results, summary_of, verdicts_in, write_records
from run_folders import run_folder
from test_calibrate_verdicts import RECORD_LINES

from factreasoner.judges.calibration import Calibration, LabelOffsets
from factreasoner.models import Verdict
from factreasoner.pipeline.config import Config
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.factuality import TASK

RECORDS = 12
LABELS = ("entailment", "entailment", "contradiction", "neutral")
SAID = {"entailment": "True", "contradiction": "False", "neutral": "Not clear"}


def judged(number):
    """A record of one context, and an atom for each verdict."""
    coin = random.Random(number)
    verdicts = []
    for i, label in enumerate(LABELS):
        p = 0.8 + 0.15 * coin.random()
        shares = {name: p if name == SAID[label] else (1 - p) / 2 for name in SAID.values()}
        said = {"label": label, "probability": p, "label_probabilities": shares}
        verdicts.append(Verdict(context_id="c0", target_id=f"a{i}", **said))
    return scored(verdicts, gold="SSNN", record_id=f"r{number}")


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    return run_folder(tmp_path_factory.mktemp("calibrated") / "run", *(judged(n) for n in range(RECORDS)))


@pytest.fixture
def run(tmp_path, finished_run):
    return shutil.copytree(finished_run, tmp_path / "run")


def test_a_comparison_names_the_calibration(factreasoner, run, tmp_path):
    offsets(tmp_path / "c.json")
    factreasoner("score", "run", "--calibration", "c.json", "--out", "scored")
    found = json.loads(factreasoner("compare", "run", "scored", "--json").stdout)
    assert found["differing_settings"] == {"calibration": {"run": "none", "scored": "c.json"}}


def test_calibration_from_same_run_is_noted_once(factreasoner, run, tmp_path, monkeypatch):
    source = {"verdicts": {"run": FinishedRun(run, TASK).manifest.run_id}}
    calibration = Calibration(verdicts=LabelOffsets(neutral=1.0), source=source)
    (tmp_path / "c.json").write_text(calibration.model_dump_json())
    monkeypatch.chdir(run.rename(tmp_path / "moved"))
    done = factreasoner("score", ".", "--calibration", "../c.json")
    assert done.stderr.count("c.json: fitted to the records of this run") == 1
    assert factreasoner("score", ".", "--calibration", "../c.json", "--quiet").stderr == ""


DATA = [line | {"atoms": [atom | {"label": "S"} for atom in line["atoms"][:4]]} for line in RECORD_LINES]


def replay(factreasoner, tmp_path, *flags, **options):
    """A run over the same records whose verdicts are those of the first run."""
    data = write_records(tmp_path / "data.jsonl", *DATA)
    flags = ("--judge", "recorded", "--relations", tmp_path / "run", *flags)
    return factreasoner("run", data, "--out", "again", "--quiet", *flags, **options)


def offsets(path, temperature=1.0):
    """A file with a calibration of verdicts, as one that doubts what is said to be entailed."""
    verdicts = LabelOffsets(temperature=temperature, neutral=1.0)
    path.write_text(Calibration(verdicts=verdicts, source={"verdicts": {}}).model_dump_json())


def test_calibration_is_applied_reported_and_guarded(factreasoner, run, tmp_path):
    offsets(tmp_path / "c.json")
    done = replay(factreasoner, tmp_path, "--calibration", "c.json")
    summary = summary_of(tmp_path / "again")
    manifest = manifest_of(tmp_path / "again")
    assert summary["calibration"]["fingerprint"] == manifest["files"]["calibration"]
    first = verdicts_in(tmp_path / "again")[0]
    assert (first["target_id"], first["probability"] < first["uncalibrated"]) == ("a0", True)

    offsets(tmp_path / "c.json", temperature=3.0)
    done = replay(factreasoner, tmp_path, "--calibration", "c.json", code=1)
    assert "calibration: " in done.stderr
    assert "--fresh to start over" in done.stderr
    done = factreasoner("score", "again", code=1)
    assert "c.json (calibration) has changed since this run" in done.stderr
    factreasoner("score", "again", "--calibration", "c.json")


def test_score_equals_a_run_with_those_settings(factreasoner, run, tmp_path):
    offsets(tmp_path / "c.json")
    replay(factreasoner, tmp_path, "--calibration", "c.json")
    told = factreasoner("score", run, "--calibration", "c.json").stdout
    assert "calibrated" in told
    assert (idle := "which changes no probability") not in told
    (tmp_path / "idle.json").write_text("{}")
    told = factreasoner("score", run, "--calibration", "idle.json", "--out", "idle").stdout
    assert f"by idle.json, {idle}" in told

    def marginals(folder):
        return [(line["calibration"], line["avg_prob"], line["predictions"]) for line in results(folder)]

    assert marginals(run / "rescored") == marginals(tmp_path / "again")
    assert marginals(run / "rescored") != marginals(run)


@pytest.mark.parametrize("command", ["run", "score"])
def test_posteriors_of_a_file_are_refused(factreasoner, run, tmp_path, command):
    old = {"posteriors": {"method": "platt", "slope": 0.7, "intercept": -0.7}, "source": {"posteriors": {}}}
    (tmp_path / "c.json").write_text(json.dumps(old))
    if command == "run":
        done = replay(factreasoner, tmp_path, "--calibration", "c.json", code=1)
    else:
        done = factreasoner("score", run, "--calibration", "c.json", code=1)
    assert "posteriors: removed: calibrate the verdicts of a run" in done.stderr


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--corrections", "c.jsonl", "--relations", "r"], "--relations and --corrections"),
        (["--unlisted", "neutral"], "--unlisted: applies to --relations"),
        (["--relations", "nothing.jsonl"], "nothing.jsonl: can't be read"),
        ([], "no labels of verdicts to fit to: add --relations FILE or --corrections FILE"),
    ],
)
def test_flags_that_do_not_go_together(factreasoner, run, tmp_path, flags, words):
    assert words in factreasoner("calibrate", run, *flags, "--out", "c.json", code=1).stderr
    assert not (tmp_path / "c.json").exists()


def test_a_prompted_run_has_no_verdicts(factreasoner, tmp_path):
    line = {"record": "r0", "source": "c0", "target": "a0", "label": "entailment"}
    relations = write_records(tmp_path / "relations.jsonl", line)
    made = [assessment([0.9], gold="S", record_id=f"r{n}", assessor="factscore") for n in range(3)]
    run = run_folder(tmp_path / "p", *made, config=Config(assessor="factscore"))
    done = factreasoner("calibrate", run, "--relations", relations, "--out", "c.json", code=1)
    assert "holds no verdict to calibrate" in done.stderr
