"""The claims of a verified answer as rows."""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.models import Atom
from factreasoner.tasks.rows import Basis, ClaimRow, Judged, Judgement, by_claim, claim_row
from factreasoner.tasks.verdicts import ANSWER, CONTEXTS
from factreasoner.tasks.verify.result import VerifiedClaim, VerifyResult

CITED = "cited"


def verified_rows(result: VerifyResult) -> Iterator[ClaimRow]:
    """Every claim of the answer against what it cites, or against all sources where it cites nothing."""
    contexts = {context.id: context for context in result.contexts}
    verdicts = by_claim(result.verdicts)
    failed = {failure.item_id.partition("->")[2] for failure in result.failures}
    for claim in result.claims:
        cites = bool(claim.cited or claim.unknown)
        atom = Atom(id=claim.id, text=claim.text, span=claim.span)
        judged: Judged = "no" if claim.label is None else "partly" if claim.id in failed else "fully"
        row = claim_row(
            result.record_id,
            ANSWER,
            atom,
            Judgement(claim.p, claim.label, judged),
            Basis(CITED if cites else CONTEXTS, contexts, verdicts.get(claim.id, ())),
        )
        decisive = claim.quoted or next(iter(claim.borne_out_by), row.context)
        context = contexts.get(decisive) if decisive else None
        yield row._replace(
            quote=claim.quote,
            context=decisive,
            title=(context.title or None) if context else None,
            link=(context.link or None) if context else None,
            note=_note(claim),
            fate=claim.fate,
        )


def _note(claim: VerifiedClaim) -> str:
    """Why, and what it cites that does not exist."""
    also = claim.unknown and claim.label != "unknown_source"
    unknown = f"It also cites {', '.join(claim.unknown)}, which does not exist." if also else ""
    return " ".join(filter(None, (claim.explanation, unknown)))
