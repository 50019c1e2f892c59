"""The shares of claims that `rag` measures: what each is of, what it needs, and how it is shown.

Source: RAGChecker (arXiv 2408.08067), section 3.3. A passage is relevant there when it entails a claim of the
reference.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from factreasoner.metrics.table import Better
from factreasoner.models import Atom
from factreasoner.tasks.rag.events import UNDECIDED, Event, any_of
from factreasoner.tasks.rag.evidence import ClaimLine, lines_of
from factreasoner.tasks.rag.result import RagResult


class Needed(NamedTuple):
    """What a metric is computed from, in words and as the keys of what a record may lack, in order."""

    words: str
    keys: tuple[str, ...]


class Claimed(NamedTuple):
    """What holds of one claim.

    `found`: the contexts bear it out; `relevant`: relevant ones do; `denied`: a context contradicts it.
    `other`: the other text bears it out; `against`: that contradicts it.
    """

    found: Event
    relevant: Event
    denied: Event
    other: Event
    against: Event


class Share(NamedTuple):
    """A share of the claims of which `event` holds: of the answer's, or of the reference's (`wanted`).

    `detail`: it is shown in result lines alone.
    """

    name: str
    shown: str
    meaning: str
    needs: Needed
    better: Better | None
    event: Callable[[Claimed], Event]
    wanted: bool = False
    detail: bool = False


PASSAGES = Needed("contexts and claims of the answer", ("contexts", "claims"))
REFERENCE = Needed("a reference and claims of the answer", ("reference", "claims"))
GOLD_CLAIMS = Needed("claims of the reference", ("reference_claims",))
RETRIEVED = Needed("contexts and claims of the reference", ("contexts", "reference_claims"))
RANKABLE = Needed(RETRIEVED.words, ("contexts", "passages", "reference_claims"))
BOTH = Needed("contexts, a reference and claims of the answer", ("contexts", "reference", "claims"))
JUDGED_NOISE = Needed(BOTH.words, (*BOTH.keys, "reference_claims"))
FOUND = Needed("claims of the reference that a context bears out", (*RETRIEVED.keys, "found"))
RANKED = Needed("contexts and gold contexts", ("contexts", "gold_contexts"))

# fmt: off
SHARES = (
    Share("faithfulness", "faithfulness", "the answer's claims that the contexts bear out",
          PASSAGES, "higher", lambda c: c.found),
    Share("contradicted", "contradicted", "the answer's claims that a context contradicts",
          PASSAGES, "lower", lambda c: c.denied),
    Share("correctness", "correctness", "the answer's claims that the reference bears out",
          REFERENCE, "higher", lambda c: c.other),
    Share("coverage", "coverage", "the reference's claims that the answer bears out",
          GOLD_CLAIMS, "higher", lambda c: c.other, wanted=True),
    Share("claim_recall", "claim recall", "the reference's claims that a context bears out",
          RETRIEVED, "higher", lambda c: c.found, wanted=True),
    Share("context_utilization", "utilization",
          "the reference's claims borne out by a context that the answer bears out too",
          FOUND, "higher", lambda c: c.other if c.found.holds else UNDECIDED, wanted=True),
    Share("noise_sensitivity_in_relevant", "noise, relevant",
          "the answer's claims that the reference does not bear out and a relevant context does",
          JUDGED_NOISE, "lower", lambda c: ~c.other & c.relevant),
    Share("noise_sensitivity_in_irrelevant", "noise, irrelevant",
          "the answer's claims that the reference does not bear out and irrelevant contexts alone do",
          JUDGED_NOISE, "lower", lambda c: ~c.other & c.found.without(c.relevant)),
    Share("hallucination", "hallucination",
          "the answer's claims that neither the reference nor contexts bear out",
          BOTH, "lower", lambda c: ~c.other & ~c.found),
    Share("self_knowledge", "self-knowledge",
          "the answer's claims that the reference bears out and no context does",
          BOTH, None, lambda c: c.other & ~c.found),
    Share("lost_in_retrieval", "lost in retrieval",
          "the reference's claims that neither a context nor the answer bears out",
          RETRIEVED, "lower", lambda c: ~c.found & ~c.other, wanted=True, detail=True),
    Share("lost_in_generation", "lost in generation",
          "the reference's claims that a context bears out and the answer does not",
          RETRIEVED, "lower", lambda c: c.found & ~c.other, wanted=True, detail=True),
    Share("beyond_reference", "beyond the reference",
          "the answer's claims that contexts bear out and on which the reference is silent",
          BOTH, None, lambda c: ~c.other & ~c.against & c.found, detail=True),
    Share("against_reference", "against the reference",
          "the answer's claims that contexts bear out and the reference contradicts",
          BOTH, "lower", lambda c: c.against & c.found, detail=True),
)
# fmt: on


class Matrix:
    """What holds of the claims of a record, and why what does not can't be known.

    `relevant` has an event a context; `lacking` has, by key, what the record lacks in words, empty for what
    it has.
    """

    def __init__(self, result: RagResult) -> None:
        said, wanted = lines_of(result)
        each = [line.contexts.each for line in wanted if line.contexts]
        self.relevant = tuple(
            any_of(events[place] for events in each) for place in range(len(result.contexts or ()))
        )
        self._said = [_claimed(line, self.relevant) for line in said]
        self._wanted = [_claimed(line, self.relevant) for line in wanted]
        found = any(claim.found.holds is not False for claim in self._wanted)
        self.lacking = {
            "contexts": "no contexts" if result.contexts is None else "",
            "passages": "" if result.contexts else "no context was retrieved",
            "reference": "" if (result.reference or "").strip() else "no reference",
            "claims": _no_claims(result.claims, "the answer"),
            "reference_claims": _no_claims(result.reference_claims, "the reference"),
            "gold_contexts": "no gold contexts" if result.gold_contexts is None else "",
            "found": "" if found else "no context bears out a claim of the reference",
        }

    def missing(self, needs: Needed) -> str:
        """What a record lacks of it; empty: nothing."""
        return next(filter(None, (self.lacking[key] for key in needs.keys)), "")

    def events(self, share: Share) -> list[Event]:
        """The events that a share is of."""
        claims = self._wanted if share.wanted else self._said
        if share.needs is FOUND:
            claims = [claim for claim in claims if claim.found.holds is not False]
        return [share.event(claim) for claim in claims]


def _claimed(line: ClaimLine, relevant: tuple[Event, ...]) -> Claimed:
    return Claimed(
        line.contexts.any if line.contexts else UNDECIDED,
        line.contexts.within(relevant) if line.contexts else UNDECIDED,
        line.denied.any if line.denied else UNDECIDED,
        line.other or UNDECIDED,
        line.other_denies or UNDECIDED,
    )


def _no_claims(claims: Sequence[Atom] | None, whose: str) -> str:
    if claims is None:
        return f"no claims of {whose}"
    return "" if claims else f"{whose} makes no claim"
