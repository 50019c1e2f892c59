"""Factual recall of one answer, from Python."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

from factreasoner.errors import InputError
from factreasoner.inputs.given import AtomLike, given_record
from factreasoner.pipeline.assembly import assembly_of, parts_and_config
from factreasoner.protocols import LLM
from factreasoner.settings import Keywords, python_call
from factreasoner.tasks.recall.result import RecallResult
from factreasoner.tasks.recall.task import TASK, worker_of


@python_call
def recall(
    answer: str,
    *,
    facts: Iterable[AtomLike] | None = None,
    reference: str | None = None,
    prompt: str = "",
    llm: LLM | None = None,
    **settings: Unpack[Keywords],
) -> RecallResult:
    """Which of the facts that an answer should state it states, synchronously.

    `facts` are texts, mappings ({text, id?, label?}, the label true or false as people judged this answer)
    or `Atom` objects; without them they are made from `reference`, the right answer to `prompt`.
    `settings` are those of `Config`, as `mode="tf"`, `model="openai/gpt-4o-mini"`; without a model
    the embedded judge is used. Where a setting names a part, an object or class of one's own may stand:
    `judge=MyJudge()`. What goes wrong inside is in the result's failures.

    Raises:
        ConfigError: an unknown or wrong setting, or a key or model name that is wrong.
        InputError: something given is not what it should be, or there are neither facts nor a reference.
    """
    parts, config = parts_and_config(settings)
    record = given_record("recall()", response=answer, prompt=prompt, facts=facts, reference=reference)
    if problems := TASK.problems(record, config):
        raise InputError([problem._replace(where="recall()") for problem in problems])
    return worker_of(assembly_of(TASK.fitted(config), llm=llm, **parts)).assess(record)
