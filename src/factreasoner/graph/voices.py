"""Evidence counted once: contexts of one source speak with one voice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factreasoner.graph.sources import sources
from factreasoner.models import Context, Independence, Relation


class Voices(NamedTuple):
    """One context a source, the relations between these and with atoms, and what was put together."""

    contexts: tuple[Context, ...]
    relations: tuple[Relation, ...]
    independence: Independence


def one_voice(contexts: Sequence[Context], relations: Sequence[Relation]) -> Voices:
    """Let contexts of one source (see :func:`sources`) be one node that has their strongest relations.

    Of the relations that join a source to an atom, or to another source, the most probable one counts. Where
    a contradiction and another kind are equally probable the source takes both sides, and neither counts.
    Relations inside a source do not count: a page that agrees with itself proves nothing.

    The node is named after the member with the most probable relation to an atom, the first of these. Its
    prior is the largest that a member has of its own.
    """
    strength = dict.fromkeys((context.id for context in contexts), 0.0)
    for relation in relations:
        if relation.target not in strength:
            strength[relation.source] = max(strength[relation.source], relation.probability)
    speaking: list[Context] = []
    name: dict[str, str] = {}
    together: list[tuple[str, ...]] = []
    for group in sources(contexts):
        speaker = max(group, key=lambda context: strength[context.id])
        name |= dict.fromkeys((context.id for context in group), speaker.id)
        if len(group) > 1:
            prior = max((c.prior for c in group if c.prior is not None), default=None)
            speaker = speaker.model_copy(update={"prior": prior})
            together.append((speaker.id, *(c.id for c in group if c.id != speaker.id)))
        speaking.append(speaker)
    counted = _strongest(relations, name)
    independence = Independence(sources=tuple(together), relations_left_out=len(relations) - len(counted))
    return Voices(tuple(speaking), counted, independence)


def _strongest(relations: Sequence[Relation], name: Mapping[str, str]) -> tuple[Relation, ...]:
    """At most one relation between any two nodes, the ends of each given the `name` of their source."""
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
            found.append(best[0])
    return tuple(found)
