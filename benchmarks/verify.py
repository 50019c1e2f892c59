"""`verify` without a model on WiCE: is a Wikipedia claim borne out by the article it cites?

Each claim is an answer that cites every passage of the article ([1], [2], ...). Beside it word overlap: the
largest share of the claim's content words that one passage, or the whole article, has. Its threshold is the
one that is most often right on the other half of the claims. "Not borne out" is what people call partially
supported or not supported; a claim without a label counts as such. Intervals are jackknife-t over claims, of
which each is a record, AUROC on the logit.

Data: the folder named by FACTREASONER_DATA or ../shared/data. Run: `python benchmarks/verify.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from data_folder import data_folder

from factreasoner.inputs.input import CheckedInput
from factreasoner.metrics.factuality import FACTUALITY
from factreasoner.metrics.samples import Claims
from factreasoner.metrics.statistics import NoInterval, OfClaims
from factreasoner.metrics.table import Metric
from factreasoner.models import Record
from factreasoner.tasks.verify.result import VerifiedClaim
from factreasoner.tasks.verify.task import verify
from factreasoner.text.language import terms

SCORES = ("accuracy", "macro_f1", "auroc")
CAPTIONS = ("accuracy", "macro-F1", "AUROC")


class Row(NamedTuple):
    """What one method says: a score for each claim, above one half where it takes it to be borne out."""

    name: str
    scores: list[float]


def main() -> None:
    """Print the table, and what the labels of `verify` come to."""
    records = list(CheckedInput(data_folder() / "wice" / "records.jsonl").records())
    gold = [record.atoms[0].gold == "S" for record in records if record.atoms]
    claims = _verified(records)
    print(f"WiCE: {len(gold)} claims, {sum(gold) / len(gold):.3f} of them borne out by what they cite\n")
    print(f"| method | {' | '.join(CAPTIONS)} |\n|---|{'---|' * len(CAPTIONS)}")
    rows = [
        Row("verify, bundled judge", [claim.p or 0.0 for claim in claims]),
        Row("word overlap, best passage", _thresholded([_overlap(r, joined=False) for r in records], gold)),
        Row("word overlap, article", _thresholded([_overlap(r, joined=True) for r in records], gold)),
        Row("never borne out", [0.0] * len(gold)),
    ]
    for row in rows:
        print(f"| {row.name} | {' | '.join(_cells(row.scores, gold))} |")
    print("\n| label | claims | of them borne out, by people |\n|---|---|---|")
    for label, count in Counter(claim.label for claim in claims).most_common():
        right = sum(people for claim, people in zip(claims, gold, strict=True) if claim.label == label)
        print(f"| {label or 'none: article in another language'} | {count} | {right / count:.2f} |")
    quoted = [
        people for claim, people in zip(claims, gold, strict=True) if claim.quote and claim.borne_out_by
    ]
    print(f"\nWith a quote (the judge decides it): {len(quoted)} claims, {np.mean(quoted):.2f} borne out")


def _verified(records: Sequence[Record]) -> list[VerifiedClaim]:
    claims = []
    for record in records:
        contexts = record.contexts or ()
        markers = "".join(f"[{number}]" for number in range(1, len(contexts) + 1))
        result = verify(
            f"{record.response} {markers}",
            sources=contexts,
            claims=record.atoms,
            prompt=record.prompt,
            rounds=0,
        )
        (claim,) = result.claims
        others = [
            failure
            for failure in result.failures
            if failure.error_type not in ("OtherLanguage", "NotComparedError")
        ]
        if others or len(claim.cited) != len(contexts):
            raise SystemExit(f"{record.id}: {result.status}, {claim.cited}: {result.failures}")
        claims.append(claim)
    return claims


def _overlap(record: Record, *, joined: bool) -> float:
    """The share of the claim's terms that a passage has, of the best one or of all together."""
    wanted = set(terms(record.response))
    texts = [set(terms(context.text)) for context in record.contexts or ()]
    if joined:
        texts = [set().union(*texts)]
    return max((len(wanted & text) / len(wanted) for text in texts), default=0.0)


def _thresholded(scores: Sequence[float], gold: Sequence[bool]) -> list[float]:
    """Scores moved so that one half is the best threshold on the claims of the other parity."""
    values, labels = np.array(scores), np.array(gold)
    moved = values.copy()
    for parity in (0, 1):
        own, other = slice(parity, None, 2), slice(1 - parity, None, 2)
        accuracies = [((values[other] > t) == labels[other]).mean() for t in np.unique(values)]
        threshold = np.unique(values)[int(np.argmax(accuracies))]
        above = values[own] > threshold
        moved[own] = np.where(above, 0.5 + values[own] / 2 + 1e-6, values[own] / 2)
    return [float(min(value, 1.0)) for value in moved]


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
