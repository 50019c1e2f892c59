"""Where claims are lost, as text: by the retriever or the generator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from factreasoner.models.rows import ANSWER, REFERENCE
from factreasoner.tasks.rag.result import ClaimLine, ContextEvidence, JudgedPairs, ids_of, lines_of

Values = Mapping[str, float | None]
FAILED = "a verdict failed"


def losses(values: Values) -> list[str]:
    """Sentences on where a system loses or invents claims, from a run's mean metrics.

    The last one names what loses most, retriever or generator. Empty if too little is known.
    """
    retrieval, generation = values["lost_in_retrieval"], values["lost_in_generation"]
    invented, found = values["hallucination"], []
    if retrieval is not None and generation is not None:
        found = [
            f"Retriever: {_percent(retrieval)} of reference claims are in no context and missing from the "
            "answers.",
            f"Generator: {_percent(generation)} of reference claims are in a context but missing from the "
            "answers.",
        ]
    if invented is not None:
        found.append(
            f"Generator: {_percent(invented)} of answer claims are in no context and not in the reference "
            "(hallucination)."
        )
    elif values["faithfulness"] is not None:
        invented = 1 - values["faithfulness"]
        found.append(f"Generator: {_percent(invented)} of answer claims are supported by no context.")
    if retrieval is None or generation is None:
        return found
    parts = {"retriever": retrieval, "generator": max(generation, invented or 0.0)}
    most = max(parts.values())
    worst = [part for part, lost in parts.items() if lost == most]
    return [*found, f"Most claims are lost by the {' and the '.join(worst)}." if most else "Nothing is lost."]


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def lost_claims(result: JudgedPairs) -> Iterator[tuple[str, str, str]]:
    """The answer's unsupported claims, and the reference's claims that the answer omits.

    For each: the text with the claim, how it is invented or lost, and the claim.
    """
    for of, lines, how in zip((ANSWER, REFERENCE), lines_of(result), (_problem, _wanted), strict=True):
        for line in lines:
            if words := how(line, result):
                yield of, words, line.claim.text


def _problem(line: ClaimLine, result: JudgedPairs) -> str:
    """What is wrong with a claim of the answer; "" if nothing."""
    retrieved = other = ""
    if result.contexts is not None:
        against = _holding(line.contradicted, result)
        retrieved = f"contradicted by {against}" if against else _missing(line.contexts)
    if retrieved not in ("", FAILED) and line.other.holds:
        return f"{retrieved}, but the reference has it"
    if ANSWER in result.others:
        other = _by_other(line, "contradicted by the reference", "not found in the reference")
    return "; ".join(dict.fromkeys(filter(None, (retrieved, other))))


def _wanted(line: ClaimLine, result: JudgedPairs) -> str:
    """How the answer misses a claim of the reference; "" if it does not."""
    stated = _by_other(line, "contradicted by the answer", "not found in the answer")
    if not stated or result.contexts is None:
        return stated
    ids = _holding(line.contexts, result)
    retrieved = f"in {ids}" if ids else _missing(line.contexts)
    return "; ".join(dict.fromkeys((stated, retrieved)))


def _by_other(line: ClaimLine, denied: str, unsaid: str) -> str:
    if line.other.holds is None:
        return FAILED
    return "" if line.other.holds else denied if line.against.holds else unsaid


def _missing(contexts: ContextEvidence) -> str:
    return {None: FAILED, True: "", False: "found in no context"}[contexts.any.holds]


def _holding(evidence: ContextEvidence, result: JudgedPairs) -> str:
    """The contexts with the event, or all if a combined verdict named none."""
    return ", ".join(ids_of(result, evidence)) or "the contexts" * (evidence.any.holds is True)
