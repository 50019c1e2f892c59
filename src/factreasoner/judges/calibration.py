"""Calibration of a judge's verdicts: the file format, and its application.

Offsets on log-probabilities for other label rates: Saerens et al. 2002.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, ValidationError, field_validator

from factreasoner import prompts
from factreasoner.errors import ConfigError, InputError, InputProblem
from factreasoner.files import text_of
from factreasoner.judges.encoder.model_files import bundled_fingerprint
from factreasoner.judges.settings import JudgeSettings
from factreasoner.metrics.samples import Floats
from factreasoner.models import SMALLEST_P, Claim, Label, Model, Premise, Verdict
from factreasoner.models.formatting import OWN, refused
from factreasoner.models.verdicts import LABEL_OF_VALUE, LEAST_MASS
from factreasoner.plugins.table import plugin_named
from factreasoner.protocols import Judge, Judged, asks_model, pairwise
from factreasoner.settings.removed import removal_notice

LABELS: tuple[Label, ...] = ("entailment", "contradiction", "neutral")
MAY_BE_CHANCE = "the gain in macro-F1 may be chance"
JUDGED_BY = (
    *("judge", "model", "temperature", "model_param"),
    *("mode", "form", "atoms_per_call", "confidence", "verifier", "verifier_model"),
    "verifier_url",
)
"""Settings that affect the meaning of a verdict's probability."""


class LabelOffsets(Model):
    """log P / temperature, plus offsets for contradiction and neutral, normalised.

    `contradiction` is None for a judge that never contradicts; P(contradiction) is then 0.
    """

    temperature: float = Field(default=1.0, gt=0.0, allow_inf_nan=False)
    contradiction: float | None = Field(default=0.0, allow_inf_nan=False)
    neutral: float = Field(default=0.0, allow_inf_nan=False)

    def apply(self, p: Floats) -> Floats:
        """Calibrated probabilities from a judge's, shape (verdicts, 3)."""
        offsets = (0.0, -math.inf if self.contradiction is None else self.contradiction, self.neutral)
        return np.exp(log_shares(logs(p) / self.temperature + offsets))


UNCHANGED = LabelOffsets()
"""Offsets that change nothing."""


class Calibration(Model):
    """A calibration file: offsets, and in `source["verdicts"]` how they were fitted."""

    verdicts: LabelOffsets = UNCHANGED
    posteriors: None = Field(default=None, exclude=True)
    source: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @field_validator("posteriors", mode="before")
    @classmethod
    def _are_removed(cls, value: object) -> None:
        if value is not None:
            raise ValueError(removal_notice("posteriors"))

    @property
    def acts(self) -> bool:
        """Whether it changes any verdict."""
        return self.verdicts != UNCHANGED


NOTHING = Calibration()


def calibration_of(config: JudgeSettings) -> Calibration:
    """The calibration in `config`; an empty one if there is none.

    Raises InputError: the file can't be read or holds no calibration.
    """
    path = config.calibration
    return NOTHING if path is None else _parsed(path, text_of(path, field="calibration"))


def calibration_fingerprint(path: Path) -> str:
    """Short digest of a calibration file. Raises InputError if it can't be read."""
    text_of(path, field="calibration")
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@lru_cache(maxsize=8)
def _parsed(path: Path, content: str) -> Calibration:
    try:
        return Calibration.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        why = ": ".join(filter(None, (".".join(map(str, first["loc"])), refused(first))))
        if first["type"] != OWN:
            why = f"not a calibration that `calibrate` writes: {why}; make it again"
        raise InputError([InputProblem(str(path), "", why)]) from error


def settings_of(config: JudgeSettings, names: Iterable[str]) -> dict[str, Any]:
    """The named settings as stored in a file, with `auto` resolved for the judge."""
    every = config.model_dump(mode="json")
    values = {name: every[name] for name in names}
    return values | ({"judge": config.plugin("judge")} if "judge" in values else {})


def calibration_notes(
    config: JudgeSettings, models: Mapping[str, Mapping[str, Any]] | None = None, run: str | None = None
) -> list[str]:
    """Notes on why the calibration of `config` may not fit, such as other settings.

    `models` says how each model was asked, if known. The judge behind recorded verdicts is unknown, and a
    note says so. `run` is the id of the run to calibrate; a note says if the calibration was fitted to it.

    Raises InputError: the calibration file can't be read.
    """
    calibration = calibration_of(config)
    source = calibration.source.get("verdicts", {})
    fitted = source.get("settings", {})
    here = settings_of(config, [name for name in fitted if name in JudgeSettings.model_fields])
    judges = filter(None, (fitted.get("judge"), here.get("judge")))
    recorded = any(plugin_named("judge", judge).replays for judge in judges)
    found = []
    if run is not None and source.get("run") == run:
        if calibration.acts:
            found.append(
                "fitted to the records of this run: scores against their labels are too good; `calibrate` "
                "prints those on held-out records"
            )
    elif recorded:
        found.append(
            f"fitted on verdicts of judge {fitted.get('judge')!r}, and here judge is {here.get('judge')!r}; "
            "check that one judge and model gave both: recorded verdicts do not say who gave them"
        )
    if calibration.acts and source.get("may_be_chance"):
        found.append(MAY_BE_CHANCE)
    skipped = JUDGED_BY if recorded else ()
    differing = [
        f"{name} {fitted[name]!r} there, {value!r} here"
        for name, value in here.items()
        if value != fitted[name] and name not in skipped
    ]
    if not recorded:
        kept = source.get("prompts", {}).items()
        differing += [f"another prompt {name!r} here" for name, was in kept if _prompt(name) != was]
        differing += _other_forms(source.get("models", {}), models or {})
        differing += _other_weights(source.get("weights"), config)
    if differing:
        found.append(f"fitted for other settings: {', '.join(differing)}")
    return [f"{config.calibration}: {sentence}" for sentence in found]


def _other_forms(fitted: Mapping[str, Any], models: Mapping[str, Any]) -> Iterator[str]:
    """Models that were asked in different forms in the two runs."""
    for name in fitted.keys() & models.keys():
        there, here = (kept[name].get("forms", {}) for kept in (fitted, models))
        for kind in sorted(there.keys() & here.keys()):
            if there[kind]["form"] != here[kind]["form"]:
                yield f"{name} asked as {there[kind]['form']!r} there, as {here[kind]['form']!r} here"


def _other_weights(fitted: str | None, config: JudgeSettings) -> Iterator[str]:
    """A note if another version of the bundled judge is installed."""
    bundled = config.part("judge").classifies and config.is_bundled
    if bundled and fitted and fitted != (here := bundled_fingerprint()):
        yield f"weights {fitted!r} there, {here!r} here"


def _prompt(name: str) -> str | None:
    try:
        return prompts.load(name).fingerprint
    except ConfigError:
        return None


def probabilities_of(verdict: Verdict) -> tuple[float, ...] | None:
    """The judge's P of the three labels; None if missing, or if their mass is too small."""
    given = {LABEL_OF_VALUE.get(value): p for value, p in verdict.label_probabilities.items()}
    mass = 1.0 if verdict.label_mass is None else verdict.label_mass
    if verdict.confidence == "corrected" or mass < LEAST_MASS or not given.keys() >= set(LABELS):
        return None
    return tuple(given[label] for label in LABELS)


def calibrated_verdicts(verdicts: Sequence[Verdict], offsets: LabelOffsets) -> tuple[Verdict, ...]:
    """Verdicts with calibrated labels and probabilities, always from the judge's originals.

    Verdicts without P of all three labels, and those that a reader corrected, stay unchanged.
    """
    return tuple(_calibrated(verdict.uncalibrated_verdict, offsets) for verdict in verdicts)


def _calibrated(given: Verdict, offsets: LabelOffsets) -> Verdict:
    p = probabilities_of(given)
    if offsets == UNCHANGED or p is None:
        return given
    (after,) = offsets.apply(np.array([p])).tolist()
    p_label, label = max(zip(after, LABELS, strict=True), key=itemgetter(0))
    changes = {"label": label, "probability": min(p_label, 1.0)}
    was = {"uncalibrated": given.probability, "uncalibrated_label": given.label}
    return given.model_copy(update=changes | was)


class CalibratedJudge:
    """A judge with calibrated labels and probabilities."""

    def __init__(self, judge: Judge, offsets: LabelOffsets) -> None:
        self._judge = judge
        self._offsets = offsets
        self.asks_model, self.pairwise = asks_model(judge), pairwise(judge)

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """Calibrated verdicts; `uncalibrated` and `uncalibrated_label` hold the originals."""
        judged = self._judge.judge(premise, claims)
        return Judged(calibrated_verdicts(judged.verdicts, self._offsets), judged.failures)


def logs(p: Floats) -> Floats:
    """Logarithms of probabilities, bounded away from 0."""
    found: Floats = np.log(np.clip(np.asarray(p, dtype=float), SMALLEST_P, 1.0))
    return found


def log_shares(weights: Floats) -> Floats:
    """Logarithms of each row's shares, from log weights."""
    shifted: Floats = weights - weights.max(axis=1, keepdims=True)
    found: Floats = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return found
