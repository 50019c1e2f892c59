"""Applying a calibration file: to a judge's verdicts, to posteriors."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import Field, ValidationError

from factreasoner import prompts
from factreasoner.calibration.calibrators import (
    LABELS,
    UNCHANGED,
    Calibrator,
    Identity,
    LabelOffsets,
    calibrated,
    probabilities_of,
)
from factreasoner.errors import ConfigError, InputError, InputProblem
from factreasoner.files import text_of
from factreasoner.models import (
    Atom,
    Claim,
    Context,
    Model,
    Outcome,
    Premise,
    Record,
    Support,
    Verdict,
    label_of,
    side_of,
    supports_of,
)
from factreasoner.models.wording import refused
from factreasoner.protocols import Evaluator, Judge, Judged, asks_model, pairwise
from factreasoner.settings import Config


class Calibration(Model):
    """What a calibration file holds; each part may be missing.

    `verdicts` are applied to a judge's probabilities of the labels, `posteriors` to P(atom is true).
    `source` says, by part, what it was fitted on and how well it did.
    """

    verdicts: LabelOffsets = UNCHANGED
    posteriors: Calibrator | None = None
    source: dict[str, dict[str, Any]] = Field(default_factory=dict)

    @property
    def acting(self) -> list[str]:
        """The parts that change something."""
        parts = {"verdicts": self.verdicts, "posteriors": self.posteriors}
        return [name for name, part in parts.items() if part not in (None, UNCHANGED, Identity())]


NOTHING = Calibration()
MAY_BE_CHANCE = "may be chance"
"""How a note on a fit ends that is to be read again wherever the fit is used."""
JUDGED_BY = (
    *("judge", "model", "further_models", "temperature", "reasoning_effort", "model_param"),
    *("mode", "form", "atoms_per_call", "confidence", "votes", "verifier", "verifier_model"),
    *("verifier_url", "verifier_file", "verifier_labels", "verifier_window"),
)
"""Settings that decide what a verdict's probability means."""


def calibration_of(config: Config) -> Calibration:
    """The calibration that `config` names, an empty one when it names none.

    Raises:
        InputError: the file can't be read or holds no calibration.
    """
    path = config.calibration
    return NOTHING if path is None else _parsed(path, text_of(path, field="calibration"))


def calibration_fingerprint(path: Path) -> str:
    """Short digest of a calibration file. Raises InputError when it can't be read."""
    text_of(path, field="calibration")
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16]


@lru_cache(maxsize=8)
def _parsed(path: Path, content: str) -> Calibration:
    try:
        return Calibration.model_validate_json(content)
    except ValidationError as error:
        first = error.errors()[0]
        why = ": ".join(filter(None, (".".join(map(str, first["loc"])), refused(first))))
        message = f"not a calibration that `calibrate` writes: {why}; make it again"
        raise InputError([InputProblem(str(path), "", message)]) from error


def settings_of(config: Config, names: Iterable[str]) -> dict[str, Any]:
    """The settings of those names as a file has them, with `auto` resolved for the judge."""
    every = config.model_dump(mode="json")
    values = {name: every[name] for name in names}
    return values | ({"judge": config.plugin("judge")} if "judge" in values else {})


def misfits(
    config: Config, models: Mapping[str, Mapping[str, Any]] | None = None, run: str | None = None
) -> list[str]:
    """Why the calibration of `config` may not help, as where it was fitted for other settings, part by part.

    `models` says how each model was asked, as a manifest keeps it, if that is known. Who gave the verdicts
    that a recorded judge replays is unknown, and said to be. `run` is the id of the run whose scores are
    to be calibrated: one sentence says that a part was fitted to that very run, and changes it.

    Raises:
        InputError: the calibration file can't be read.
    """
    found, calibration = [], calibration_of(config)
    for part, source in calibration.source.items():
        fitted = source.get("settings", {})
        here = settings_of(config, [name for name in fitted if name in Config.model_fields])
        skipped = JUDGED_BY if "recorded" in (fitted.get("judge"), here.get("judge")) else ()
        differing = [
            f"{name} {fitted[name]!r} there, {value!r} here"
            for name, value in here.items()
            if value != fitted[name] and name not in skipped
        ]
        if not skipped:
            kept = source.get("prompts", {}).items()
            differing += [f"another prompt {name!r} here" for name, was in kept if _prompt(name) != was]
            differing += _other_forms(source.get("models", {}), models or {})
        if run is not None and source.get("run") == run:
            if part in calibration.acting:
                found.append(
                    f"{config.calibration}: its {part} part was fitted to the records of this run: scores "
                    "against their labels are too good; `calibrate` prints those on held-out records"
                )
        elif skipped:
            found.append(
                f"{config.calibration}: its {part} part was fitted on verdicts of judge "
                f"{fitted.get('judge')!r}, and here judge is {here.get('judge')!r}; check that one judge and "
                "model gave both: recorded verdicts do not say who gave them"
            )
        if part in calibration.acting:
            notes = (note for note in source.get("notes", ()) if note.endswith(MAY_BE_CHANCE))
            found += [f"{config.calibration}: {note}" for note in notes]
        if differing:
            found.append(
                f"{config.calibration}: its {part} part was fitted for other settings: {', '.join(differing)}"
            )
    return found


def _other_forms(fitted: Mapping[str, Any], models: Mapping[str, Any]) -> Iterator[str]:
    """Models that were asked in different forms there and here."""
    for name in fitted.keys() & models.keys():
        there, here = (kept[name].get("forms", {}) for kept in (fitted, models))
        for kind in sorted(there.keys() & here.keys()):
            if there[kind]["form"] != here[kind]["form"]:
                yield f"{name} asked as {there[kind]['form']!r} there, as {here[kind]['form']!r} here"


def _prompt(name: str) -> str | None:
    try:
        return prompts.load(name).fingerprint
    except ConfigError:
        return None


def calibrated_verdicts(verdicts: Sequence[Verdict], offsets: LabelOffsets) -> tuple[Verdict, ...]:
    """Verdicts with calibrated labels and probabilities, always from what the judge gave.

    Verdicts without P of all three labels, and those that a reader corrected, stay as they are.
    """
    return tuple(_calibrated(verdict.as_given, offsets) for verdict in verdicts)


def _calibrated(given: Verdict, offsets: LabelOffsets) -> Verdict:
    p = probabilities_of(given)
    if offsets == UNCHANGED or p is None:
        return given
    (after,) = offsets.apply(np.array([p])).tolist()
    p_label, label = max(zip(after, LABELS, strict=True), key=itemgetter(0))
    changes = {"label": label, "probability": min(p_label, 1.0)}
    was = {"uncalibrated": given.probability, "uncalibrated_label": given.label}
    return given.model_copy(update=changes | was)


def calibrated_posteriors(outcome: Outcome, calibrator: Calibrator | None) -> Outcome:
    """The outcome with calibrated posteriors and the labels that follow; `marginals` stay the solver's."""
    if calibrator is None:
        return outcome
    after = calibrated(calibrator, np.array(list(outcome.p_true.values())))
    p_true = dict(zip(outcome.p_true, after.tolist(), strict=True))
    if outcome.graph is None:
        support = {atom_id: _moved(p, outcome.support[atom_id]) for atom_id, p in p_true.items()}
    else:
        stderr = outcome.marginals.stderr if outcome.marginals else None
        support = supports_of(p_true, outcome.graph, stderr)
    return outcome.model_copy(update={"p_true": p_true, "support": support})


def _moved(p_true: float, said: Support) -> Support:
    """The label by an assessor without a graph, if a calibrated P(true) agrees with it."""
    if side_of(p_true) == 0:
        return said
    return label_of(p_true, supporting=said == "supported", contradicting=said == "contradicted")


class CalibratedJudge:
    """A judge whose labels and probabilities are calibrated."""

    def __init__(self, judge: Judge, offsets: LabelOffsets) -> None:
        self._judge = judge
        self._offsets = offsets
        self.asks_model, self.pairwise = asks_model(judge), pairwise(judge)

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """What the judge says; `uncalibrated` and `uncalibrated_label` have what it gave."""
        judged = self._judge.judge(premise, claims)
        return Judged(calibrated_verdicts(judged.verdicts, self._offsets), judged.failures)


class CalibratedEvaluator:
    """An evaluator whose posteriors are calibrated."""

    def __init__(self, evaluator: Evaluator, calibrator: Calibrator) -> None:
        self._evaluator = evaluator
        self._calibrator = calibrator

    def evaluate(self, atoms: Sequence[Atom], contexts: Sequence[Context], record: Record) -> Outcome:
        """What the evaluator concludes, with other probabilities."""
        return calibrated_posteriors(self._evaluator.evaluate(atoms, contexts, record), self._calibrator)
