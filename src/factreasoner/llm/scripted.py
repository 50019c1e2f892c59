"""A language model that answers from a script: a test double for `factreasoner.protocols.LLM`."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from factreasoner.calls.usage import estimate_tokens, record_usage
from factreasoner.errors import ConfigError
from factreasoner.models import Usage
from factreasoner.models.messages import FunctionSchema, Prompt, Reply

Scripted = dict[str, Any] | Reply | Exception
"""Arguments, a whole reply, or an exception to raise."""


class Call(NamedTuple):
    """One call."""

    prompt: Prompt
    schema: FunctionSchema
    sample: int = 0
    logprobs: bool = False


class ScriptedLLM:
    """A model for tests, whose answers come from a script.

    The script is a list of replies in the order of calls, or a function of (prompt, schema). `calls` lists
    all calls. Each has estimated tokens and no cost; a `Reply` keeps its own usage. Thread-safe.

        llm = ScriptedLLM([{"fact_0": "True"}, UnusableReplyError("prose")])
        llm = ScriptedLLM(lambda prompt, schema: {name: "True" for name in schema.arguments})
    """

    def __init__(self, script: Iterable[Scripted] | Callable[[Prompt, FunctionSchema], Scripted]) -> None:
        self.calls: list[Call] = []
        self._lock = threading.Lock()
        self._answer = script if callable(script) else None
        self._replies = [] if callable(script) else list(script)

    def call(
        self, prompt: Prompt, schema: FunctionSchema, *, sample: int = 0, logprobs: bool = False
    ) -> Reply:
        """The scripted answer to this call; an exception in the script is raised.

        Raises ConfigError: no answer is left.
        """
        with self._lock:
            position = len(self.calls)
            self.calls.append(Call(prompt, schema, sample, logprobs))
        if self._answer is None and position >= len(self._replies):
            raise ConfigError(
                f"ScriptedLLM has only {len(self._replies)} replies and was called again: "
                f"prompt {prompt.name!r}, function {schema.name!r}"
            )
        answer = self._answer(prompt, schema) if self._answer else self._replies[position]
        if isinstance(answer, Exception):
            raise answer
        if not isinstance(answer, Reply):
            text = json.dumps(answer, ensure_ascii=False)
            asked = estimate_tokens(prompt.system) + estimate_tokens(prompt.user)
            usage = Usage(calls=1, prompt_tokens=asked, completion_tokens=estimate_tokens(text))
            answer = Reply(arguments=answer, text=text, form="scripted", usage=usage)
        record_usage(answer.usage)
        return answer
