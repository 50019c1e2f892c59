"""`verify` without a model on WiCE: does the article that a Wikipedia claim cites support it?

Each claim is an answer that cites every passage of the article ([1], [2], ...). "Not supported" is what
people call partially supported or not supported; a claim without a label counts as such. Intervals are
jackknife-t over claims, of which each is a record, AUROC on the logit.

Data: the folder named by FACTREASONER_DATA or ../shared/data. Run: `python benchmarks/verify.py [CLAIMS]`, on
the first so many claims.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from data_folder import data_folder

from factreasoner.inputs.input import CheckedInput
from factreasoner.judges import OTHER_LANGUAGE
from factreasoner.metrics.factuality import FACTUALITY
from factreasoner.metrics.samples import Claims
from factreasoner.metrics.statistics import NoInterval, OfClaims
from factreasoner.metrics.table import Metric
from factreasoner.models import Record
from factreasoner.tasks.verify.result import VerifiedClaim
from factreasoner.tasks.verify.task import verify

SCORES = ("accuracy", "macro_f1", "auroc")
CAPTIONS = ("accuracy", "macro-F1", "AUROC")


class Row(NamedTuple):
    """One method's score of each claim, above one half if it takes the claim to be supported."""

    name: str
    scores: list[float]


def main() -> None:
    """Print the table."""
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else None
    records = list(CheckedInput(data_folder() / "wice" / "records.jsonl").records())[:limit]
    gold = [record.atoms[0].gold == "S" for record in records if record.atoms]
    claims = _verified(records)
    print(f"WiCE: {len(gold)} claims, {sum(gold) / len(gold):.3f} of them supported by what they cite\n")
    print(f"| method | {' | '.join(CAPTIONS)} |\n|---|{'---|' * len(CAPTIONS)}")
    rows = [
        Row("verify, bundled judge", [claim.p or 0.0 for claim in claims]),
        Row("never supported", [0.0] * len(gold)),
    ]
    for row in rows:
        print(f"| {row.name} | {' | '.join(_cells(row.scores, gold))} |")


def _verified(records: Sequence[Record]) -> list[VerifiedClaim]:
    claims = []
    for record in records:
        contexts = record.contexts or ()
        markers = "".join(f"[{number}]" for number in range(1, len(contexts) + 1))
        result = verify(
            f"{record.response} {markers}",
            contexts=contexts,
            atoms=record.atoms,
            input=record.prompt,
            rounds=0,
        )
        (claim,) = result.claims
        others = [failure for failure in result.failures if failure.error_type != OTHER_LANGUAGE]
        if others or len(claim.cited) != len(contexts):
            raise SystemExit(f"{record.id}: {result.status}, {claim.cited}: {result.failures}")
        claims.append(claim)
    return claims


def _cells(scores: Sequence[float], gold: Sequence[bool]) -> list[str]:
    claims = Claims.of(np.array(scores), np.array(gold, dtype=float), np.arange(len(gold)))
    return [_cell(FACTUALITY[name], claims) for name in SCORES]


def _cell(metric: Metric, claims: Claims) -> str:
    if not isinstance(metric.average, OfClaims):
        raise TypeError(f"{metric.name} is no metric of labelled claims")
    statistic = metric.average.function(claims)
    interval = statistic.interval(metric.bounds)
    shown = "" if isinstance(interval, NoInterval) else f" [{interval[0]:.3f}, {interval[1]:.3f}]"
    return f"{statistic.value:.3f}{shown}"


if __name__ == "__main__":
    main()
