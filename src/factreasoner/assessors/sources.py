"""Merge contexts of one source into one node, so that its evidence counts once.

Contexts share a source if their texts are equal or nearly equal, or if they are passages of one page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from factreasoner.graph.copies import copies
from factreasoner.graph.factors import components
from factreasoner.graph.pairs import equal_groups, text_order
from factreasoner.models import Context, Independence, Relation
from factreasoner.text.links import page_of


def group_by_source(contexts: Sequence[Context]) -> list[list[Context]]:
    """Contexts grouped by source, in order of first appearance.

    Contexts share a source if their texts are equal or near copies, if their links lead to one page, or if
    both share a source with a third.
    """
    groups = components(len(contexts), _related(contexts))
    return [[contexts[i] for i in group] for group in groups]


def _related(contexts: Sequence[Context]) -> Iterator[tuple[int, int]]:
    """Pairs that connect all contexts of one source, directly or through others."""
    position = {context.id: i for i, context in enumerate(contexts)}
    equal = [[position[context.id] for context in group] for group in equal_groups(contexts)]
    yield from ((group[0], other) for group in equal for other in group[1:])
    first_of_page: dict[str, int] = {}
    for i, context in enumerate(contexts):
        page = page_of(context.link)
        if page:
            yield first_of_page.setdefault(page, i), i
    for one, other in copies([contexts[group[0]].text for group in equal]):
        yield equal[one][0], equal[other][0]


class MergedSources(NamedTuple):
    """One context per source, the relations of these, and what was merged."""

    contexts: tuple[Context, ...]
    relations: tuple[Relation, ...]
    independence: Independence


def merge_sources(contexts: Sequence[Context], relations: Sequence[Relation]) -> MergedSources:
    """Merge contexts of one source (see :func:`group_by_source`) into one node.

    The most probable relation between a source and an atom, or another source, counts. If a contradiction and
    another kind are equally probable, neither counts. Relations inside a source do not count.

    The node is named after the member with the most probable relation to an atom; on a tie, the first by
    text. Its prior is the largest of its members' own priors.
    """
    strength = dict.fromkeys((context.id for context in contexts), 0.0)
    for relation in relations:
        if relation.target not in strength:
            strength[relation.source] = max(strength[relation.source], relation.probability)
    ordered = sorted(contexts, key=text_order)
    rank = {context.id: i for i, context in enumerate(ordered)}
    merged: list[Context] = []
    name: dict[str, str] = {}
    together: list[tuple[str, ...]] = []
    for group in group_by_source(contexts):
        chosen = min(group, key=lambda context: (-strength[context.id], rank[context.id]))
        name |= dict.fromkeys((context.id for context in group), chosen.id)
        if len(group) > 1:
            prior = max((c.prior for c in group if c.prior is not None), default=None)
            chosen = chosen.model_copy(update={"prior": prior})
            together.append((chosen.id, *(c.id for c in group if c.id != chosen.id)))
        merged.append(chosen)
    counted = _strongest(relations, name, rank)
    independence = Independence(sources=tuple(together), relations_left_out=len(relations) - len(counted))
    return MergedSources(tuple(merged), counted, independence)


def _strongest(
    relations: Sequence[Relation], name: Mapping[str, str], rank: Mapping[str, int]
) -> tuple[Relation, ...]:
    """At most one relation between any two nodes, whose ends get the `name` of their source."""
    between: dict[frozenset[str], list[Relation]] = {}
    for relation in relations:
        ends = {end: name.get(getattr(relation, end), getattr(relation, end)) for end in ("source", "target")}
        if ends["source"] != ends["target"]:
            renamed = relation.model_copy(update=ends)
            between.setdefault(frozenset(ends.values()), []).append(renamed)
    found = []
    for rivals in between.values():
        most = max(relation.probability for relation in rivals)
        best = [relation for relation in rivals if relation.probability == most]
        if len({relation.kind == "contradiction" for relation in best}) == 1:
            found.append(_joined(sorted(best, key=lambda relation: rank[relation.source])))
    return tuple(found)


def _joined(equals: Sequence[Relation]) -> Relation:
    """One relation for several equally probable ones, which are all or none contradictions.

    Entailment both ways is equivalence. For a contradiction or equivalence both ways, the source is the node
    whose text sorts first.
    """
    both_ways = len({relation.source for relation in equals}) > 1
    if equals[0].kind != "contradiction" and (
        both_ways or any(relation.kind == "equivalence" for relation in equals)
    ):
        return equals[0].model_copy(update={"kind": "equivalence"})
    return equals[0]
