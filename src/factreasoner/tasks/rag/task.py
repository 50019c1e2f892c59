"""`rag`: where does a system that answers from retrieved contexts lose or invent?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from factreasoner.atoms.making import atom_prompts
from factreasoner.errors import InputProblem
from factreasoner.models import Failure, Record, Verdict
from factreasoner.pipeline.assembly import assembly_of
from factreasoner.settings import Config
from factreasoner.tasks.claim_task import ClaimTally, result_of
from factreasoner.tasks.rag.claim_lines import claim_lines
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.rag.rows import rag_rows
from factreasoner.tasks.rag.scores import ScoredRag, scored_rag
from factreasoner.tasks.rag.table import RAG
from factreasoner.tasks.rag.worker import RagWorker
from factreasoner.tasks.rows import ClaimRow
from factreasoner.tasks.task import Calls, Tally, Task, Worker
from factreasoner.tasks.verdicts import ANSWER, CONTEXTS, REFERENCE


class Rag(Task[RagResult]):
    """Claim-level metrics of answers, of what was retrieved for them, and of both together."""

    name = "rag"
    result = RagResult
    table = RAG

    def problems(self, record: Record, config: Config) -> list[InputProblem]:
        """See `Task`."""
        return list(_problems(record))

    def prompts(self, config: Config) -> list[str]:
        """See `Task`."""
        return [*atom_prompts(config), "judge", "judge_one", "judge_several"]

    def worker(self, config: Config, calls: Calls) -> Worker[RagResult]:
        """See `Task`."""
        assembly = assembly_of(config, **calls.arguments())
        return RagWorker(assembly)

    def failed(self, record: Record, config: Config, failure: Failure) -> RagResult:
        """See `Task`."""
        return result_of(RagResult, record, config, status="failed", failures=[failure])

    def makes_claims(self, record: Record, config: Config) -> bool:
        """See `Task`."""
        if record.reference_atoms is None and (record.reference or "").strip():
            record = record.model_copy(update={"atoms": None})  # the reference's claims are made like these
        return super().makes_claims(record, config)

    def rows(self, result: RagResult) -> Iterator[ClaimRow]:
        """See `Task`."""
        return rag_rows(result)

    def verdicts(self, result: RagResult) -> Sequence[Verdict]:
        """See `Task`."""
        return result.verdicts

    def with_verdicts(self, result: RagResult, verdicts: tuple[Verdict, ...]) -> RagResult:
        """See `Task`."""
        return result.model_copy(update={"verdicts": verdicts})

    def size(self, result: RagResult) -> int:
        """See `Task`."""
        return len({verdict.target_id for verdict in result.verdicts})

    def tally(self, config: Config, sizes: Iterable[int]) -> Tally[RagResult]:
        """See `Task`."""
        return ClaimTally(RAG, lambda result: scores_of(result, config), _fields, rag_rows)


def scores_of(result: RagResult, config: Config) -> ScoredRag:
    """The metrics of a result, scored as `config` says: retrieval's at its K where that is a number."""
    return scored_rag(result, config.k if isinstance(config.k, int) else None)


def _problems(record: Record) -> Iterator[InputProblem]:
    where = f"record {record.id}"
    has_reference = (record.reference or "").strip() or record.reference_atoms is not None
    if record.contexts is None and not has_reference:
        message = "none given, and no 'reference' either; add one of both, or both"
        yield InputProblem(where, "contexts", message)
    for place, context in enumerate(record.contexts or ()):
        if context.id in (ANSWER, REFERENCE) or context.id.split(":")[0] == CONTEXTS:
            message = f"{context.id!r} names another premise here; give the context another id"
            yield InputProblem(where, f"contexts[{place}].id", message)


def _fields(scored: ScoredRag) -> dict[str, Any]:
    return {
        "reasons": scored.reasons,
        "undecided": scored.undecided,
        "bounds": scored.bounds,
        **claim_lines(scored.result),
        "reference": scored.result.reference,
    }


TASK = Rag()
