"""The claims of a text, their sentences and citations; and their labels."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import NamedTuple

from factreasoner.atoms.extraction import make_atoms
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.calls.usage import Meter
from factreasoner.models import P_DIGITS, Atom, Failure, Record, Verdict, new_id
from factreasoner.models.rows import by_claim, claim_label
from factreasoner.models.verdicts import decision
from factreasoner.protocols import Atomized, Atomizer, Reviser
from factreasoner.tasks.verify.citations import CitedText, CitingSentence
from factreasoner.tasks.verify.judging import SourceVerdict
from factreasoner.tasks.verify.result import (
    AGAINST,
    FAILED,
    Citation,
    VerifiedClaim,
    VerifiedText,
    VerifyResult,
)
from factreasoner.text.passages import Locator
from factreasoner.text.sentences import Span, sentences

STAGE = "verify"
_UNREAD = re.compile("[*_`~\u200b-\u200f\u2060\ufeff]")
Located = tuple[Atom, Span | None]


class FoundClaims(NamedTuple):
    """Claims to judge, and failures in making them."""

    claims: tuple[VerifiedClaim, ...]
    failures: tuple[Failure, ...] = ()


class ClaimFinder:
    """Finds claims with an atomizer and a reviser, on the text without citation markers."""

    def __init__(self, atomizer: Atomizer, reviser: Reviser) -> None:
        self._atomizer = atomizer
        self._reviser = reviser

    def claims(self, text: CitedText, record: Record, meter: Meter) -> FoundClaims:
        """The record's atoms, or the claims of its answer.

        Raises StageError: the answer could not be split into claims.
        """
        if record.atoms is not None:
            return _placed(text, [(atom, _in_original(text, atom)) for atom in record.atoms], record)
        if is_abstention(text.plain):
            return FoundClaims(())
        found = self._extract_claims(text, record, meter)
        located = [(atom, _in_plain(text, atom)) for atom in found.atoms]
        located += _repeated(text, text.sentences, located)
        return _placed(text, located, record, found.failures)

    def claims_of(
        self, parts: Sequence[CitingSentence], text: CitedText, record: Record, meter: Meter
    ) -> FoundClaims:
        """The claims of some sentences of a text."""
        own = text.like("\n\n".join(text.text[slice(*part.words)] for part in parts))
        found = self._extract_claims(own, record, meter)
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

    def _extract_claims(self, text: CitedText, record: Record, meter: Meter) -> Atomized:
        asked = record.model_copy(update={"response": text.plain, "contexts": None, "atoms": None})
        return make_atoms(asked, self._atomizer, self._reviser, meter)


def _in_original(text: CitedText, atom: Atom) -> Span | None:
    """The position of a given atom: its span, else where its original or its text occurs."""
    if atom.span is not None and 0 <= atom.span[0] < atom.span[1] <= len(text.text):
        return Span(*atom.span)
    return _in_plain(text, atom.model_copy(update={"span": None}))


def _in_plain(text: CitedText, atom: Atom) -> Span | None:
    """The position of an atom in the text without citation markers."""
    if atom.span is not None:
        return text.original(atom.span)
    locator = Locator(text.plain, Span(0, len(text.plain)), sentences(text.plain))
    for words in (atom.original, atom.text):
        if words and (found := locator.find(words)) is not None:
            return text.original(found)
    return None


def _repeated(text: CitedText, among: Sequence[CitingSentence], located: Sequence[Located]) -> list[Located]:
    """The claims of repeated sentences, which may cite other sources than the first."""
    own: dict[CitingSentence, list[Located]] = {}
    for atom, span in located:
        if span is not None and (sentence := text.sentence_at(span)) is not None:
            own.setdefault(sentence, []).append((atom, span))
    wording: dict[str, list[Located]] = {_alike(one[0].text): [one] for one in located if one[1] is not None}
    wording |= {_alike(text.words_of(sentence)): claims for sentence, claims in own.items()}
    found: list[Located] = []
    for sentence in among:
        if sentence not in own and not sentence.is_code:
            for atom, _ in wording.get(_alike(text.words_of(sentence)), ()):
                name = f"{atom.id}_{len(found) + 1}"
                found.append((atom.model_copy(update={"id": name}), sentence.words))
    return found


def _alike(words: str) -> str:
    return " ".join(_UNREAD.sub("", words).casefold().split()).rstrip(".!? ")


def _placed(
    text: CitedText, located: Sequence[Located], record: Record, failed: Sequence[Failure] = ()
) -> FoundClaims:
    """The claims with their sentences. One that is not found in the text is a failure."""
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
    return FoundClaims(tuple(claims), tuple(failures))


def at_place(claim: VerifiedClaim, span: tuple[int, int] | None, text: CitedText) -> VerifiedClaim:
    """A claim at a position in a text, with the citations of its sentence."""
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

    For a marker that closes a paragraph, these are all its claims.
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


def labelled(
    claim: VerifiedClaim,
    sources: Sequence[SourceVerdict],
    text: CitedText,
    *,
    complete: bool,
    unread: Mapping[str, str] | None = None,
) -> VerifiedClaim:
    """The claim with the verdict of its sources, named as in `text`.

    The most probable verdict that supports or contradicts the claim decides. If an equally probable one says
    the opposite, the claim is conflicting. Without either, the highest P of support is the claim's.

    `unread` are the sources in a language that the judge does not support, with its reasons. If verdicts are
    missing (not `complete`), or half of the sources or more are unread, the claim can only be supported. It
    has no label if all are unread.
    """
    unread = unread or {}
    of_unread = "".join(f" {_names((source,), text)}: {why}." for source, why in unread.items())
    if unread:
        claim = claim.model_copy(update={"explanation": of_unread.strip()})
    if not sources:
        return claim
    found = decision(s.verdict for s in sources)
    if found.verdict is None:
        best = max(sources, key=lambda s: s.verdict.p.entailment)
    else:
        best = next(s for s in sources if s.verdict is found.verdict)
    p = 0.5 if found.split else round(best.verdict.p.entailment, P_DIGITS)
    label = "conflicting" if found.split else claim_label(p, [found.verdict] if found.verdict else [])
    if label != "supported" and not (complete and len(sources) > len(unread)):
        return claim
    support = (source for s in sources if s.verdict.supports for source in s.rests_on)
    return claim.model_copy(
        update={
            "label": label,
            "p": p,
            "supported_by": tuple(dict.fromkeys(support)) if label == "supported" else (),
            "explanation": _explanation(best, sources, text) + of_unread,
            "quote": best.verdict.quote,
            "quoted": best.quoted,
        }
    )


def relabelled(result: VerifyResult, verdicts: tuple[Verdict, ...]) -> VerifyResult:
    """The result with `verdicts` in place of its own, and new labels.

    No sentence is rewritten: changes stay, and a claim in an unchanged sentence is flagged or kept by its new
    label.
    """
    changed = {new.target_id for new, old in zip(verdicts, result.verdicts, strict=True) if new != old}
    own = by_claim(verdicts)

    def text(verified: VerifiedText | None) -> VerifiedText | None:
        if verified is None:
            return None
        cited = CitedText(verified.text, result.contexts)
        claims = (
            _renewed(claim, own[claim.id], cited) if claim.id in changed else claim
            for claim in verified.claims
        )
        return verified.model_copy(update={"claims": tuple(claims)})

    update = {"verdicts": verdicts, "verified": text(result.verified), "revised": text(result.revised)}
    return result.model_copy(update=update)


def _renewed(claim: VerifiedClaim, verdicts: Iterable[Verdict], text: CitedText) -> VerifiedClaim:
    sources = [_source_verdict(claim, verdict) for verdict in verdicts]
    judged = labelled(claim, sources, text, complete=claim.label is not None)
    if judged.fate in ("rewritten", "removed"):
        return judged
    wrong = judged.label in FAILED or judged.label is None
    return judged.model_copy(update={"fate": "flagged" if wrong else "kept"})


def _source_verdict(claim: VerifiedClaim, verdict: Verdict) -> SourceVerdict:
    """A verdict of one source, or of all that the claim cites."""
    shown = (verdict.context_id,) if verdict.context_id in claim.cited else claim.cited
    quoted = claim.quoted if verdict.quote is not None and verdict.quote == claim.quote else None
    corrected = verdict.confidence == "corrected"
    explanation = f"{verdict.note[:1].upper()}{verdict.note[1:]}." if corrected else ""
    return SourceVerdict(verdict, shown or (verdict.context_id,), explanation, quoted)


def _explanation(best: SourceVerdict, sources: Sequence[SourceVerdict], text: CitedText) -> str:
    """The judge's reason, or the verdict as text; then opposing verdicts."""
    wording = best.explanation or _evidence_text(best, sources, text)
    wording += "." * wording[-1:].isalnum()
    for other in sources:
        if other.verdict.label == "contradiction" != best.verdict.label:
            wording += f" {_cite(other.rests_on, *AGAINST, text)}{_quote(other)}"
        elif other.verdict.label == "entailment" != best.verdict.label:
            wording += f" {_evidence_text(other, sources, text)}"
    return wording


def _evidence_text(best: SourceVerdict, sources: Sequence[SourceVerdict], text: CitedText) -> str:
    if best.verdict.label == "entailment":
        return f"{_cite(best.rests_on, 'supports it', 'support it', text)}{_quote(best)}"
    if best.verdict.label == "contradiction":
        return f"{_cite(best.rests_on, 'contradicts it', 'contradict it', text)}{_quote(best)}"
    if best.verdict.note:
        return f"{_names(best.rests_on, text)}: {best.verdict.note}."
    every = tuple(dict.fromkeys(name for s in sources for name in s.rests_on))
    return f"{_cite(every, 'neither supports nor contradicts', 'neither support nor contradict', text)} it."


def _quote(source: SourceVerdict) -> str:
    """The end of a sentence: the quote, if any, and a full stop."""
    words = " ".join((source.verdict.quote or "").split())
    return f': "{words}"' if words.endswith((".", "!", "?")) else f': "{words}".' if words else "."


def _cite(ids: Sequence[str], of_one: str, of_several: str, text: CitedText) -> str:
    """The sources with the verb for one or for several."""
    return f"{_names(ids, text)} {of_one if len(ids) == 1 else of_several}"


def _names(ids: Sequence[str], text: CitedText) -> str:
    return " and ".join(f"[{text.label_of(source)}]" for source in ids)
