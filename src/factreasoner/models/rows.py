"""A stored result as rows, one per claim, with probability, label and deciding quote.

Every table, page and file of claims reads these rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeVar

from factreasoner.models.frames import Columns
from factreasoner.models.graph import P_DIGITS, Support, label_of
from factreasoner.models.records import Atom, Context
from factreasoner.models.verdicts import Label, QuoteBy, Verdict, decision, decisive_verdict

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
ANSWER, REFERENCE, CONTEXTS = "answer", "reference", "contexts"
"""Premise ids other than a context's: the answer, the reference, all passages together."""


def known_verdict(premise_id: str, claim_id: str, label: Label, note: str) -> Verdict:
    """A verdict without a judge, such as on an empty text; `note` says why."""
    return Verdict(context_id=premise_id, target_id=claim_id, label=label, probability=1.0, note=note)


Judged = Literal["fully", "partly", "no"]
Caution = Literal["disputed"]
NAME_LENGTH = 90
NEAREST = "nearest sentence"


class Note(NamedTuple):
    """A note on a claim: words, and the `quote` that they introduce, if any.

    `own`: it is the quote of the claim's row. `end` follows a quote.
    """

    words: str
    quote: str = ""
    own: bool = False
    end: str = ""


def quote_note(words: str, quote: str | None, quote_by: QuoteBy | None) -> Note:
    """A note that ends with a quote, if there is one."""
    one_line = " ".join((quote or "").split())
    return Note(f"{words}; {NEAREST}" if one_line and quote_by == "nearest" else words, one_line)


def notes_text(notes: Iterable[Note]) -> str:
    """Notes as one string, each with its quote."""
    return "".join(n.words + (f': "{n.quote}"' if n.quote else "") + n.end for n in notes)


def review_rank(
    label: str | None, p_true: float | None, *, disputed: bool, best_support: float | None = None
) -> float | None:
    """The review rank of a claim, lowest first; None if it needs no review.

    Contradicted claims come first, then those citing a missing source, then supported ones that are
    `disputed`, then conflicting ones, and last unverified ones, by `best_support`: the highest P(a premise
    supports it) of their verdicts, else by P.
    """
    if label == "unknown_source":
        return -1.0
    if p_true is None:
        return None
    if label == "supported":
        return p_true - 1.0 if disputed else None
    if label == "contradicted":
        return p_true - 2.0
    if label == "conflicting":
        return 0.0
    return p_true if best_support is None else best_support


class Vocabulary(NamedTuple):
    """A task's words for a claim, a claim's probability and labels (None: not judged), and for no claims.

    `scores` are the metrics shown in a result's `repr`.
    """

    claim: str = "claim"
    p: str = "P"
    labels: Mapping[str | None, str] = MappingProxyType({})
    no_claims: str = ""
    scores: tuple[str, ...] = ()


@dataclass(frozen=True)
class ClaimRow:
    """A claim, and what it was judged against.

    - `record` and `claim` are ids. `of` is the origin of the claim: the `answer`, the `reference`, or `facts`
      given for the answer. `against` is what it was judged against: `contexts`, `cited` sources, the `answer`
      or the `reference`. A claim judged against two of them has two rows.
    - `original` is its text before revision, (`start`, `end`) its position in the text, in characters; None
      if unknown. `gold` is a human label.
    - `p_true` and `label` are None if every verdict failed: `judged` is "no". "partly": some failed.
    - `num_entailing` and `num_contradicting` count the premises that entail or contradict it.
    - `context` is the id of the premise that decides the label, with its `title` and `link`, and `quote` is
      the judge's quote from it. None if nothing decides the label.
    - `best_support` is the highest P(a premise supports it) of its verdicts; None without verdicts.
    - `notes` are further notes, and `note` is their text. `fate` is what happened to it in a corrected
      answer. `quote_by` is the origin of the quote; see `Verdict`.
    """

    record: str
    claim: str
    of: str
    against: str
    text: str
    original: str | None
    start: int | None
    end: int | None
    p_true: float | None
    label: str | None
    judged: Judged
    gold: str | None
    num_entailing: int
    num_contradicting: int
    quote: str | None
    context: str | None
    title: str | None
    link: str | None
    best_support: float | None = None
    notes: tuple[Note, ...] = ()
    fate: str = ""
    quote_by: QuoteBy | None = None

    @property
    def quote_mark(self) -> str:
        """The mark before a quote that is only the nearest sentence."""
        return f"{NEAREST}: " if self.quote_by == "nearest" else ""

    @property
    def span(self) -> tuple[int, int] | None:
        """The position in the text, (start, end)."""
        return None if self.start is None or self.end is None else (self.start, self.end)

    @property
    def cautions(self) -> tuple[Caution, ...]:
        """Reasons to look twice. `disputed`: one premise entails the claim and one contradicts it."""
        return ("disputed",) if self.num_entailing and self.num_contradicting else ()

    @property
    def rank(self) -> float | None:
        """See :func:`review_rank`."""
        disputed = "disputed" in self.cautions
        return review_rank(self.label, self.p_true, disputed=disputed, best_support=self.best_support)

    @property
    def note(self) -> str:
        """The notes as one string."""
        return notes_text(self.notes)

    @property
    def note_beside_quote(self) -> str:
        """The notes without the row's own quote, for use beside it."""
        return notes_text(note._replace(quote="", end=".") if note.own else note for note in self.notes)


_NUMBERS = {"start": int, "end": int, "num_entailing": int, "num_contradicting": int, "p_true": float}
CLAIM_COLUMNS: Columns = {
    {"notes": "note"}.get(field.name, field.name): _NUMBERS.get(field.name, str)
    for field in fields(ClaimRow)
    if field.name != "best_support"
}
NOT_OF_ATOMS = ("of", "against", "fate")
"""Columns that are constant for atoms."""


def claim_columns(words: Vocabulary) -> Columns:
    """The columns of a task's claim table; an atom's id is in `atom`."""
    if words.claim == "claim":
        return CLAIM_COLUMNS
    renamed = ((words.claim if name == "claim" else name, kind) for name, kind in CLAIM_COLUMNS.items())
    return {name: kind for name, kind in renamed if name not in NOT_OF_ATOMS}


def table_row(row: ClaimRow, words: Vocabulary) -> dict[str, Any]:
    """A row of that table."""
    own = {words.claim: "claim"}
    return {name: getattr(row, own.get(name, name)) for name in claim_columns(words)}


class Judgement(NamedTuple):
    """A claim's probability and label, and whether it was fully judged; see `ClaimRow`."""

    p_true: float | None
    label: str | None
    judged: Judged = "fully"


class Evidence(NamedTuple):
    """What a claim was judged against (see `ClaimRow`), the contexts by id, and its verdicts."""

    against: str
    contexts: Mapping[str, Context]
    verdicts: Sequence[Verdict]


def claim_label(p_true: float, verdicts: Iterable[Verdict]) -> Support:
    """The label of a claim from P and its verdicts. No evidence means unverified."""
    known = list(verdicts)
    return label_of(
        p_true, supporting=any(v.supports for v in known), contradicting=any(v.contradicts for v in known)
    )


def judgement_of(p_true: float | None, verdicts: Sequence[Verdict], judged: Judged = "fully") -> Judgement:
    """The judgement from verdicts and their P. Without P, there is no label."""
    if p_true is None:
        return Judgement(None, None, "partly" if verdicts else "no")
    p = round(p_true, P_DIGITS)
    return Judgement(p, claim_label(p, verdicts), judged)


def claim_row(
    record_id: str, of: str, claim: Atom, judgement: Judgement, evidence: Evidence, notes: Iterable[Note] = ()
) -> ClaimRow:
    """The row of a claim; `notes` with words come before those from the verdicts."""
    best_support = max([verdict.p.entailment for verdict in evidence.verdicts], default=None)
    decisive = decisive_verdict(judgement.label, evidence.verdicts)
    premise = decisive.context_id if decisive else None
    context = evidence.contexts.get(premise) if premise else None
    kept_notes = [note for note in (*notes, *_notes(judgement, evidence, decisive)) if note.words]
    return ClaimRow(
        record=record_id,
        claim=claim.id,
        of=of,
        against=evidence.against,
        text=claim.text,
        original=claim.original,
        start=claim.span[0] if claim.span else None,
        end=claim.span[1] if claim.span else None,
        p_true=judgement.p_true,
        label=judgement.label,
        judged=judgement.judged,
        gold=claim.gold,
        num_entailing=_count("entailment", evidence.verdicts),
        num_contradicting=_count("contradiction", evidence.verdicts),
        quote=decisive.quote if decisive else None,
        context=premise,
        title=(context.title or None) if context else None,
        link=(context.link or None) if context else None,
        best_support=best_support,
        notes=(*kept_notes[:1], *(note._replace(words=f"; {note.words}") for note in kept_notes[1:])),
        quote_by=(decisive.quote_by or "judge") if decisive and decisive.quote else None,
    )


def _notes(judgement: Judgement, evidence: Evidence, decisive: Verdict | None) -> Iterator[Note]:
    """Notes: opposing evidence, then corrections, then what is known about neutral verdicts."""
    name = {verdict.context_id: _name(verdict.context_id, evidence) for verdict in evidence.verdicts}
    against = [verdict for verdict in evidence.verdicts if verdict.contradicts]
    verb, others = "contradict", against
    if judgement.label == "contradicted":
        verb, others = "support", [verdict for verdict in evidence.verdicts if verdict.supports]
    strongest = decision(others).verdict
    if strongest is not None and judgement.label is not None:
        more = len({verdict.context_id for verdict in others}) - 1
        wording = f"and {more} more {verb} it" if more else f"{verb}s it"
        yield quote_note(f"{name[strongest.context_id]} {wording}", strongest.quote, strongest.quote_by)
    corrected = [verdict for verdict in evidence.verdicts if verdict.confidence == "corrected"]
    for verdict in corrected:
        yield Note(verdict.note if verdict is decisive else f"{name[verdict.context_id]}: {verdict.note}")
    if decisive is not None or corrected:
        return
    alone = next((text for text in (ANSWER, REFERENCE) if text in name), None)
    every = "context" if judgement.judged == "fully" else "judged context"
    silence = f"not clearly stated in the {alone}" if alone else f"no {every} decides it"
    if noted := next((v for v in evidence.verdicts if v.note), None):
        more = len({v.context_id for v in evidence.verdicts if v.note == noted.note}) - 1
        which = name[noted.context_id] + f" and {more} more" * bool(more)
        yield Note(noted.note if alone else f"{which}: {noted.note}")
    elif name and not against:
        yield Note(silence)


def main_rows(rows: Sequence[ClaimRow]) -> list[ClaimRow]:
    """One row per claim of the answer, or per fact: the first."""
    found: dict[str, ClaimRow] = {}
    for row in rows:
        if row.of != REFERENCE:
            found.setdefault(row.claim, row)
    return list(found.values())


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """The items by their key, in order of the keys' first appearance."""
    found: dict[K, list[T]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def by_value(values: Mapping[str, str]) -> dict[str, list[str]]:
    """The names with each value."""
    return grouped(values, values.__getitem__)


def by_claim(verdicts: Iterable[Verdict]) -> dict[str, list[Verdict]]:
    """Verdicts by the id of their claim."""
    return grouped(verdicts, attrgetter("target_id"))


def _count(label: Label, verdicts: Iterable[Verdict]) -> int:
    return len({v.context_id for v in verdicts if v.label == label and v.probability > 0.5})


def _name(premise: str, evidence: Evidence) -> str:
    context = evidence.contexts.get(premise)
    return source_name(premise, (context.title or context.link) if context else None)


def source_name(premise: str, name: str | None) -> str:
    """A passage's id, with its title (shortened) or its link."""
    short = " ".join((name or "").split())
    if len(short) > NAME_LENGTH and not re.fullmatch(r"\w+://\S+", short):
        short = f"{short[:NAME_LENGTH].rsplit(' ', 1)[0]} …"
    return f"{premise} ({short})" if short else premise
