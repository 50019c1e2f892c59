"""What came back in a call form: the function's arguments, and how probable its choices were."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from factreasoner.llm.forms import list_argument, number_of
from factreasoner.llm.json_text import arguments_in, merged_calls, without_thoughts
from factreasoner.llm.logprobs import Tokens, named_by
from factreasoner.llm.responses import Completion
from factreasoner.models.messages import Chances, FunctionSchema, Reply
from factreasoner.settings.choices import CallForm

_MANY_ALIKE = 4
"""Texts from which on a reply is looked at for texts that repeat."""
_LINE = re.compile(r"^\W*(?:[A-Za-z]+[ _])?(\d+)\W*?\s*[:.)\]-]\s*(.*?)\s*$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.:)])\s+")


class Parsed(NamedTuple):
    """What a reply holds: arguments, or the problem that there are none.

    `obeyed`: they came the way the form says, no choice has a value that is not allowed, and no more than
    half of them are missing.
    """

    arguments: dict[str, Any]
    problem: str = ""
    obeyed: bool = False
    chances: dict[str, Chances] | None = None

    def reply(self, form: CallForm, completion: Completion) -> Reply:
        """The reply, without its usage."""
        return Reply(arguments=self.arguments, text=completion.said, form=form, chances=self.chances)


def parse(form: CallForm, completion: Completion, schema: FunctionSchema) -> Parsed:
    """The arguments in a completion that was asked for in `form`, and their chances where it brings any."""
    found = _READERS[form](completion, schema)
    if found is None:
        return Parsed({}, "malformed" if completion.said.strip() else "empty")
    if problem := _garbage(found, schema):
        return Parsed({}, problem)
    given = [name for name in schema.properties if name in found]
    obeyed = all(schema.problem(name, found) is None for name in schema.choices if name in found)
    obeyed = obeyed and 2 * len(given) >= len(schema.properties)
    tokens = completion.tokens
    chances = None if tokens is None else _chances(form, tokens, found, schema)
    return Parsed(found, obeyed=obeyed, chances=chances)


def _word(completion: Completion, schema: FunctionSchema) -> dict[str, Any] | None:
    (name,) = schema.properties
    said = without_thoughts(completion.content).strip().strip("*\"'`.:").casefold()
    first = re.split(r"[^\w]", said, maxsplit=1)[0]
    for value in schema.properties[name]["enum"]:
        beginning = str(value).casefold().split()[0]
        if first == beginning or (len(said) >= 3 and beginning.startswith(said)):
            return {name: value}
    return None


def _lines(completion: Completion, schema: FunctionSchema) -> dict[str, Any] | None:
    text = without_thoughts(completion.content)
    if listed := list_argument(schema):
        lines = [line for line in text.splitlines() if _BULLET.match(line)]
        return {listed: [_BULLET.sub("", line).strip() for line in lines]} if lines else None
    if as_json := arguments_in(text, schema.arguments, schema.name):
        return as_json  # all the same
    names = {number_of(name): name for name in schema.items}
    found: dict[str, Any] = {}
    for line in _LINE.finditer(text):
        name = names.get(line[1])
        if name is None or name in found or not line[2]:
            continue
        allowed = schema.properties[name].get("enum")
        found[name] = line[2] if allowed is None else named_by(line[2].strip("*\"'`."), allowed) or line[2]
    return found or None


def _json(completion: Completion, schema: FunctionSchema) -> dict[str, Any] | None:
    return arguments_in(without_thoughts(completion.content), schema.arguments, schema.name)


def _tool(completion: Completion, schema: FunctionSchema) -> dict[str, Any] | None:
    meant = (raw for name, raw in completion.tool_calls if name == schema.name)
    return merged_calls(meant, schema.arguments, schema.name)


_READERS: dict[CallForm, Callable[[Completion, FunctionSchema], dict[str, Any] | None]] = {
    "word": _word,
    "lines": _lines,
    "json_schema": _json,
    "json_object": _json,
    "tool": _tool,
}


def _garbage(arguments: Mapping[str, Any], schema: FunctionSchema) -> str:
    """Why well-formed arguments are of no use: the schema's own words come back, or texts repeat."""
    texts = []
    for name, value in arguments.items():
        prop = schema.properties[name]
        if isinstance(value, str) and "enum" not in prop:
            if value and value.strip("<>‹› ") == prop.get("description"):
                return "the schema's description came back as the answer"
            texts += [value] if name in schema.items else []
        elif isinstance(value, list):
            texts += [json.dumps(item, sort_keys=True, ensure_ascii=False) for item in value]
    most = max(Counter(texts).values(), default=0)
    distinct = len(set(texts))
    if len(texts) >= _MANY_ALIKE and (2 * most > len(texts) or 2 * distinct <= len(texts)):
        return "half of the answer repeats itself"
    return ""


def _chances(
    form: CallForm, tokens: Tokens, arguments: Mapping[str, Any], schema: FunctionSchema
) -> dict[str, Chances]:
    """The chances of every choice that was made, read where its value begins."""
    spoken = tokens.raw.decode("utf-8", "replace")
    exact = len(spoken.encode()) == len(tokens.raw)
    found: dict[str, Chances] = {}
    for name in schema.choices:
        value = schema.value(name, dict(arguments))
        allowed = schema.properties[name]["enum"]
        if value not in allowed or not exact:
            continue
        place = _place(form, spoken, name)
        if place is not None:
            chances = tokens.chances(len(spoken[:place].encode()), value, allowed)
            found |= {name: chances} if chances else {}
    return found


def _place(form: CallForm, spoken: str, name: str) -> int | None:
    """Where the value of an argument begins in what was said."""
    if form == "word":
        found = re.search(r"(?s)^.*</think(?:ing)?>\s*|\A\W*", spoken)
        return found.end() if found else None
    if form == "lines":
        lines = re.finditer(rf"^\W*(?:[A-Za-z]+[ _])?{number_of(name)}\W*?\s*[:.)\]-]\s*\W?", spoken, re.M)
        return next((line.end() for line in lines), None)
    *_, last = [None, *re.finditer(rf'"{re.escape(name)}"\s*:\s*"?', spoken)]
    return last.end() if last else None
