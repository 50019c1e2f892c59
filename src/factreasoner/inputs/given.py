"""What a caller in Python hands over -> records: texts, mappings, documents, tables."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.columns import FIELDS, hinted
from factreasoner.inputs.draft import Draft
from factreasoner.inputs.items import KINDS
from factreasoner.inputs.parsing import Fits, Reader
from factreasoner.inputs.wording import describe, half_character, merged
from factreasoner.models import Atom, Context, Record
from factreasoner.settings import in_python

logger = logging.getLogger(__name__)

ContextLike = str | Mapping[str, Any] | Context | object
"""A passage, its keys as in a record ({text, title?, link?, id?}), a Context, or a document that has its text
in `page_content` (LangChain), `text` (LlamaIndex) or `content`, and maybe `metadata`."""
AtomLike = str | Mapping[str, Any] | Atom


def given_record(where: str, called: Mapping[str, str] | None = None, **given: object) -> Record:
    """The record that a caller of `where` describes by the fields of :class:`Record`. None: not given.

    `called` says under what name of its own the caller takes a field: {"contexts": "sources"}.

    Raises:
        InputError: with every problem of every argument.
    """
    names = {field: field for field in FIELDS} | dict(called or {})
    draft, reader = Draft(where, names), Reader()
    if given.get("response") is None:
        draft.problem("response", "is None; give the answer's text, '' for an empty one")
    fields = {name: value for name, value in given.items() if value is not None}
    for name in KINDS.keys() & fields.keys():
        value = fields[name]
        if isinstance(value, str | Mapping) or not isinstance(value, Iterable):
            draft.problem(names[name], f"is {describe(value)}; it must be a list: {names[name]}=[...]")
            del fields[name]
        else:
            fields[name] = list(value)
    record = reader.built(draft, fields, {}, "r1")
    _refuse_half_characters(record, where, names)
    for note in reader.notes():
        logger.warning("%s: %s", where, note.replace("kept as metadata", "ignored"))
    return record.model_copy(update={"metadata": {}})


def given_records(
    where: str, records: object, fits: Fits, column_map: Mapping[str, str]
) -> tuple[Record, ...]:
    """The records that a caller of `where` hands over, each of which `fits`.

    They are mappings with the keys of the input format, :class:`Record` objects, the rows of a pandas
    DataFrame, where a missing value is none, or those of a `datasets.Dataset`.

    Raises:
        InputError: with every problem of every record.
    """
    problems: list[InputProblem] = []
    found: dict[str, Record] = {}
    reader = Reader(column_map, fits)
    for number, row in enumerate(_rows(where, records), start=1):
        place = f"{where}, record {number}"
        try:
            if isinstance(row, Record):
                record = row
                problems += [hinted(p, row.metadata)._replace(where=place) for p in fits(row)]
            else:
                record = reader.record(_mapping_of_row(row, place), where=place, default_id=f"r{number}")
                _refuse_half_characters(record, place, {})
        except InputError as error:
            problems += error.problems
            continue
        if record.id in found:
            problems.append(InputProblem(place, "id", f"{record.id!r} is the id of an earlier record too"))
        found[record.id] = record
    if not found and not problems:
        problems.append(InputProblem(where, "records", "there are none"))
    if told := reader.unseen():
        problems = [InputProblem(where, "column_map", message) for message in told]
    if problems:
        raise InputError(merged(problems))
    for note in reader.notes():
        logger.warning("%s: %s", where, in_python(note))
    return tuple(found.values())


def _refuse_half_characters(record: Record, where: str, names: Mapping[str, str]) -> None:
    """Raise InputError for texts that no file can hold; a reader of files refuses them before."""
    problems = []
    for name, value in record:
        shown = names.get(name, FIELDS[name][0] if name in FIELDS else name)
        texts = {shown: value}
        if name in KINDS:
            texts = {f"{shown}[{i}].{key}": text for i, item in enumerate(value or ()) for key, text in item}
        for field, text in texts.items():
            if isinstance(text, str) and (message := half_character(text)):
                problems.append(InputProblem(where, field, message))
    if problems:
        raise InputError(problems)


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


def _mapping_of_row(row: object, where: str) -> dict[str, Any]:
    """A row with arrays as lists."""
    if not isinstance(row, Mapping):
        message = f"is {describe(row)}; it must be a mapping with an 'output', or a Record"
        raise InputError([InputProblem(where, "", message)])
    return {key: value.tolist() if hasattr(value, "tolist") else value for key, value in row.items()}
