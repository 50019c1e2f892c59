"""Call forms: the ways to ask for a function's arguments.

- word: one fact, answered by one word of plain text; it needs no tool, schema or grammar.
- lines: one line of plain text per item.
- json_schema, json_object: a JSON object, by a response format.
- tool: a forced call of the function.
- systemone: questions with choices, to a model that answers nothing else; see `systemone`.

In every form a request reads: system, example turns, the prompt's own text (a passage, say), items.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Literal

from factreasoner.calls.usage import estimate_tokens
from factreasoner.llm import systemone
from factreasoner.llm.settings import CallForm
from factreasoner.models.formatting import one_of
from factreasoner.models.messages import Example, FunctionSchema, Prompt
from factreasoner.prompts.fences import delimit, harmless, one_line

Kind = Literal["one", "flat", "nested"]
"""The answer of a function: one choice; a text or choice per item, or a list of texts; other."""
MANY: tuple[CallForm, ...] = ("tool", "json_schema", "json_object", "lines")
MARK = {"cache_control": {"type": "ephemeral"}}
"""Anthropic's mark for the end of a cacheable prefix."""
WORD_TOKENS, WORD_ALTERNATIVES, ALTERNATIVES = 2, 20, 5
"""Tokens of a word; alternatives per token for a word, and for other forms."""
_TOKENS_OF_CHOICE, _TOKENS_OF_TEXT, _TOKENS_OF_NUMBER = 12, 80, 8


def kind_of(schema: FunctionSchema) -> Kind:
    """The kind of a function."""
    properties = schema.properties
    if len(properties) == 1 and schema.choices:
        return "one"
    if schema.items and properties.keys() == schema.items.keys():
        return "flat"
    return "flat" if list_argument(schema) else "nested"


def list_argument(schema: FunctionSchema) -> str:
    """The name of the only argument if it is a list of texts; else empty."""
    if len(schema.properties) != 1:
        return ""
    ((name, prop),) = schema.properties.items()
    return name if prop.get("type") == "array" and prop["items"].get("type") == "string" else ""


def forms_of(kind: Kind, *, json_first: bool, fixed: str = "auto") -> tuple[CallForm, ...]:
    """The possible forms for that kind of function, in the order to try."""
    forms = (MANY[1], MANY[0], *MANY[2:]) if json_first else MANY
    if kind == "one":
        forms = ("word", *forms)
    elif kind == "nested":
        forms = tuple(form for form in forms if form != "lines")
    return tuple(form for form in forms if form == fixed) or forms


def number_of(name: str) -> str:
    """The number at the end of an argument's name; without one, the name."""
    found = re.search(r"\d+$", name)
    return found[0] if found else name


def expected_tokens(schema: FunctionSchema) -> int | None:
    """Estimated tokens of the answer; None if unknown."""
    if schema.expected_tokens:
        return schema.expected_tokens
    tokens = 0
    for name, prop in schema.properties.items():
        if prop.get("type") in ("array", "object"):
            return None
        if "enum" in prop:
            tokens += _TOKENS_OF_CHOICE
        elif prop.get("type") in ("integer", "number", "boolean"):
            tokens += _TOKENS_OF_NUMBER
        else:
            tokens += _TOKENS_OF_TEXT + estimate_tokens(schema.items.get(name, ""))
    return tokens


def request(
    form: CallForm, prompt: Prompt, schema: FunctionSchema, *, marked: bool = False
) -> dict[str, Any]:
    """The prompt and function part of a chat request, in OpenAI's format.

    `marked` adds a mark after the prefix shared by all calls, for providers that cache only marked prefixes.
    """
    if form == "systemone":
        return systemone.request(prompt, schema)
    content: dict[str, Any] = {}
    if form == "tool":
        function = schema.model_dump(include={"name", "description", "parameters"})
        content["tools"] = [{"type": "function", "function": function}]
        content["tool_choice"] = {"type": "function", "function": {"name": schema.name}}
    elif form == "json_schema":
        described = {"name": schema.name, "strict": True, "schema": strict(schema.parameters)}
        content["response_format"] = {"type": "json_schema", "json_schema": described}
    elif form == "json_object":
        content["response_format"] = {"type": "json_object"}
    system = "\n".join(part for part in (prompt.system, _how_to_answer(form, schema)) if part)
    messages: list[dict[str, Any]] = [{"role": "system", "content": _utf8(system)}] if system else []
    for number, example in enumerate(prompt.examples, start=1):
        messages += _turns(form, example, schema, f"example{number:02d}")
    texts = [message for message in messages if message["role"] in ("system", "user")]
    if marked and texts:  # the last one ends what all calls of the prompt share
        texts[-1]["content"] = [{"type": "text", "text": texts[-1]["content"], **MARK}]
    messages.append(_user(form, prompt.user, schema))
    return {**content, "messages": messages}


def _user(form: CallForm, text: str, schema: FunctionSchema) -> dict[str, Any]:
    return {"role": "user", "content": _utf8("\n\n".join(filter(None, [text, _listing(form, schema)])))}


def _listing(form: CallForm, schema: FunctionSchema) -> str:
    """The items as shown in a message, named like their arguments."""
    if not schema.items:
        return ""
    if form == "word":
        (text,) = schema.items.values()
        return f"{schema.item.capitalize()}: {harmless(one_line(text))}"
    lines = "\n".join(
        f"{number_of(name) if form == 'lines' else name}: {one_line(text)}"
        for name, text in schema.items.items()
    )
    return f"The {schema.item}s:\n{delimit(lines, f'{schema.item}s')}"


def _turns(form: CallForm, example: Example, schema: FunctionSchema, call_id: str) -> list[dict[str, Any]]:
    """An example as user and model turns, in the given form; Anthropic wants each `call_id` once."""
    user = _user(form, example.user, schema.model_copy(update={"items": example.items}))
    values = example.arguments
    words = json.dumps(values, ensure_ascii=False)
    if form == "tool":
        call = {"id": call_id, "type": "function", "function": {"name": schema.name, "arguments": words}}
        done = {"role": "tool", "tool_call_id": call_id, "content": "noted"}
        return [user, {"role": "assistant", "content": "", "tool_calls": [call]}, done]
    if form == "word":
        words = str(next(iter(values.values())))
    elif form == "lines":
        listed = next((value for value in values.values() if isinstance(value, list)), None)
        lines = [(f"{number_of(name)}:", value) for name, value in values.items()]
        lines = lines if listed is None else [("-", value) for value in listed]
        words = "\n".join(f"{mark} {one_line(str(value))}" for mark, value in lines)
    return [user, {"role": "assistant", "content": _utf8(words)}]


def _how_to_answer(form: CallForm, schema: FunctionSchema) -> str:
    """The instruction on the answer format, the same for any number of items."""
    if form == "tool":
        return f"Call the function {schema.name}."
    values = _values(schema)
    if form == "word" and not schema.items:
        return ""  # the prompt says all of it
    if form == "word":
        return f"Answer with {values} and nothing else."
    if form == "lines" and list_argument(schema):
        return "Answer with one line for each, which begins with a dash, and nothing else."
    if form == "lines":
        return (
            f"Answer with one line for each {schema.item}, and nothing else: its number, a colon and "
            f"{values or f'the new {schema.item}'}."
        )
    return f"{schema.description}\nAnswer with one JSON object and nothing else. {_shape(schema)}"


def _values(schema: FunctionSchema) -> str:
    """The allowed values of the first choice, as text; empty without a choice."""
    if not schema.choices:
        return ""
    return one_of([str(value) for value in schema.properties[schema.choices[0]]["enum"]])


def _shape(schema: FunctionSchema) -> str:
    """The keys of the answer; with items, only those of the first one."""
    if not schema.items:
        return f"Its form: {_outline(schema.parameters)}"
    first = next(iter(schema.items))
    keys = []
    for name, prop in schema.properties.items():
        if name == first or name.startswith(f"{first}_"):
            values = " or ".join(f'"{value}"' for value in prop.get("enum", ()))
            keys.append(f'"{name}" ({values or prop.get("description", prop["type"])})')
    return f"Its keys: {', then '.join(keys)}, and so on for every {schema.item}."


def _outline(schema: Mapping[str, Any]) -> str:
    """A JSON schema as an example value with descriptions."""
    if schema["type"] == "object":
        inside = ", ".join(f'"{name}": {_outline(prop)}' for name, prop in schema["properties"].items())
        return f"{{{inside}}}"
    if schema["type"] == "array":
        return f"[{_outline(schema['items'])}, ...]"
    return f"<{schema.get('description', schema['type'])}>"


def _utf8(text: str) -> str:
    """`text` without half surrogate pairs, which a request can't hold."""
    return text.encode("utf-8", "replace").decode()


def strict(schema: object) -> object:
    """A JSON schema for strict providers: all properties required, no others, no descriptions."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key not in ("description", "properties")}
    found = {key: strict(value) for key, value in kept.items()}
    if "properties" in schema:
        found["properties"] = {name: strict(prop) for name, prop in schema["properties"].items()}
        if schema.get("type") == "object":
            found |= {"required": list(schema["properties"]), "additionalProperties": False}
    return found
