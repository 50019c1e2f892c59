"""`calibrate`: fitted, applied, resumed, and refused with the numbers."""

import functools
import json
import random
import shutil

import pytest
from assessments import assessment, scored
from command import manifest_of, printed, results, summary_of, verdicts_in, write_records
from run_folders import run_folder

from factreasoner.analysis.posterior_fitting import calibrate_posteriors
from factreasoner.calibration.applying import Calibration
from factreasoner.calibration.calibrators import LabelOffsets
from factreasoner.models import Verdict
from factreasoner.runs.finished import FinishedRun
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK

RECORDS = 12


LABELS = ("entailment", "entailment", "contradiction", "neutral")
SAID = {"entailment": "True", "contradiction": "False", "neutral": "Not clear"}


@functools.cache
def judged(number):
    """A record of one context and an atom for each verdict; S and NS by a coin that the judge overrates."""
    coin = random.Random(number)
    verdicts, gold = [], ""
    for i, label in enumerate(LABELS):
        p = 0.8 + 0.15 * coin.random()
        shares = {name: p if name == SAID[label] else (1 - p) / 2 for name in SAID.values()}
        said = {"label": label, "probability": p, "label_probabilities": shares}
        verdicts.append(Verdict(context_id="c0", target_id=f"a{i}", **said))
        gold += "S" if right(number, i) == (label != "contradiction") else "N"
    return scored(verdicts, gold=gold, record_id=f"r{number}")


def right(number, i):
    """Whether the judge is right: every other time."""
    return random.Random(1000 * number + i).random() < 0.5


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    return run_folder(tmp_path_factory.mktemp("calibrated") / "run", *(judged(n) for n in range(RECORDS)))


@pytest.fixture
def run(tmp_path, finished_run):
    return shutil.copytree(finished_run, tmp_path / "run")


def test_what_a_person_reads(factreasoner, run, tmp_path, figures):
    done = factreasoner("calibrate", run, "--out", "c.json", "--method", "temperature")
    for words in ("posteriors: temperature", "fitted to 36 (", "Brier", "log loss", "ECE", "c.json, c.png"):
        assert words in done.stdout
    assert "nan" not in done.stdout.lower()
    assert all((tmp_path / f"c.{ending}").stat().st_size > 1000 for ending in ("png", "svg"))


def test_without_matplotlib_there_is_a_file_and_no_figure(factreasoner, run, tmp_path):
    done = factreasoner("calibrate", run, "--out", "c.json")
    assert "No figure: drawing figures needs an optional package" in done.stderr
    assert (tmp_path / "c.json").exists()
    assert not (tmp_path / "c.png").exists()


def test_posteriors_from_a_gold_file_with_a_method_and_a_seed_of_choice(factreasoner, run, tmp_path):
    lines = [
        {"record": f"r{n}", "atom": f"a{i}", "label": "S" if i % 2 else "NS"}
        for n in range(12)
        for i in range(4)
    ]
    gold = write_records(tmp_path / "gold.jsonl", *lines)
    flags = ("--gold", gold, "--method", "temperature", "--seed", 3)
    found = printed(factreasoner("calibrate", run, *flags, "--out", "c.json", "--json"))
    source = found["source"]["posteriors"]
    assert (found["posteriors"]["method"], source["seed"]) == ("temperature", 3)
    fit = source["fits"]["posteriors"]
    assert (fit["n"], fit["positives"]) == (36, 12)


def test_atoms_at_one_half_stay_there_and_teach_nothing(factreasoner, run, tmp_path, monkeypatch):
    done = factreasoner("calibrate", "run", "--out", "c.json", "--method", "platt")
    assert "12 labelled atoms at 0.5: they stay there, and the fit leaves them out" in done.stderr
    assert str(tmp_path) not in (tmp_path / "c.json").read_text()
    run = run.rename(tmp_path / "moved")
    monkeypatch.chdir(run)
    done = factreasoner("score", ".", "--calibration", "../c.json")
    assert done.stderr.count("c.json: its posteriors part was fitted to the records of this run") == 1
    assert factreasoner("score", ".", "--calibration", "../c.json", "--quiet").stderr == ""
    assert all(line["num_uniform_atoms"] >= 1 for line in results(run / "rescored"))


def test_a_comparison_names_the_calibration(factreasoner, run, tmp_path):
    fitted(run, tmp_path / "c.json")
    factreasoner("score", "run", "--calibration", "c.json", "--out", "scored")
    found = json.loads(factreasoner("compare", "run", "scored", "--json").stdout)
    assert found["differing_settings"] == {"calibration": {"run": "none", "scored": "c.json"}}


def test_what_crosses_one_half_is_told(factreasoner, tmp_path):
    golds = ["SSS", "SSS", "SSN", "SNS"] * 5
    made = [assessment([0.6, 0.55, 0.4], gold=gold, record_id=f"r{n}") for n, gold in enumerate(golds)]
    run = run_folder(tmp_path / "run", *made)
    done = factreasoner("calibrate", run, "--out", "c.json", "--method", "platt")
    assert "P of 20 of 60 labelled atoms crosses 1/2" in done.stderr
    assert "(macro-F1 held out 0.556 -> 0.455), " in " ".join(done.stderr.split())
    assert "macro-F1 0.556 0.455" in " ".join(done.stdout.split())
    done = factreasoner("calibrate", run, "--out", "c.json", "--method", "temperature")
    assert "crosses 1/2" not in done.stderr


def fitted(run, path, *, method="platt"):
    """Write the calibration that the command would, without its figures."""
    found = calibrate_posteriors(FinishedRun(run, TASK), None, method=method)
    path.write_text(found.model_dump_json())
    return path


DATA = [
    {
        "id": f"r{n}",
        "output": "x",
        "atoms": [{"id": f"a{i}", "text": f"Statement {i}.", "label": "S"} for i in range(4)],
        "contexts": [{"id": "c0", "text": "A passage."}],
    }
    for n in range(RECORDS)
]


def replay(factreasoner, tmp_path, *flags, **options):
    """A run over the same records whose verdicts are those of the first run."""
    data = write_records(tmp_path / "data.jsonl", *DATA)
    flags = ("--judge", "recorded", "--relations", tmp_path / "run", *flags)
    return factreasoner("run", data, "--out", "again", "--quiet", *flags, **options)


def offsets(path, temperature=1.0):
    """A file with a calibration of verdicts, as one that doubts what is said to be entailed."""
    verdicts = LabelOffsets(temperature=temperature, neutral=1.0)
    path.write_text(Calibration(verdicts=verdicts, source={"verdicts": {}}).model_dump_json())


def test_a_calibration_is_applied_told_and_guarded(factreasoner, run, tmp_path):
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
    assert "start over with --fresh" in done.stderr
    done = factreasoner("score", "again", code=1)
    assert "c.json (calibration) has changed since this run" in done.stderr
    factreasoner("score", "again", "--calibration", "c.json")


@pytest.mark.parametrize("part", ["verdicts", "posteriors"])
def test_a_score_is_what_a_run_would_have_been(factreasoner, run, tmp_path, part):
    make = offsets if part == "verdicts" else functools.partial(fitted, run)
    make(tmp_path / "c.json")
    replay(factreasoner, tmp_path, "--calibration", "c.json")
    told = factreasoner("score", run, "--calibration", "c.json").stdout
    assert "calibrated" in told
    assert (idle := "which leaves every probability as it is") not in told
    (tmp_path / "idle.json").write_text('{"posteriors": {"method": "identity"}}')
    told = factreasoner("score", run, "--calibration", "idle.json", "--out", "idle").stdout
    assert f"by idle.json, {idle}" in told

    def marginals(folder):
        return [(line["calibration"], line["avg_prob"], line["predictions"]) for line in results(folder)]

    assert marginals(run / "rescored") == marginals(tmp_path / "again")
    assert marginals(run / "rescored") != marginals(run)


def test_parts_are_fitted_one_on_the_other(factreasoner, run, tmp_path):
    offsets(tmp_path / "v.json")
    labelled = [
        {
            **line,
            "atoms": [
                {**a, "label": "S" if i < 2 or n % 4 == 0 else "NS"} for i, a in enumerate(line["atoms"])
            ],
        }
        for n, line in enumerate(DATA)
    ]
    data = write_records(tmp_path / "labelled.jsonl", *labelled)
    flags = ("--judge", "recorded", "--relations", run)
    factreasoner("run", data, "--out", "one", "-q", "--calibration", "v.json", *flags)
    done = factreasoner("calibrate", "one", "--out", "both.json", "--method", "platt", "--json")
    both = printed(done)
    assert "the run was calibrated by v.json" in done.stderr
    assert both["verdicts"] == json.loads((tmp_path / "v.json").read_text())["verdicts"]
    assert both["posteriors"] is not None
    assert set(both["source"]) == {"verdicts", "posteriors"}
    factreasoner("run", data, "--out", "two", "-q", "--calibration", "both.json", *flags)
    done = factreasoner("calibrate", "two", "--out", "x.json", code=1)
    assert "already calibrated by both.json" in done.stderr


def test_a_calibration_for_other_settings_is_told(factreasoner, run, tmp_path):
    fitted(run, tmp_path / "c.json")
    done = factreasoner("score", run, "--calibration", "c.json", "--atom-prior", 0.4)
    assert "its posteriors part was fitted for other settings: atom_prior 0.5 there, 0.4 here" in done.stderr


def test_where_nothing_helps_the_file_says_so(factreasoner, tmp_path):
    """In every record four of five atoms at .8 are S, and two of five at .4."""
    made = [
        assessment([0.8] * 5 + [0.4] * 5, gold="SSSSNSSNNN", record_id=f"r{number}") for number in range(8)
    ]
    run = run_folder(tmp_path / "calm", *made)
    done = factreasoner("calibrate", run, "--out", "c.json", "--json")
    found = printed(done)
    fit = found["source"]["posteriors"]["fits"]["posteriors"]
    assert fit["after"]["brier"] >= fit["before"]["brier"]
    assert found["posteriors"] == {"method": "identity"}
    assert "posteriors: no gain on held-out records (Brier 0." in done.stderr
    table = factreasoner("calibrate", run, "--out", "c.json").stdout
    assert "no interval: chance makes each of the two errors too large" in table


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--relations", "relations.jsonl", "--gold", "g"], "--relations and --gold"),
        (["--corrections", "c.jsonl", "--gold", "g"], "--corrections and --gold"),
        (["--corrections", "c.jsonl", "--relations", "r"], "--relations and --corrections"),
        (["--unlisted", "neutral"], "--unlisted: applies to --relations"),
        (["--relations", "r", "--method", "platt"], "--method: is about posteriors, and --relations fits"),
        (["--relations", "nothing.jsonl"], "nothing.jsonl: can't be read"),
        (["--gold", "nothing.jsonl"], "nothing.jsonl: can't be read"),
    ],
)
def test_flags_that_do_not_go_together(factreasoner, run, flags, words):
    assert words in factreasoner("calibrate", run, *flags, "--out", "c.json", code=1).stderr


def refused(factreasoner, run, tmp_path, *flags):
    done = factreasoner("calibrate", run, *flags, "--out", "c.json", code=1)
    assert "nan" not in (done.stdout + done.stderr).lower()
    assert not (tmp_path / "c.json").exists()
    return done.stderr


@pytest.mark.parametrize(
    ("made", "words"),
    [
        ([judged(0)], "3 with a known outcome (2 right, 1 wrong) in 1 record; it takes 20"),
        (
            [assessment([0.5, 0.5], gold="SN", record_id=f"r{n}") for n in range(20)],
            "all labelled atoms (40) are at 0.5",
        ),
        ([assessment([None], gold="S", record_id=f"r{n}") for n in range(20)], "no judged atom is labelled"),
    ],
)
def test_too_little_to_learn_from(factreasoner, tmp_path, made, words):
    run = run_folder(tmp_path / "run", *made)
    assert words in refused(factreasoner, run, tmp_path)


def test_a_prompted_run_has_no_verdicts(factreasoner, tmp_path):
    line = {"record": "r0", "source": "c0", "target": "a0", "label": "entailment"}
    relations = write_records(tmp_path / "relations.jsonl", line)
    made = [assessment([0.9], gold="S", record_id=f"r{n}", assessor="factscore") for n in range(3)]
    run = run_folder(tmp_path / "p", *made, config=Config(assessor="factscore"))
    assert "holds no verdict to calibrate" in refused(factreasoner, run, tmp_path, "--relations", relations)
