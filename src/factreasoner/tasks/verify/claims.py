"""The claims of a text, each with its sentence and what it cites."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from factreasoner.atoms import made_atoms
from factreasoner.atoms.alignment import Locator
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.llm.usage import Meter
from factreasoner.models import Atom, Failure, Record, new_id
from factreasoner.protocols import Atomized, Atomizer, Reviser
from factreasoner.tasks.verify.citations import CitedText, Sentence
from factreasoner.tasks.verify.result import Citation, VerifiedClaim
from factreasoner.text.sentences import Span, sentences

STAGE = "verify"
_UNREAD = re.compile("[*_`~\u200b-\u200f\u2060\ufeff]")
"""Marks of emphasis, and invisible characters."""
Located = tuple[Atom, Span | None]
"""A claim and its place in the text."""


class Claims(NamedTuple):
    """Claims to judge, and what went wrong in making them."""

    claims: tuple[VerifiedClaim, ...]
    failures: tuple[Failure, ...] = ()


class ClaimFinder:
    """Finds claims with an atomizer and a reviser, which see the text without its citation markers."""

    def __init__(self, atomizer: Atomizer, reviser: Reviser) -> None:
        self._atomizer = atomizer
        self._reviser = reviser

    def claims(self, text: CitedText, record: Record, meter: Meter) -> Claims:
        """The record's atoms, or the claims of its answer.

        Raises:
            StageError: the answer could not be split into claims.
        """
        if record.atoms is not None:
            return _placed(text, [(atom, _in_original(text, atom)) for atom in record.atoms], record)
        if is_abstention(text.plain):
            return Claims(())
        found = self._found(text, record, meter)
        located = [(atom, _in_plain(text, atom)) for atom in found.atoms]
        return self._all(found, located, text, text.sentences, record)

    def claims_of(self, parts: Sequence[Sentence], text: CitedText, record: Record, meter: Meter) -> Claims:
        """The claims of some sentences of a text."""
        own = text.like("\n\n".join(text.text[slice(*part.words)] for part in parts))
        found = self._found(own, record, meter)
        starts = list(accumulate((part.words.end - part.words.start + 2 for part in parts[:-1]), initial=0))
        located: list[Located] = []
        for atom in found.atoms:
            place = _in_plain(own, atom)
            if place is not None:
                n = bisect.bisect_right(starts, place.start) - 1
                words, shift = parts[n].words, parts[n].words.start - starts[n]
                place = Span(place.start + shift, min(place.end + shift, words.end))
            located.append((atom, place))
        return self._all(found, located, text, parts, record)

    def _found(self, text: CitedText, record: Record, meter: Meter) -> Atomized:
        asked = record.model_copy(update={"response": text.plain, "contexts": None, "atoms": None})
        return made_atoms(asked, self._atomizer, self._reviser, meter)

    def _all(
        self,
        found: Atomized,
        located: list[Located],
        text: CitedText,
        among: Sequence[Sentence],
        record: Record,
    ) -> Claims:
        """The claims that were found, and those of sentences that repeat others."""
        placed = _placed(text, located + _repeated(text, among, located), record)
        return placed._replace(failures=(*found.failures, *placed.failures))


def _in_original(text: CitedText, atom: Atom) -> Span | None:
    """The place of a given atom: its span, else where its original wording or its text is found."""
    if atom.span is not None and 0 <= atom.span[0] < atom.span[1] <= len(text.text):
        return Span(*atom.span)
    return _in_plain(text, atom.model_copy(update={"span": None}))


def _in_plain(text: CitedText, atom: Atom) -> Span | None:
    """The place of an atom whose span, if any, is in the text without citation markers."""
    if atom.span is not None:
        return text.original(atom.span)
    locator = Locator(text.plain, Span(0, len(text.plain)), sentences(text.plain))
    for words in (atom.original, atom.text):
        if words and (found := locator.find(words)) is not None:
            return text.original(found)
    return None


def _repeated(text: CitedText, among: Sequence[Sentence], located: Sequence[Located]) -> list[Located]:
    """The claims of sentences that repeat another one. These may cite other sources than the first."""
    own: dict[Sentence, list[Located]] = {}
    for atom, span in located:
        if span is not None and (sentence := text.sentence_at(span)) is not None:
            own.setdefault(sentence, []).append((atom, span))
    said: dict[str, list[Located]] = {_alike(one[0].text): [one] for one in located if one[1] is not None}
    said |= {_alike(text.words_of(sentence)): claims for sentence, claims in own.items()}
    found: list[Located] = []
    for sentence in among:
        if sentence not in own and not sentence.is_code:
            for atom, _ in said.get(_alike(text.words_of(sentence)), ()):
                name = f"{atom.id}_{len(found) + 1}"
                found.append((atom.model_copy(update={"id": name}), sentence.words))
    return found


def _alike(words: str) -> str:
    return " ".join(_UNREAD.sub("", words).casefold().split()).rstrip(".!? ")


def _placed(text: CitedText, located: Sequence[tuple[Atom, Span | None]], record: Record) -> Claims:
    """The claims with their sentences. One that is not found in the text is a failure, and not judged."""
    contexts = {context.id for context in record.contexts or ()}
    taken = contexts | {atom.id for atom, _ in located}
    claims: list[VerifiedClaim] = []
    failures: list[Failure] = []
    for atom, span in located:
        name = new_id("a", len(claims), taken) if atom.id in contexts else atom.id
        taken.add(name)
        claim = at_place(VerifiedClaim(id=name, text=atom.text), span, text)
        if claim.sentence is None:
            claim = claim.model_copy(update={"fate": "flagged"})
            failures.append(_nowhere(record, name, atom))
        claims.append(claim)
    return Claims(tuple(claims), tuple(failures))


def at_place(claim: VerifiedClaim, span: tuple[int, int] | None, text: CitedText) -> VerifiedClaim:
    """A claim at a place in a text, with what its sentence there cites."""
    sentence = text.sentence_at(span) if span is not None else None
    if span is None or sentence is None:
        return claim.model_copy(update={"span": None, "sentence": None})
    place = {"span": tuple(span), "sentence": sentence.place}
    cites = {"cited": sentence.cited, "unknown": sentence.unknown, "by": sentence.by}
    return claim.model_copy(update=place | cites)


def _nowhere(record: Record, name: str, atom: Atom) -> Failure:
    remedy = " Give the atom its 'original' wording." if record.atoms is not None else ""
    return Failure(
        stage=STAGE,
        item_id=name,
        error_type="NotInTextError",
        message=f"record {record.id}: claim {name}, {atom.text[:80]!r}, was not found in the answer, "
        f"so its citations are unknown and it was not judged.{remedy}",
    )


def citations_of(text: CitedText, claims: Sequence[VerifiedClaim]) -> tuple[Citation, ...]:
    """Every source that a sentence cites by its own markers, with the claims that cite it.

    These are the claims of the whole paragraph for a marker that closes one.
    """
    found = []
    for sentence in text.sentences:
        if sentence.by != "sentence":
            continue
        place = sentence.place
        heirs = {s.place for s in text.sentences if s.by == "paragraph" and s.block == sentence.block}
        own = tuple(claim.id for claim in claims if claim.sentence == place or claim.sentence in heirs)
        found += [Citation(label=s, source=s, sentence=place, claims=own) for s in sentence.cited]
        found += [Citation(label=u, source=None, sentence=place, claims=own) for u in sentence.unknown]
    return tuple(found)
