"""One input object -> one Record, with every problem named by place, field and remedy."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import TypeAdapter, ValidationError

from factreasoner.errors import InputProblem
from factreasoner.inputs.columns import (
    FIELDS,
    hinted,
    key_of_field,
    meant,
    misspelt,
    names_of,
    near_key,
    unseen,
)
from factreasoner.inputs.draft import Draft
from factreasoner.inputs.items import KINDS, Items
from factreasoner.inputs.jsonl import unwrapping
from factreasoner.inputs.wording import reworded
from factreasoner.models import Record

Fits = Callable[[Record], Sequence[InputProblem]]
"""What a record lacks for what is to be done with it."""

_RECORD = TypeAdapter(Record)
_NAMES = {field: keys[0] for field, keys in FIELDS.items()}
_AN_ANSWER = "An answer."
"""Stands for a missing answer while the rest of its record is checked."""


class Reader:
    """Reads objects as records, and notes which keys they had.

    `column_map` (their key -> our field) says which key holds a field, and overrules that field's usual keys.
    Keys that mean nothing here are kept in `metadata`; those of items stand there under "atom_fields" and so
    on, by id.

    Raises:
        ConfigError: `column_map` names no field of ours.
    """

    def __init__(self, column_map: Mapping[str, str] | None = None, fits: Fits | None = None) -> None:
        self._column_map = dict(column_map or {})
        self._names = names_of(self._column_map)
        self._fits = fits
        self._item_notes: dict[str, None] = {}
        self.keys: set[str] = set()

    def record(self, data: Mapping[str, Any], *, where: str, default_id: str | None = None) -> Record:
        """The record that an object describes. `where` is its place in messages ("file.jsonl:12").

        Raises:
            InputError: with every problem of the object.
        """
        self.keys.update(data)
        draft = Draft(where, _NAMES)
        fields, extras = self._assigned(data, draft)
        if "response" not in fields:
            draft.problem("output", self._no_response(extras))
        return self.built(draft, fields, extras, default_id)

    def built(
        self, draft: Draft, fields: dict[str, Any], extras: dict[str, Any], default_id: str | None
    ) -> Record:
        """The record of values by field. Raises InputError with every problem."""
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
        self._item_notes |= items.notes
        for key, value in extras.items():
            if _is_infinite(value):
                draft.problem(key, "holds a number that is too large; write it as a text")
        fields["metadata"] = extras
        record = self._validated(draft, fields)
        lacks = self._fits(record) if record is not None and self._fits else ()
        if lacks and (answered or len(draft.problems) == 1):
            draft.problems += [hinted(problem, extras)._replace(where=draft.where) for problem in lacks]
        draft.finish()
        assert record is not None, "what pydantic refuses is a problem"
        return record

    def _validated(self, draft: Draft, fields: dict[str, Any]) -> Record | None:
        try:
            return _RECORD.validate_python(fields)
        except ValidationError as error:
            told = bool(draft.problems)
            found = reworded(error, draft.where, draft.names)
            draft.problems += [problem for problem in found if problem.field or not told]
            return None

    def _assigned(self, data: Mapping[str, Any], draft: Draft) -> tuple[dict[str, Any], dict[str, Any]]:
        """Values by field, and by key what no field takes. Null counts as not given."""
        fields: dict[str, Any] = {}
        extras: dict[str, Any] = {}
        first: dict[str, str] = {}
        differing: dict[str, list[str]] = {}
        for key, value in data.items():
            field = self._names.get(key)
            if field is None:
                extras[key] = value
            elif value is not None:
                if field not in fields:
                    fields[field], first[field] = value, key
                elif fields[field] != value:
                    differing.setdefault(field, [first[field]]).append(key)
        for field, keys in differing.items():
            keys.sort(key=FIELDS[field].index)
            names, usual = " and ".join(map(repr, keys)), _NAMES[field]
            remedy = f"keep one, or choose with --column-map {keys[0]}={usual}"
            draft.problem(usual, f"given as {names} with different values; {remedy}")
        return fields, extras

    def _no_response(self, extras: Mapping[str, Any]) -> str:
        mapped = key_of_field(self._column_map).get("response")
        if not mapped and (wrapping := _wrapping_key(extras)):
            return f"missing, and {wrapping!r} holds a list of objects; {unwrapping(wrapping)}"
        if not mapped and (near := near_key("response", extras)):
            return f"missing, and there is a key {near!r}; {meant(near, 'response')}"
        usual = f"none of {', '.join(FIELDS['response'])} holds it"
        held = f"the mapped key {mapped!r} does not hold it" if mapped else usual
        empty = 'leave the record out (in JSON "" is an empty answer)'
        return f"missing: {held}; {empty}, or name its key with --column-map KEY=output"

    def notes(self) -> list[str]:
        """Notes on keys that look misspelt, in any record read so far."""
        near = misspelt(self.keys, self._column_map)
        return [f"{key!r} is kept as metadata; {meant(key, field)}" for key, field in near] + [
            *self._item_notes
        ]

    def unseen(self) -> list[str]:
        """What is wrong with a column map that names keys which no record has."""
        return unseen(self._column_map, self.keys) if self.keys else []


def _is_infinite(value: object) -> bool:
    """Whether a value holds a number that no file can, which is what reading makes of 1e999."""
    if isinstance(value, dict | list):
        return any(map(_is_infinite, value.values() if isinstance(value, dict) else value))
    return isinstance(value, float) and math.isinf(value)


def _wrapping_key(extras: Mapping[str, Any]) -> str | None:
    """The key of an object that is no record, but holds records."""
    lists = (
        key
        for key, value in extras.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    )
    return next(lists, None)
