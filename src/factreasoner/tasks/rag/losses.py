"""Where claims are lost, in words: by the retriever or the generator; and what the gold answer may lack."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from factreasoner.models.rows import ANSWER, REFERENCE
from factreasoner.models.wording import number_of
from factreasoner.tasks.rag.result import ClaimLine, ContextEvidence, JudgedPairs, ids_of, lines_of

Values = Mapping[str, float | None]
Counts = Mapping[str, int]
FAILED = "a verdict failed"


def losses(values: Values, records: Counts) -> list[str]:
    """Sentences on where a system loses or invents claims, from the means of a run's metrics.

    `records` has the number of records behind each mean; a sentence compares only means over as many. Then
    the part that loses most is named, retriever or generator; the retriever beside what its recall of
    relevant contexts says. Empty where too little is known.
    """
    found = [*_of_reference(values, records), *_of_answers(values, records)]
    retrieval, generation = values["lost_in_retrieval"], values["lost_in_generation"]
    if retrieval is None or generation is None:
        return found
    parts = {"retriever": retrieval}
    if (invented := values["hallucination"]) is not None:
        parts["generator"] = max(generation, invented)
    most = max(parts.values())
    if not most:
        return [*found, "Nothing is lost."]
    worst = [part for part, lost in parts.items() if lost == most]
    apart = ""
    if invented is not None and records["hallucination"] != records["lost_in_retrieval"]:
        apart = (
            f" This compares answers of {number_of(records['hallucination'], 'record')} with references of "
            f"{number_of(records['lost_in_retrieval'], 'record')}."
        )
    found.append(f"Most claims are lost by the {' and the '.join(worst)}.{apart}")
    if "retriever" in worst and (recall := values["retrieval_recall"]) is not None:
        found.append(
            f"By your relevance marks, the retriever missed {_percent(1 - recall)} (retrieval recall "
            f"{recall:.2f}). If that disagrees with claim recall, the judge overlooked a context, or the "
            "relevant contexts do not cover the reference."
        )
    return found


def _of_reference(values: Values, records: Counts) -> Iterator[str]:
    retrieval, generation = values["lost_in_retrieval"], values["lost_in_generation"]
    if retrieval is None or generation is None:
        return
    recall = values["claim_recall"]
    if recall is None or records["claim_recall"] != records["lost_in_retrieval"]:
        yield (
            f"Retriever: {_percent(retrieval)} of reference claims are in no context and missing from the "
            "answers."
        )
    else:
        yield (
            f"Retriever: {_percent(1 - recall)} of reference claims are in no context "
            f"(claim recall {recall:.2f}); {_percent(retrieval)} are also missing from the answers."
        )
    yield (
        f"Generator: {_percent(generation)} of reference claims are in a context but missing from the "
        "answers."
    )


def _of_answers(values: Values, records: Counts) -> Iterator[str]:
    invented, beyond = values["hallucination"], values["beyond_reference"]
    if invented is None or beyond is None:
        if values["faithfulness"] is not None:
            unsupported = _percent(1 - values["faithfulness"])
            yield f"Generator: {unsupported} of answer claims are supported by no context."
        return
    yield (
        f"Generator: {_percent(invented)} of answer claims are in no context and not in the reference "
        "(hallucination)."
    )
    against = values["against_reference"]
    alike = records["against_reference"] == records["beyond_reference"]
    if against is not None and alike and against + beyond:
        yield (
            f"Noise: {_percent(against + beyond)} of answer claims come from a context but not the "
            f"reference, which contradicts {_percent(against)} and is silent on {_percent(beyond)}."
        )
    if beyond:
        yield (
            f"Reference: silent on {_percent(beyond)} of answer claims that a context supports. If it is "
            "incomplete, true correctness is higher."
        )


def _percent(value: float) -> str:
    return f"{100 * value:.0f} %"


def lost_claims(result: JudgedPairs) -> Iterator[tuple[str, str, str]]:
    """The answer's claims that nothing supports, and the reference's that the answer does not state.

    Of each: which text makes it, how it is invented or lost in words, and the claim.
    """
    for of, lines, how in zip((ANSWER, REFERENCE), lines_of(result), (_words, _wanted), strict=True):
        for line in lines:
            if words := how(line, result):
                yield of, words, line.claim.text


def _words(line: ClaimLine, result: JudgedPairs) -> str:
    """What is wrong with a claim of the answer, in words; empty: nothing."""
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
    """How a claim of the reference is missing in the answer, in words; empty: it is not."""
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
    """The contexts that do it each alone, or all where a judge of all together named none."""
    return ", ".join(ids_of(result, evidence)) or "the contexts" * (evidence.any.holds is True)
