"""Verification of one answer from Python."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.given import AtomLike, ContextLike, given_record
from factreasoner.pipeline.assembly import assembly_of, parts_and_config
from factreasoner.protocols import LLM
from factreasoner.settings import Keywords, python_call
from factreasoner.tasks.verify.result import VerifyResult
from factreasoner.tasks.verify.worker import VerifyWorker


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
    """Hold each claim of an answer against the sources it cites, and correct the answer.

    `sources` are texts, {text, title?, link?, id?}, `Context` objects or other libraries' documents:
    [1] in the answer is the first of them, unless a source has the id "1". `claims` are found in the answer
    unless they are given. `settings` are those of `Config`: `uncited="check"`, `rounds=0`,
    `model="openai/gpt-4o-mini"`; where one names a part, an object or class of one's own may stand. `llm`
    stands in for the model client. Synchronous: in a script, a thread or a notebook.

        result = verify("It opened in 1930 [1].", sources=["The museum opened on 4 May 1932."])
        result.claims, result.changes, result.corrected

    Raises:
        ConfigError: an unknown or wrong setting.
        InputError: no sources, or something given is not what it should be.
    """
    parts, config = parts_and_config(settings)
    called = {"contexts": "sources", "atoms": "claims"}
    record = given_record("verify()", called, response=answer, prompt=prompt, contexts=sources, atoms=claims)
    if not record.contexts:
        raise InputError([InputProblem("verify()", "sources", "none given: pass sources=[...]")])
    assembly = assembly_of(config, llm=llm, **parts)
    return VerifyWorker(assembly).assess(record)
