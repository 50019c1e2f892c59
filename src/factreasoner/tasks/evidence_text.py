"""A claim's evidence, and records without claims, as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.models import Result, not_checked
from factreasoner.models.formatting import first_of, number_of
from factreasoner.models.rows import NAME_LENGTH, ClaimRow, notes_text, source_name
from factreasoner.text.passages import excerpt
from factreasoner.text.reasoning import without_reasoning
from factreasoner.text.visible import one_line

IN_PART = "judged in part"
_DECIDES = ("supported by ", "contradicted by ")


def evidence_of(row: ClaimRow, longest: int) -> list[str]:
    """A claim's deciding evidence and its notes, each on one line."""
    parts, whole, words = [], one_line(row.note), one_line(row.quote or "")
    quotes = [one_line(note.quote) for note in row.notes if note.quote]
    if len(whole) - sum(map(len, quotes)) <= longest + NAME_LENGTH:
        cut = (note._replace(quote=_shortened(note.quote, row, longest)) for note in row.notes)
        note = one_line(notes_text(cut))
    else:
        note = one_line(whole, longest)
    own = any(one.own for one in row.notes) or not row.quote
    if row.against == "cited" and row.context is not None and own and whole.startswith("["):
        titled = one_line(row.title or row.link or "")  # the marker in the note names the source
        note = f"{note.removesuffix('.')} ({titled})" if titled else note
    elif row.context is not None:
        quote = "" if words in whole else f'{row.quote_mark}"{_shortened(words, row, longest)}"'
        verb = "" if row.quote and not row.quote_mark else _DECIDES[row.label == "contradicted"]
        name = verb + one_line(source_name(row.context, row.title or row.link))
        parts.append(("; " if row.quote_mark else ": ").join(filter(None, (name, quote))))
    if row.judged == "partly":
        parts.append(IN_PART)
    if note:
        parts.append(note)
    return parts


def _shortened(quote: str, row: ClaimRow, longest: int) -> str:
    line = one_line(quote)
    return line if len(line) <= longest else excerpt(line, row.text, longest)


NAMED = 3
"""Maximum records named by id; others are counted."""


class WithoutClaims:
    """The records without claims, or with unjudged claims, by reason."""

    def __init__(self) -> None:
        self._without: dict[str, list[str]] = {}
        self._unjudged: dict[str, list[str]] = {}
        self._unchecked: Counter[str] = Counter()
        self._sentences = 0

    def count(self, result: Result) -> None:
        """Count the unchecked sentences of a record."""
        self._unchecked.update(part.reason for part in result.unchecked or ())
        self._sentences += result.sentences or 0

    @property
    def not_checked(self) -> str:
        """The unchecked sentences of all counted records, by reason; empty if none."""
        return not_checked(self._unchecked, self._sentences)

    def add(self, result: Result) -> None:
        """Add a record without claims."""
        failed = f"failed: {result.failures[0].message}" if result.failures else ""
        self._without.setdefault(failed or no_claims_reason(result), []).append(result.record_id)

    def add_unjudged(self, result: Result, rows: Iterable[ClaimRow]) -> None:
        """Add a record if verdicts on its `rows` failed, with the first of these failures."""
        names = {row.claim for row in rows if row.label is None}
        lost = (f for f in result.failures if f.item_id.rpartition("->")[2] in names | {result.record_id})
        if names and (failure := next(lost, None)):
            self._unjudged.setdefault(failure.message, []).append(result.record_id)

    def summary(self, claim_word: str) -> str:
        """Counts and reasons: "No atoms in 2 records: an abstention (r3), failed: ... (r5)."."""
        kinds = {f"No {claim_word}s": self._without, f"Not all {claim_word}s judged": self._unjudged}
        return " ".join(_counted(what, ids) for what, ids in kinds.items() if ids)


def _counted(what: str, records: Mapping[str, Sequence[str]]) -> str:
    reasons = ", ".join(f"{why} ({first_of(ids, NAMED)})" for why, ids in records.items())
    return f"{what} in {number_of(sum(map(len, records.values())), 'record')}: {reasons}."


def no_claims_reason(result: Result) -> str:
    """Why a result has no claims."""
    if result.vocabulary.no_claims:
        return result.vocabulary.no_claims
    if not result.response.strip():
        return "an empty answer"
    if not any(map(str.isalnum, result.response)):
        return "an answer without a word"
    if not any(map(str.isalnum, without_reasoning(result.response))):
        return "reasoning without an answer"
    if is_abstention(result.response):
        return "an abstention"
    if "atomizer" not in result.seconds:
        return "the given list is empty; remove it to have them made"
    return "no claim was found (questions and remarks are not claims)"
