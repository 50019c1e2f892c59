"""The claims of a rag result as rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from factreasoner.models import P_DIGITS, Atom, Verdict
from factreasoner.tasks.rag.claim_lines import lines_of
from factreasoner.tasks.rag.events import Event
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rows import ClaimRow, Held, Holding, Judged, by_claim, claim_row, label_of
from factreasoner.tasks.verdicts import ANSWER, CONTEXTS, REFERENCE


def rag_rows(result: RagResult) -> Iterator[ClaimRow]:
    """The answer's claims against contexts and reference, the reference's against answer and contexts."""
    rows = _Rows(result)
    said, wanted = lines_of(result)
    yield from (rows.by_contexts(ANSWER, line.claim, line.contexts.any) for line in said if line.contexts)
    yield from (rows.by_text(ANSWER, line.claim, REFERENCE, line.other) for line in said if line.other)
    yield from (rows.by_text(REFERENCE, line.claim, ANSWER, line.other) for line in wanted if line.other)
    yield from (
        rows.by_contexts(REFERENCE, line.claim, line.contexts.any) for line in wanted if line.contexts
    )


class _Rows:
    def __init__(self, result: RagResult) -> None:
        self._record = result.record_id
        self._contexts = {context.id: context for context in result.contexts or ()}
        self._passages = self._contexts.keys() | result.together.keys()
        self._verdicts = by_claim(result.verdicts)
        self._asked = result.together.keys() if result.joint else self._contexts.keys()

    def by_contexts(self, of: str, claim: Atom, borne_out: Event) -> ClaimRow:
        verdicts = self._on(claim, self._passages)
        complete = self._asked <= {verdict.context_id for verdict in verdicts}
        return self._row(of, claim, CONTEXTS, borne_out, verdicts, "fully" if complete else "partly")

    def by_text(self, of: str, claim: Atom, premise: str, borne_out: Event) -> ClaimRow:
        return self._row(of, claim, premise, borne_out, self._on(claim, (premise,)), "fully")

    def _on(self, claim: Atom, premises: Collection[str]) -> list[Verdict]:
        return [v for v in self._verdicts.get(claim.id, ()) if v.context_id in premises]

    def _row(
        self, of: str, claim: Atom, against: str, borne_out: Event, verdicts: list[Verdict], judged: Judged
    ) -> ClaimRow:
        held = Held(None, None, "partly" if verdicts else "no")
        if borne_out.p is not None:
            p = round(borne_out.p, P_DIGITS)
            held = Held(p, label_of(p, verdicts), judged)
        note = "no context" if against == CONTEXTS and not self._contexts else ""
        return claim_row(self._record, of, claim, held, Holding(against, self._contexts, verdicts), note)
