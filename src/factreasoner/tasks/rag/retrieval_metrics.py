"""How good a ranking of passages is, where the relevant ones are known.

Source: Manning, Raghavan, Schütze, "Introduction to Information Retrieval", chapter 8.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence


def retrieval_scores(
    retrieved: Sequence[str], relevant: Collection[str], k: int | None = None
) -> dict[str, float | None]:
    """Scores of a ranking of ids, best first, cut after the first `k` (None: not cut).

    None where a denominator is 0: nothing was retrieved, or nothing is relevant. `map` divides the precisions
    at the relevant ones by all that are relevant, `map_at_hits` by those found; it is 0 where none is found.
    """
    wanted = set(relevant)
    ranking = retrieved[:k]
    hits = [rank for rank, context_id in enumerate(ranking, start=1) if context_id in wanted]
    precisions = sum(found / rank for found, rank in enumerate(hits, start=1))
    ideal = sum(map(_gain, range(1, min(len(wanted), k or len(wanted)) + 1)))
    precision = len(hits) / len(ranking) if ranking else None
    scores = {
        "retrieval_recall": len(hits) / max(len(wanted), 1),
        "map": precisions / max(len(wanted), 1),
        "map_at_hits": precisions / max(len(hits), 1),
        "mrr": 1 / hits[0] if hits else 0.0,
        "ndcg": sum(map(_gain, hits)) / (ideal or 1),
    }
    return {"retrieval_precision": precision, **(scores if wanted else dict.fromkeys(scores))}


def _gain(rank: int) -> float:
    return 1 / math.log2(rank + 1)
