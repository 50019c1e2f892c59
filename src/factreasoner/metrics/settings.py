"""Settings of metrics."""

from __future__ import annotations

import re
from functools import partial
from typing import Annotated, Literal

from pydantic import BeforeValidator

from factreasoner.settings.setting import Settings, setting


def checked_k(value: object) -> object:
    """A valid K of F1@K. Raises ValueError: not a positive integer, median or half."""
    if value in ("median", "half"):
        return value
    if not re.fullmatch(r"0*[1-9]\d{0,17}", str(value)):
        raise ValueError("must be a positive integer, 'median' or 'half'")
    return int(str(value))


K = Annotated[int | Literal["median", "half"], BeforeValidator(checked_k)]
_scores = partial(setting, "Scores", affects="scores")


class MetricSettings(Settings):
    """Settings of metrics."""

    k: K = _scores("median", "K of F1@K: median, half or a number.", common=True)
    gamma: float | None = _scores(
        None,
        "Add FActScore's penalty for answers with fewer atoms; published value: 10.",
        gt=0.0,
        allow_inf_nan=False,
    )
