"""Convert objects from files and callers to records; each problem has a place, a field and a fix."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

from pydantic import TypeAdapter

from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.columns import FIELDS, misspelt, names_of, near_key, rename_hint, with_hint
from factreasoner.inputs.items import KINDS, Items
from factreasoner.inputs.objects import as_list, drop_missing, mapping_of
from factreasoner.inputs.problems import RecordCheck, merged, unwritable
from factreasoner.models import Atom, Context, Record, record_fingerprint
from factreasoner.models.formatting import describe, number_of
from factreasoner.plugins.table import nearest

logger = logging.getLogger(__name__)

Fits = Callable[[Record], Sequence[InputProblem]]
"""Returns what a record lacks for its task."""

ContextLike = str | Mapping[str, Any] | Context | object
"""A passage, its keys as in a record ({text, title?, link?, id?}), a Context, or a document that has its text
in `page_content` (LangChain), `text` (LlamaIndex) or `content`, and maybe `metadata`."""
AtomLike = str | Mapping[str, Any] | Atom

_RECORD = TypeAdapter(Record)
_NAMES = {field: keys[0] for field, keys in FIELDS.items()}
_NAMES_OF_FIELDS = (*(key for keys in FIELDS.values() for key in keys), "metadata")
_AN_ANSWER = "An answer."
"""Replaces a missing answer while the rest of its record is checked."""


class Advice(NamedTuple):
    """The fixes, in one kind of input, for a record without an answer and for a list of records."""

    empty: str
    listed: str


IN_FILE = Advice(
    'remove the record (in JSON "" is an empty answer)',
    "write each of these as a record, one a line: jq -c '.[\"{key}\"][]' FILE > records.jsonl",
)
IN_BODY = Advice('"" is an empty answer', "send each as its own body")
IN_CALL = Advice("give '' for an empty answer", "pass each of these as a record")


class Reader:
    """Reads objects as records, and notes which keys they had.

    `column_map` (user key -> our field) overrides a field's usual keys. Unknown keys are kept in `metadata`;
    those of items are under "atom_fields" and so on, by id.

    Raises ConfigError: `column_map` names an unknown field.
    """

    def __init__(
        self,
        column_map: Mapping[str, str] | None = None,
        fits: Fits | None = None,
        advice: Advice = IN_FILE,
    ) -> None:
        self._column_map = dict(column_map or {})
        self._advice = advice
        self._names = names_of(self._column_map)
        self._fits = fits
        self._item_notes: dict[str, None] = {}
        self.keys, self.id_types = set[str](), set[bool]()  # of ids: whether each is a number
        self._kept: set[str] = set()
        """Keys of the records that were built."""

    def record(self, data: Mapping[str, Any], *, where: str, default_id: str) -> Record:
        """The record of an object. `where` is its place in messages ("file.jsonl:12").

        Raises InputError: with every problem of the object.
        """
        self.keys.update(data)
        draft = RecordCheck(where, _NAMES)
        fields, extras = self._assigned(data, draft)
        self.id_types.add(isinstance(fields.get("id"), Integral))
        metadata = extras.pop("metadata", None)
        if metadata and (inner := mapping_of(metadata)) and inner.keys().isdisjoint(extras):
            extras |= inner
        elif metadata:
            extras["metadata"] = metadata
        if "response" not in fields:
            draft.problem("output", self._no_response(extras))
        record = self.built(draft, fields, extras, default_id)
        self._kept.update(data)
        return record

    def built(
        self, draft: RecordCheck, fields: dict[str, Any], extras: dict[str, Any], default_id: str
    ) -> Record:
        """The record from field values. Raises InputError with every problem."""
        answered = fields.setdefault("response", _AN_ANSWER) is not _AN_ANSWER
        fields["id"] = draft.id(fields.get("id"), "id", default_id)
        if isinstance(fields.get("prompt"), list):
            fields["prompt"] = draft.conversation(fields["prompt"], draft.names["prompt"])
        if "gold_contexts" in fields:
            fields["gold_contexts"] = draft.ids(fields["gold_contexts"], "gold_contexts")
        items = Items(draft)
        for name in KINDS:
            if name in fields:
                fields[name] = items.of(fields[name], name)
        items.linked(fields, extras)
        for key, value in extras.items():
            if message := unwritable(value):
                draft.problem(key, message)
        known = list(draft.problems)
        fields["metadata"] = extras
        record = draft.take(_RECORD, fields)
        if known:  # ids that are told already make no record either
            draft.problems = known + [p for p in draft.problems[len(known) :] if p.field]
        if self._fits and record is not None and len(draft.problems) == (not answered):
            draft.problems += [with_hint(p, extras)._replace(where=draft.where) for p in self._fits(record)]
        if record is None or draft.problems:
            raise InputError(draft.problems)
        self._item_notes |= items.notes
        return record

    def _assigned(self, data: Mapping[str, Any], draft: RecordCheck) -> tuple[dict[str, Any], dict[str, Any]]:
        """Values by field, and the remaining keys. Null counts as not given."""
        fields: dict[str, Any] = {}
        extras: dict[str, Any] = {}
        keys: dict[str, list[str]] = {}
        for key, value in data.items():
            if (field := self._names.get(key)) is None:
                extras[key] = value
            elif value is not None and fields.setdefault(field, value) is not value:
                keys.setdefault(field, []).append(key)
        for field, others in keys.items():
            given = [key for key in FIELDS[field] if data.get(key) is not None]
            if any(data[key] != fields[field] for key in others):
                remedy = f"keep one, or choose with `column_map={{{given[0]!r}: {_NAMES[field]!r}}}`"
                message = f"given as {' and '.join(map(repr, given))} with different values; {remedy}"
                draft.problem(_NAMES[field], message)
        return fields, extras

    def _no_response(self, extras: Mapping[str, Any]) -> str:
        mapped = next((key for key in self._column_map if self._names[key] == "response"), None)
        if not mapped:
            lists = (key for key, value in extras.items() if isinstance(value, list) and value)
            if wrapping := next((key for key in lists if isinstance(extras[key][0], dict)), None):
                remedy = self._advice.listed.format(key=wrapping)
                return f"missing, and {wrapping!r} holds a list of objects; {remedy}"
            if near := near_key("response", extras):
                return f"missing, but there is a key {near!r}; {rename_hint(near, 'response')}"
        usual = f"there is no key {', '.join(FIELDS['response'][:-1])} or {FIELDS['response'][-1]}"
        held = f"the mapped key {mapped!r} does not hold it" if mapped else usual
        return f"missing: {held}; {self._advice.empty}, or name its key with `column_map={{'KEY': 'output'}}`"

    def notes(self) -> list[str]:
        """Notes on keys that look misspelt, in all records so far."""
        near = misspelt(self._kept, self._column_map)
        notes = [f"{key!r} is kept as metadata; {rename_hint(key, field, self._kept)}" for key, field in near]
        return [*notes, *self._item_notes]

    def unseen(self) -> list[str]:
        """The problem of a column map whose keys no record has."""
        unseen = sorted(self._column_map.keys() - self.keys) if self.keys else []
        return [f"no record has the key {key!r}; {nearest(key, list(self.keys))}" for key in unseen]


def parse_record(where: str, **given: object) -> Record:
    """A :class:`Record` from a caller's arguments; `where` names the function. None: not given.

    Raises InputError: with every problem of every argument.
    """
    draft, reader = RecordCheck(where, _NAMES), Reader()
    if given.get("response") is None:
        draft.problem(_NAMES["response"], "is None; give the answer's text, or '' if it is empty")
    fields = {name: value for name, value in given.items() if value is not None}
    record = reader.built(draft, fields, {}, "r1")
    _refuse_unwritable(record, where)
    for note in reader.notes():
        logger.warning("%s: %s", where, note)
    return record


def parse_records(
    where: str, records: object, fits: Fits, columns: Mapping[str, str] | None, *, skip_invalid: bool = False
) -> tuple[dict[int, Record], list[str], bool]:
    """A caller's records by their place, from 0, notes, and if all ids are numbers; `fits` checks each.

    `where` names the function. They are mappings or objects with the keys of the input format, or rows of a
    DataFrame or Dataset. `skip_invalid` skips those with a problem, with a note.

    Raises InputError: with every problem of every record, or no record is left.
    """
    problems: list[InputProblem] = []
    found: dict[int, Record] = {}
    ids: set[str] = set()
    reader = Reader(columns, fits, IN_CALL)
    labels = [*getattr(records, "index", ())] if hasattr(records, "iloc") else []
    for number, row in enumerate(_rows(where, records), start=1):
        place = f"{where}, record {number}" + (f" (index {labels[number - 1]!r})" if labels else "")
        try:
            record = _record_of(row, reader, fits, place, f"r{number}")
            if record.id in ids:
                message = f"{record.id!r} is the id of an earlier record too"
                raise InputError([InputProblem(place, "id", message)])
            found[number - 1] = record
            ids.add(record.id)
        except InputError as error:
            problems += error.problems
    if not found and not problems:
        problems.append(InputProblem(where, "records", "there are none"))
    if unseen := reader.unseen():
        raise InputError([InputProblem(where, "column_map", message) for message in unseen])
    if problems and not (skip_invalid and found):
        hint = f"`skip_invalid=True` assesses only the {number_of(len(found), 'valid record')}"
        raise InputError(merged(problems), valid=len(found), hint=hint * bool(found))
    notes = [f"skipped: {problem}" for problem in merged(problems)]
    notes += (str(p) for one in found.values() for p in bare_names(one, f"{where}, record {one.id}"))
    return found, [*notes, *(f"{where}: {note}" for note in reader.notes())], reader.id_types == {True}


def _record_of(row: object, reader: Reader, fits: Fits, place: str, default_id: str) -> Record:
    """One of a caller's records. Raises InputError: with every problem."""
    if isinstance(row, Record):
        if lacking := fits(row):
            raise InputError([with_hint(p, row.metadata)._replace(where=place) for p in lacking])
        record = row
    else:
        record = reader.record(_mapping_of_row(row, place), where=place, default_id=default_id)
    _refuse_unwritable(record, place)
    return record


def bare_names(record: Record, where: str) -> Iterator[InputProblem]:
    """The problems of contexts that are only a URL, or the path of a file."""
    for number, context in enumerate(record.contexts or ()):
        text = context.text.strip()
        a_url = text.startswith(("http:", "https:")) and len(text.split()) == 1
        if a_url or os.path.isfile(text):  # noqa: PTH113 - Path.is_file raises for a long text
            kind = "a URL; give the text of the page" if a_url else "the path of a file; give its text"
            yield InputProblem(where, f"contexts[{number}]", f"{text!r} is {kind}")


def _refuse_unwritable(record: Record, where: str) -> None:
    """Raise InputError for values that no file can hold."""
    draft = RecordCheck(where, _NAMES)
    for name, value in record:
        shown = _NAMES.get(name, name)
        values = {shown: value}
        if name in KINDS:
            values = {f"{shown}[{i}].{key}": part for i, item in enumerate(value or ()) for key, part in item}
        for field, part in values.items():
            if message := unwritable(part):
                draft.problem(field, message)
    draft.finish()
    try:
        record_fingerprint(record)
        record.model_dump_json()
    except (ValueError, TypeError, RecursionError) as error:
        draft.problem("metadata", f"no file can hold it: {error}; remove it, or write it as a string")
    draft.finish()


def _rows(where: str, records: object) -> Iterable[object]:
    if isinstance(records, Mapping) and records and all(hasattr(v, "column_names") for v in records.values()):
        message = f"holds the splits {', '.join(records)}; pass one of them: [{next(iter(records))!r}]"
    elif (
        isinstance(rows := as_list(records), Iterable)
        and not isinstance(rows, str)
        and mapping_of(rows) is None
    ):
        return rows
    else:
        message = f"is {describe(records)}; it must be a list of records, a DataFrame or a Dataset"
    raise InputError([InputProblem(where, "records", message)])


def _mapping_of_row(row: object, where: str) -> dict[str, Any]:
    """The keys of a record: a mapping, an object, or a row of a DataFrame's `iterrows` or `itertuples`."""
    if isinstance(row, tuple) and len(row) == 2 and hasattr(row[1], "keys"):
        row = row[1]
    found = mapping_of(row, (*_NAMES_OF_FIELDS, *getattr(type(row), "model_fields", ())))
    if found is None:
        message = f"is {describe(row)}; it must be a mapping with an 'output', or a Record"
        raise InputError([InputProblem(where, "", message)])
    if hasattr(row, "_asdict"):  # of `itertuples`
        found.pop("Index", None)
    return found if isinstance(row, Mapping) else drop_missing(found)
