from __future__ import annotations

from pathlib import Path

import pytest

from factreasoner.calibration.applying import Calibration
from factreasoner.calibration.calibrators import LabelOffsets
from factreasoner.errors import ConfigError
from factreasoner.pipeline.assembly import refuse_unasked_judge
from factreasoner.settings import Config


def test_a_judges_calibration_is_no_prompted_assessors(tmp_path: Path) -> None:
    path = tmp_path / "calibration.json"
    path.write_text(Calibration(verdicts=LabelOffsets(temperature=2.0)).model_dump_json())
    with pytest.raises(ConfigError, match="factscore asks a model about atoms, not a judge"):
        refuse_unasked_judge(Config(calibration=path, assessor="factscore", model="x"))
    refuse_unasked_judge(Config(calibration=path, assessor="factscore"))
