"""Solving again gives what a run with the other settings would have given; calibrations go with judges."""

import pytest

from factreasoner import ScriptedLLM, build_pipeline
from factreasoner.errors import ConfigError
from factreasoner.judges.calibration import UNCHANGED, Calibration, LabelOffsets
from factreasoner.models import Assessment, Atom, Context, Outcome, Record, Verdict
from factreasoner.pipeline.assembly import refuse_unasked_judge
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import rescore
from factreasoner.protocols import Judged
from factreasoner.solvers.exact import ExactSolver

PAGE = "https://x.example/bridge"
RECORD = Record(
    id="r",
    response="x",
    atoms=(Atom(id="a0", text="The bridge is red."), Atom(id="a1", text="It opened in 1931.")),
    contexts=(
        Context(id="c0", text="The bridge is painted red.", link=PAGE, summary="s", p_summary=0.9),
        Context(id="c1", text="Its opening was in 1931.", link=f"{PAGE}#history", summary="s", p_summary=0.5),
        Context(id="c2", text="Nothing of it.", dropped="irrelevant"),
        Context(id="c3", text="THE BRIDGE is painted red.", link="https://y.example/"),
    ),
)


def assessed(**settings):
    llm = ScriptedLLM(lambda prompt, schema: dict.fromkeys(schema.arguments, "True"))
    return build_pipeline(Config(model="scripted", **settings), llm=llm).assess(RECORD)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize(
    "change", [{"independence": True}, {"independence": False}, {"summary_prior": True}, {"atom_prior": 0.3}]
)
def test_rescored_run_equals_a_new_run(version, before, change):
    first = assessed(version=version, independence=before)
    config = Config(version=version, **({"independence": before} | change))
    again = rescore(first, ExactSolver(), config)
    wanted = assessed(version=version, **({"independence": before} | change))
    assert again.outcome == wanted.outcome
    assert again.status == "ok"


class DoubtfulJudge:
    """Says of each claim that it is entailed, with P of all labels."""

    def judge(self, premise, claims):
        p = {"True": 0.6, "False": 0.1, "Not clear": 0.3}
        said = {"context_id": premise.id, "label": "entailment", "probability": 0.6, "label_probabilities": p}
        return Judged(tuple(Verdict(target_id=claim.id, **said) for claim in claims), ())


@pytest.mark.parametrize("before", [UNCHANGED, LabelOffsets(temperature=0.3)])
@pytest.mark.parametrize(
    "then", [LabelOffsets(neutral=1.0), LabelOffsets(temperature=3.0, contradiction=None)]
)
def test_calibrating_later_equals_calibrating_at_once(tmp_path, before, then):
    def calibrated(name, offsets):
        file = tmp_path / name
        file.write_text(Calibration(verdicts=offsets).model_dump_json())
        config = Config(calibration=file)
        return build_pipeline(config, judge=DoubtfulJudge()).assess(RECORD), config

    (first, _), (wanted, config) = calibrated("before.json", before), calibrated("then.json", then)
    assert rescore(first, ExactSolver(), config).outcome == wanted.outcome
    assert first.outcome != wanted.outcome


def test_custom_assessor_cannot_be_calibrated(tmp_path):
    file = tmp_path / "c.json"
    file.write_text(Calibration(verdicts=LabelOffsets(temperature=2.0)).model_dump_json())
    own = assessed().model_copy(update={"assessor": "mine:Own"})
    own = own.model_copy(update={"outcome": Outcome(p_true={"a0": 0.7}, support={"a0": "supported"})})
    assert rescore(own, ExactSolver(), Config()) is own
    with pytest.raises(ConfigError, match="mine:Own keeps nothing to compute posteriors from"):
        rescore(own, ExactSolver(), Config(calibration=file))


def test_assessment_without_graph_is_returned_unchanged():
    nothing = Assessment(record_id="r", status="no_atoms", assessor="factreasoner")
    assert rescore(nothing, ExactSolver(), Config()) is nothing


def test_a_judges_calibration_is_no_prompted_assessors(tmp_path):
    path = tmp_path / "calibration.json"
    path.write_text(Calibration(verdicts=LabelOffsets(temperature=2.0)).model_dump_json())
    with pytest.raises(ConfigError, match="factscore uses no judge"):
        refuse_unasked_judge(Config(calibration=path, assessor="factscore", model="x"))
    refuse_unasked_judge(Config(calibration=path, assessor="factscore"))
