"""`rag`: where does a retrieval-augmented answer lose or invent claims?"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any, Unpack

from factreasoner.atoms.extraction import ATOM_PROMPTS
from factreasoner.errors import InputProblem
from factreasoner.inputs.parsing import AtomLike, ContextLike, parse_record
from factreasoner.models import P_DIGITS, Record
from factreasoner.models.rows import ANSWER, CONTEXTS, REFERENCE
from factreasoner.pipeline.assembly import assembly_of
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import ConfigLike, awaitable, python_call
from factreasoner.protocols import LLM
from factreasoner.tasks.rag.losses import losses
from factreasoner.tasks.rag.result import ClaimLine, ids_of, lines_of
from factreasoner.tasks.rag.table import RAG, RagResult, RagScores, scored_rag
from factreasoner.tasks.rag.worker import RagWorker
from factreasoner.tasks.task import ClaimTally, Task, makes_claims


def _problems(record: Record, config: Config) -> list[InputProblem]:
    where, found = f"record {record.id}", []
    has_reference = (record.reference or "").strip() or record.reference_atoms is not None
    if record.contexts is None and not has_reference:
        message = "none given, and no 'reference' either; add one of them, or both"
        found = [InputProblem(where, "contexts", message)]
    for place, context in enumerate(record.contexts or ()):
        if context.id in (ANSWER, REFERENCE) or context.id.split(":")[0] == CONTEXTS:
            message = f"{context.id!r} names another premise here; give the context another id"
            found.append(InputProblem(where, f"contexts[{place}].id", message))
    return found


def _makes_claims(record: Record, config: Config) -> bool:
    if record.reference_atoms is None and (record.reference or "").strip():
        record = record.model_copy(update={"atoms": None})  # the reference's claims are made like these
    return makes_claims(record, config)


def _scored(result: RagResult, config: Config) -> tuple[RagScores, dict[str, Any]]:
    """The scored result; the ranking is cut at K if that is a number."""
    scored = scored_rag(result, config.k if isinstance(config.k, int) else None)
    words, wanted = lines_of(result)
    return scored, {
        "reasons": scored.reasons,
        "undecided": scored.undecided,
        "bounds": scored.bounds,
        "claims": [_content(line, ANSWER, result) for line in words],
        "reference_claims": [_content(line, REFERENCE, result) for line in wanted],
        "reference": result.reference,
    }


def _content(line: ClaimLine, of: str, result: RagResult) -> dict[str, Any]:
    """A claim in a result line, with its supporting and contradicting contexts."""
    content: dict[str, Any] = {"id": line.claim.id, "text": line.claim.text}
    if result.contexts is not None:
        content |= {
            "in_contexts": line.contexts.any.holds,
            "p_in_contexts": _rounded(line.contexts.any.p),
            "supported_by": ids_of(result, line.contexts),
            "contradicted_by": ids_of(result, line.contradicted),
            "needs_several": line.contexts.needs_several,
        }
    if other := result.others.get(of):
        content |= {
            f"in_{other}": line.other.holds,
            f"p_in_{other}": _rounded(line.other.p),
            f"contradicted_by_{other}": line.against.holds,
        }
    return content


def _rounded(p: float | None) -> float | None:
    return None if p is None else round(p, P_DIGITS)


TASK = Task(
    name="rag",
    result=RagResult,
    table=RAG,
    problems=_problems,
    prompts=lambda config: [*ATOM_PROMPTS, "judge", "judge_one", "judge_several"],
    worker=lambda config, calls: RagWorker(assembly_of(config, calls)),
    tally=lambda config, sizes: ClaimTally(RAG, partial(_scored, config=config)),
    makes_claims=_makes_claims,
    rescored_by=("k",),
    conclude=losses,
)


@python_call
def rag(  # noqa: PLR0913 - what a record of this task may bring
    output: str,
    *,
    input: str = "",
    contexts: Iterable[ContextLike] | None = None,
    reference: str | None = None,
    topic: str | None = None,
    atoms: Iterable[AtomLike] | None = None,
    reference_atoms: Iterable[AtomLike] | None = None,
    gold_contexts: Iterable[str] | None = None,
    id: str | None = None,
    llm: LLM | None = None,
    config: ConfigLike = None,
    **settings: Unpack[Keywords],
) -> RagResult:
    """Find where a retrieval-augmented answer loses or invents facts. Synchronous; see `arag`.

    `contexts` are what was retrieved, best first: strings, mappings ({text, id?, title?, link?}), `Context`
    objects or other libraries' documents. They are named "c0", "c1" and so on unless they have ids.
    `reference` is the right answer to `input`, and `gold_contexts` are the ids of all relevant contexts.
    `atoms` and `reference_atoms` are the claims of both texts, made by default. Aliases, `settings` (such as
    `premise="joint"`, `k=5`), `config` and `llm` are as in `assess`.

    The result has every metric in `metrics` (None with a reason in `reasons`):

        result = rag("It opened in 1932.", contexts=["It opened on 4 May 1932."])
        result.metrics["faithfulness"], result.reasons["correctness"]

    Raises what `assess` does, and InputError if there are neither contexts nor a reference.
    """
    given = {"id": id, "response": output, "prompt": input, "topic": topic, "contexts": contexts}
    given |= {"reference": reference, "atoms": atoms, "reference_atoms": reference_atoms}
    record = parse_record("rag()", **given, gold_contexts=gold_contexts)
    return TASK.assessed("rag()", record, llm, config, settings)


arag = awaitable(rag)
