"""Which of a number of things hang together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def components(count: int, scopes: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Connected components of 0 to `count` - 1, those in one of `scopes` joined; sorted, by first member."""
    # By union and find: importing scipy's takes longer than most networks do, and so does handing it edges.
    above = list(range(count))

    def root(i: int) -> int:
        while above[i] != i:
            above[i] = i = above[above[i]]
        return i

    for scope in scopes:
        for other in scope[1:]:
            first, second = root(scope[0]), root(other)
            above[max(first, second)] = min(first, second)
    groups: dict[int, list[int]] = {}
    for i in range(count):
        groups.setdefault(root(i), []).append(i)
    return [tuple(group) for group in groups.values()]
