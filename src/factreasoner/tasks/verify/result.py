"""The result of verification, its claims as rows, its scores and metrics.

Citation recall and precision as in ALCE ("Enabling Large Language Models to Generate Text with Citations",
arXiv 2305.14627), per claim instead of per sentence; uncited claims are counted separately.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import ClassVar, Literal, NamedTuple

from factreasoner.metrics.statistics import OfRecords
from factreasoner.metrics.table import COUNT, EVERYWHERE, Better, Metric, Need, Place, Table, usage_metrics
from factreasoner.models import Atom, Context, Model, Verdict
from factreasoner.models.notebook import ChangedText, notebook_html
from factreasoner.models.rows import (
    ANSWER,
    CONTEXTS,
    ClaimRow,
    Evidence,
    Judged,
    Judgement,
    Note,
    Vocabulary,
    by_claim,
    claim_row,
)
from factreasoner.tasks.task import ClaimResult
from factreasoner.text.reasoning import closed_up

ClaimLabel = Literal["supported", "contradicted", "conflicting", "unverified", "uncited", "unknown_source"]
Fate = Literal["kept", "flagged", "rewritten", "removed"]
Attribution = Literal["sentence", "paragraph", "none"]

FAILED: frozenset[ClaimLabel | None] = frozenset(
    {"contradicted", "conflicting", "unverified", "unknown_source"}
)


class VerifiedClaim(Model):
    """A claim of a text, judged on the sources it cites.

    `span` and `sentence` are (start, end) in that text: the claim's position, and its sentence with the
    markers after it. `cited` are context ids, `unknown` labels without a source. `by`: cited by the claim's
    own sentence, or by the marker that closes its paragraph.

    `label` is None if judging failed. `uncited`: it cites nothing, and was not judged. `unknown_source`:
    nothing it cites exists. The others are as for atoms, and `p` is P(its sources support it); all sources,
    if it cites nothing. `supported_by` are the supporting sources, `quote` is verbatim from the source
    `quoted`. `fate`: kept, flagged (something is wrong, and its sentence stays), rewritten or removed with
    its sentence.
    """

    id: str
    text: str
    span: tuple[int, int] | None = None
    sentence: tuple[int, int] | None = None
    cited: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    by: Attribution = "none"
    label: ClaimLabel | None = None
    p: float | None = None
    supported_by: tuple[str, ...] = ()
    explanation: str = ""
    quote: str | None = None
    quoted: str | None = None
    fate: Fate = "kept"


class Citation(Model):
    """A source that a sentence cites, and the claims that cite it. `source` is None for an unknown one."""

    label: str
    source: str | None
    sentence: tuple[int, int]
    claims: tuple[str, ...] = ()


class Change(Model):
    """A changed sentence. `after` is empty if it was removed; `why` has a line for each claim."""

    before: str
    after: str
    why: tuple[str, ...]
    span: tuple[int, int]


class VerifiedText(Model):
    """A text with its claims and citations. `notes` are on doubtful citations."""

    text: str
    claims: tuple[VerifiedClaim, ...] = ()
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()


class VerifyResult(ClaimResult):
    """An answer checked against its sources, and checked again after correction.

    `contexts` are the sources. The spans of `changes` are positions in the answer, in characters. `revised`
    equals `verified` if nothing was changed. Both are None if the claims could not be made.
    """

    vocabulary: ClassVar[Vocabulary] = Vocabulary(scores=("citation_recall", "citation_precision", "uncited"))
    verified: VerifiedText | None = None
    revised: VerifiedText | None = None
    changes: tuple[Change, ...] = ()
    contexts: tuple[Context, ...] = ()

    def _rows(self) -> Iterator[ClaimRow]:
        """Every claim of the answer on the sources it cites, or on all if it cites nothing."""
        contexts = {context.id: context for context in self.contexts}
        verdicts = by_claim(self.verdicts)
        failed = {failure.item_id.partition("->")[2] for failure in self.failures}
        for claim in self.claims:
            cites = bool(claim.cited or claim.unknown)
            atom = Atom(id=claim.id, text=claim.text, span=claim.span)
            judged: Judged = "no" if claim.label is None else "partly" if claim.id in failed else "fully"
            row = claim_row(
                self.record_id,
                ANSWER,
                atom,
                Judgement(claim.p, claim.label, judged),
                Evidence(CITED if cites else CONTEXTS, contexts, verdicts.get(claim.id, ())),
            )
            decisive = claim.quoted or next(iter(claim.supported_by), row.context)
            context = contexts.get(decisive) if decisive else None
            yield replace(
                row,
                quote=claim.quote,
                quote_by=row.quote_by if claim.quote else None,
                context=decisive,
                title=(context.title or None) if context else None,
                link=(context.link or None) if context else None,
                notes=tuple(_notes(claim, verdicts.get(claim.id, ()))),
                fate=claim.fate,
            )

    @property
    def metrics(self) -> dict[str, float | None]:
        """The metrics; see `factreasoner metrics verify`."""
        return VERIFY.line(self)

    @property
    def claims(self) -> tuple[VerifiedClaim, ...]:
        """The claims of the given answer; none if they could not be made."""
        return self.verified.claims if self.verified else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on doubtful citations of the answer."""
        return self.verified.notes if self.verified else ()

    @property
    def unknown_citations(self) -> tuple[str, ...]:
        """Labels in the answer's citations without a source."""
        citations = self.verified.citations if self.verified else ()
        return tuple(citation.label for citation in citations if citation.source is None)

    @property
    def before(self) -> CitationScores:
        """The scores of the given answer."""
        return scores_of(self.verified)

    @property
    def after(self) -> CitationScores:
        """The scores of the corrected answer."""
        return scores_of(self.revised)

    def count(self, *labels: ClaimLabel | None) -> int:
        """The number of the given answer's claims with one of these labels."""
        return sum(claim.label in labels for claim in self.claims)

    def _repr_html_(self) -> str:
        changes = (ChangedText(change.before, change.after) for change in self.changes)
        return notebook_html(
            repr(self), [(self.id, self._rows(), self.failures)], self.vocabulary, changes=changes
        )

    @property
    def corrected(self) -> str | None:
        """The corrected answer; None if the claims could not be made."""
        if self.revised is None or not self.removed_reasoning:
            return self.revised.text if self.revised else None
        return closed_up(self.revised.text)


class CitationScores(NamedTuple):
    """Scores of a text; None if undefined.

    `citation_recall`: of the claims that cite something, the share that their sources support.
    `citation_precision`: of the citations, the share that support a claim labelled supported. `uncited`: the
    share of claims that cite nothing. Unjudged claims and citations are excluded. If no claim was judged, all
    scores are None.
    """

    citation_recall: float | None
    citation_precision: float | None
    uncited: float | None


def scores_of(text: VerifiedText | None) -> CitationScores:
    """The scores of a verified text."""
    if text is None or all(claim.label is None for claim in text.claims):
        return CitationScores(None, None, None)
    citing = [claim for claim in text.claims if (claim.cited or claim.unknown) and claim.label is not None]
    by_id = {claim.id: claim for claim in text.claims}
    sound = [verdict for c in text.citations if (verdict := _is_sound(c, by_id)) is not None]
    return CitationScores(
        _share([claim.label == "supported" for claim in citing]),
        _share(sound),
        _share([not (claim.cited or claim.unknown) for claim in text.claims if claim.sentence]),
    )


def _is_sound(citation: Citation, claims: Mapping[str, VerifiedClaim]) -> bool | None:
    """Whether a citation supports a claim of its sentence; None if judging failed."""
    if citation.source is None:
        return False
    own = [claims[claim_id] for claim_id in citation.claims if claim_id in claims]
    if any(citation.source in claim.supported_by for claim in own):
        return True
    return False if own and all(claim.label is not None for claim in own) else None


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


CITED = "cited"
AGAINST = "contradicts it", "contradict it"
"""Verbs for sources that contradict a claim which others support."""


def _notes(claim: VerifiedClaim, verdicts: Iterable[Verdict]) -> Iterator[Note]:
    """The explanation, how the claim cites its sources, and its unknown citations.

    A verdict's quote in it is separate; one that ends a sentence may be the claim's own.
    """
    by = "(by the marker that closes its paragraph)" if claim.by == "paragraph" else ""
    cites = f"It cites {', '.join(claim.cited)}." if claim.label is None and claim.cited else ""
    also = claim.unknown and claim.label != "unknown_source"
    unknown = f"It also cites {' and '.join(claim.unknown)}, which names no source." if also else ""
    rest = " ".join(filter(None, (claim.explanation, cites, by, unknown)))
    quotes = {" ".join(verdict.quote.split()) for verdict in verdicts if verdict.quote}
    own = " ".join((claim.quote or "").split())
    while held := [quote for quote in quotes if f': "{quote}"' in rest]:
        quote = min(held, key=lambda quote: (rest.index(f': "{quote}"'), -len(quote)))
        words, _, rest = rest.partition(f': "{quote}"')
        end = "." * rest.startswith(".")
        rest = rest.removeprefix(".")
        is_last = end or quote.endswith((".", "!", "?"))
        agrees = claim.label == "contradicted" or not words.endswith(AGAINST)
        yield Note(words, quote, bool(is_last and quote == own and agrees), end)
        own = ""
    if rest:
        yield Note(rest)


CLAIMS = Need("claims", lambda sample: "no record has a claim")
JUDGED = Need("judged claims", lambda sample: "no claim was judged")
CITING = Need("claims that cite a source", lambda sample: "no claim that cites a source was judged")
CITATIONS = Need("citations", lambda sample: "no citation was judged")

RUN: tuple[Place, ...] = ("line", "run")


score = partial(Metric, places=EVERYWHERE, better="higher")
count = partial(Metric, bounds=COUNT, decimals=1)


def _is_judged(record: VerifyResult) -> bool:
    """Whether any claim has a label."""
    return record.count(None) < len(record.claims)


def _labelled(
    name: str, shown: str, meaning: str, *labels: ClaimLabel, places: tuple[Place, ...] = RUN
) -> Metric:
    """The number of claims with one of these labels; None without a judged claim."""
    counted = OfRecords(lambda record: record.count(*labels) if _is_judged(record) else None)
    better: Better | None = None if "supported" in labels else "lower"
    title = "" if places == ("line",) else f"{shown} a record"
    meaning = f"claims per record that {meaning}"
    return count(name, shown, meaning, JUDGED, counted, title=title, places=places, better=better)


# fmt: off
METRICS = (
    score("citation_recall", "citation recall", "share of citing claims that their sources support",
          CITING, OfRecords(lambda r: r.before.citation_recall), tested=True),
    score("citation_precision", "citation precision",
          "share of citations that support a claim labelled supported",
          CITATIONS, OfRecords(lambda r: r.before.citation_precision), tested=True),
    score("uncited", "uncited", "share of claims that cite nothing",
          JUDGED, OfRecords(lambda r: r.before.uncited), tested=True, better="lower"),
    score("corrected_citation_recall", "recall, corrected", "citation recall of the corrected answer",
          CITING, OfRecords(lambda r: r.after.citation_recall), title="citation recall, corrected"),
    score("corrected_citation_precision", "precision, corrected",
          "citation precision of the corrected answer",
          CITATIONS, OfRecords(lambda r: r.after.citation_precision), title="citation precision, corrected"),
    score("corrected_uncited", "uncited, corrected",
          "share of claims of the corrected answer that cite nothing",
          JUDGED, OfRecords(lambda r: r.after.uncited), better="lower"),
    count("num_claims", "claims", "claims per record",
          CLAIMS, OfRecords(lambda r: len(r.claims) or None), title="claims per record", places=RUN),
    _labelled("num_supported", "supported", "their sources support", "supported", places=("line",)),
    _labelled("num_contradicted", "contradicted", "a source contradicts", "contradicted"),
    _labelled("num_not_borne_out", "undecided", "sources neither support nor contradict, or disagree on",
              "unverified", "conflicting"),
    _labelled("num_unknown_source", "unknown source", "cite no source that exists", "unknown_source"),
    count("num_unjudged", "unjudged", "claims per record that were not judged",
          CLAIMS, OfRecords(lambda r: r.count(None) if r.claims else None),
          title="unjudged a record", places=("line", "run", "evaluate", "compare"), better="lower"),
    count("num_changes", "changes", "sentences changed per record",
          JUDGED, OfRecords(lambda r: len(r.changes) if _is_judged(r) else None),
          title="changes a record", places=RUN),
    *usage_metrics(attrgetter("total_usage")),
)
# fmt: on

VERIFY: Table[VerifyResult] = Table(
    "verify", main="num_claims", claims=lambda record: ((), 0), metrics=METRICS
)
"""A record without citations still has scores."""
