"""What a run of a task on claims would take: its work done with a stand-in for the model, counted."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from factreasoner.llm.client import Panel
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Record
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.pipeline.assembly import Calls
from factreasoner.runs.plan import RunPlan, StagePlan, count
from factreasoner.settings import Config
from factreasoner.tasks.task import Task

WORDS = "words " * 25
"""What stands for a quote, a reasoning or another free text of a reply: as long as these are, about."""


def rehearsed(
    task: Task[Any], records: Iterable[Record], config: Config, *, borne_out: bool = True
) -> RunPlan:
    """Calls and estimated tokens by prompt of a run of `task`; re-asks are left out, cached calls counted.

    A stand-in answers in the place of every model: statements are the sentences of a text, and every claim is
    borne out, or none is: then what a task asks only about claims that failed is counted for all of them.

    Raises:
        ConfigError, InputError, MissingExtraError: as the task's worker does.
    """
    totals: dict[str, StagePlan] = {}

    def answer(prompt: Prompt, schema: FunctionSchema) -> dict[str, Any]:
        reply = {
            name: _value(name, prop, prompt, schema, borne_out=borne_out)
            for name, prop in schema.parameters["properties"].items()
        }
        count(totals, prompt.name, [(prompt, schema)], len(str(reply)) // 4)
        return reply

    names = config.judge_models or ((config.model,) if config.model else ())
    models = {name: ScriptedLLM(answer) for name in names}
    llm = Panel(models) if len(models) > 1 else next(iter(models.values()), None)
    one_at_a_time = config.model_copy(update={"concurrency": 1, "cache": False})
    worker = task.worker(one_at_a_time, Calls(llm=llm))
    for record in records:
        worker.assess(record)
    return RunPlan(list(totals.values()), 0, 0)


def _value(
    name: str, prop: Mapping[str, Any], prompt: Prompt, schema: FunctionSchema, *, borne_out: bool
) -> object:
    if "enum" in prop:
        return prop["enum"][0 if borne_out else -1]
    if prop.get("type") == "integer":
        return prop.get("minimum", 0)
    if prop.get("type") != "array":
        if name not in schema.items:
            return WORDS
        if name.startswith("fact"):
            return "true" if borne_out else "false"
        return schema.items[name] if prompt.name != "correct" else f"{schema.items[name]} (corrected)"
    found = re.search(r"<given_parts_\w+>\n(.*?)\n</given_parts", prompt.user, re.DOTALL)
    return (found[1] if found else prompt.user).splitlines()
