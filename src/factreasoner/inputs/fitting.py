"""Whether an input object makes a record that a task can work on, with all that is wrong at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.columns import FIELDS, hinted, key_of_field
from factreasoner.inputs.parsing import KINDS, misspelt_keys, parse_record
from factreasoner.models import Record

Fits = Callable[[Record], Sequence[InputProblem]]
"""What a record lacks for what is to be done with it."""

SAME_PROBLEM = 3
"""Places with the same problem from which on it is told once."""


def fitting_record(
    data: Mapping[str, Any],
    fits: Fits | None,
    *,
    where: str,
    column_map: Mapping[str, str],
    default_id: str,
) -> Record:
    """The record that an object describes, which `fits`; see `parse_record`.

    Raises:
        InputError: with every problem of the object. Where nothing but its response is missing, also what it
            would lack if it had one, so that two misspelt keys are told at once.
    """
    parse = partial(parse_record, where=where, column_map=column_map, default_id=default_id)
    try:
        record = parse(data)
    except InputError as error:
        key = key_of_field(column_map).get("response", FIELDS["response"][0])
        if fits is None or [problem.field for problem in error.problems] != [FIELDS["response"][0]]:
            raise
        record = parse({**data, key: "An answer."})
        raise InputError([*error.problems, *lacking(record, fits, where)]) from error
    if problems := lacking(record, fits, where) if fits else ():
        raise InputError(problems)
    return record


def lacking(record: Record, fits: Fits, where: str) -> list[InputProblem]:
    """What a record lacks, with keys of it that may hold it under another name."""
    return [hinted(problem, record.metadata)._replace(where=where) for problem in fits(record)]


def misspelt_in_items(data: Mapping[str, Any], column_map: Mapping[str, str]) -> Iterator[str]:
    """Notes on keys of contexts, atoms and facts that look like misspelt ones, in a parsed object."""
    mapped = key_of_field(column_map)
    for field, kind in KINDS.items():
        for key in (mapped[field],) if field in mapped else FIELDS[field]:
            items = data.get(key)
            for item in items if isinstance(items, list | tuple) else ():
                yield from (f"{key}: {note}" for note in misspelt_keys(item, kind.keys))


def merged(problems: Sequence[InputProblem]) -> list[InputProblem]:
    """The problems in order, of which those that are the same in three places or more are told once."""
    places: dict[tuple[str, str], list[str]] = {}
    for problem in problems:
        places.setdefault((problem.field, problem.message), []).append(problem.where)
    told: list[InputProblem] = []
    for (field, message), where in places.items():
        if len(where) < SAME_PROBLEM:
            told += [InputProblem(place, field, message) for place in where]
        else:
            told.append(InputProblem(f"{where[0]} and {len(where) - 1} more", field, message))
    return told
