"""Judges decide whether a premise entails or contradicts a claim. Shared parts and names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from factreasoner.judges.encoder.model_files import bundled_fingerprint
from factreasoner.judges.encoder.settings import BUNDLED
from factreasoner.judges.settings import JudgeSettings
from factreasoner.models import Failure

if TYPE_CHECKING:
    from factreasoner.llm.capabilities import Capabilities

STAGE = "judge"
OTHER_LANGUAGE = "OtherLanguage"
"""Error type of a pair in a language that the judge does not support."""
CONSTANT_CONFIDENCE = 0.9
"""P of a verdict if its judge gives none."""


def pair_id(source: str, target: str) -> str:
    """The id of a pair in failures."""
    return f"{source}->{target}"


def unjudged(source: str, target: str, kind: str, message: str) -> Failure:
    """The failure of a pair for which no language model was called."""
    return Failure(stage=STAGE, item_id=pair_id(source, target), error_type=kind, message=message, attempts=0)


def judged_by(
    config: JudgeSettings, models: Mapping[str, Capabilities] | None = None, weights: str | None = None
) -> str:
    """The name of the judge under these settings, for readers of a score.

    `models` are known capabilities of language models, whose probe result is added. `weights` is the
    fingerprint of a run's verifier; None: of the installed one.
    """
    judge, verifier = config.part("judge"), config.judging_verifier
    if judge.prompts:
        return ", ".join(_probed(name, (models or {}).get(name)) for name in config.models)
    if judge.replays:
        return f"recorded verdicts of {config.relations}"
    if verifier is not None:
        return _bundled(config, weights) if verifier == BUNDLED else f"verifier {verifier}"
    return f"judge {config.plugin('judge')!r}"


def _probed(name: str, known: Capabilities | None) -> str:
    found = "; ".join(map(str, known.probes.values())) if known else ""
    return f"{name} ({found})" if found else name


def _bundled(config: JudgeSettings, weights: str | None) -> str:
    """The bundled judge and its version, or the custom model in its place."""
    if config.verifier_model is not None:
        return f"verifier {BUNDLED} with {config.verifier_model}"
    return f"the bundled judge, version {(weights or bundled_fingerprint()).split()[1]}"
