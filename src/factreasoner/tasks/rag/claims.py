"""The claims of an answer and of its reference: given, or made by the atomizer and the reviser."""

from __future__ import annotations

import threading
from collections.abc import Collection, Sequence
from typing import NamedTuple

from factreasoner.atoms.atomizer import LLMAtomizer
from factreasoner.atoms.embedded import EmbeddedAtomizer
from factreasoner.atoms.fact_generator import reference_record
from factreasoner.atoms.making import made_atoms
from factreasoner.llm.usage import Meter
from factreasoner.models import Atom, Failure, Record, StageError
from factreasoner.pipeline.assembly import Assembly
from factreasoner.plugins.kinds import ATOMIZER, REVISER


class Claims(NamedTuple):
    """Claims of one text, None where there is no text or none could be made; with what went wrong."""

    claims: tuple[Atom, ...] | None
    failures: tuple[Failure, ...] = ()


class ClaimMaker:
    """Makes claims of texts, those of a reference once for all records with that question and reference."""

    def __init__(self, assembly: Assembly) -> None:
        atomizer = assembly.made(ATOMIZER)
        if isinstance(atomizer, LLMAtomizer | EmbeddedAtomizer):
            atomizer = atomizer.with_instructions()
        self._atomizer = atomizer
        self._reviser = assembly.made(REVISER)
        self._lock = threading.Lock()
        self._making: dict[tuple[str, str, str], threading.Lock] = {}
        self._texts: dict[tuple[str, str, str], tuple[str, ...]] = {}

    def of_answer(self, record: Record, meter: Meter) -> Claims:
        """The record's atoms, or the claims of its response."""
        if record.atoms is not None:
            return Claims(record.atoms)
        return _numbered(self._made(record, meter), "a", _taken(record, record.reference_atoms))

    def of_reference(self, record: Record, meter: Meter) -> Claims:
        """The record's reference atoms, or the claims of its reference."""
        if record.reference_atoms is not None:
            return Claims(record.reference_atoms)
        if not (record.reference or "").strip():
            return Claims(None)
        return _numbered(self._once(reference_record(record), meter), "r", _taken(record, record.atoms))

    def _once(self, reference: Record, meter: Meter) -> Claims:
        """The claims of a reference, made by whoever asks first; what failed is tried again."""
        key = (reference.prompt, reference.topic or "", reference.response)
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            if key not in self._texts:
                made = self._made(reference, meter)
                if made.claims is None or made.failures:
                    return made
                self._texts[key] = tuple(claim.text for claim in made.claims)
        return Claims(tuple(Atom(id=f"a{n}", text=text) for n, text in enumerate(self._texts[key])))

    def _made(self, record: Record, meter: Meter) -> Claims:
        try:
            made = made_atoms(record, self._atomizer, self._reviser, meter)
        except StageError as error:
            return Claims(None, tuple(error.failures))
        return Claims(made.atoms, made.failures)


def _taken(record: Record, others: Sequence[Atom] | None) -> set[str]:
    return {context.id for context in record.contexts or ()} | {atom.id for atom in others or ()}


def _numbered(made: Claims, letter: str, taken: Collection[str]) -> Claims:
    """The claims with ids of their own: the letter and a number, after underscores where that is taken."""
    if made.claims is None:
        return made
    while any(f"{letter}{n}" in taken for n in range(len(made.claims))):
        letter = f"_{letter}"
    numbered = (claim.model_copy(update={"id": f"{letter}{n}"}) for n, claim in enumerate(made.claims))
    return Claims(tuple(numbered), made.failures)
