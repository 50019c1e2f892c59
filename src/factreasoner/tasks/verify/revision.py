"""An answer on its way to the corrected one: what its sentences became, and what happened to its claims."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from factreasoner.models import Failure
from factreasoner.tasks.verify.citations import CitedText, Place, Sentence
from factreasoner.tasks.verify.claims import citations_of
from factreasoner.tasks.verify.correcting import STAGE
from factreasoner.tasks.verify.editing import Edit, Edited, edited
from factreasoner.tasks.verify.result import FAILED, Change, Fate, VerifiedClaim, VerifiedText
from factreasoner.text.tags import TAG


class Revision(NamedTuple):
    """A text with its verified claims. `places` maps each sentence of the answer to what became of it here.

    A sentence that was removed has an empty place.
    """

    text: CitedText
    claims: tuple[VerifiedClaim, ...]
    places: Mapping[Place, Place]

    @property
    def verified(self) -> VerifiedText:
        """The text as a result holds it."""
        citations = citations_of(self.text, self.claims)
        return VerifiedText(
            text=self.text.text, claims=self.claims, citations=citations, notes=self.text.notes
        )

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
        stage=STAGE,
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


def with_fates(claims: Sequence[VerifiedClaim], changes: Sequence[Change]) -> tuple[VerifiedClaim, ...]:
    """The claims with what happened to them."""

    def fate(claim: VerifiedClaim) -> Fate:
        change = next((c for c in changes if claim.sentence and _overlap(c.span, claim.sentence)), None)
        if change is not None:
            return "rewritten" if change.after else "removed"
        return "flagged" if claim.label in FAILED or claim.label in (None, "uncited") else "kept"

    return tuple(claim.model_copy(update={"fate": fate(claim)}) for claim in claims)


def _overlap(one: Place, other: Place) -> bool:
    return min(one[1], other[1]) > max(one[0], other[0])
