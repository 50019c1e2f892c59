"""Settings of judges."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Literal

from factreasoner.judges.encoder.settings import EncoderSettings
from factreasoner.plugins.table import PLUGINS
from factreasoner.settings.setting import setting

Unlisted = Literal["missing", "neutral"]
Prefilter = Literal["none", "bundled"]
_assessor = partial(setting, "Assessor")
_judging = partial(setting, "Judging")


class JudgeSettings(EncoderSettings):
    """Settings of the judge."""

    judge: str = _assessor(
        "auto",
        f"Source of verdicts: auto, {', '.join(PLUGINS['judge'])} or package.module:Class. (default: llm "
        "with a model, else verifier)",
        common=True,
        once="give one; several models judge together by --model A --model B",
    )
    relations: Path | None = _assessor(
        None,
        "Verdicts of the recorded judge: JSONL, or an earlier run's folder.",
        affects="calls",
        common=True,
    )
    unlisted: Unlisted = _assessor(
        "missing",
        "Label of pairs that the relations do not list, in records they name; missing: a failure.",
    )
    atoms_per_call: int | None = _judging(
        None, "Atoms per call. (default: what a probe shows the model can handle)", ge=1
    )
    coherence: bool = _judging(
        False, "Report atoms of one answer that contradict each other; the graph does not use this."
    )
    prefilter: Prefilter = _judging(
        "none",
        "bundled: do not send the model pairs that the bundled judge calls neutral with P of at least 0.95.",
    )
    calibration: Path | None = setting(
        "Calibration", None, "Calibration file to apply, written by `calibrate`.", affects="calls"
    )

    @property
    def judging_verifier(self) -> str | None:
        """The verifier that judges; None with another judge."""
        return self.named_verifier if self.part("judge").classifies else None
