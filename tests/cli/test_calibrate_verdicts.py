"""`calibrate` by labelled pairs: fitted, applied to labels and probabilities, refused with the numbers."""

import json
import math
import random
import shutil

import pytest
from assessments import scored
from command import manifest_of, printed, verdicts_in, write_records
from run_folders import run_folder

from factreasoner.models import Atom, Context, Verdict

RECORDS = 12
RIGHT = ("entailment",) * 3 + ("contradiction",) + ("neutral",) * 6
VALUES = ("True", "False", "Not clear")
LABELS = ("entailment", "contradiction", "neutral")


def judged(number, **fields):
    """A record with a verdict on every atom by a model that says "True" far too often."""
    rng = random.Random(number)
    shares = []
    for right in RIGHT:
        scores = [rng.gauss(3.0 * (name == "entailment") + 2.5 * (name == right), 1.0) for name in LABELS]
        shares.append([math.exp(score) / sum(map(math.exp, scores)) for score in scores])
    return assessed(
        number, shares, "".join("S" if label == "entailment" else "N" for label in RIGHT), **fields
    )


def assessed(number, shares, gold, **fields):
    """A record of one passage, with P of the three labels and a person's label for each atom."""
    verdicts = [
        Verdict(
            context_id="c0",
            target_id=f"a{place}",
            label=LABELS[p.index(max(p))],
            probability=max(p),
            confidence="logprobs",
            **{"label_probabilities": dict(zip(VALUES, p, strict=True)), "label_mass": 0.97} | fields,
        )
        for place, p in enumerate(shares)
    ]
    return scored(verdicts, gold=gold, record_id=f"r{number}")


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory):
    return run_folder(tmp_path_factory.mktemp("calibrated") / "run", *map(judged, range(RECORDS)))


@pytest.fixture
def run(tmp_path, finished_run):
    return shutil.copytree(finished_run, tmp_path / "run")


LINES = [
    {"record": f"r{n}", "source": "c0", "target": f"a{i}", "label": label}
    for n in range(RECORDS)
    for i, label in enumerate(RIGHT)
]


@pytest.fixture
def relations(tmp_path):
    """What people say of the same pairs."""
    return write_records(tmp_path / "relations.jsonl", *LINES)


def test_a_temperature_and_two_offsets_are_fitted(factreasoner, run, relations, tmp_path):
    done = factreasoner("calibrate", run, "--relations", relations, "--out", "c.json", "--json")
    found = printed(done)
    assert found == json.loads((tmp_path / "c.json").read_text())
    assert found["verdicts"].keys() == {"temperature", "contradiction", "neutral"}
    assert found["verdicts"]["neutral"] > 1.0
    source = found["source"]["verdicts"]
    fit = source["fits"]["verdicts"]
    assert (fit["n"], fit["records"]) == (120, 12)
    assert fit["labels"] == {"entailment": 36, "contradiction": 12, "neutral": 72}
    said = [(v.label, RIGHT[i]) for n in range(RECORDS) for i, v in enumerate(judged(n).outcome.verdicts)]
    assert fit["before"]["accuracy"] == pytest.approx(sum(a == b for a, b in said) / 120)
    assert fit["before"]["recall_neutral"] == pytest.approx(said.count(("neutral", "neutral")) / 72)
    assert fit["after"]["accuracy"] > fit["before"]["accuracy"] + 0.2
    gain = fit["gain"]["log_loss"]
    assert gain["value"] == pytest.approx(fit["before"]["log_loss"] - fit["after"]["log_loss"])
    assert gain["interval_95"][0] <= gain["value"] <= gain["interval_95"][1]
    assert source["fits"]["atoms"]["n"] == 120
    assert "offsets depend on how often each label occurs" in done.stderr


def test_corrections_fit_like_labels_without_natural_rates(factreasoner, run, relations, tmp_path):
    by_labels = printed(factreasoner("calibrate", run, "--relations", relations, "--out", "a.json", "--json"))
    said = {(f"r{n}", v.target_id): v.label for n in range(RECORDS) for v in judged(n).outcome.verdicts}
    corrections = [
        {"record": line["record"], "task": "run", "premise": line["source"], "claim": line["target"]}
        | {"label": line["label"], "was": said[line["record"], line["target"]]}
        for line in LINES
    ]
    # what is right needs no line, but one for each record that was read
    kept = [line for line in corrections if line["label"] != line["was"] or line["claim"] == "a0"]
    assert len(kept) < len(corrections)
    file = write_records(tmp_path / "corrections.jsonl", *kept)
    done = factreasoner("calibrate", run, "--corrections", file, "--out", "b.json", "--json")
    assert printed(done)["verdicts"] == by_labels["verdicts"]
    assert "corrections do not follow natural rates: verdicts without one count as right" in done.stderr


RECORD_LINES = [
    {
        "id": f"r{n}",
        "output": "x",
        "atoms": [{"id": f"a{i}", "text": f"Statement {i}."} for i in range(len(RIGHT))],
        "contexts": [{"id": "c0", "text": "A passage."}],
    }
    for n in range(RECORDS)
]


def test_calibration_applies_and_keeps_original_verdicts(factreasoner, run, relations, tmp_path):
    factreasoner("calibrate", run, "--relations", relations, "--out", "c.json")
    data = write_records(tmp_path / "data.jsonl", *RECORD_LINES)
    flags = ("--judge", "recorded", "--relations", run, "--calibration", "c.json")
    factreasoner("run", data, "--out", "again", "--quiet", *flags)
    found, given = verdicts_in(tmp_path / "again"), verdicts_in(run)
    assert [v["uncalibrated_label"] for v in found] == [v["label"] for v in given]
    assert [v["uncalibrated"] for v in found] == [v["probability"] for v in given]
    right = [line["label"] for line in LINES]
    assert sum(v["label"] == label for v, label in zip(found, right, strict=True)) > 90
    assert all(
        v["label_probabilities"] == g["label_probabilities"] for v, g in zip(found, given, strict=True)
    )
    plain = ("--judge", "recorded", "--relations", "again")
    factreasoner("run", data, "--out", "plain", "--quiet", *plain)
    replayed = verdicts_in(tmp_path / "plain")
    assert [(v["label"], v["probability"]) for v in replayed] == [
        (v["label"], v["probability"]) for v in given
    ]


def judged_by_two_labels(number):
    """A record judged by a verifier that never contradicts, and says "entailed" far too often."""
    rng = random.Random(number)
    odds = [rng.gauss(4.0 if right == "entailment" else 1.0, 1.0) for right in RIGHT]
    shares = [(1 / (1 + math.exp(-one)), 0.0, 1 / (1 + math.exp(one))) for one in odds]
    return assessed(number, shares, "SSSNNNNNNN")


def test_verdicts_of_two_labels_are_calibrated(factreasoner, tmp_path, relations):
    run = run_folder(tmp_path / "two", *map(judged_by_two_labels, range(RECORDS)))
    done = factreasoner("calibrate", run, "--relations", relations, "--out", "c.json")
    assert "of neutral; fitted to 120 (36 entailment, 84 neutral) in 12 records" in done.stdout
    assert "of contradiction" not in done.stdout
    assert "the judge never contradicts: 12 labels of contradiction taken for neutral" in done.stderr
    fitted = json.loads((tmp_path / "c.json").read_text())
    assert fitted["verdicts"]["contradiction"] is None
    data = write_records(tmp_path / "data.jsonl", *RECORD_LINES)
    flags = ("--judge", "recorded", "--relations", run, "--calibration", "c.json")
    factreasoner("run", data, "--out", "again", "--quiet", *flags)
    found, given = verdicts_in(tmp_path / "again"), verdicts_in(run)
    right = ["entailment" if line["label"] == "entailment" else "neutral" for line in LINES]
    before, after = (
        sum(v["label"] == label for v, label in zip(verdicts, right, strict=True))
        for verdicts in (given, found)
    )
    assert (before < 70, after > 105) == (True, True)
    assert all(v["label"] in ("entailment", "neutral") and v["probability"] >= 0.5 for v in found)
    scored = printed(factreasoner("score", run, "--calibration", "c.json", "--json"))
    assert scored["calibration"]["file"].endswith("c.json")


def test_scores_before_use_the_given_labels(factreasoner, tmp_path, relations):
    """A verifier may say "entailed" only above a P of its own."""
    made = map(judged_by_two_labels, range(RECORDS))
    run = run_folder(tmp_path / "strict", *map(doubted, made))
    done = factreasoner("calibrate", run, "--relations", relations, "--out", "c.json", "--json")
    assert printed(done)["source"]["verdicts"]["fits"]["verdicts"]["before"]["accuracy"] == 84 / 120


def doubted(judged):
    """The same with all claims neutral, whatever their P."""
    verdicts = tuple(
        verdict.model_copy(update={"label": "neutral", "probability": verdict.p.neutral})
        for verdict in judged.outcome.verdicts
    )
    return judged.model_copy(update={"outcome": judged.outcome.model_copy(update={"verdicts": verdicts})})


@pytest.mark.parametrize(("label", "code"), [("contradiction", 0), ("neutral", 0), ("entailment", 1)])
def test_two_labels_need_5_pairs_of_each(factreasoner, tmp_path, label, code):
    run = run_folder(tmp_path / "two", *map(judged_by_two_labels, range(RECORDS)))
    lines = [line if line["label"] == "entailment" else {**line, "label": label} for line in LINES]
    file = write_records(tmp_path / "r.jsonl", *lines)
    done = factreasoner("calibrate", run, "--relations", file, "--out", "c.json", code=code)
    assert ("120 labelled pairs (120 entailment, 0 neutral) in 12 records" in done.stderr) is bool(code)


def test_worse_atoms_are_reported(factreasoner, tmp_path):
    """The passage half supports what is true and not what is false; people call both neutral."""
    shares = [(0.98, 0.01, 0.01), (0.01, 0.98, 0.01)] + [(0.6, 0.02, 0.38), (0.3, 0.02, 0.68)] * 4
    run = run_folder(tmp_path / "half", *(assessed(n, shares, "SN" * 5) for n in range(RECORDS)))
    labels = ["entailment", "contradiction"] + ["neutral"] * 8
    lines = [{**line, "label": labels[int(line["target"][1:])]} for line in LINES]
    relations = write_records(tmp_path / "r.jsonl", *lines)
    done = factreasoner("calibrate", run, "--relations", relations, "--out", "c.json")
    assert "atoms get worse though verdicts get better (Brier " in done.stderr


def refused(factreasoner, run, tmp_path, *flags):
    done = factreasoner("calibrate", run, *flags, "--out", "c.json", code=1)
    assert not (tmp_path / "c.json").exists()
    return done.stderr


OTHERS, AGAINST = ([line for line in LINES if (line["label"] == LABELS[1]) is it] for it in (False, True))


@pytest.mark.parametrize(
    ("too_few", "enough", "words"),
    [
        (LINES[:99], LINES[:100], "99 labelled pairs (30 entailment, 10 contradiction, 59 neutral) in 10"),
        (OTHERS + AGAINST[:4], OTHERS + AGAINST[:5], "(36 entailment, 4 contradiction, 72 neutral)"),
    ],
)
def test_too_few_labelled_pairs_are_refused(factreasoner, run, tmp_path, too_few, enough, words):
    file = write_records(tmp_path / "r.jsonl", *too_few)
    assert words in refused(factreasoner, run, tmp_path, "--relations", file)
    factreasoner("calibrate", run, "--relations", write_records(file, *enough), "--out", "c.json")


def test_labels_of_two_records_are_refused(factreasoner, tmp_path):
    run = run_folder(tmp_path / "two", *(assessed(n, [(0.6, 0.2, 0.2)] * 60, "S" * 60) for n in range(2)))
    lines = (
        LINES[0] | {"record": f"r{i % 2}", "target": f"a{i // 2}", "label": LABELS[i % 3]} for i in range(120)
    )
    file = write_records(tmp_path / "r.jsonl", *lines)
    told = "in 2 records; needed: 100, 5 of each label, in 3 records"
    assert told in refused(factreasoner, run, tmp_path, "--relations", file)


def test_label_counts_for_copied_passage(factreasoner, tmp_path):
    copies = {"contexts": tuple(Context(id=f"c{n}", text="A passage.") for n in range(2))}
    made = (judged(n).model_copy(update=copies) for n in range(RECORDS))
    run = run_folder(tmp_path / "copied", *made)
    file = write_records(tmp_path / "r.jsonl", *(line | {"source": "c1"} for line in LINES))
    done = factreasoner("calibrate", run, "--relations", file, "--out", "c.json", "--json")
    assert printed(done)["source"]["verdicts"]["counts"] == {"labelled": 120}


def test_other_run_verdicts_need_equal_texts(factreasoner, run, tmp_path):
    said = [[float(label == name) for name in LABELS] for label in RIGHT]
    right = (assessed(n, said, "-" * len(RIGHT)) for n in range(RECORDS))
    other = (
        one.model_copy(update={"atoms": (Atom(id="a0", text="Another one."), *one.atoms[1:])})
        for one in right
    )
    relations = run_folder(tmp_path / "other", *other)
    done = factreasoner("calibrate", run, "--relations", relations, "--out", "c.json")
    assert "108 verdicts have a label; excluded: 12 on other texts" in done.stderr


def test_verdicts_that_were_right_and_unsure_become_surer(factreasoner, tmp_path, relations):
    """No label changes, which is no loss; and nothing of a run that was cut off is passed over."""
    said = [[0.5 if label == name else 0.25 for name in LABELS] for label in RIGHT]
    made = (assessed(n, said, "-" * len(RIGHT)) for n in range(RECORDS))
    run = run_folder(tmp_path / "unsure", *made, finished=False)
    done = factreasoner("calibrate", run, "--relations", relations, "--out", "c.json")
    assert json.loads((tmp_path / "c.json").read_text())["verdicts"]["temperature"] < 0.5
    assert "the gain in macro-F1 may be chance" in done.stderr
    assert "the run may have been interrupted" in done.stderr


@pytest.mark.parametrize("fields", [{"label_probabilities": {}}, {"label_mass": 0.2}])
def test_verdicts_without_probabilities_teach_nothing(factreasoner, tmp_path, relations, fields):
    run = run_folder(tmp_path / "bare", *(judged(n, **fields) for n in range(RECORDS)))
    words = refused(factreasoner, run, tmp_path, "--relations", relations)
    assert "0 labelled pairs" in words
    assert "120 labelled verdicts lack the probabilities of the labels" in words


def test_relations_that_teach_nothing(factreasoner, run, tmp_path):
    line, file = LINES[0], tmp_path / "r.jsonl"
    words = refused(factreasoner, run, tmp_path, "--relations", write_records(file, line | {"record": "x"}))
    assert "no label on any of the 120 verdicts of this run (120 of other records)" in words
    assert "the file's records are 'x', the run's 'r0', 'r1', 'r10', ..." in words
    words = refused(factreasoner, run, tmp_path, "--relations", write_records(file, line | {"target": "a99"}))
    assert "110 of other records" in words
    assert "10 unlisted" in words
    words = refused(factreasoner, run, tmp_path, "--relations", write_records(file, {"record": "r0"}))
    assert "r.jsonl:1: source, target, label: missing; " in words


def test_unlisted_pairs_can_be_neutral(factreasoner, run, tmp_path):
    file = write_records(tmp_path / "r.jsonl", *(line for line in LINES if line["label"] != "neutral"))
    assert "0 neutral" in refused(factreasoner, run, tmp_path, "--relations", file)
    flags = ("--relations", file, "--unlisted", "neutral", "--out", "c.json")
    factreasoner("calibrate", run, *flags)


def test_other_prompt_or_form_is_reported(factreasoner, run, relations, tmp_path):
    asked = {"models": {"m": {"forms": {"one": {"form": "word"}}}}}
    manifest = manifest_of(run)
    (run / "manifest.json").write_text(json.dumps(manifest | asked))
    factreasoner("calibrate", run, "--relations", relations, "--out", "c.json")
    (told,) = factreasoner("score", run, "--calibration", "c.json", "--json").stderr.splitlines()
    assert told.startswith("c.json: fitted to the records of this run")
    fitted = json.loads((tmp_path / "c.json").read_text())
    assert fitted["source"]["verdicts"]["models"] == asked["models"]
    fitted["source"]["verdicts"] |= {"prompts": {"judge": "0000"}}
    fitted["source"]["verdicts"]["models"]["m"]["forms"]["one"]["form"] = "tool"
    (tmp_path / "c.json").write_text(json.dumps(fitted))
    done = factreasoner("score", run, "--calibration", "c.json", "--json")
    assert "another prompt 'judge' here, m asked as 'tool' there, as 'word' here" in done.stderr


def test_correct_verdicts_are_left_unchanged(factreasoner, tmp_path):
    shares = [(0.98, 0.01, 0.01), (0.01, 0.98, 0.01)] + [(0.01, 0.01, 0.98)] * 8
    run = run_folder(tmp_path / "right", *(assessed(n, shares, "SN" * 5) for n in range(RECORDS + 1)))
    labels = [("entailment", "contradiction", "neutral")[min(i, 2)] for i in range(10)]
    lines = [{**line, "label": labels[int(line["target"][1:])]} for line in LINES]
    lines[0]["label"] = "contradiction"
    lines[1]["label"] = "neutral"
    done = factreasoner(
        "calibrate", run, "--relations", write_records(tmp_path / "r.jsonl", *lines), "--out", "c.json"
    )
    assert "verdicts: no gain on held-out records: the file leaves them unchanged" in done.stderr
    assert "10 of other records" in done.stderr
