"""The claims of a rag result as rows."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from factreasoner.models import P_DIGITS, Atom, Verdict
from factreasoner.tasks.rag.claim_lines import ClaimLine, lines_of
from factreasoner.tasks.rag.events import Event
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rows import Basis, ClaimRow, Judged, Judgement, by_claim, claim_row, label_of
from factreasoner.tasks.verdicts import ANSWER, CONTEXTS, REFERENCE

BORNE_OUT = "the reference bears it out"


def rag_rows(result: RagResult) -> Iterator[ClaimRow]:
    """The answer's claims against contexts and reference, the reference's against answer and contexts.

    The first, which stand for the answer's claims in tables, say what the reference says where it differs.
    """
    rows = _Rows(result)
    said, wanted = lines_of(result)
    yield from (
        rows.by_contexts(ANSWER, line.claim, line.contexts.any, rows.said_by_reference(line))
        for line in said
        if line.contexts
    )
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

    def by_contexts(self, of: str, claim: Atom, borne_out: Event, note: str = "") -> ClaimRow:
        basis = self._basis(CONTEXTS, claim, self._passages)
        complete = self._asked <= {verdict.context_id for verdict in basis.verdicts}
        notes = filter(None, (note, "" if self._contexts else "no context"))
        return self._row(of, claim, borne_out, basis, "fully" if complete else "partly", "; ".join(notes))

    def by_text(self, of: str, claim: Atom, premise: str, borne_out: Event) -> ClaimRow:
        return self._row(of, claim, borne_out, self._basis(premise, claim, (premise,)), "fully")

    def said_by_reference(self, line: ClaimLine) -> str:
        """What the reference says of a claim of the answer, where the contexts don't say the same."""
        if line.other is None or line.contexts is None:
            return ""
        row = self.by_text(ANSWER, line.claim, REFERENCE, line.other)
        if row.label == "supported" and line.contexts.any.holds is not True:
            return BORNE_OUT
        if row.label != "contradicted" or (line.denied and line.denied.any.holds):
            return ""
        return "the reference contradicts it" + (f': "{row.quote}"' if row.quote else "")

    def _basis(self, against: str, claim: Atom, premises: Collection[str]) -> Basis:
        return Basis(against, self._contexts, self._on(claim, premises))

    def _on(self, claim: Atom, premises: Collection[str]) -> list[Verdict]:
        return [v for v in self._verdicts.get(claim.id, ()) if v.context_id in premises]

    def _row(
        self, of: str, claim: Atom, borne_out: Event, basis: Basis, judged: Judged, note: str = ""
    ) -> ClaimRow:
        judgement = Judgement(None, None, "partly" if basis.verdicts else "no")
        if borne_out.p is not None:
            p = round(borne_out.p, P_DIGITS)
            judgement = Judgement(p, label_of(p, basis.verdicts), judged)
        return claim_row(self._record, of, claim, judgement, basis, note)
