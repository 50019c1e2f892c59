"""JSON in what a model wrote: tolerant of what stands around it, never of content."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

FENCE = "```"
_FENCE_WORD = re.compile(r"[\w-]*+\s*+")
_THOUGHT = re.compile(r"<think(?:ing)?>")
_THOUGHT_END = re.compile(r"</think(?:ing)?>")
_WRAPPERS = ("arguments", "parameters", "properties", "input")
_MAX_STARTS = 50
"""Fenced blocks, and braces, tried as the start of an object."""
_MAX_READ = 2
"""How many times a text may be read in vain in the search for objects, so that time is linear."""
_MAX_DEPTH = 32
"""Levels of lists and objects in an argument; deeper ones are no answer to anything."""


def without_thoughts(text: str) -> str:
    """`text` without what stands between <think> and </think>; a thought without an end stays."""
    kept, end = [], 0
    while (start := _THOUGHT.search(text, end)) and (closing := _THOUGHT_END.search(text, start.end())):
        kept.append(text[end : start.start()])
        end = closing.end()
    return "".join([*kept, text[end:]])


def thinks(text: str) -> bool:
    """Whether a text holds a thought."""
    return _THOUGHT.search(text) is not None


def arguments_in(text: str, known: Sequence[str], function: str) -> dict[str, Any] | None:
    """The arguments of the first JSON object in `text` that has any of those known.

    Others are dropped, and so is one that was given twice with different values. Takes time linear in the
    length of the text, whatever it holds.
    """
    for value in _json_values(text):
        found = _arguments(value, known, function)
        if found is not None:
            return found
    return None


def merged_calls(raws: Iterable[object], known: Sequence[str], function: str) -> dict[str, Any] | None:
    """The arguments of several calls of one function; some models make one for each argument."""
    given = (_given(raw, known, function) for raw in islice(raws, _MAX_STARTS + len(known)))
    found = [arguments for arguments in given if arguments is not None]
    return _agreed(pair for arguments in found for pair in arguments.items()) if found else None


def _given(raw: object, known: Sequence[str], function: str) -> dict[str, Any] | None:
    return arguments_in(raw, known, function) if isinstance(raw, str) else _arguments(raw, known, function)


def _fenced(text: str) -> Iterator[str]:
    """What stands between a pair of fences, without the word that names its language."""
    start = text.find(FENCE)
    while start >= 0:
        word = _FENCE_WORD.match(text, start + len(FENCE))
        inside = word.end() if word else start + len(FENCE)
        end = text.find(FENCE, inside)
        if end < 0:
            return
        yield text[inside:end].strip()
        start = text.find(FENCE, end + len(FENCE))


def _json_values(text: str) -> Iterator[Any]:
    """Every JSON value `text` may hold, likeliest first: all of it, fenced blocks, balanced objects."""
    left = _MAX_READ * len(text)
    for candidate in (text.strip(), *islice(_fenced(text), _MAX_STARTS)):
        try:
            yield _decoder.decode(candidate)
        except (ValueError, RecursionError) as error:
            left -= getattr(error, "pos", len(candidate))
    end = 0
    for brace in islice(re.finditer(r"\{", text), _MAX_STARTS):
        if left <= 0:
            return
        if brace.start() < end:
            continue
        try:
            value, end = _decoder.raw_decode(text, brace.start())
        except (ValueError, RecursionError) as error:
            left -= getattr(error, "pos", len(text)) - brace.start()
        else:
            yield value


def _arguments(value: object, known: Sequence[str], function: str) -> dict[str, Any] | None:
    """Known arguments in a JSON value, taken out of nested strings, one-item lists and call wrappers."""
    for _ in range(4):
        if isinstance(value, str):
            try:
                value = _decoder.decode(value.strip())
            except (ValueError, RecursionError):
                return None
        elif isinstance(value, list) and len(value) == 1:
            value = value[0]
        elif isinstance(value, dict):
            if not known:
                return {}
            if not value.keys().isdisjoint(known):
                return {
                    name: _spelled(item)
                    for name, item in value.items()
                    if name in known and not _deeper(item, _MAX_DEPTH)
                }
            value = next((value[name] for name in (*_WRAPPERS, function) if name in value), None)
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
