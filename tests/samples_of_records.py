"""Samples made from assessments, for tests of what is computed from them."""

from factreasoner.metrics.factuality import FACTUALITY, scored_record


def sampled(*assessments, k=3):
    """Those records, in that order."""
    sampling = FACTUALITY.sampling()
    for item in assessments:
        sampling.add(item.record_id, scored_record(item, k))
    return sampling.sample()


def estimated(sample, name):
    """The metric of that name."""
    return FACTUALITY.estimates(sample, [name])[name]


def value_of(sample, name):
    """The value of the metric of that name."""
    return estimated(sample, name).value
