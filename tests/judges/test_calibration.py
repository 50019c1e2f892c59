"""Calibrations applied to verdicts and judges; files that do not fit the settings, or are none, are told."""

import json
import math
from pathlib import Path

import pytest

from factreasoner import build_pipeline
from factreasoner.errors import InputError
from factreasoner.judges.calibration import (
    JUDGED_BY,
    UNCHANGED,
    CalibratedJudge,
    Calibration,
    LabelOffsets,
    calibrated_verdicts,
    calibration_fingerprint,
    calibration_notes,
    calibration_of,
    probabilities_of,
    settings_of,
)
from factreasoner.judges.encoder.model_files import bundled_fingerprint
from factreasoner.models import Claim, Failure, Premise, Verdict
from factreasoner.pipeline.config import Config
from factreasoner.protocols import Judged

THREE = {"True": 0.9, "False": 0.02, "Not clear": 0.08}
DOUBTFUL = LabelOffsets(neutral=3.0)
LOST = Failure(stage="judge", item_id="c0->a2", error_type="LLMError", message="lost")


def verdict(label="entailment", probability=0.9, **fields):
    return Verdict(context_id="c0", target_id="a0", label=label, probability=probability, **fields)


def written(tmp_path, **parts):
    path = tmp_path / "c.json"
    path.write_text(Calibration(**parts).model_dump_json())
    return path


class OneJudge:
    """Says the same of everything."""

    def judge(self, premise, claims):
        said = verdict(label_probabilities=THREE)
        return Judged(tuple(said.model_copy(update={"target_id": claim.id}) for claim in claims), (LOST,))


def test_calibrated_verdict_keeps_the_original_label():
    (found,) = calibrated_verdicts([verdict(label_probabilities=THREE)], DOUBTFUL)
    assert (found.label, found.uncalibrated_label, found.uncalibrated) == ("neutral", "entailment", 0.9)
    assert found.probability == pytest.approx(0.08 * math.exp(3) / (0.9 + 0.02 + 0.08 * math.exp(3)))
    assert found.label_probabilities == THREE


def test_recalibration_starts_from_original_verdicts():
    given = verdict(label_probabilities=THREE)
    once = calibrated_verdicts([given], DOUBTFUL)
    assert calibrated_verdicts(once, DOUBTFUL) == once
    assert calibrated_verdicts(once, UNCHANGED) == (given,)


def test_verdicts_without_probabilities_of_all_labels_stay():
    given = (verdict(), verdict(label_probabilities=THREE, label_mass=0.3))
    assert calibrated_verdicts(given, DOUBTFUL) == given


def test_a_calibrated_judge():
    judge = CalibratedJudge(OneJudge(), DOUBTFUL)
    found = judge.judge(Premise("c0", "x"), [Claim("a0", "y"), Claim("a1", "z")])
    assert [(v.target_id, v.label, v.uncalibrated_label) for v in found.verdicts] == [
        ("a0", "neutral", "entailment"),
        ("a1", "neutral", "entailment"),
    ]
    assert found.failures == (LOST,)


def test_a_changed_file_is_read_again(tmp_path):
    path = written(tmp_path, verdicts=DOUBTFUL)
    config = Config(calibration=path)
    before = calibration_fingerprint(path)
    assert calibration_of(config).verdicts == DOUBTFUL
    written(tmp_path, verdicts=UNCHANGED)
    assert calibration_of(config).verdicts == UNCHANGED
    assert calibration_fingerprint(path) != before


def test_calibration_settings_are_compared(tmp_path):
    fitted = {"judge": "llm", "model": "x", "mode": "tfn"}
    path = written(tmp_path, verdicts=DOUBTFUL, source={"verdicts": {"settings": fitted}})
    assert calibration_notes(Config(calibration=path, model="x")) == []
    (found,) = calibration_notes(Config(calibration=path, mode="tf"))
    assert (
        "judge 'llm' there, 'word_judge:WordJudge' here, model 'x' there, None here, mode 'tfn' there, "
        "'tf' here" in found
    )
    replayed = Config(calibration=path, judge="recorded", relations=Path("r.jsonl"))
    (found,) = calibration_notes(replayed)
    assert "fitted on verdicts of judge 'llm', and here judge is 'recorded'; check that one judge" in found
    path = written(tmp_path, verdicts=DOUBTFUL, source={"verdicts": {"run": "1a", "settings": fitted}})
    (found,) = calibration_notes(replayed, run="1a")
    assert "c.json: fitted to the records of this run" in found


def test_several_models_are_not_one_of_them(tmp_path):
    several = Config(model=("x", "y"))
    source = {"verdicts": {"settings": settings_of(several, JUDGED_BY)}}
    path = written(tmp_path, verdicts=DOUBTFUL, source=source)
    assert calibration_notes(several.model_copy(update={"calibration": path})) == []
    (found,) = calibration_notes(Config(calibration=path, model="x"))
    assert found.endswith("fitted for other settings: model ['x', 'y'] there, 'x' here")


def test_uncertain_gain_is_noted_on_use(tmp_path):
    noted = {"verdicts": {"may_be_chance": True}}
    path = written(tmp_path, verdicts=DOUBTFUL, source=noted)
    assert calibration_notes(Config(calibration=path)) == [f"{path}: the gain in macro-F1 may be chance"]
    path = written(tmp_path, source=noted)
    assert calibration_notes(Config(calibration=path)) == []


def test_calibration_on_its_own_run_is_noted(tmp_path):
    source = {"verdicts": {"run": "1a"}}
    path = written(tmp_path, verdicts=UNCHANGED, source=source)
    assert calibration_notes(Config(calibration=path), run="1a") == []
    path = written(tmp_path, verdicts=DOUBTFUL, source=source)
    assert len(calibration_notes(Config(calibration=path), run="1a")) == 1
    assert calibration_notes(Config(calibration=path), run="2b") == []


def test_calibration_for_other_weights_is_noted(tmp_path):
    here = bundled_fingerprint()
    source = {"verdicts": {"settings": {"judge": "verifier"}, "weights": "0" * 16}}
    path = written(tmp_path, verdicts=DOUBTFUL, source=source)
    config = Config(judge="verifier", calibration=path)
    assert calibration_notes(config) == [
        f"{path}: fitted for other settings: weights {'0' * 16!r} there, {here!r} here"
    ]
    source["verdicts"]["weights"] = here
    assert (
        calibration_notes(config.model_copy(update={"calibration": written(tmp_path, source=source)})) == []
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a calibration that `calibrate` writes: invalid JSON"),
        ("[]", "not a calibration"),
        (json.dumps({"graph": {"factors": "table1", "context_prior": 0.6}}), "graph: .*; make it again"),
        (json.dumps({"verdicts": {"entailment": {"slope": 1.0}}}), "verdicts.entailment"),
        (json.dumps({"verdicts": {"temperature": -1}}), "temperature: must be above 0"),
        (json.dumps({"prosteriors": None}), "prosteriors"),
    ],
)
def test_invalid_calibration_files_are_refused(tmp_path, text, words):
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError, match=words):
        calibration_of(Config(calibration=tmp_path / "c.json"))


def test_a_file_that_is_not_there(tmp_path):
    config = Config(calibration=tmp_path / "c.json")
    with pytest.raises(InputError, match="calibration: can't be read: No such file"):
        build_pipeline(config)
    with pytest.raises(InputError, match="can't be read"):
        calibration_fingerprint(tmp_path / "c.json")


@pytest.mark.parametrize(
    "posteriors",
    [
        {"method": "platt", "slope": 0.7, "intercept": -0.7},
        {"method": "temperature", "temperature": 2.0},
        {"method": "identity"},
    ],
)
@pytest.mark.parametrize("others", [{}, {"verdicts": {"neutral": 1.0}}])
def test_posteriors_are_refused_with_what_to_do(tmp_path, posteriors, others):
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"posteriors": posteriors} | others))
    words = "removed: calibrate the verdicts of a run, with `calibrate RUN --relations FILE`"
    with pytest.raises(InputError) as caught:
        calibration_of(Config(calibration=file))
    assert str(caught.value) == f"{file}: posteriors: {words}"


def test_a_file_of_earlier_verdicts_is_read(tmp_path):
    file = tmp_path / "c.json"
    file.write_text(json.dumps({"verdicts": DOUBTFUL.model_dump(), "posteriors": None, "source": {}}))
    assert calibration_of(Config(calibration=file)) == Calibration(verdicts=DOUBTFUL)
    assert "posteriors" not in calibration_of(Config(calibration=file)).model_dump()


def test_incomplete_or_small_mass_gives_no_probabilities():
    given = {"True": 0.7, "False": 0.2, "Not clear": 0.1}

    def of(**fields):
        return probabilities_of(verdict(probability=0.7, **{"label_probabilities": given} | fields))

    assert of(label_mass=0.5) == (0.7, 0.2, 0.1)
    assert of() == (0.7, 0.2, 0.1)
    assert of(label_mass=0.49) is None
    assert of(label_probabilities={"True": 0.8, "False": 0.2}) is None
    assert of(label_probabilities={}) is None
    assert of(confidence="corrected") is None
