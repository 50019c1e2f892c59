"""What is found of one record: claims of the answer and of the reference, and the verdicts on them."""

from __future__ import annotations

from pydantic import Field

from factreasoner.models import Atom, Context
from factreasoner.tasks.claim_task import ClaimResult


class RagResult(ClaimResult):
    """Claims and verdicts. Premises are named by context ids, `answer`, `reference` and `contexts`.

    `claims` are the answer's, `reference_claims` those of the reference; None where there was nothing to
    make them from, or they could not be made. `contexts` are in the order of retrieval, None where the record
    has none. `joint`: contexts were judged together. Else, where there are `together`, claims of the answer
    that no context bears out alone were asked once more about all contexts together. `together` are the ids
    of the contexts by premise: `contexts`, or `contexts:1` and so on where they are too long for one call.
    """

    claims: tuple[Atom, ...] | None = None
    reference_claims: tuple[Atom, ...] | None = None
    contexts: tuple[Context, ...] | None = None
    gold_contexts: tuple[str, ...] | None = None
    reference: str | None = None
    joint: bool = False
    together: dict[str, tuple[str, ...]] = Field(default_factory=dict)

    def in_brief(self) -> list[str]:
        """How many claims each text makes, and contexts there are."""
        found = {
            "claims of the answer": self.claims,
            "claims of the reference": self.reference_claims,
            "contexts": self.contexts,
        }
        return [f"{what}: {len(items)}" for what, items in found.items() if items is not None]
