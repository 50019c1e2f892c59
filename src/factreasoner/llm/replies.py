"""What a reply says: the function's arguments, and how probable its choices were.

JSON is found in any surrounding text; its values are taken as they are.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from pydantic_core import from_json

from factreasoner.llm.forms import list_argument, number_of
from factreasoner.llm.responses import Completion, Tokens, named_by, without_thoughts
from factreasoner.models.messages import Chances, FunctionSchema
from factreasoner.settings.values import CallForm

_CIRCLE = 60
"""A reply whose last so many characters appear six times will go on like that."""
_MANY_ALIKE = 4
"""With at least so many texts, a reply is checked for repetition."""
_LINE = re.compile(r"^[^\w{\n]*(?:[A-Za-z]+[ _])?(\d+)[^\w\n]*?[:.)\]：．）、-]\s*(.*)$", re.MULTILINE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.:)])\s+")
_LETTER = re.compile(r"\w")
_WRAPPERS = ("arguments", "parameters", "properties", "input")
_LONGEST_VALUE = 100
"""How many characters of a reply are read for a value."""
_MAX_STARTS = 50
"""Braces tried as the start of an object; also calls beyond one per argument."""
_MAX_READ = 2
"""How often a text may be read in vain in the search for objects, so that time is linear."""


def arguments_in(text: str, known: Sequence[str], function: str) -> dict[str, Any] | None:
    """The known arguments of the first JSON object in `text` that has any, in linear time.

    An argument with two different values is dropped.
    """
    for value in _json_values(text):
        found = _arguments(value, known, function)
        if found is not None:
            return found
    return None


def merged_calls(raws: Iterable[object], known: Sequence[str], function: str) -> dict[str, Any] | None:
    """The arguments of several calls of one function; some models make one call per argument."""
    named = [*known, *_item_beyond(known)]
    given = (
        arguments_in(raw, named, function) if isinstance(raw, str) else _arguments(raw, named, function)
        for raw in islice(raws, _MAX_STARTS + len(known))
    )
    found = [arguments for arguments in given if arguments is not None]
    merged = _agreed(pair for arguments in found for pair in arguments.items())
    if not found or _numbered_from_one(merged, known):
        return None
    return {name: value for name, value in merged.items() if name in known}


def _json_values(text: str) -> Iterator[Any]:
    """Every JSON value that `text` may hold, likeliest first: all of it, then its objects."""
    with contextlib.suppress(ValueError, RecursionError):
        yield _decoder.decode(text.strip())
    left, end = _MAX_READ * len(text), 0
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
    """Known arguments in a JSON value, unwrapped from strings, one-item lists and calls."""
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
                if _numbered_from_one(value, known):
                    return None
                found = {}
                for name in filter(known.__contains__, value):
                    with contextlib.suppress(RecursionError, ValueError):  # lists and objects 200 levels deep
                        # without halves of surrogate pairs, which JSON can escape and UTF-8 can't write
                        text = json.dumps(value[name], ensure_ascii=False).encode("utf-8", "replace")
                        found[name] = from_json(b"[[" + text + b"]]")[0][0]  # as deep as a stored reply
                return found
            value = next((value[name] for name in (*_WRAPPERS, function) if name in value), None)
        else:
            return None
    return None


def _numbered_from_one(given: Container[str], known: Sequence[str]) -> bool:
    """Whether a reply on items from 0 on begins with 1, so that each answer is on the item before."""
    items = [name for name in known if re.search(r"\d$", name)]
    return bool(items) and items[0] not in given and _item_beyond(known)[0] in given


def _item_beyond(known: Sequence[str]) -> list[str]:
    """The name of the item after the last, if there are items."""
    last = next((name for name in reversed(known) if re.search(r"\d$", name)), None)
    return [] if last is None else [re.sub(r"\d+$", str(int(number_of(last)) + 1), last)]


def _agreed(pairs: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    """A dict of the pairs, without keys that have two different values."""
    result: dict[str, Any] = {}
    disputed = set()
    for name, value in pairs:
        if name in result and result[name] != value:
            disputed.add(name)
        result[name] = value
    return {name: value for name, value in result.items() if name not in disputed}


_decoder = json.JSONDecoder(object_pairs_hook=_agreed, strict=False)


class Parsed(NamedTuple):
    """The content of a reply: arguments, or the problem.

    `obeyed`: they came the way the form says, with allowed values, and at most half are missing.
    """

    arguments: dict[str, Any]
    problem: str = ""
    obeyed: bool = False
    chances: dict[str, Chances] | None = None


def parse(form: CallForm, completion: Completion, schema: FunctionSchema) -> Parsed:
    """The arguments in a completion asked for in `form`, with chances if it has log-probabilities."""
    found = _found(form, completion, schema)
    if found is None:
        return Parsed({}, "malformed" if completion.said.strip() else "empty")
    if problem := _garbage(found, schema):
        return Parsed({}, problem)
    obeyed = all(schema.problem(name, found) is None for name in schema.choices if name in found)
    obeyed = obeyed and 2 * len(schema.properties.keys() & found) >= len(schema.properties)
    tokens = completion.tokens
    chances = None if tokens is None else _chances(form, tokens, found, schema)
    return Parsed(found, obeyed=obeyed, chances=chances)


def _word(text: str, schema: FunctionSchema) -> dict[str, Any] | None:
    (name,) = schema.properties
    value = _only_value(text, schema.properties[name]["enum"])
    return None if value is None else {name: value}


def _only_value(text: str, allowed: Sequence[str]) -> str | None:
    """The allowed value with which `text` begins, or its first letters; None where another follows it."""
    words = re.findall(r"\w+", text.casefold())
    if len(words) == 1:
        return named_by(words[0], allowed)
    parts = {value: value.casefold().split() for value in allowed}
    for value, whole in parts.items():
        said = " ".join(words[: len(whole)])
        if said == " ".join(whole) or (len(said) >= 3 and value.casefold().startswith(said)):
            rest = words[len(whole) :]
            others = (other == rest[: len(other)] for other in parts.values() if other != whole)
            return None if rest[:1] == ["or"] or any(others) else value
    return None


def _lines(text: str, schema: FunctionSchema) -> dict[str, Any] | None:
    if listed := list_argument(schema):
        bullets = [line for line in text.splitlines() if _BULLET.match(line)]
        return {listed: [_BULLET.sub("", line).strip() for line in bullets]} if bullets else None
    names = {number_of(name): name for name in schema.items}
    lines = [(line[1], said) for line in _LINE.finditer(text) if (said := line[2].rstrip())]
    if schema.choices:
        lines = list(_answers(lines, schema.properties[schema.choices[0]]["enum"]))
    if _numbered_from_one(dict(lines), list(names)):
        return None
    return _agreed((names[number], said) for number, said in lines if number in names) or None


def _answers(lines: Sequence[tuple[str, str]], allowed: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The allowed values that numbered lines name; other words only for a number that names none.

    Some models give their reasons in lines of the same numbers.
    """
    values = [(number, _only_value(said, allowed)) for number, said in lines]
    answered = {number for number, value in values if value}
    for (number, said), (_, value) in zip(lines, values, strict=True):
        if value or number not in answered:
            yield number, value or said


def _found(form: CallForm, completion: Completion, schema: FunctionSchema) -> dict[str, Any] | None:
    if form == "tool":
        meant = (raw for name, raw in completion.tool_calls if name == schema.name)
        return merged_calls(meant, schema.arguments, schema.name)
    text = without_thoughts(completion.content)
    if form == "word":
        return _word(text, schema)
    as_json = arguments_in(text, schema.arguments, schema.name)
    return _lines(text, schema) if form == "lines" and not as_json else as_json


def runs_in_circles(said: str) -> bool:
    """Whether a reply repeats its last words over and over: a longer one would, too."""
    return len(said) > _CIRCLE and said.count(said[-_CIRCLE:]) > 5


def _garbage(arguments: Mapping[str, Any], schema: FunctionSchema) -> str:
    """Why well-formed arguments are useless: the schema's own words come back, or texts repeat."""
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
    """The chances of the choices in the reply; none where the tokens spell another answer."""
    spoken = tokens.raw.decode("utf-8", "surrogateescape")
    found: dict[str, Chances] = {}
    for name in schema.choices:
        value, allowed = schema.value(name, dict(arguments)), schema.properties[name]["enum"]
        if value not in allowed or (place := _place(form, spoken, name, allowed)) is None:
            continue
        line = spoken[place : place + _LONGEST_VALUE].partition("\n")[0]
        if _only_value(line, allowed) != value:
            return {}
        chances = tokens.chances(len(spoken[:place].encode("utf-8", "surrogateescape")), value, allowed)
        found |= {name: chances} if chances else {}
    return found


def _place(form: CallForm, spoken: str, name: str, allowed: Sequence[str]) -> int | None:
    """Where the value of an argument begins in the reply."""
    if form == "lines":
        of_it = (line for line in _LINE.finditer(spoken) if line[1] == number_of(name))
        ends = [line.start(2) for line in of_it if _only_value(line[2], allowed)]
    else:
        before = r"\A|</think(?:ing)?>" if form == "word" else rf'"{re.escape(name)}"\s*:'
        ends = [found.end() for found in re.finditer(before, spoken)]
    begin = _LETTER.search(spoken, ends[-1]) if ends else None
    return begin.start() if begin else None
