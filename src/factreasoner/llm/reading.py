"""From what a provider sent back to the function's arguments: tolerant of form, never of content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from factreasoner.llm.messages import FunctionSchema, TokenLogprob
from factreasoner.models import Usage

FENCE = re.compile(r"```[\w-]*\s*\n?(.*?)```", re.DOTALL)
THOUGHT = re.compile(r"<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
WRAPPERS = ("arguments", "parameters", "properties", "input")
MAX_STARTS = 50
"""Braces tried as the start of an object, so that hostile text can't cost quadratic time."""


class Answer(NamedTuple):
    """One completion, free of any provider's types.

    `tool_calls` holds (function name, raw arguments); `tokens` the log-probabilities of the output, if any.
    """

    content: str
    tool_calls: tuple[tuple[str, Any], ...]
    finish_reason: str
    tokens: tuple[TokenLogprob, ...] | None
    usage: Usage


class Reading(NamedTuple):
    """Arguments found in an answer, and the JSON text they were read from."""

    arguments: dict[str, Any]
    text: str


def read(answer: Answer, schema: FunctionSchema) -> Reading | None:
    """The arguments in an answer, or None when there is no JSON object with any argument of the schema.

    Arguments the schema doesn't know are dropped, and so is one that was given twice with different values.
    """
    found = [
        reading
        for name, raw in answer.tool_calls
        if name == schema.name and (reading := _read_value(raw, schema)) is not None
    ]
    if len(found) == 1:
        return found[0]
    if found:
        merged = _agreed(pair for reading in found for pair in reading.arguments.items())
        return Reading(merged, json.dumps(merged, ensure_ascii=False))
    return _read_text(THOUGHT.sub("", answer.content), schema)


def _read_value(raw: Any, schema: FunctionSchema) -> Reading | None:
    if isinstance(raw, str):
        return _read_text(raw, schema)
    arguments = _arguments(raw, schema)
    return None if arguments is None else Reading(arguments, json.dumps(arguments, ensure_ascii=False))


def _read_text(text: str, schema: FunctionSchema) -> Reading | None:
    for candidate, value in _json_values(text):
        arguments = _arguments(value, schema)
        if arguments is not None:
            return Reading(arguments, candidate)
    return None


def _json_values(text: str) -> Iterator[tuple[str, Any]]:
    """Every JSON value `text` may hold, likeliest first: all of it, fenced blocks, balanced objects."""
    for candidate in (text.strip(), *(block.strip() for block in FENCE.findall(text))):
        try:
            yield candidate, _decoder.decode(candidate)
        except (ValueError, RecursionError):
            continue
    end = 0
    for count, brace in enumerate(re.finditer(r"\{", text)):
        if count >= MAX_STARTS:
            return
        if brace.start() < end:
            continue
        try:
            value, end = _decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError):
            continue
        yield text[brace.start() : end], value


def _arguments(value: Any, schema: FunctionSchema) -> dict[str, Any] | None:
    """Known arguments in a JSON value, taken out of nested strings, one-item lists and call wrappers."""
    known = schema.parameters.get("properties", {})
    for _ in range(4):
        if isinstance(value, str):
            try:
                value = _decoder.decode(value.strip())
            except (ValueError, RecursionError):
                return None
        elif isinstance(value, list):
            if len(value) != 1:
                return None
            value = value[0]
        elif isinstance(value, dict):
            if not known:
                return {}
            if not known.keys().isdisjoint(value):
                return {name: _spelled(item) for name, item in value.items() if name in known}
            value = next((value[name] for name in (*WRAPPERS, schema.name) if name in value), None)
        else:
            return None
    return None


def _spelled(value: Any) -> Any:
    """`value` without halves of surrogate pairs, which JSON can escape and UTF-8 can't write."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    if isinstance(value, dict):
        return {_spelled(name): _spelled(item) for name, item in value.items()}
    return value


def _agreed(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A dict of the pairs, without the keys that came with two different values."""
    result: dict[str, Any] = {}
    disputed = set()
    for name, value in pairs:
        if name in result and result[name] != value:
            disputed.add(name)
        result[name] = value
    return {name: value for name, value in result.items() if name not in disputed}


_decoder = json.JSONDecoder(object_pairs_hook=_agreed, strict=False)


def joined(pieces: Iterable[tuple[bytes, float, Sequence[tuple[str, float]]]]) -> tuple[TokenLogprob, ...]:
    """Tokens from their bytes. Tokens that share one character become one, without alternatives."""
    tokens: list[TokenLogprob] = []
    pending, logprob = b"", 0.0
    for raw, piece_logprob, top in pieces:
        alone = not pending
        pending, logprob = pending + raw, logprob + piece_logprob
        try:
            text = pending.decode()
        except UnicodeDecodeError:
            continue
        tokens.append(TokenLogprob(text, logprob, tuple(top) if alone else ()))
        pending, logprob = b"", 0.0
    return tuple(tokens)


def aligned(tokens: tuple[TokenLogprob, ...] | None, text: str) -> tuple[TokenLogprob, ...] | None:
    """The tokens that spell `text`, or None when they don't.

    A token that reaches beyond either end is cut there and loses its alternatives, which would not fit.
    """
    if tokens is None or not text:
        return None
    spoken = "".join(token.token for token in tokens)
    start = spoken.rfind(text)
    if start < 0:
        return None
    end, position, inside = start + len(text), 0, []
    for token in tokens:
        left, position = position, position + len(token.token)
        if position <= start or left >= end:
            continue
        piece = token.token[max(start - left, 0) : end - left]
        whole = piece == token.token
        inside.append(TokenLogprob(piece, token.logprob, token.top if whole else ()))
    return tuple(inside)
