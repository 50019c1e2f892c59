"""The claims of a rag result as rows."""

from __future__ import annotations

from collections.abc import Iterator

from factreasoner.tasks.rag.evidence import ClaimLine, lines_of
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rows import Basis, ClaimRow, by_claim, claim_row, judgement_of
from factreasoner.tasks.verdicts import ANSWER, CONTEXTS, REFERENCE

BORNE_OUT = "the reference bears it out"


def rag_rows(result: RagResult) -> Iterator[ClaimRow]:
    """The answer's claims against contexts and reference, the reference's against answer and contexts.

    The first, which stand for the answer's claims in tables, say what the reference says where it differs.
    """
    rows = _Rows(result)
    said, wanted = lines_of(result)
    held = [(ANSWER, said, CONTEXTS), (ANSWER, said, REFERENCE)]
    held += [(REFERENCE, wanted, ANSWER), (REFERENCE, wanted, CONTEXTS)]
    for of, lines, against in held:
        yield from (row for line in lines if (row := rows.row(of, line, against)) is not None)


class _Rows:
    def __init__(self, result: RagResult) -> None:
        self._record = result.record_id
        self._contexts = {context.id: context for context in result.contexts or ()}
        self._passages = self._contexts.keys() | result.together.keys()
        self._verdicts = by_claim(result.verdicts)
        self._asked = result.together.keys() if result.joint else self._contexts.keys()

    def row(self, of: str, line: ClaimLine, against: str) -> ClaimRow | None:
        """A claim held against all contexts or another text; None where there were none."""
        in_contexts = against == CONTEXTS
        found = line.contexts.any if in_contexts and line.contexts else None if in_contexts else line.other
        if found is None:
            return None
        premises = self._passages if in_contexts else (against,)
        verdicts = [v for v in self._verdicts.get(line.claim.id, ()) if v.context_id in premises]
        complete = not in_contexts or self._asked <= {verdict.context_id for verdict in verdicts}
        judgement = judgement_of(found.p, verdicts, "fully" if complete else "partly")
        notes = [self._said_by_reference(line)] if in_contexts and of == ANSWER else []
        notes += ["no context"] if in_contexts and not self._contexts else []
        basis = Basis(against, self._contexts, verdicts)
        return claim_row(self._record, of, line.claim, judgement, basis, "; ".join(filter(None, notes)))

    def _said_by_reference(self, line: ClaimLine) -> str:
        """What the reference says of a claim of the answer, where the contexts don't say the same."""
        row = self.row(ANSWER, line, REFERENCE)
        if row is None or line.contexts is None:
            return ""
        if row.label == "supported" and line.contexts.any.holds is not True:
            return BORNE_OUT
        if row.label != "contradicted" or (line.denied and line.denied.any.holds):
            return ""
        return "the reference contradicts it" + (f': "{row.quote}"' if row.quote else "")
