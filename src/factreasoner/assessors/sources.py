"""Which contexts come from one source: equal and nearly equal texts, and passages of one page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factreasoner.graph.components import components
from factreasoner.graph.copies import copies
from factreasoner.graph.pairs import equal_groups
from factreasoner.models import Context
from factreasoner.text.links import page_of


def sources(contexts: Sequence[Context]) -> list[list[Context]]:
    """Contexts by source, in the order of each source's first; most sources have one context.

    Contexts share a source when their texts are equal or copies of each other, when their links lead to one
    page, or when both share it with a third.
    """
    groups = components(len(contexts), _related(contexts))
    return [[contexts[i] for i in group] for group in groups]


def _related(contexts: Sequence[Context]) -> Iterator[tuple[int, int]]:
    """Pairs that join every two contexts of one source, some of them through others."""
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
