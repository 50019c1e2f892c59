"""What a result line says of each claim and each context."""

from __future__ import annotations

from typing import Any, NamedTuple

from factreasoner.models import P_DIGITS, Atom
from factreasoner.tasks.rag.events import Event
from factreasoner.tasks.rag.evidence import ContextEvidence, Evidence
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.verdicts import ANSWER, REFERENCE


class ClaimLine(NamedTuple):
    """A claim with what bears it out and what denies it.

    `other` is whether the other text bears it out, `other_denies` whether that contradicts it: the reference
    for claims of the answer, and vice versa.

    Events are undecided where verdicts failed, and None where nothing was to be judged.
    """

    claim: Atom
    contexts: ContextEvidence | None
    denied: ContextEvidence | None
    other: Event | None
    other_denies: Event | None


def lines_of(result: RagResult) -> tuple[list[ClaimLine], list[ClaimLine]]:
    """The claims of the answer, and those of the reference."""
    evidence = Evidence(result)
    has_contexts, has_reference = result.contexts is not None, bool((result.reference or "").strip())
    said = [
        ClaimLine(
            claim,
            evidence.borne_out(claim.id, second_look=True) if has_contexts else None,
            evidence.denied(claim.id) if has_contexts else None,
            evidence.by_reference(claim.id) if has_reference else None,
            evidence.against_reference(claim.id) if has_reference else None,
        )
        for claim in result.claims or ()
    ]
    wanted = [
        ClaimLine(
            claim,
            evidence.borne_out(claim.id) if has_contexts else None,
            evidence.denied(claim.id) if has_contexts else None,
            evidence.by_answer(claim.id),
            evidence.against_answer(claim.id),
        )
        for claim in result.reference_claims or ()
    ]
    return said, wanted


def claim_lines(result: RagResult) -> dict[str, Any]:
    """For JSON: the claims of both texts, each with the contexts that bear it out or contradict it."""
    said, wanted = lines_of(result)
    return {
        "claims": [_content(line, REFERENCE, result) for line in said],
        "reference_claims": [_content(line, ANSWER, result) for line in wanted],
    }


def _content(line: ClaimLine, other: str, result: RagResult) -> dict[str, Any]:
    content: dict[str, Any] = {"id": line.claim.id, "text": line.claim.text}
    if line.contexts is not None and line.denied is not None:
        content |= {
            "in_contexts": line.contexts.any.holds,
            "p_in_contexts": _rounded(line.contexts.any.p),
            "borne_out_by": _ids(line.contexts, result),
            "contradicted_by": _ids(line.denied, result),
            "needs_several": line.contexts.needs_several,
        }
    if line.other is not None and line.other_denies is not None:
        content |= {
            f"in_{other}": line.other.holds,
            f"p_in_{other}": _rounded(line.other.p),
            f"contradicted_by_{other}": line.other_denies.holds,
        }
    return content


def _ids(found: ContextEvidence, result: RagResult) -> list[str]:
    return [c.id for c, event in zip(result.contexts or (), found.each, strict=True) if event.holds]


def _rounded(p: float | None) -> float | None:
    return None if p is None else round(p, P_DIGITS)
