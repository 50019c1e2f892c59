"""Calibrations applied to judges, evaluators and settings; files that do not fit are refused."""

import json
import math
from pathlib import Path

import pytest

from factreasoner import ScriptedLLM, build_pipeline
from factreasoner.calibration.applying import (
    JUDGED_BY,
    CalibratedJudge,
    Calibration,
    calibrated_posteriors,
    calibrated_verdicts,
    calibration_fingerprint,
    calibration_of,
    misfits,
    settings_of,
)
from factreasoner.calibration.calibrators import UNCHANGED, Identity, LabelOffsets, Platt, Temperature
from factreasoner.errors import InputError
from factreasoner.models import Atom, Claim, Context, Failure, Outcome, Premise, Record, Verdict
from factreasoner.protocols import Judged
from factreasoner.settings import Config

LOWER = Platt(slope=1.0, intercept=-3.0)
THREE = {"True": 0.9, "False": 0.02, "Not clear": 0.08}
DOUBTFUL = LabelOffsets(neutral=3.0)
LOST = Failure(stage="judge", item_id="c0->a2", error_type="LLMError", message="lost")
RECORD = Record(
    id="r",
    response="x",
    atoms=(Atom(id="a0", text="The bridge is red."), Atom(id="a1", text="It opened in 1931.")),
    contexts=(Context(id="c0", text="The bridge is painted red."),),
)


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


def test_a_verdict_gets_another_label_and_keeps_what_the_judge_said():
    (found,) = calibrated_verdicts([verdict(label_probabilities=THREE)], DOUBTFUL)
    assert (found.label, found.uncalibrated_label, found.uncalibrated) == ("neutral", "entailment", 0.9)
    assert found.probability == pytest.approx(0.08 * math.exp(3) / (0.9 + 0.02 + 0.08 * math.exp(3)))
    assert found.label_probabilities == THREE


def test_what_was_calibrated_is_calibrated_anew_from_what_the_judge_gave():
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


def test_labels_follow_the_posteriors():
    outcome = Outcome(p_true={"a0": 0.9, "a1": 0.3}, support={"a0": "supported", "a1": "contradicted"})
    found = calibrated_posteriors(outcome, LOWER)
    assert found.p_true == {"a0": LOWER.apply(0.9), "a1": LOWER.apply(0.3)}
    assert found.support == {"a0": "unverified", "a1": "contradicted"}
    assert calibrated_posteriors(outcome, None) is outcome
    conflicting = Outcome(p_true={"a0": 0.5}, support={"a0": "conflicting"})
    assert calibrated_posteriors(conflicting, LOWER) == conflicting
    assert calibrated_posteriors(outcome, Temperature(temperature=3.0)).support == outcome.support


def assessed(path, **settings):
    llm = ScriptedLLM(lambda prompt, schema: dict.fromkeys(schema.arguments, "True"))
    config = Config(model="scripted", confidence="constant", calibration=path, **settings)
    return build_pipeline(config, llm=llm).assess(RECORD).outcome


def test_a_pipeline_applies_every_part(tmp_path):
    plain = assessed(None)
    posteriors = assessed(written(tmp_path, posteriors=LOWER))
    assert posteriors.p_true["a0"] == LOWER.apply(plain.p_true["a0"])
    assert posteriors.marginals == plain.marginals
    prompted = assessed(written(tmp_path, posteriors=LOWER), assessor="factscore")
    assert prompted.p_true["a0"] == LOWER.apply(assessed(None, assessor="factscore").p_true["a0"])


def test_a_changed_file_is_read_again(tmp_path):
    path = written(tmp_path, posteriors=LOWER)
    config = Config(calibration=path)
    before = calibration_fingerprint(path)
    assert calibration_of(config).posteriors == LOWER
    written(tmp_path, posteriors=Temperature(temperature=2.0))
    assert calibration_of(config).posteriors == Temperature(temperature=2.0)
    assert calibration_fingerprint(path) != before


def test_what_it_was_fitted_for_is_compared(tmp_path):
    fitted = {"judge": "llm", "model": "x", "version": 2}
    path = written(tmp_path, verdicts=DOUBTFUL, source={"verdicts": {"settings": fitted}})
    assert misfits(Config(calibration=path, model="x")) == []
    (found,) = misfits(Config(calibration=path, version=3))
    assert (
        "judge 'llm' there, 'word_judge:WordJudge' here, model 'x' there, None here, version 2 there, 3 here"
        in found
    )
    replayed = Config(calibration=path, judge="recorded", relations=Path("r.jsonl"))
    (found,) = misfits(replayed)
    assert "fitted on verdicts of judge 'llm', and here judge is 'recorded'; check that one judge" in found
    path = written(tmp_path, verdicts=DOUBTFUL, source={"verdicts": {"run": "1a", "settings": fitted}})
    (found,) = misfits(replayed, run="1a")
    assert "was fitted to the records of this run" in found


def test_several_models_are_not_one_of_them(tmp_path):
    several = Config(model="x", further_models=("y",))
    source = {"verdicts": {"settings": settings_of(several, JUDGED_BY)}}
    path = written(tmp_path, verdicts=DOUBTFUL, source=source)
    assert misfits(several.model_copy(update={"calibration": path})) == []
    (found,) = misfits(Config(calibration=path, model="x"))
    assert found.endswith("fitted for other settings: further_models ['y'] there, [] here")


def test_a_gain_that_may_be_chance_is_told_again(tmp_path):
    noted = {"verdicts": {"notes": ["3 left out", "verdicts: the gain in macro-F1 may be chance"]}}
    path = written(tmp_path, verdicts=DOUBTFUL, source=noted)
    assert misfits(Config(calibration=path)) == [f"{path}: verdicts: the gain in macro-F1 may be chance"]
    path = written(tmp_path, source=noted)
    assert misfits(Config(calibration=path)) == []


def test_only_a_part_that_changes_something_makes_scores_too_good(tmp_path):
    source = {"verdicts": {"run": "1a"}, "posteriors": {"run": "1a"}}
    path = written(tmp_path, verdicts=UNCHANGED, posteriors=Identity(), source=source)
    assert misfits(Config(calibration=path), run="1a") == []
    path = written(tmp_path, verdicts=DOUBTFUL, posteriors=LOWER, source=source)
    assert len(misfits(Config(calibration=path), run="1a")) == 2
    assert misfits(Config(calibration=path), run="2b") == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "not a calibration that `calibrate` writes: invalid JSON"),
        ("[]", "not a calibration"),
        (json.dumps({"graph": {"factors": "table1", "context_prior": 0.6}}), "graph: .*; make it again"),
        (json.dumps({"verdicts": {"entailment": LOWER.model_dump()}}), "verdicts.entailment"),
        (
            json.dumps({"posteriors": {"method": "temperature", "temperature": -1}}),
            "temperature: must be above 0",
        ),
        (json.dumps({"prosteriors": None}), "prosteriors"),
    ],
)
def test_files_that_are_none(tmp_path, text, words):
    (tmp_path / "c.json").write_text(text)
    with pytest.raises(InputError, match=words):
        calibration_of(Config(calibration=tmp_path / "c.json"))


def test_a_file_that_is_not_there(tmp_path):
    config = Config(calibration=tmp_path / "c.json")
    with pytest.raises(InputError, match="calibration: can't be read: No such file"):
        build_pipeline(config)
    with pytest.raises(InputError, match="can't be read"):
        calibration_fingerprint(tmp_path / "c.json")
