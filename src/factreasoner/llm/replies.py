"""Parse replies: the function's arguments, and the probabilities of its choices.

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

from factreasoner.llm.conclusions import (
    FINAL,
    announces_draft,
    answer_in,
    beginning,
    is_retracted,
    retracts,
    without_drafts,
)
from factreasoner.llm.forms import list_argument, number_of
from factreasoner.llm.responses import Completion
from factreasoner.llm.settings import CallForm
from factreasoner.llm.systemone import answers_in
from factreasoner.models.messages import Chances, FunctionSchema
from factreasoner.text.reasoning import without_reasoning
from factreasoner.text.sentences import Span

_CIRCLE = 60
"""If the last so many characters occur six times, a reply repeats itself."""
_MANY_ALIKE = 4
"""Minimum number of texts for the repetition check."""
_LINE = re.compile(
    r"^[^\w{\n]*(?!(?i:edit|update|version|revision|draft)\b)(?:[A-Za-z]+[ _])?"
    r"(\d+)[^\w\n]*?[:.)\]：．）、-]\s*(.*)$",
    re.MULTILINE,
)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.:)])\s+")
_LETTER = re.compile(r"\w")
_WRAPPERS = ("arguments", "parameters", "properties", "input")
_LONGEST_VALUE = 100
_MAX_STARTS = 50
"""Maximum braces tried as the start of an object; also calls beyond one per argument."""
_MAX_READ = 2
"""Maximum failed parses of a text, to keep the search linear."""


def arguments_in(text: str, known: Sequence[str], function: str) -> dict[str, Any] | None:
    """The known arguments of the JSON objects in `text`, in linear time; None without any.

    An argument with two different values is dropped.
    """
    found = [arguments for _, arguments in _objects(text, known, function)]
    return _agreed(pair for arguments in found for pair in arguments.items()) if found else None


def merged_calls(raws: Iterable[object], known: Sequence[str], function: str) -> dict[str, Any] | None:
    """The arguments of several calls of one function; some models make one call per argument."""
    named = [*known, *_item_beyond(known)]
    given = (
        arguments_in(_readable(raw), named, function)
        if isinstance(raw, str)
        else _arguments(raw, named, function)
        for raw in islice(raws, _MAX_STARTS + len(known))
    )
    found = [arguments for arguments in given if arguments is not None]
    merged = _agreed(pair for arguments in found for pair in arguments.items())
    if not found or _numbered_from_one(merged, known):
        return None
    return {name: value for name, value in merged.items() if name in known}


def _objects(text: str, known: Sequence[str], function: str) -> Iterator[tuple[Span, dict[str, Any]]]:
    """The JSON values of `text` with known arguments, and their positions."""
    for span, value in _json_values(text):
        if (found := _arguments(value, known, function)) is not None:
            yield span, found


def _json_values(text: str) -> Iterator[tuple[Span, Any]]:
    """The JSON value of the whole `text`, or else every object in it, with its position."""
    whole = text.strip()
    with contextlib.suppress(ValueError, RecursionError):
        yield Span(0, len(text)), _decoder.decode(whole)
        if not whole.startswith("["):
            return
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
            yield Span(brace.start(), end), value


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
                        deep = from_json(b"[[" + text + b"]]")[0][0]  # as deep as a stored reply
                        found[name] = _without_reasoning(deep)
                return found
            value = next((value[name] for name in (*_WRAPPERS, function) if name in value), None)
        else:
            return None
    return None


def _without_reasoning(value: Any) -> Any:  # noqa: ANN401 - JSON
    """A JSON value with reasoning removed from its strings."""
    if isinstance(value, str):
        return without_reasoning(value)
    if isinstance(value, list):
        return [_without_reasoning(item) for item in value]
    if isinstance(value, dict):
        return {name: _without_reasoning(item) for name, item in value.items()}
    return value


def _numbered_from_one(given: Container[str], known: Sequence[str]) -> bool:
    """Whether a reply on items from 0 starts with 1, so that answers are shifted by one."""
    items = [name for name in known if re.search(r"\d$", name)]
    return bool(items) and items[0] not in given and _item_beyond(known)[0] in given


def _item_beyond(known: Sequence[str]) -> list[str]:
    """The name after that of the last item, if there are items."""
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

    `obeyed`: they have the requested form and allowed values, and at most half are missing.
    """

    arguments: dict[str, Any]
    problem: str = ""
    obeyed: bool = False
    chances: dict[str, Chances] | None = None


def parse(form: CallForm, completion: Completion, schema: FunctionSchema) -> Parsed:
    """The arguments of a completion in `form`, with probabilities if it has log-probabilities."""
    if form == "systemone":
        sound = answers_in(completion.content, schema)
        chosen = {
            name: max(one.probabilities, key=one.probabilities.__getitem__) for name, one in sound.items()
        }
        return Parsed(chosen, "" if chosen else "malformed", obeyed=bool(chosen), chances=sound)
    found = _read_arguments(form, completion, schema)
    if found is None:
        return Parsed({}, "malformed" if completion.reply_text.strip() else "empty")
    if problem := _garbage(found, schema):
        return Parsed({}, problem)
    obeyed = all(schema.problem(name, found) is None for name in schema.choices if name in found)
    obeyed = obeyed and 2 * len(schema.properties.keys() & found) >= len(schema.properties)
    chances = None if completion.tokens is None else _chances(form, completion, found, schema)
    return Parsed(found, obeyed=obeyed, chances=chances)


def _word(text: str, schema: FunctionSchema) -> dict[str, Any] | None:
    (name,) = schema.properties
    answer = answer_in(text, schema.properties[name]["enum"])
    return None if answer is None else {name: answer.value}


def _lines(text: str, schema: FunctionSchema) -> dict[str, Any] | None:
    if listed := list_argument(schema):
        *_, begin = (0, *(line.end() for line in FINAL.finditer(text)))
        bullets = [line for line in text[begin:].splitlines() if _BULLET.match(line)]
        return {listed: [_BULLET.sub("", line).strip() for line in bullets]} if bullets else None
    names = {number_of(name): name for name in schema.items}
    lines = [(line[1], words) for line in _LINE.finditer(text) if (words := line[2].rstrip())]
    if schema.choices:
        lines = list(_answers(lines, schema.properties[schema.choices[0]]["enum"]))
        places = [line.span() for line in _LINE.finditer(text)]
        if places and (retracts(text[places[-1][1] :]) or announces_draft(text[: places[0][0]])):
            return {}
    if _numbered_from_one(dict(lines), list(names)):
        return None
    return _agreed((names[number], words) for number, words in lines if number in names) or None


def _answers(lines: Sequence[tuple[str, str]], allowed: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The allowed values in numbered lines; other words only for a number without a value.

    Some models give reasons in lines with the same numbers.
    """
    values = [(number, answer_in(words, allowed)) for number, words in lines]
    answered = {number for number, answer in values if answer}
    for (number, words), (_, answer) in zip(lines, values, strict=True):
        if answer or number not in answered:
            yield number, answer.value if answer else words


def _in_json(text: str, schema: FunctionSchema) -> dict[str, Any] | None:
    """The arguments in a text's JSON objects, unless the text around contradicts them."""
    objects = list(_objects(text, schema.arguments, schema.name))
    drafts = [place for place, _ in objects if announces_draft(text[: place.start])]
    if drafts and len(drafts) == len(objects):
        return {}
    objects = [one for one in objects if one[0] not in drafts]
    pairs = [pair for _, arguments in objects for pair in arguments.items()]
    if not objects or not schema.choices:
        return _agreed(pairs) if objects else None
    pieces = list(text)
    for start, end in (*drafts, *(place for place, _ in objects)):
        pieces[start:end] = " " * (end - start)
    beside, (_, end) = "".join(pieces), objects[-1][0]
    if retracts(beside[end:]):
        return {}
    spelled = [(name, schema.value(name, {name: value})) for name, value in pairs]
    if beside.strip():
        spelled += _stated(beside, schema)
    if schema.arguments == schema.choices[:1] and spelled:
        ((name, value), allowed) = spelled[0], schema.properties[schema.choices[0]]["enum"]
        if is_retracted(beside, str(value), end, allowed):
            return {}
        if answer := answer_in(beside[: objects[0][0].start], allowed):
            spelled.append((name, answer.value))
    return _agreed(spelled)


def _stated(text: str, schema: FunctionSchema) -> Iterator[tuple[str, str]]:
    """Values that a text states by argument name or number: "fact_0: False"."""
    for name in schema.choices:
        allowed = schema.properties[name]["enum"]
        for words in re.finditer(
            rf"\b{re.escape(name)}\b\W{{0,6}}(?:(?:is|should be|must be)\W{{1,4}})?", text
        ):
            begun = text[words.end() : words.end() + _LONGEST_VALUE].partition("\n")[0]
            if (answer := beginning(begun, allowed)) and answer.value:
                yield name, answer.value
    for name, value in (_lines(text, schema) or {}).items():
        if name in schema.choices and value in schema.properties[name]["enum"]:
            yield name, value


def _read_arguments(form: CallForm, completion: Completion, schema: FunctionSchema) -> dict[str, Any] | None:
    if form == "tool":
        meant = (_call(raw, schema) for name, raw in completion.tool_calls if name == schema.name)
        return merged_calls(meant, schema.arguments, schema.name)
    text = _readable(completion.content)
    if form == "word":
        return _word(text, schema)
    found = _in_json(text, schema)
    return _lines(text, schema) if form == "lines" and found is None else found


def _call(raw: object, schema: FunctionSchema) -> object:
    """The arguments of a call; for values with extra words, those not retracted."""
    if not isinstance(raw, str) or raw.strip()[:1] + raw.strip()[-1:] in ("{}", "[]", '""'):
        return raw
    parsed = _in_json(_readable(raw), schema)
    return raw if parsed is None else parsed


def _readable(text: str) -> str:
    """A text without drafts; JSON unchanged: its reasoning is within strings."""
    with contextlib.suppress(ValueError, RecursionError):
        if isinstance(_decoder.decode(text.strip()), dict | list):
            return text
    return without_drafts(text)


def is_complete_json(form: CallForm, completion: Completion, schema: FunctionSchema) -> bool:
    """Whether a reply cut by the token limit is still JSON with every argument."""
    meant = [raw for name, raw in completion.tool_calls if name == schema.name]
    words = meant if form == "tool" else [completion.content]
    for raw in filter(lambda one: isinstance(one, str), words):
        text = without_drafts(raw).strip().removeprefix("```json").strip("` \n")
        try:
            _decoder.decode(text)
        except (ValueError, RecursionError):
            return False
    found = _read_arguments(form, completion, schema)
    return bool(words) and found is not None and found.keys() >= schema.properties.keys()


def repeats_endlessly(words: str) -> bool:
    """Whether a reply repeats its last words endlessly."""
    return len(words) > _CIRCLE and words.count(words[-_CIRCLE:]) > 5


def _garbage(arguments: Mapping[str, Any], schema: FunctionSchema) -> str:
    """Why well-formed arguments are useless: they repeat the schema's words, or each other."""
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
    form: CallForm, completion: Completion, arguments: Mapping[str, Any], schema: FunctionSchema
) -> dict[str, Chances]:
    """The probabilities of the choices in the reply; none if the tokens spell another answer."""
    tokens = completion.tokens
    if tokens is None:
        return {}
    spoken = without_drafts(tokens.raw.decode("utf-8", "surrogateescape"))
    if form != "tool" and (words := completion.content.strip()) and spoken.rstrip().endswith(words):
        spoken = " " * (len(spoken.rstrip()) - len(words)) + spoken.rstrip()[-len(words) :]
    found: dict[str, Chances] = {}
    for name in schema.choices:
        value, allowed = schema.value(name, dict(arguments)), schema.properties[name]["enum"]
        if value not in allowed or (place := _place(form, spoken, name, allowed)) is None:
            continue
        line = spoken[place : place + _LONGEST_VALUE].partition("\n")[0]
        begun = beginning(line, allowed)
        if begun is None or begun.value != value:
            return {}
        at = len(tokens.raw.decode("utf-8", "surrogateescape")[:place].encode("utf-8", "surrogateescape"))
        chances = tokens.chances(at, value, allowed)
        found |= {name: chances} if chances else {}
    return found


def _place(form: CallForm, spoken: str, name: str, allowed: Sequence[str]) -> int | None:
    """The position of an argument's value in the reply."""
    if form == "word":
        answer = answer_in(spoken, allowed)
        return answer.start if answer else None
    if form == "lines":
        of_it = (line for line in _LINE.finditer(spoken) if line[1] == number_of(name))
        ends = [line.start(2) for line in of_it if answer_in(line[2], allowed)]
    else:
        ends = [found.end() for found in re.finditer(rf'"{re.escape(name)}"\s*:', spoken)]
    begin = _LETTER.search(spoken, ends[-1]) if ends else None
    return begin.start() if begin else None
