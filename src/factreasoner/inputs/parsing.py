"""One input object -> one Record, with every problem named by place, field and remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar, get_args

from factreasoner.errors import InputError
from factreasoner.inputs.columns import FIELDS, assign, key_of_field, near_key, nearest_to
from factreasoner.inputs.jsonl import unwrapping
from factreasoner.inputs.values import Values, describe
from factreasoner.models import Atom, Context, Gold, Record

ATOM_KEYS = frozenset({"id", "text", "original", "label", "gold", "contexts"})
CONTEXT_KEYS = frozenset(
    {"id", "text", "title", "link", "snippet", "summary", "prior", "atom_ids", "relevant"}
)
FACT_KEYS = frozenset({"id", "text", "label"})
FACT_LABELS: dict[object, Gold] = {True: "S", False: "NS", "True": "S", "False": "NS", "S": "S", "NS": "NS"}
GOLD_LABELS: tuple[Gold, ...] = get_args(Gold)
LABEL_REMEDY = 'write "S" (supported), "NS" (not supported; or "C", contradicted, or "U", neither) or null'
_RESPONSE_KEYS = ", ".join(FIELDS["response"])

Item = TypeVar("Item", Atom, Context)


class _ParsedItem(NamedTuple, Generic[Item]):
    """A parsed item, the field it stands in ("atoms[3]") and the object it came from."""

    item: Item
    field: str
    source: Mapping[str, Any]


def parse_record(
    data: Mapping[str, Any],
    *,
    where: str,
    column_map: Mapping[str, str] | None = None,
    default_id: str | None = None,
) -> Record:
    """The Record an input object describes.

    `where` names its place in messages ("file.jsonl:12"); `column_map` (their key -> our field) says which
    key holds a field and overrules that field's usual keys; `default_id` stands in for a missing id. Keys
    that mean nothing here are kept in `metadata`, those of atoms and contexts under "atom_fields" and
    "context_fields" by id.

    Raises:
        InputError: with every problem of the object.
        ConfigError: `column_map` names no field of ours.
    """
    values = Values(where)
    fields, extras = assign(data, column_map or {}, values)
    if fields.get("response") is None:
        values.problem("output", _no_response(column_map or {}, extras))
    if isinstance(fields.get("contexts"), str):
        fields["contexts"] = _one_passage(fields["contexts"], values)
    text = {
        name: values.text(fields.get(name), FIELDS[name][0]) for name in ("response", "topic", "reference")
    }
    prompt = values.conversation(fields.get("prompt"), "input")
    record_id = values.id(fields.get("id"), "id", default_id)
    parsed = {name: _items(fields.get(name), name, kind.parse, values) for name, kind in KINDS.items()}
    values.unique({entry.field: entry.item.id for entries in parsed.values() for entry in entries})
    links = _links(parsed["atoms"], parsed["contexts"], values)
    relevant = _relevant(fields.get("gold_contexts"), parsed["contexts"], values)
    metadata = _metadata(extras, parsed, values)
    values.finish()
    items = {name: tuple(entry.item for entry in parsed[name]) for name in KINDS if name in fields}
    if "contexts" in items:
        items["contexts"] = tuple(c.model_copy(update={"atom_ids": links[c.id]}) for c in items["contexts"])
    return Record(
        id=record_id,
        prompt=prompt or "",
        response=text["response"] or "",
        topic=text["topic"],
        reference=text["reference"],
        gold_contexts=relevant,
        metadata=metadata,
        **items,
    )


def _one_passage(text: str, values: Values) -> list[str] | None:
    """The contexts where a text stands for them: the only one, unless it is a list written as a text."""
    if not text.strip():
        return []
    if text.strip().startswith("[") and text.strip().endswith("]"):
        values.problem("contexts", "is a list written as a text; write the list itself: [...]")
        return None
    return [text]


def _no_response(column_map: Mapping[str, str], extras: Mapping[str, Any]) -> str:
    mapped = key_of_field(column_map).get("response")
    if not mapped and (wrapping := _wrapping_key(extras)):
        return f"missing, and {wrapping!r} holds a list of objects; {unwrapping(wrapping)}"
    if not mapped and (near := near_key("response", extras)):
        return f"missing, and there is a key {near!r}; did you mean 'output'? (--column-map {near}=output)"
    held = f"the mapped key {mapped!r} does not hold it" if mapped else f"none of {_RESPONSE_KEYS} holds it"
    empty = 'leave the record out (in JSON "" is an empty answer)'
    return f"missing: {held}; {empty}, or name its key with --column-map KEY=output"


def _wrapping_key(extras: Mapping[str, Any]) -> str | None:
    """The key of an object that is no record, but holds records."""
    lists = (
        key
        for key, value in extras.items()
        if isinstance(value, list) and value and isinstance(value[0], dict)
    )
    return next(lists, None)


def parse_context(
    data: object, *, where: str, field: str = "context", default_id: str | None = None
) -> Context:
    """The Context a text or an object {text, id?, title?, link?, snippet?, summary?, prior?} describes.

    A search result whose page could not be read has an empty `text`; its `snippet` then is the text.

    Raises:
        InputError: with every problem of the object.
    """
    values = Values(where)
    given = _object(data, field, values)
    optional = {
        name: values.text(given.get(name), f"{field}.{name}") or ""
        for name in ("title", "link", "snippet", "summary")
    }
    text = given.get("text")
    if text is None or (isinstance(text, str) and not text.strip()):
        given = {**given, "text": optional["snippet"]}
    text = _text(given, field, values, "give the passage, or leave the context out")
    context_id = values.id(given.get("id"), f"{field}.id", default_id)
    prior = values.probability(given.get("prior"), f"{field}.prior")
    values.finish()
    return Context(id=context_id, text=text, prior=prior, **optional)


def parse_atom(data: object, *, where: str, field: str = "atom", default_id: str | None = None) -> Atom:
    """The Atom a text or an object {text, id?, original?, label?} describes.

    Raises:
        InputError: with every problem of the object.
    """
    values = Values(where)
    given = _object(data, field, values)
    labels = [name for name in ("label", "gold") if given.get(name) is not None]
    for name in labels:
        if given[name] not in GOLD_LABELS:
            values.problem(f"{field}.{name}", f"is {given[name]!r}; {LABEL_REMEDY}")
    if len(labels) == 2 and given["label"] != given["gold"]:
        values.problem(f"{field}.label", "'label' and 'gold' differ; keep one")
    text = _text(given, field, values, "give the statement, or leave the atom out")
    atom_id = values.id(given.get("id"), f"{field}.id", default_id)
    original = values.text(given.get("original"), f"{field}.original")
    values.finish()
    return Atom(id=atom_id, text=text, original=original, gold=given[labels[0]] if labels else None)


def parse_fact(data: object, *, where: str, field: str = "fact", default_id: str | None = None) -> Atom:
    """The fact a text or an object {text, id?, label?} describes; the label is true or false, or null.

    Raises:
        InputError: with every problem of the object.
    """
    values = Values(where)
    given = _object(data, field, values)
    label = given.get("label")
    known = isinstance(label, str | bool) and label in FACT_LABELS
    if label is not None and not known:
        values.problem(
            f"{field}.label", f"is {label!r}; write true (the answer states it), false (it does not) or null"
        )
    text = _text(given, field, values, "give the fact, or leave it out")
    fact_id = values.id(given.get("id"), f"{field}.id", default_id)
    values.finish()
    return Atom(id=fact_id, text=text, gold=FACT_LABELS[label] if known else None)


def misspelt_keys(item: object, known: frozenset[str]) -> Iterator[str]:
    """Notes on an item's keys that look like one of the `known` keys, which it does not have."""
    strange = item.keys() - known if isinstance(item, Mapping) else ()
    for key in sorted(map(str, strange)):
        spare = tuple(sorted(known - item.keys())) if isinstance(item, Mapping) else ()
        if meant := nearest_to(key, spare):
            yield f"{key!r} is kept as metadata; did you mean {meant!r}?"


def _text(given: Mapping[str, Any], field: str, values: Values, remedy: str) -> str:
    """The text of an item; a missing one is told with a key that may be a misspelt 'text'."""
    near = None if given.get("text") else nearest_to("text", tuple(sorted(map(str, given.keys() - {"text"}))))
    hint = f"there is a key {near!r}: did you mean 'text'?" if near else remedy
    return values.needed_text(given.get("text"), f"{field}.text", hint)


class _Kind(NamedTuple):
    """How items of one field are parsed, their known keys, and where in metadata their other keys go."""

    parse: Callable[..., Any]
    keys: frozenset[str]
    rest: str


KINDS = {
    "atoms": _Kind(parse_atom, ATOM_KEYS, "atom_fields"),
    "contexts": _Kind(parse_context, CONTEXT_KEYS, "context_fields"),
    "facts": _Kind(parse_fact, FACT_KEYS, "fact_fields"),
    "reference_atoms": _Kind(parse_atom, ATOM_KEYS, "reference_atom_fields"),
}
"""The fields of a record that hold items."""


def _relevant(
    given: object, contexts: Sequence[_ParsedItem[Context]], values: Values
) -> tuple[str, ...] | None:
    """Ids of the relevant contexts: listed, or said by themselves; None where nothing says."""
    marked = [c for c in contexts if c.source.get("relevant") is not None]
    for context in marked:
        if not isinstance(context.source["relevant"], bool):
            values.problem(f"{context.field}.relevant", "write true or false")
    if given is None:
        return tuple(c.item.id for c in marked if c.source["relevant"]) if marked else None
    listed = values.ids(given, "gold_contexts")
    if marked:
        values.problem("gold_contexts", "contexts say themselves whether they are relevant; keep one of both")
    return listed


def _object(data: object, field: str, values: Values) -> Mapping[str, Any]:
    if isinstance(data, Mapping):
        return data
    if not isinstance(data, str):
        values.problem(field, f"is {describe(data)}; it must be a text, or an object with a 'text'")
        values.finish()
    return {"text": data}


def _items(value: object, name: str, parse: Callable[..., Item], values: Values) -> list[_ParsedItem[Item]]:
    """Parsed items; those with problems are left out once the problems are noted."""
    entries: list[_ParsedItem[Item]] = []
    for index, data in enumerate(values.items(value, name, "texts or objects") or ()):
        field = f"{name}[{index}]"
        try:
            item = parse(data, where=values.where, field=field, default_id=f"{name[0]}{index}")
        except InputError as error:
            values.problems.extend(error.problems)
            continue
        entries.append(_ParsedItem(item, field, data if isinstance(data, Mapping) else {}))
    return entries


def _links(
    atoms: Sequence[_ParsedItem[Atom]], contexts: Sequence[_ParsedItem[Context]], values: Values
) -> dict[str, tuple[str, ...]]:
    """Atom ids by context id, in the order of the atoms, from whichever side states the link."""
    stated: list[tuple[str, str, str]] = []
    for atom in atoms:
        field = f"{atom.field}.contexts"
        stated += [(field, atom.item.id, other) for other in values.ids(atom.source.get("contexts"), field)]
    for context in contexts:
        field = f"{context.field}.atom_ids"
        stated += [
            (field, other, context.item.id) for other in values.ids(context.source.get("atom_ids"), field)
        ]
    if any(problem.field.startswith(("atoms", "contexts")) for problem in values.problems):
        return {}  # whoever names an item left out for its own problem would be blamed as well
    position = {entry.item.id: index for index, entry in enumerate(atoms)}
    linked: dict[str, set[str]] = {entry.item.id: set() for entry in contexts}
    for field, atom_id, context_id in stated:
        if atom_id not in position:
            values.problem(field, f"names the unknown atom {atom_id!r}; add it to 'atoms' or drop the name")
        elif context_id not in linked:
            values.problem(
                field, f"names the unknown context {context_id!r}; add it to 'contexts' or drop the name"
            )
        else:
            linked[context_id].add(atom_id)
    return {context_id: tuple(sorted(ids, key=position.__getitem__)) for context_id, ids in linked.items()}


def _metadata(
    extras: Mapping[str, Any], parsed: Mapping[str, Sequence[_ParsedItem[Any]]], values: Values
) -> dict[str, Any]:
    """The unknown keys of a record, and by id those of its items."""
    metadata = dict(extras)
    for name, kind in KINDS.items():
        unknown = _unknown(parsed[name], kind.keys)
        if unknown and kind.rest in extras:
            values.problem(kind.rest, "is the name under which other unknown keys are kept; rename this one")
        elif unknown:
            metadata[kind.rest] = unknown
    return metadata


def _unknown(entries: Sequence[_ParsedItem[Any]], known: frozenset[str]) -> dict[str, dict[str, Any]]:
    rest = {e.item.id: {key: value for key, value in e.source.items() if key not in known} for e in entries}
    return {item_id: fields for item_id, fields in rest.items() if fields}
