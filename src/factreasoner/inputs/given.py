"""What a caller in Python hands over -> a Record: texts, mappings, our own objects, others' documents."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.columns import FIELDS, misspelt, unseen
from factreasoner.inputs.fitting import Fits, fitting_record, lacking, merged, misspelt_in_items
from factreasoner.inputs.parsing import (
    ATOM_KEYS,
    CONTEXT_KEYS,
    FACT_KEYS,
    misspelt_keys,
    parse_atom,
    parse_context,
    parse_fact,
)
from factreasoner.inputs.values import Values, describe
from factreasoner.models import Atom, Context, Record
from factreasoner.settings import in_python

logger = logging.getLogger(__name__)

M = TypeVar("M", Atom, Context)

ContextLike = str | Mapping[str, Any] | Context | object
"""A passage, its keys as in a record ({text, title?, link?, id?}), a Context, or a document that has its text
in `page_content` (LangChain) or `text` (LlamaIndex) and maybe `metadata`."""
KNOWN = {"c": CONTEXT_KEYS, "a": ATOM_KEYS, "f": FACT_KEYS, "r": ATOM_KEYS}
"""The keys of mappings, by the letter that numbers what they describe."""
AtomLike = str | Mapping[str, Any] | Atom


def given_record(where: str, called: Mapping[str, str] | None = None, **given: object) -> Record:
    """The record that a caller of `where` describes by the fields of :class:`Record`. None: not given.

    `called` says under what name of its own the caller takes a field: {"contexts": "sources"}.

    Raises:
        InputError: with every problem of every argument.
    """
    values = Values(where)
    names = {name: name for name in ("contexts", "atoms", "facts", "reference_atoms")} | dict(called or {})
    fields: dict[str, Any] = {
        "response": values.text(given.get("response"), "response") or "",
        "prompt": values.conversation(given.get("prompt"), "prompt") or "",
        "topic": values.text(given.get("topic"), "topic"),
        "reference": values.text(given.get("reference"), "reference"),
        "contexts": _items(given.get("contexts"), names["contexts"], "c", Context, _context, values),
        "atoms": _items(given.get("atoms"), names["atoms"], "a", Atom, parse_atom, values),
        "facts": _items(given.get("facts"), names["facts"], "f", Atom, parse_fact, values),
        "reference_atoms": _items(
            given.get("reference_atoms"), names["reference_atoms"], "r", Atom, parse_atom, values
        ),
        "gold_contexts": None
        if given.get("gold_contexts") is None
        else values.ids(given.get("gold_contexts"), "gold_contexts"),
    }
    if given.get("response") is None:
        values.problem("response", "is None; give the answer's text, '' for an empty one")
    values.finish()
    try:
        return Record(id="r1", **fields)
    except ValidationError as error:
        messages = (item["msg"].removeprefix("Value error, ") for item in error.errors())
        raise InputError([InputProblem(where, "", message) for message in messages]) from error


def _items(
    value: object, name: str, letter: str, kind: type[M], parse: Callable[..., M], values: Values
) -> tuple[M, ...] | None:
    """Items made of what is given, numbered behind a letter; one with a problem is noted and left out."""
    if value is None:
        return None
    if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
        values.problem(name, f"is {describe(value)}; it must be a list: {name}=[...]")
        return None
    found: list[M] = []
    for index, item in enumerate(value):
        field = f"{name}[{index}]"
        if isinstance(item, kind):
            found.append(item)
            continue
        try:
            found.append(parse(item, where=values.where, field=field, default_id=f"{letter}{index}"))
            for note in misspelt_keys(item, KNOWN[letter]):
                logger.warning("%s: %s: %s", values.where, field, note.replace("kept as metadata", "ignored"))
        except InputError as error:
            values.problems.extend(error.problems)
    return tuple(found)


def _context(data: object, *, where: str, field: str, default_id: str) -> Context:
    """A context of a text, a mapping, or a document of another library, told by its attributes."""
    return parse_context(_as_mapping(data), where=where, field=field, default_id=default_id)


def _as_mapping(data: object) -> object:
    """What a context of ours or a document of another library holds; anything else as it is."""
    if isinstance(data, Context):
        return data.model_dump(include=set(CONTEXT_KEYS), exclude_none=True)
    text = getattr(data, "page_content", None) or getattr(data, "text", None)
    if isinstance(data, str | Mapping) or not isinstance(text, str):
        return data
    metadata = getattr(data, "metadata", None)
    return {"text": text} | _named(metadata if isinstance(metadata, Mapping) else {})


def _named(metadata: Mapping[str, Any]) -> dict[str, str]:
    """Title and link of a document, under the names its metadata commonly has them."""
    names = {"title": ("title", "file_name"), "link": ("source", "url", "link")}
    found = {
        ours: next((metadata[key] for key in keys if isinstance(metadata.get(key), str)), None)
        for ours, keys in names.items()
    }
    return {key: value for key, value in found.items() if value}


def given_records(
    where: str,
    records: object,
    fits: Fits,
    column_map: Mapping[str, str],
) -> tuple[Record, ...]:
    """The records that a caller of `where` hands over, each of which `fits`.

    They are mappings with the keys of the input format, :class:`Record` objects, the rows of a pandas
    DataFrame, where a missing value is none, or those of a `datasets.Dataset`.

    Raises:
        InputError: with every problem of every record.
    """
    problems: list[InputProblem] = []
    found: dict[str, Record] = {}
    seen: dict[str, None] = {}
    notes: dict[str, None] = {}
    for number, row in enumerate(_rows(where, records), start=1):
        place = f"{where}, record {number}"
        try:
            if isinstance(row, Record):
                record = row
                problems += lacking(record, fits, place)
            else:
                data = _mapping_of_row(row, place, column_map)
                seen |= dict.fromkeys(data)
                notes |= dict.fromkeys(misspelt_in_items(data, column_map))
                record = fitting_record(
                    data, fits, where=place, column_map=column_map, default_id=f"r{number}"
                )
        except InputError as error:
            problems += error.problems
            continue
        if record.id in found:
            problems.append(InputProblem(place, "id", f"{record.id!r} is the id of an earlier record too"))
        found[record.id] = record
    if not found and not problems:
        problems.append(InputProblem(where, "records", "there are none"))
    if seen and (told := unseen(column_map, seen)):
        problems = [InputProblem(where, "column_map", message) for message in told]
    if problems:
        raise InputError(merged(problems))
    for note in (*misspelt(seen, column_map), *notes):
        logger.warning("%s: %s", where, in_python(note))
    return tuple(found.values())


def _rows(where: str, records: object) -> Iterable[object]:
    if hasattr(records, "columns") and hasattr(records, "to_dict"):
        rows = records.to_dict("records")
        return ({str(key): value for key, value in row.items() if not _is_missing(value)} for row in rows)
    if isinstance(records, Mapping) and records and all(hasattr(v, "column_names") for v in records.values()):
        message = f"holds the splits {', '.join(records)}; hand over one: [{next(iter(records))!r}]"
        raise InputError([InputProblem(where, "records", message)])
    if isinstance(records, str | Mapping) or not isinstance(records, Iterable):
        message = f"is {describe(records)}; it must be a list of records, a DataFrame or a Dataset"
        raise InputError([InputProblem(where, "records", message)])
    return records


def _is_missing(value: object) -> bool:
    """Whether a cell of a DataFrame is empty: None, NaN, NaT or NA."""
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _mapping_of_row(row: object, where: str, column_map: Mapping[str, str]) -> dict[str, Any]:
    """A row with arrays as lists, and documents of other libraries as contexts."""
    if not isinstance(row, Mapping):
        message = f"is {describe(row)}; it must be a mapping with an 'output', or a Record"
        raise InputError([InputProblem(where, "", message)])
    data = {key: value.tolist() if hasattr(value, "tolist") else value for key, value in row.items()}
    mapped = [theirs for theirs, ours in column_map.items() if ours in FIELDS["contexts"]]
    for key in (*FIELDS["contexts"], *mapped):
        if isinstance(data.get(key), list | tuple):
            data[key] = [_as_mapping(item) for item in data[key]]
    return data
