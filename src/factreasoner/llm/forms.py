"""The ladder of call forms: ways to ask for a function's arguments, from the strictest to the plainest."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterable
from typing import Any, Literal

from factreasoner.llm.messages import FunctionSchema, Prompt

Form = Literal["tool", "json_schema", "json_object", "fenced"]
FORMS: tuple[Form, ...] = ("tool", "json_schema", "json_object", "fenced")
MISSES = 3
"""Unusable replies in a row, with a lower form answering, after which a form is left for good."""


def request_of(form: Form, prompt: Prompt, schema: FunctionSchema) -> dict[str, Any]:
    """The part of a chat request (OpenAI's names) that carries the prompt and asks for the arguments."""
    request: dict[str, Any] = {}
    user = prompt.user
    if form == "tool":
        function = {"name": schema.name, "description": schema.description, "parameters": schema.parameters}
        request["tools"] = [{"type": "function", "function": function}]
        request["tool_choice"] = {"type": "function", "function": {"name": schema.name}}
    elif form == "json_schema":
        request["response_format"] = {
            "type": "json_schema",
            "json_schema": {"name": schema.name, "strict": True, "schema": closed(schema.parameters)},
        }
    else:
        user = f"{user}\n\n{instructions(form, schema)}"
    if form == "json_object":
        request["response_format"] = {"type": "json_object"}
    said = [("system", prompt.system), ("user", user)]
    request["messages"] = [{"role": role, "content": _utf8(text)} for role, text in said if text]
    return request


def _utf8(text: str) -> str:
    """`text` without halves of surrogate pairs, which no request can carry."""
    return text.encode("utf-8", "replace").decode()


def instructions(form: Form, schema: FunctionSchema) -> str:
    """What is added to the prompt where the request itself can't carry the schema."""
    where = "one JSON object in a ```json block" if form == "fenced" else "one JSON object"
    body = json.dumps(schema.parameters, ensure_ascii=False)
    return (
        f"{schema.description}\nAnswer with {where} and nothing else. It must match this JSON schema:\n{body}"
    )


def closed(schema: Any) -> Any:
    """A JSON schema as strict providers want it: every object requires all its properties and no other."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        result |= {"required": list(schema["properties"]), "additionalProperties": False}
    return result


class Ladder:
    """Which forms one model still takes. Thread-safe.

    A form the provider refused is left for good, and so is one whose replies were unusable `MISSES` times
    in a row while a lower form answered the same question. The last form is never left.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: set[Form] = set()
        self._misses: Counter[Form] = Counter()

    def forms(self, *, skip_tool: bool = False) -> tuple[Form, ...]:
        """The forms to try, in order."""
        with self._lock:
            left = self._left | ({"tool"} if skip_tool else set())
        return tuple(form for form in FORMS if form not in left)

    def learn(self, worked: Form, *, refused: Iterable[Form], unusable: Iterable[Form]) -> None:
        """Take note of a call that `worked` answered after the others had failed it."""
        with self._lock:
            self._misses[worked] = 0
            self._misses.update(unusable)
            self._left.update(refused, (form for form, count in self._misses.items() if count >= MISSES))
