"""The claims of a text, each with its sentence and what it cites; and what became of them by corrections."""

from __future__ import annotations

import bisect
import re
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from factreasoner.atoms import made_atoms
from factreasoner.atoms.alignment import Locator
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.llm.usage import Meter
from factreasoner.models import Atom, Failure, Record, new_id
from factreasoner.protocols import Atomized, Atomizer, Reviser
from factreasoner.tasks.verify.citations import CitedText, Place, Sentence
from factreasoner.tasks.verify.correcting import STAGE as CORRECTING
from factreasoner.tasks.verify.editing import Edit, Edited, edited
from factreasoner.tasks.verify.result import FAILED, Change, Citation, Fate, VerifiedClaim, VerifiedText
from factreasoner.text.sentences import Span, sentences
from factreasoner.text.tags import TAG

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
        located += _repeated(text, text.sentences, located)
        return _placed(text, located, record, found.failures)

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
        located += _repeated(text, parts, located)
        return _placed(text, located, record, found.failures)

    def _found(self, text: CitedText, record: Record, meter: Meter) -> Atomized:
        asked = record.model_copy(update={"response": text.plain, "contexts": None, "atoms": None})
        return made_atoms(asked, self._atomizer, self._reviser, meter)


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


def _placed(
    text: CitedText, located: Sequence[Located], record: Record, failed: Sequence[Failure] = ()
) -> Claims:
    """The claims with their sentences. One that is not found in the text is a failure, and not judged."""
    contexts = {context.id for context in record.contexts or ()}
    taken = contexts | {atom.id for atom, _ in located}
    claims: list[VerifiedClaim] = []
    failures = list(failed)
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


class Revision(NamedTuple):
    """A text with its verified claims. `places` maps each sentence of the answer to what became of it here.

    A sentence that was removed has an empty place.
    """

    text: CitedText
    claims: tuple[VerifiedClaim, ...]
    places: Mapping[Place, Place]

    def verified(self, changes: Sequence[Change]) -> VerifiedText:
        """The text as a result holds it, its claims with what `changes` did to them."""
        citations = citations_of(self.text, self.claims)
        claims = tuple(claim.model_copy(update={"fate": _fate(claim, changes)}) for claim in self.claims)
        return VerifiedText(text=self.text.text, claims=claims, citations=citations, notes=self.text.notes)

    def origins(self, sentence: Sentence) -> list[Place]:
        """The sentences of the answer from which one of the text comes."""
        return [root for root, now in self.places.items() if _overlap(now, sentence.place)]


class NewText(NamedTuple):
    """A text after `done` edits; `failures` are new sentences that would have run into their neighbours."""

    text: CitedText
    done: Edited
    failures: tuple[Failure, ...]


def new_text(text: CitedText, edits: Mapping[Place, str], record_id: str) -> NewText:
    """`text` with its sentences at the places of `edits` replaced, or removed where the new one is empty.

    A new sentence that the text around it would continue is left out.
    """
    wanted = dict(edits)
    failures: list[Failure] = []
    while wanted:
        done = edited(text.text, [Edit(*place, after) for place, after in wanted.items()])
        new = CitedText(done.text, text.contexts)
        spoilt = [edit for edit, place in done.placed() if _runs_over(new, place)]
        joined = [
            place
            for place, after in wanted.items()  # a removal may leave marks of bold and the like
            if after.strip() and any(_overlap(place, (edit.start, edit.end)) for edit in spoilt)
        ]
        if not joined:
            return NewText(new, done, tuple(failures))
        failures += [_joined(record_id, place, wanted.pop(place)) for place in joined]
    return NewText(text, Edited(text.text, ()), tuple(failures))


def _runs_over(text: CitedText, place: Place) -> bool:
    """Whether a sentence has words both inside and outside a place."""
    found = [sentence.words for sentence in text.sentences if _overlap(sentence.words, place)]
    outside = [text.text[w.start : place[0]] + text.text[place[1] : w.end] for w in found]
    return any(character.isalnum() for piece in outside for character in piece)


def _joined(record_id: str, place: Place, after: str) -> Failure:
    return Failure(
        stage=CORRECTING,
        item_id=f"{record_id}[{place[0]}:{place[1]}]",
        error_type="JoinedSentenceError",
        message=f"record {record_id}: the new sentence {after[:80]!r} would run into the one beside it; "
        "the sentence stays as it was",
    )


def changes_of(answer: str, revision: Revision, reasons: Mapping[Place, Sequence[str]]) -> tuple[Change, ...]:
    """What the answer's sentences with `reasons` to change them became in the last revision.

    Sentences that became one are one change.
    """
    text = revision.text
    groups: list[tuple[Place, Place]] = []
    for root in sorted(reasons):
        now, at = revision.places[root], len(groups)
        at = next((n for n, (_, other) in enumerate(groups) if _overlap(other, now)), at)
        members = [*groups[at:], (root, now)]
        spans = [span for _, span in members if span[0] < span[1]] or [now]
        groups[at:] = [((members[0][0][0], root[1]), (spans[0][0], max(end for _, end in spans)))]
    found = []
    for (start, end), now in groups:
        says = any(_overlap(now, sentence.words) for sentence in text.sentences)
        says = says and any(map(str.isalnum, TAG.sub("", text.text[slice(*now)])))
        before, after = answer[start:end], text.text[slice(*now)].strip() if says else ""
        if after != before.strip():
            own = (why for root in sorted(reasons) if start <= root[0] < end for why in reasons[root])
            found.append(Change(before=before, after=after, why=tuple(dict.fromkeys(own)), span=(start, end)))
    return tuple(found)


def _fate(claim: VerifiedClaim, changes: Sequence[Change]) -> Fate:
    change = next((c for c in changes if claim.sentence and _overlap(c.span, claim.sentence)), None)
    if change is not None:
        return "rewritten" if change.after else "removed"
    return "flagged" if claim.label in FAILED or claim.label in (None, "uncited") else "kept"


def _overlap(one: Place, other: Place) -> bool:
    return min(one[1], other[1]) > max(one[0], other[0])
