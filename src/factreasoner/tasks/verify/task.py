"""`verify`: does each cited source bear out the claims that cite it? And the answer corrected."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from factreasoner.atoms.making import atom_prompts
from factreasoner.errors import InputProblem
from factreasoner.models import Failure, Record, Verdict
from factreasoner.pipeline.assembly import assembly_of
from factreasoner.settings import Config
from factreasoner.tasks.claim_task import ClaimTally, result_of
from factreasoner.tasks.rows import ClaimRow
from factreasoner.tasks.task import Calls, Tally, Task, Worker
from factreasoner.tasks.verify.relabelling import relabelled
from factreasoner.tasks.verify.result import ScoredVerify, VerifyResult, scored_verify
from factreasoner.tasks.verify.rows import verified_rows
from factreasoner.tasks.verify.table import VERIFY
from factreasoner.tasks.verify.worker import VerifyWorker


class Verify(Task[VerifyResult]):
    """Each claim of an answer against the sources it cites, and the answer corrected."""

    name = "verify"
    result = VerifyResult
    table = VERIFY

    def problems(self, record: Record, config: Config) -> list[InputProblem]:
        """See `Task`."""
        if record.contexts is not None:
            return []
        message = "none given: they are the sources that the answer cites; add them, in the order of [1], [2]"
        return [InputProblem(f"record {record.id}", "contexts", message)]

    def prompts(self, config: Config) -> list[str]:
        """See `Task`."""
        return [*atom_prompts(config), "verify", "correct"]

    def worker(self, config: Config, calls: Calls) -> Worker[VerifyResult]:
        """See `Task`."""
        assembly = assembly_of(config, **calls.arguments())
        return VerifyWorker(assembly)

    def failed(self, record: Record, config: Config, failure: Failure) -> VerifyResult:
        """See `Task`."""
        return result_of(VerifyResult, record, config, status="failed", failures=[failure])

    def rows(self, result: VerifyResult) -> Iterator[ClaimRow]:
        """See `Task`."""
        return verified_rows(result)

    def verdicts(self, result: VerifyResult) -> Sequence[Verdict]:
        """See `Task`."""
        return result.verdicts

    def with_verdicts(self, result: VerifyResult, verdicts: tuple[Verdict, ...]) -> VerifyResult:
        """See `Task`."""
        return relabelled(result, verdicts)

    def size(self, result: VerifyResult) -> int:
        """See `Task`."""
        return len(result.verdicts)

    def tally(self, config: Config, sizes: Iterable[int]) -> Tally[VerifyResult]:
        """See `Task`."""
        return ClaimTally(VERIFY, scored_verify, _fields, verified_rows)


def _fields(scored: ScoredVerify) -> dict[str, Any]:
    result = scored.result
    revised = result.revised
    return {
        "corrected": result.corrected,
        "changes": [change.model_dump(mode="json") for change in result.changes],
        "claims": [claim.model_dump(mode="json") for claim in result.claims],
        "corrected_claims": [claim.model_dump(mode="json") for claim in revised.claims] if revised else [],
        "unknown_citations": list(result.unknown_citations),
        "notes": list(result.notes),
    }


TASK = Verify()
