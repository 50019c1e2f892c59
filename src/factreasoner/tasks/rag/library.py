"""Claim-level metrics of one retrieval-augmented answer, from Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Unpack

from factreasoner.errors import InputError
from factreasoner.inputs.given import AtomLike, ContextLike, given_record
from factreasoner.pipeline.assembly import assembly_of, parts_and_config
from factreasoner.protocols import LLM
from factreasoner.settings import Keywords, python_call
from factreasoner.tasks.rag.scores import ScoredRag
from factreasoner.tasks.rag.task import TASK, scores_of
from factreasoner.tasks.rag.worker import RagWorker


@python_call
def rag(  # noqa: PLR0913 - what a record of this task may bring
    answer: str,
    *,
    contexts: Sequence[ContextLike] | None = None,
    reference: str | None = None,
    prompt: str = "",
    claims: Iterable[AtomLike] | None = None,
    reference_claims: Iterable[AtomLike] | None = None,
    gold_contexts: Sequence[str] | None = None,
    llm: LLM | None = None,
    **settings: Unpack[Keywords],
) -> ScoredRag:
    """Where a retrieval-augmented answer loses or invents, synchronously.

    `contexts` are what was retrieved, best first: texts, mappings ({text, id?, title?, link?}),
    `Context` objects or other libraries' documents, named "c0", "c1" and so on unless they have ids;
    `reference` is the right answer to `prompt`; `gold_contexts` are the ids of all relevant contexts. Claims
    are made of both texts unless they are given. `settings` are those of `Config`: `premise="joint"`,
    `model="openai/gpt-4o-mini"`, `k=5`; where one names a part, an object or class of one's own may stand.

    The result has every metric in `values` (None with a reason in `reasons`), and claims, verdicts and
    failures in `result`:

        scored = rag("It opened in 1932.", contexts=["It opened on 4 May 1932."])
        scored.values["faithfulness"], scored.reasons["correctness"]

    Raises:
        ConfigError: an unknown or wrong setting, or a key or model name that is wrong.
        InputError: something given is not what it should be, or there are neither contexts nor a reference.
    """
    parts, config = parts_and_config(settings)
    record = given_record(
        "rag()",
        response=answer,
        prompt=prompt,
        contexts=contexts,
        reference=reference,
        atoms=claims,
        reference_atoms=reference_claims,
        gold_contexts=gold_contexts,
    )
    if problems := TASK.problems(record, config):
        raise InputError([problem._replace(where="rag()") for problem in problems])
    assembly = assembly_of(config, llm=llm, **parts)
    return scores_of(RagWorker(assembly).assess(record), config)
