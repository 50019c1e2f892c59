"""Call forms: ways to ask for a function's arguments, from the strictest to the plainest."""

from __future__ import annotations

import json
from typing import Any

from factreasoner.choices import CallForm
from factreasoner.llm.messages import Example, FunctionSchema, Prompt
from factreasoner.prompts.fences import delimit, one_line

FORMS: tuple[CallForm, ...] = ("tool", "json_schema", "json_object", "fenced")
MARK = {"cache_control": {"type": "ephemeral"}}
"""Ends the part of a request that is worth caching, in Anthropic's words."""


def request_of(
    form: CallForm, prompt: Prompt, schema: FunctionSchema, *, listed: bool = False, marked: bool = False
) -> dict[str, Any]:
    """The part of a chat request (OpenAI's names) that carries the prompt and asks for the arguments.

    The material of the arguments stands in the function that a tool call carries. In every other form, and
    there too with `listed`, the message lists it: a schema may be used as a grammar and never be read. What
    calls about the same items share comes first: system, list of items, then the prompt's own passages;
    `marked` ends it with a mark for providers that cache nothing else.
    """
    request: dict[str, Any] = {}
    if form == "tool":
        parameters = schema.blank if listed else schema.parameters
        function = {"name": schema.name, "description": schema.description, "parameters": parameters}
        request["tools"] = [{"type": "function", "function": function}]
        request["tool_choice"] = {"type": "function", "function": {"name": schema.name}}
    elif form == "json_schema":
        request["response_format"] = {
            "type": "json_schema",
            "json_schema": {
                "name": schema.name,
                "strict": True,
                "schema": closed(without_descriptions(schema.parameters)),
            },
        }
    elif form == "json_object":
        request["response_format"] = {"type": "json_object"}
    listing = _listing(schema) if form != "tool" or listed else ""
    shared = _joined(listing, _how_to_answer(form, schema))
    own = _joined(prompt.user, _closing(form, schema, listed=listed))
    said: list[tuple[str, Any]] = [("system", _utf8(prompt.system)), ("user", _joined(shared, own))]
    if marked and shared:
        said[1] = ("user", [_part(f"{shared}\n\n") | MARK, _part(own)])
    elif marked and prompt.system:
        said[0] = ("system", [_part(prompt.system) | MARK])
    said[1:1] = [turn for example in prompt.examples for turn in _turns(form, example, schema)]
    request["messages"] = [{"role": role, "content": content} for role, content in said if content]
    return request


def _turns(form: CallForm, example: Example, schema: FunctionSchema) -> list[tuple[str, str]]:
    """An example as the user's turn and the model's, in the form's shape."""
    asked = schema.model_copy(update={"items": example.items})
    answer = json.dumps(example.arguments, ensure_ascii=False)
    said = f"```json\n{answer}\n```" if form == "fenced" else answer
    return [("user", _joined(_listing(asked), example.user)), ("assistant", said)]


def _joined(*parts: str) -> str:
    return _utf8("\n\n".join(part for part in parts if part))


def _part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": _utf8(text)}


def _utf8(text: str) -> str:
    """`text` without halves of surrogate pairs, which no request can carry."""
    return text.encode("utf-8", "replace").decode()


def _listing(schema: FunctionSchema) -> str:
    """The items, one a line, named as their arguments are."""
    if not schema.items:
        return ""
    lines = "\n".join(f"{name}: {one_line(text)}" for name, text in schema.items.items())
    return f"The {schema.item}s, each with its name:\n{delimit(lines, f'{schema.item}s')}"


def _how_to_answer(form: CallForm, schema: FunctionSchema) -> str:
    """What is said of the answer's shape, where no tool carries it."""
    if form == "tool":
        return ""
    if form == "json_schema":
        said = f"Its keys: {_shape(schema)}" if schema.items else f"Its form: {_outline(schema.parameters)}"
        return f"{schema.description}\nAnswer with one JSON object. {said}"
    body = json.dumps(schema.blank, ensure_ascii=False)
    return f"{schema.description}\nAnswer with one JSON object. It must match this JSON schema:\n{body}"


def _shape(schema: FunctionSchema) -> str:
    """The keys about the first item, with their values; the others have the same."""
    first, *others = schema.items
    properties = schema.blank["properties"]
    keys = []
    for name in schema.arguments:
        if name != first and not name.startswith(f"{first}_"):
            continue
        prop = properties[name]
        values = " or ".join(f'"{value}"' for value in prop.get("enum", ()))
        keys.append(f'"{name}" ({values or prop.get("description", prop["type"])})')
    rest = f", and so on for every {schema.item}" if others else ""
    return f"{', then '.join(keys)}{rest}."


def _outline(schema: dict[str, Any]) -> str:
    """A JSON schema as a value of its form, each part with what it is."""
    if schema["type"] == "object":
        inside = ", ".join(f'"{name}": {_outline(prop)}' for name, prop in schema["properties"].items())
        return f"{{{inside}}}"
    if schema["type"] == "array":
        return f"[{_outline(schema['items'])}, ...]"
    return f"<{schema.get('description', schema['type'])}>"


def _closing(form: CallForm, schema: FunctionSchema, *, listed: bool) -> str:
    if form != "tool":
        where = " in a ```json block" if form == "fenced" else ""
        return f"Answer with the JSON object{where} and nothing else."
    if not schema.items:
        return f"Call the function {schema.name}."
    where = "one of the list" if listed else "in the argument's description"
    return f"Call the function {schema.name}. Each of its arguments asks about one {schema.item}, {where}."


def without_descriptions(schema: object) -> object:
    """A JSON schema with types and allowed values alone: the message says the rest."""
    if isinstance(schema, list):
        return [without_descriptions(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("description", "properties")}
    found = {key: without_descriptions(value) for key, value in kept.items()}
    if "properties" in schema:
        named = schema["properties"].items()
        found["properties"] = {name: without_descriptions(prop) for name, prop in named}
    return found


def closed(schema: object) -> object:
    """A JSON schema as strict providers want it: every object requires all its properties and no other."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        result |= {"required": list(schema["properties"]), "additionalProperties": False}
    return result
