"""Map keys of an input object to fields of a Record."""

from __future__ import annotations

import difflib
import functools
from collections.abc import Collection, Iterable, Iterator, Mapping

from factreasoner.errors import InputProblem, UsageError
from factreasoner.plugins.table import nearest

FIELDS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "prompt": ("input", "prompt", "question", "query", "user_input"),
    "response": ("output", "response", "answer", "actual_output", "generation"),
    "topic": ("topic",),
    "reference": ("reference", "ground_truth", "expected_output", "gold"),
    "atoms": ("atoms",),
    "contexts": ("contexts", "sources", "passages", "retrieved_contexts", "retrieval_context"),
    "facts": ("facts",),
    "reference_atoms": ("reference_atoms",),
    "gold_contexts": ("gold_contexts",),
}
"""Record field -> the keys that may hold it: ours, then those of other tools."""

LIKE = 0.8
"""Minimum similarity, from 0 to 1, of a misspelt key."""
_FIELD_OF = {name: field for field, keys in FIELDS.items() for name in (field, *keys)}


def parameter_of(name: str, parameters: Collection[str]) -> str | None:
    """The parameter that `name` is an alias of."""
    return next((key for key in FIELDS.get(_FIELD_OF.get(name, ""), ()) if key in parameters), None)


def parse_column_map(pairs: Iterable[str]) -> dict[str, str]:
    """User key -> our name, from strings such as `model_reply=output`.

    Raises UsageError: wrong form, no such field, or a key or field named twice.
    """
    columns: dict[str, str] = {}
    for pair in pairs:
        theirs, _, ours = (part.strip() for part in pair.rpartition("="))
        if not theirs or not ours:
            raise UsageError(f"column map {pair!r}: write THEIRS=OURS, for example model_reply=output")
        if theirs in columns:
            raise UsageError(f"column map {pair!r}: {theirs!r} is mapped to {columns[theirs]!r} already")
        columns[theirs] = ours
    names_of(columns)
    return columns


def names_of(column_map: Mapping[str, str]) -> dict[str, str]:
    """Input key -> the field it holds; mapped keys come last.

    A mapped field is read only from its mapped key, and a mapped key serves no other field.

    Raises UsageError: no such field, or two keys for one field.
    """
    key_of: dict[str, str] = {}
    for theirs, ours in column_map.items():
        if ours not in _FIELD_OF:
            turned = theirs in _FIELD_OF
            right = f"did you mean `column_map={{{ours!r}: {theirs!r}}}`?"
            hint = right if turned else nearest(ours, list(_FIELD_OF))
            raise UsageError(f"column map: {ours!r}, for {theirs!r}, is not a field; {hint}")
        other = key_of.setdefault(_FIELD_OF[ours], theirs)
        if other != theirs:
            raise UsageError(
                f"column map: both {other!r} and {theirs!r} are mapped to {_FIELD_OF[ours]}; map one"
            )
    usual = {key: field for field, keys in FIELDS.items() if field not in key_of for key in keys}
    return usual | {key: field for field, key in key_of.items()}


@functools.lru_cache(maxsize=1024)
def nearest_to(name: str, keys: tuple[str, ...]) -> str | None:
    """The key most similar to `name`, if similar enough."""
    return next(iter(difflib.get_close_matches(name, keys, n=1, cutoff=LIKE)), None)


def near_key(field: str, keys: Iterable[str]) -> str | None:
    """A key of the object that may be a misspelling of that field, if any."""
    spare = tuple(key for key in keys if key not in _FIELD_OF)
    close = (nearest_to(name, spare) for name in FIELDS[field])
    return next(filter(None, close), None)


def with_hint(problem: InputProblem, keys: Iterable[str]) -> InputProblem:
    """The problem of a missing field, with a similar key of the object."""
    field = problem.field
    if field not in FIELDS or (near := near_key(field, keys)) is None:
        return problem
    return problem._replace(message=f"{problem.message}; there is a key {near!r}; {rename_hint(near, field)}")


def rename_hint(key: str, field: str, keys: Collection[str] = ()) -> str:
    """What to do with a key that may hold that field."""
    usual = FIELDS[field][0]
    held = any(name in keys for name in FIELDS[field])
    return (
        f"did you mean {usual!r}?"
        if held
        else f"did you mean {usual!r}? (`column_map={{{key!r}: {usual!r}}}`)"
    )


def misspelt(keys: Collection[str], column_map: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Fields that no record has, by the keys that look like misspellings of them.

    A field that some record has counts if the key differs only in number: `context` beside `contexts`.
    """
    names = names_of(column_map)
    held = {names.get(key) for key in (*keys, *column_map)}
    spare = [key for key in keys if key not in column_map]
    for field in FIELDS:
        if field not in held:
            found = near_key(field, spare)
        else:
            numbers = {name.removesuffix("s") if name[-1] == "s" else f"{name}s" for name in FIELDS[field]}
            found = next((key for key in spare if key in numbers and key not in _FIELD_OF), None)
        if found:
            yield found, field
