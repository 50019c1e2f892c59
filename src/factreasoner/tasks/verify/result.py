"""What verification finds of one record, and the scores that come of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from factreasoner.models import Context, Model, Usage, counted
from factreasoner.tasks.claim_task import ClaimResult

ClaimLabel = Literal["supported", "contradicted", "conflicting", "unverified", "uncited", "unknown_source"]
Fate = Literal["kept", "flagged", "rewritten", "removed"]
Attribution = Literal["sentence", "paragraph", "none"]

FAILED: frozenset[ClaimLabel | None] = frozenset(
    {"contradicted", "conflicting", "unverified", "unknown_source"}
)
"""Labels of claims that what they cite does not bear out."""


class VerifiedClaim(Model):
    """A claim of a text, held against the sources it cites.

    `span` and `sentence` are (start, end) in that text: where the claim was located, and its sentence with
    the markers behind it. `cited` are ids of contexts, `unknown` labels that name none; `by` says whether the
    claim's own sentence cites them, or the marker that closes its paragraph.

    `label` is None where judging failed. `uncited`: it cites nothing, and was held against nothing.
    `unknown_source`: none of what it cites exists. The others are as for atoms, with `p` = P(what it cites,
    or all sources where it cites nothing, bears it out). `borne_out_by` are the sources its support rests on;
    `quote` is verbatim from the source `quoted`. `fate` is what became of it: kept, flagged (something is
    wrong with it, and its sentence stays), rewritten or removed with its sentence.
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
    borne_out_by: tuple[str, ...] = ()
    explanation: str = ""
    quote: str | None = None
    quoted: str | None = None
    fate: Fate = "kept"


class Citation(Model):
    """A source that a sentence cites, with the claims that cite it; `source` is None for an unknown one."""

    label: str
    source: str | None
    sentence: tuple[int, int]
    claims: tuple[str, ...] = ()


class Change(Model):
    """A sentence that was changed: `after` is empty where it was removed; `why` is a line for each claim."""

    before: str
    after: str
    why: tuple[str, ...]
    span: tuple[int, int]


class VerifiedText(Model):
    """A text with its claims and citations; `notes` tell what in it was not read as a citation."""

    text: str
    claims: tuple[VerifiedClaim, ...] = ()
    citations: tuple[Citation, ...] = ()
    notes: tuple[str, ...] = ()


class VerifyResult(ClaimResult):
    """An answer verified, and verified again as corrected.

    Spans of `changes` are in the answer; `contexts` are the sources. `revised` equals `verified` where
    nothing was changed; it is None, like `verified`, where the answer could not be taken apart.
    """

    verified: VerifiedText | None = None
    revised: VerifiedText | None = None
    changes: tuple[Change, ...] = ()
    contexts: tuple[Context, ...] = ()

    def in_brief(self) -> list[str]:
        """Claims by label, scores before correction, and how much was changed."""
        scores = scores_of(self.verified)._asdict().items()
        found = [f"{name.replace('_', ' ')} {value:.3f}" for name, value in scores if value is not None]
        changes = len(self.changes)
        changed = [f"{changes} sentence{'s' * (changes > 1)} changed"] * bool(changes)
        return [counted("claim", (claim.label for claim in self.claims)), *found, *changed]

    @property
    def claims(self) -> tuple[VerifiedClaim, ...]:
        """Claims of the answer as it was given, verified; none where it could not be taken apart."""
        return self.verified.claims if self.verified else ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What in the answer looks like a citation and was not read as one, or may be none."""
        return self.verified.notes if self.verified else ()

    @property
    def unknown_citations(self) -> tuple[str, ...]:
        """The labels of the answer's citations that name no source."""
        citations = self.verified.citations if self.verified else ()
        return tuple(citation.label for citation in citations if citation.source is None)

    @property
    def corrected(self) -> str | None:
        """The answer as corrected; None where it could not be verified."""
        return self.revised.text if self.revised else None


class Scores(NamedTuple):
    """Scores of a text; None where there is nothing to compute one from.

    `citation_recall`: share of the claims that cite something which what they cite bears out.
    `citation_precision`: share of the citations that bear out a claim of theirs. `uncited`: share of the
    claims that cite nothing. Claims and citations that could not be judged are left out; where no claim of a
    text was judged, all scores are None, whatever citations name no source.
    """

    citation_recall: float | None
    citation_precision: float | None
    uncited: float | None


def scores_of(text: VerifiedText | None) -> Scores:
    """The scores of a verified text."""
    if text is None or all(claim.label is None for claim in text.claims):
        return Scores(None, None, None)
    citing = [claim for claim in text.claims if (claim.cited or claim.unknown) and claim.label is not None]
    sound = [verdict for c in text.citations if (verdict := _is_sound(c, text.claims)) is not None]
    return Scores(
        _share([claim.label == "supported" for claim in citing]),
        _share(sound),
        _share([not (claim.cited or claim.unknown) for claim in text.claims if claim.sentence]),
    )


def _is_sound(citation: Citation, claims: Sequence[VerifiedClaim]) -> bool | None:
    """Whether a citation bears out a claim of its sentence; None where that is not known."""
    if citation.source is None:
        return False
    own = [claim for claim in claims if claim.id in citation.claims]
    if any(citation.source in claim.borne_out_by for claim in own):
        return True
    return False if own and all(claim.label is not None for claim in own) else None


def _share(values: Sequence[bool]) -> float | None:
    return sum(values) / len(values) if values else None


class ScoredVerify(NamedTuple):
    """A result with its scores before and after correction."""

    result: VerifyResult
    before: Scores
    after: Scores
    usage: Usage

    def count(self, *labels: ClaimLabel | None) -> int:
        """How many of the answer's claims have one of these labels."""
        return sum(claim.label in labels for claim in self.result.claims)


def scored_verify(result: VerifyResult) -> ScoredVerify:
    """A result with the scores of the answer before and after correction."""
    usage = sum(result.usage.values(), Usage())
    return ScoredVerify(result, scores_of(result.verified), scores_of(result.revised), usage)
