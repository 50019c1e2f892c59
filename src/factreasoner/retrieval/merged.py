"""Evidence of several retrievers, merged by rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from factreasoner.graph.copies import holds
from factreasoner.models import Atom, Context, Failure, Record, StageError
from factreasoner.protocols import Retrieved, Retriever
from factreasoner.retrieval.per_atom import context_id
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.text.passages import fused


class MergedRetriever:
    """Asks every retriever and fuses their rankings per atom; a passage that another holds counts once.

    Each passage names its retrievers in `source`. If one fails, the others' passages are used and its
    failures are listed.
    """

    def __init__(self, retrievers: Mapping[str, Retriever], config: RetrievalSettings) -> None:
        self._retrievers = dict(retrievers)
        self._k = config.retrieve_k

    @property
    def collections(self) -> tuple[str, ...]:
        """The document collections searched, with their current states."""
        return tuple(state for r in self._retrievers.values() for state in getattr(r, "collections", ()))

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """At most `retrieve_k` contexts for every atom and the question, best first.

        Raises:
            StageError: no retriever found anything, and some failed.
            ConfigError: from a retriever, if the user must fix it.
        """
        found = {name: _retrieve(retriever, atoms, record) for name, retriever in self._retrievers.items()}
        contexts: list[Context] = []
        new_ids: dict[_FoundContext, str] = {}
        for atom_ids in [(), *((atom.id,) for atom in atoms)]:
            for rank, places in enumerate(_merged(found, atom_ids)[: self._k]):
                name = context_id(atom_ids, rank, atoms)
                new_ids |= dict.fromkeys(places, name)
                sources = ", ".join(dict.fromkeys(place.source for place in places))
                update = {"id": name, "atom_ids": atom_ids, "source": sources}
                contexts.append(places[0].context.model_copy(update=update))
        failures = tuple(_failures(found, {(p.source, p.context.id): new for p, new in new_ids.items()}))
        if failures and not contexts:
            raise StageError(failures)
        searched = tuple(state for retrieved in found.values() for state in retrieved.searched)
        return Retrieved(tuple(contexts), failures, searched)


class _FoundContext(NamedTuple):
    """A context, and the retriever that found it."""

    source: str
    context: Context


def _retrieve(retriever: Retriever, atoms: Sequence[Atom], record: Record) -> Retrieved:
    try:
        return retriever.retrieve(atoms, record)
    except StageError as error:
        return Retrieved((), tuple(error.failures))


def _merged(found: Mapping[str, Retrieved], atom_ids: tuple[str, ...]) -> list[list[_FoundContext]]:
    """The passages for one atom (or the question), best first, with those that it holds."""
    groups: list[list[_FoundContext]] = []
    rankings: list[list[int]] = []
    for source, retrieved in found.items():
        ranking = []
        for context in retrieved.contexts:
            if not (set(atom_ids) & set(context.atom_ids) if atom_ids else not context.atom_ids):
                continue
            same = (i for i, g in enumerate(groups) if holds(g[0].context.text, context.text))
            number = next(same, len(groups))
            if number == len(groups):
                groups.append([])
            groups[number].append(_FoundContext(source, context))
            ranking.append(number)
        rankings.append(ranking)
    return [groups[number] for number in fused(rankings)]


def _failures(found: Mapping[str, Retrieved], new_ids: Mapping[tuple[str, str], str]) -> Iterator[Failure]:
    """Every failure with its retriever; those of a context use its new id, or go with it."""
    for source, retrieved in found.items():
        contexts = {context.id for context in retrieved.contexts}
        for failure in retrieved.failures:
            item = new_ids.get((source, failure.item_id), failure.item_id)
            if failure.item_id not in contexts or (source, failure.item_id) in new_ids:
                message = f"{source}: {failure.message}"
                yield failure.model_copy(update={"item_id": item, "message": message})
