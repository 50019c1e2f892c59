"""Which of a number of things hang together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np


def components(count: int, scopes: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Connected components of 0 to `count` - 1, those in one of `scopes` joined; sorted, by first member."""
    # Imported here: it takes longer than most networks do.
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    edges = [(scope[0], other) for scope in scopes for other in scope[1:]]
    ends = np.array(edges, dtype=np.int32).reshape(-1, 2).T
    graph = coo_array((np.ones(ends.shape[1], dtype=np.int8), tuple(ends)), shape=(count, count))
    _, labels = connected_components(graph, directed=False)
    groups: dict[int, list[int]] = {}
    for i, label in enumerate(labels.tolist()):
        groups.setdefault(label, []).append(i)
    return [tuple(group) for group in groups.values()]
