"""From what a provider sent back to the function's arguments: tolerant of form, never of content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, NamedTuple

from factreasoner.llm.messages import FunctionSchema, TokenLogprob
from factreasoner.models import Usage

FENCE = "```"
FENCE_WORD = re.compile(r"[\w-]*+\s*+")
THOUGHT = re.compile(r"<think(?:ing)?>")
THOUGHT_END = re.compile(r"</think(?:ing)?>")
WRAPPERS = ("arguments", "parameters", "properties", "input")
MAX_STARTS = 50
"""Fenced blocks, and braces, tried as the start of an object."""
MAX_READ = 2
"""How many times a text may be read in vain in the search for objects, so that time is linear."""
MAX_DEPTH = 32
"""Levels of lists and objects in an argument; deeper ones are no answer to anything."""


class Completion(NamedTuple):
    """One completion, free of any provider's types.

    `tool_calls` holds (function name, raw arguments); `tokens` the log-probabilities of the output, if any;
    `refusal` the words in which the model declined to answer, where the provider tells them apart;
    `prompt_tokens` what the provider reported, None where it did not, when `usage` holds an estimate.
    """

    content: str
    tool_calls: tuple[tuple[str, Any], ...]
    finish_reason: str
    tokens: tuple[TokenLogprob, ...] | None
    usage: Usage
    refusal: str = ""
    prompt_tokens: int | None = None

    @property
    def said(self) -> str:
        """The text of the reply: content, else the raw arguments of its tool calls, else the refusal."""
        return self.content or " ".join(str(raw) for _, raw in self.tool_calls) or self.refusal

    @property
    def blocked(self) -> str:
        """Why there is no answer whatever the call form, in a word or two; empty where none of that is so."""
        if self.finish_reason == "content_filter":
            return "content filter"
        return "refusal" if self.refusal else ""


class ParsedArguments(NamedTuple):
    """Arguments found in an answer, and the JSON text they were read from."""

    arguments: dict[str, Any]
    text: str


def read(answer: Completion, schema: FunctionSchema) -> ParsedArguments | None:
    """The arguments in an answer, or None when there is no JSON object with any argument of the schema.

    Arguments the schema doesn't know are dropped, and so is one that was given twice with different values.
    Takes time linear in the length of the answer, whatever it holds.
    """
    meant = (raw for name, raw in answer.tool_calls if name == schema.name)
    most = MAX_STARTS + len(schema.arguments)  # some models make one call for each argument
    found = [r for raw in islice(meant, most) if (r := _read_value(raw, schema)) is not None]
    if len(found) == 1:
        return found[0]
    if found:
        merged = _agreed(pair for reading in found for pair in reading.arguments.items())
        return ParsedArguments(merged, json.dumps(merged, ensure_ascii=False))
    return _read_text(_without_thoughts(answer.content), schema)


def _read_value(raw: object, schema: FunctionSchema) -> ParsedArguments | None:
    if isinstance(raw, str):
        return _read_text(raw, schema)
    arguments = _arguments(raw, schema)
    return (
        None if arguments is None else ParsedArguments(arguments, json.dumps(arguments, ensure_ascii=False))
    )


def _read_text(text: str, schema: FunctionSchema) -> ParsedArguments | None:
    for candidate, value in _json_values(text):
        arguments = _arguments(value, schema)
        if arguments is not None:
            return ParsedArguments(arguments, candidate)
    return None


def _without_thoughts(text: str) -> str:
    """`text` without what stands between <think> and </think>; a thought without an end stays."""
    kept, end = [], 0
    while (start := THOUGHT.search(text, end)) and (closing := THOUGHT_END.search(text, start.end())):
        kept.append(text[end : start.start()])
        end = closing.end()
    return "".join([*kept, text[end:]])


def _fenced(text: str) -> Iterator[str]:
    """What stands between a pair of fences, without the word that names its language."""
    start = text.find(FENCE)
    while start >= 0:
        word = FENCE_WORD.match(text, start + len(FENCE))
        inside = word.end() if word else start + len(FENCE)
        end = text.find(FENCE, inside)
        if end < 0:
            return
        yield text[inside:end].strip()
        start = text.find(FENCE, end + len(FENCE))


def _json_values(text: str) -> Iterator[tuple[str, Any]]:
    """Every JSON value `text` may hold, likeliest first: all of it, fenced blocks, balanced objects."""
    left = MAX_READ * len(text)
    for candidate in (text.strip(), *islice(_fenced(text), MAX_STARTS)):
        try:
            yield candidate, _decoder.decode(candidate)
        except (ValueError, RecursionError) as error:
            left -= getattr(error, "pos", len(candidate))
    end = 0
    for brace in islice(re.finditer(r"\{", text), MAX_STARTS):
        if left <= 0:
            return
        if brace.start() < end:
            continue
        try:
            value, end = _decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError) as error:
            left -= getattr(error, "pos", len(text)) - brace.start()
        else:
            yield text[brace.start() : end], value


def _arguments(value: object, schema: FunctionSchema) -> dict[str, Any] | None:
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
                return {
                    name: _spelled(item)
                    for name, item in value.items()
                    if name in known and not _deeper(item, MAX_DEPTH)
                }
            value = next((value[name] for name in (*WRAPPERS, schema.name) if name in value), None)
        else:
            return None
    return None


def _spelled(value: object) -> object:
    """`value` without halves of surrogate pairs, which JSON can escape and UTF-8 can't write."""
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_spelled(item) for item in value]
    if isinstance(value, dict):
        return {_spelled(name): _spelled(item) for name, item in value.items()}
    return value


def _deeper(value: object, levels: int) -> bool:
    """Whether lists and objects lie in each other more than `levels` deep."""
    if isinstance(value, dict):
        value = list(value.values())
    return isinstance(value, list) and (levels == 0 or any(_deeper(item, levels - 1) for item in value))


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


class Piece(NamedTuple):
    """One token as a provider reports it: its bytes, log-probability and alternatives, None where unsound."""

    raw: bytes
    logprob: float | None
    top: tuple[tuple[str, float], ...] | None


def joined(pieces: Iterable[Piece]) -> tuple[TokenLogprob, ...]:
    """Tokens from their bytes. Tokens that share one character become one, without alternatives.

    One with any number that is no log-probability has none at all: a share of what is left would mislead.
    """
    tokens: list[TokenLogprob] = []
    pending, logprob = b"", 0.0
    sound = True
    for piece in pieces:
        alone = not pending
        pending += piece.raw
        sound = sound and piece.logprob is not None and piece.top is not None
        logprob += piece.logprob or 0.0
        try:
            text = pending.decode()
        except UnicodeDecodeError as error:
            if error.reason == "unexpected end of data":
                continue
            text = pending.decode(errors="replace")
        top = piece.top if alone and sound and piece.top else ()
        tokens.append(TokenLogprob(text, logprob if sound else None, top))
        pending, logprob, sound = b"", 0.0, True
    return tuple(tokens)


def aligned(tokens: tuple[TokenLogprob, ...] | None, text: str) -> tuple[TokenLogprob, ...] | None:
    """The tokens that spell `text`, or None when they don't.

    A token that reaches beyond either end is cut there and loses its alternatives, which would not fit.
    """
    if tokens is None or not text:
        return None
    spoken = "".join(token.token for token in tokens)
    # Searched for from the end, by reversing both: `rfind` takes quadratic time where text repeats.
    behind = spoken[::-1].find(text[::-1])
    if behind < 0:
        return None
    end = len(spoken) - behind
    start, position, inside = end - len(text), 0, []
    for token in tokens:
        left, position = position, position + len(token.token)
        if position <= start or left >= end:
            continue
        if start <= left and position <= end:
            inside.append(token)
        else:
            inside.append(TokenLogprob(token.token[max(start - left, 0) : end - left], token.logprob))
    return tuple(inside)
