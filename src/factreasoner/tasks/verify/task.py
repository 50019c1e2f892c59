"""`verify`: does each cited source support the claims that cite it? And the answer, corrected."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Unpack

from factreasoner.atoms import atom_prompts
from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.parsing import AtomLike, ContextLike, given_record
from factreasoner.models import Record
from factreasoner.pipeline.assembly import Calls, assembly_of, parts_and_config
from factreasoner.protocols import LLM
from factreasoner.settings import Config, Keywords, python_call
from factreasoner.tasks.task import ClaimTally, Task
from factreasoner.tasks.verify.labelling import relabelled
from factreasoner.tasks.verify.result import VERIFY, ScoredVerify, VerifyResult, scored_verify, verified_rows
from factreasoner.tasks.verify.worker import VerifyWorker


def _problems(record: Record, config: Config) -> list[InputProblem]:
    if record.contexts is not None:
        return []
    message = "none given: they are the sources that the answer cites; add them, in the order of [1], [2]"
    return [InputProblem(f"record {record.id}", "contexts", message)]


def _scored(result: VerifyResult) -> tuple[ScoredVerify, dict[str, Any]]:
    claims = result.revised.claims if result.revised else ()
    return scored_verify(result), {
        "corrected": result.corrected,
        "changes": [change.model_dump(mode="json") for change in result.changes],
        "claims": [claim.model_dump(mode="json") for claim in result.claims],
        "corrected_claims": [claim.model_dump(mode="json") for claim in claims],
        "unknown_citations": list(result.unknown_citations),
        "notes": list(result.notes),
    }


TASK = Task(
    name="verify",
    result=VerifyResult,
    table=VERIFY,
    problems=_problems,
    prompts=lambda config: [*atom_prompts(config), "verify", "correct"],
    worker=lambda config, calls: VerifyWorker(assembly_of(config, calls)),
    rows=verified_rows,
    tally=lambda config, sizes: ClaimTally(VERIFY, verified_rows, _scored),
    with_verdicts=relabelled,
)


@python_call
def verify(
    answer: str,
    *,
    sources: Sequence[ContextLike],
    prompt: str = "",
    claims: Sequence[AtomLike] | None = None,
    llm: LLM | None = None,
    **settings: Unpack[Keywords],
) -> VerifyResult:
    """Judge each claim of an answer against the sources it cites, and correct the answer. Synchronous.

    `sources` are texts, {text, title?, link?, id?}, `Context` objects or other libraries' documents.
    [1] in the answer is the first of them, unless a source has the id "1". `claims` are found in the answer
    unless they are given. `settings` are those of `Config`: `uncited="check"`, `rounds=0`,
    `model="openai/gpt-4o-mini"`. A setting that names a part also takes your own object or class. `llm`
    replaces the model client.

        result = verify("It opened in 1930 [1].", sources=["The museum opened on 4 May 1932."])
        result.claims, result.changes, result.corrected

    Raises:
        ConfigError: a setting is wrong.
        InputError: an argument is wrong, or there are no sources.
    """
    parts, config = parts_and_config(settings)
    called = {"contexts": "sources", "atoms": "claims"}
    record = given_record("verify()", called, response=answer, prompt=prompt, contexts=sources, atoms=claims)
    if not record.contexts:
        raise InputError([InputProblem("verify()", "sources", "none given: pass sources=[...]")])
    return TASK.assessed("verify()", record, config, Calls(llm=llm, parts=parts))
