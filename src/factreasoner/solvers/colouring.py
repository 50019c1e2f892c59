"""Colouring: variables of one colour are not neighbours, so Gibbs sampling draws them together."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.solvers.elimination import adjacency_bits, bits_of


def colour_classes(count: int, scopes: Sequence[Sequence[int]]) -> list[list[int]]:
    """The variables by colour: two classes where the network is bipartite (FR1, FR2), else few.

    Otherwise variables of many neighbours choose first, each the lowest colour free (Welsh and Powell 1967).
    """
    adjacency = adjacency_bits(count, scopes)
    colours = _two_colours(adjacency)
    if colours is None:
        colours = _greedy(adjacency)
    classes: list[list[int]] = [[] for _ in range(max(colours, default=-1) + 1)]
    for i, colour in enumerate(colours):
        classes[colour].append(i)
    return classes


def _two_colours(adjacency: Sequence[int]) -> list[int] | None:
    colours = [-1] * len(adjacency)
    for start in range(len(adjacency)):
        if colours[start] >= 0:
            continue
        colours[start] = 0
        waiting = [start]
        while waiting:
            i = waiting.pop()
            for j in bits_of(adjacency[i]):
                if colours[j] < 0:
                    colours[j] = 1 - colours[i]
                    waiting.append(j)
                elif colours[j] == colours[i]:
                    return None
    return colours


def _greedy(adjacency: Sequence[int]) -> list[int]:
    colours = [-1] * len(adjacency)
    for i in sorted(range(len(adjacency)), key=lambda i: -adjacency[i].bit_count()):
        taken = {colours[j] for j in bits_of(adjacency[i])}
        colours[i] = next(colour for colour in range(len(adjacency)) if colour not in taken)
    return colours
