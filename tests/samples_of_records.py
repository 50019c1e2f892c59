"""Samples made from assessments, for tests of what is computed from them."""

from __future__ import annotations

from factreasoner.metrics.factuality import FACTUALITY, scored_record
from factreasoner.metrics.samples import Sample
from factreasoner.metrics.table import Estimate, estimate
from factreasoner.models import Assessment


def sampled(*assessments: Assessment, k: int | None = 3) -> Sample:
    """Those records, in that order."""
    sampling = FACTUALITY.sampling()
    for item in assessments:
        sampling.add(item.record_id, scored_record(item, k))
    return sampling.sample()


def estimated(sample: Sample, name: str) -> Estimate:
    """The metric of that name."""
    return estimate(FACTUALITY[name], sample)


def value_of(sample: Sample, name: str) -> float | None:
    """The value of the metric of that name."""
    return estimated(sample, name).value
