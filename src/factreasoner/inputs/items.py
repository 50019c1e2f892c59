"""Items of a record: atoms, contexts and facts in common forms -> field values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Annotated, Any, NamedTuple, get_args

from pydantic import BaseModel, BeforeValidator, Field, StrictBool, TypeAdapter
from pydantic_core import PydanticSerializationError, to_jsonable_python

from factreasoner.inputs.columns import nearest_to
from factreasoner.inputs.objects import as_list, mapping_of
from factreasoner.inputs.problems import A_LIST, STANDS_IN, Id, RecordCheck
from factreasoner.models import Atom, Context, Gold, new_id
from factreasoner.models.formatting import OF_PROBABILITIES, describe

BESIDE = {"text": ("page_content", "content", "snippet"), "link": ("url",), "id": ("id_", "node_id")}
"""Other passage keys: of LangChain, LlamaIndex and search results."""
WRAPPERS = ("node", "document", "payload")
METADATA = ("metadata", "meta")
DOCUMENT_KEYS = {"id": ("id",), "title": ("title", "file_name"), "link": ("link", "url", "source")}
"""Metadata keys of a passage that commonly hold its id, title and link."""
LABEL_REMEDY = 'write "S" (supported), "NS" (not supported; or "C", contradicted, or "U", neither) or null'
FACT_REMEDY = "write true (the answer states it), false (it does not) or null"
_UNIQUE = "ids are unique within a record (missing ones are numbered: atoms a0, contexts c0, facts f0, ...)"


def _one_of(labels: Mapping[object, Gold], remedy: str) -> BeforeValidator:
    """Returns a parser for one of these labels."""

    def label(value: object) -> object:
        if value is None or (isinstance(value, str | bool) and value in labels):
            return labels.get(value)
        raise ValueError(f"is {value!r}; {remedy}")

    return BeforeValidator(label)


Label = Annotated[Gold | None, _one_of({label: label for label in get_args(Gold)}, LABEL_REMEDY)]
_FACT_LABELS: dict[object, Gold] = {True: "S", False: "NS", "True": "S", "False": "NS", "S": "S", "NS": "NS"}
Probability = Annotated[float | None, Field(ge=0.0, le=1.0, strict=True)]


class _Item(BaseModel):
    """The known keys of an item in user input."""

    id: Id | None = None
    text: str


class _AtomItem(_Item):
    original: str | None = None
    label: Label = None
    gold: Label = None
    contexts: list[Id] | None = None


class _ContextItem(_Item):
    title: str | None = None
    link: str | None = None
    snippet: str | None = None
    summary: str | None = None
    prior: Probability = None
    atom_ids: list[Id] | None = None
    relevant: StrictBool | None = None


class _Fact(_Item):
    label: Annotated[Gold | None, _one_of(_FACT_LABELS, FACT_REMEDY)] = None


KINDS: dict[str, type[_Item]] = {
    "atoms": _AtomItem,
    "contexts": _ContextItem,
    "facts": _Fact,
    "reference_atoms": _AtomItem,
}
"""Record fields that hold items."""
KEPT_UNDER = {kind: f"{kind[:-1]}_fields" for kind in KINDS}
"""Metadata keys for the unknown keys of each kind of item."""
_PASSED = {"id", "text", "original", "title", "link", "snippet", "summary", "prior"}
"""Keys passed to the item unchanged."""
_PLAIN = {name: _PASSED & kind.model_fields.keys() for name, kind in KINDS.items()}
_ADAPTERS = {name: TypeAdapter(kind) for name, kind in KINDS.items()}


_ATTRIBUTES = (*_ContextItem.model_fields, *METADATA, *chain(*BESIDE.values()))
"""Attributes read from an item that is an object."""


class _Entry(NamedTuple):
    """An item: values, position ("atoms[3]"), kind, parsed form, and unknown keys."""

    values: dict[str, Any]
    place: str
    kind: str
    read: Any = None
    unknown: Mapping[Any, Any] | None = None


def _is_plain(item: dict[str, Any], name: str) -> bool:
    """Whether an object can be used unchanged, like most passages in files."""
    text, item_id = item.get("text"), item.get("id")
    return (
        isinstance(text, str)
        and isinstance(item_id, str)
        and item.keys() <= _PLAIN[name]
        and None not in item.values()
        and not (text.isspace() or item_id.isspace())
        and bool(text and item_id)
    )


class Items:
    """Checks the items of one record. `notes` are on their keys that look misspelt."""

    def __init__(self, draft: RecordCheck) -> None:
        self.notes: dict[str, None] = {}
        self._draft = draft
        self._entries: list[_Entry] = []
        self._wishes: dict[str, str] = {}
        """By place, the ids of documents and of metadata, which two passages may share."""

    def of(self, value: object, name: str) -> list[dict[str, Any]]:
        """The items of the field `name`; a single string as contexts is the only one."""
        shown = self._draft.names.get(name, name)
        if name == "contexts" and isinstance(value, str):
            if value.strip().startswith("[") and value.strip().endswith("]"):
                self._draft.problem(shown, "is a list written as a string; write the list itself: [...]")
                return []
            value = [value] if value.strip() else []
        items: Any = value if isinstance(value, list) else [] if value is None else as_list(value)
        if not isinstance(items, list):
            self._draft.problem(shown, (A_LIST % "strings or objects").format(found=describe(value)))
            return []
        entries = [self._read(item, f"{shown}[{index}]", name) for index, item in enumerate(items)]
        self._entries += entries
        return [entry.values for entry in entries]

    def _read(self, item: object, place: str, name: str) -> _Entry:
        if isinstance(item, str) and item.strip():
            return _Entry({"id": None, "text": item}, place, name)
        if type(item) is dict and _is_plain(item, name):
            return _Entry(item.copy(), place, name)
        if isinstance(item, Atom | Context):
            return _Entry(item.model_dump(exclude_defaults=True), place, name)
        source = {"text": item} if isinstance(item, str) else mapping_of(item, _ATTRIBUTES)
        if source is None:
            self._draft.problem(
                place, f"is {describe(item)}; it must be a string, or an object with a 'text'"
            )
            return _Entry({"id": None, "text": STANDS_IN}, place, name)
        if name == "contexts":
            self._describe(source, place, item)
        if _is_blank(source.get("text")):
            self._miss_text(source, place)
        read = self._draft.take(_ADAPTERS[name], source, place, list_type=A_LIST % "ids", **OF_PROBABILITIES)
        if read is None:
            return _Entry({"id": None, "text": STANDS_IN}, place, name)
        values = {"id": None} | read.model_dump(include=_PLAIN[name], exclude_none=True)
        labels = {getattr(read, key) for key in type(read).model_fields.keys() & {"label", "gold"}} - {None}
        if len(labels) > 1:
            self._draft.problem(f"{place}.label", "'label' and 'gold' differ; keep one")
        if labels:
            values["gold"] = labels.pop()
        unknown = {key: kept for key, kept in source.items() if key not in KINDS[name].model_fields}
        return _Entry(values, place, name, read, self._serializable(unknown, place))

    def _describe(self, source: dict[str, Any], place: str, item: object) -> None:
        """Map text, id, title and link of a passage to our keys; its metadata may hold them too."""
        for key in WRAPPERS:
            if inner := mapping_of(source.get(key), _ATTRIBUTES):
                del source[key]
                _fill(source, inner)
        for ours, keys in BESIDE.items():
            for key in keys:
                if _is_blank(source.get(ours)) and not _is_blank(source.get(key)):
                    source[ours] = source[key] if key == "snippet" else source.pop(key)
        described = [found for key in METADATA if (found := mapping_of(source.get(key)))]
        if not isinstance(item, Mapping):
            described.insert(0, {"id": source.pop("id", None)})
        for metadata in described:
            values = {ours: _first_text(metadata, keys) for ours, keys in DOCUMENT_KEYS.items()}
            if wish := values.pop("id"):
                self._wishes.setdefault(place, wish)
            _fill(source, values)

    def _serializable(self, unknown: Mapping[Any, Any], place: str) -> dict[Any, Any]:
        """The unknown keys of an item as JSON; those that JSON can't hold are noted and removed."""
        kept: dict[Any, Any] = {}
        for key, value in unknown.items():
            try:
                kept[key] = to_jsonable_python(value)
            except (PydanticSerializationError, ValueError, RecursionError):
                kind, shown = type(value).__name__, place.partition("[")[0]
                self.notes[f"{shown}: {key!r} is left out: a file can't hold a {kind}"] = None
        return kept

    def _miss_text(self, source: dict[str, Any], place: str) -> None:
        near = nearest_to("text", tuple(sorted(map(str, source.keys() - {"text"}))))
        hint = f"there is a key {near!r}: did you mean 'text'?" if near else "give it, or leave the item out"
        self._draft.problem(f"{place}.text", f"missing or blank; {hint}")
        source["text"] = STANDS_IN

    def numbered(self) -> None:
        """Number the items without an id, and note duplicate ids."""
        taken = {entry.values["id"] for entry in self._entries} - {None}
        counts: dict[str, int] = {}
        for entry in self._entries:
            number = counts[entry.kind] = counts.get(entry.kind, -1) + 1
            if entry.values["id"] is None:
                wish = self._wishes.get(entry.place)
                if wish in taken:
                    self.notes[f"{entry.place}: {wish!r} is the id of another one too; it gets a new one"] = (
                        None
                    )
                free = wish if wish and wish not in taken else new_id(entry.kind[0], number, taken)
                entry.values["id"] = free
                taken.add(free)
        if len(taken) == len(self._entries):
            return
        first: dict[str, str] = {}
        for entry in self._entries:
            if (before := first.setdefault(entry.values["id"], entry.place)) != entry.place:
                message = f"{entry.values['id']!r} is the id of {before} too; {_UNIQUE}"
                self._draft.problem(f"{entry.place}.id", message)

    def linked(self, fields: dict[str, Any], metadata: dict[str, Any]) -> None:
        """Number and link the items; unknown keys go to `metadata`, marked contexts to `fields`."""
        self.numbered()
        if not (read := [entry for entry in self._entries if entry.read]):
            return
        self._link(read)
        marked = [e for e in read if e.kind == "contexts" and e.read.relevant is not None]
        if marked:
            if "gold_contexts" in fields:
                message = "contexts say themselves whether they are relevant; keep one of both"
                self._draft.problem("gold_contexts", message)
            fields["gold_contexts"] = tuple(e.values["id"] for e in marked if e.read.relevant)
        rest: dict[str, dict[str, Any]] = {}
        for entry in read:
            if entry.unknown:
                self._note_misspelt(entry)
                rest.setdefault(KEPT_UNDER[entry.kind], {})[entry.values["id"]] = entry.unknown
        for name in rest.keys() & metadata.keys():
            self._draft.problem(name, "is the name under which unknown keys are kept; rename this one")
        metadata |= rest

    def _link(self, read: list[_Entry]) -> None:
        """Set the atom ids of contexts, in atom order, from links in either direction."""
        if self._draft.problems:  # a name of an item that is wrong itself is not to blame
            return
        atoms = [e.values["id"] for e in self._entries if e.kind == "atoms"]
        contexts = {e.values["id"]: e.values for e in self._entries if e.kind == "contexts"}
        sides = {"atoms": ("contexts", "context", contexts), "contexts": ("atom_ids", "atom", atoms)}
        links: dict[str, set[str]] = {}
        for entry in read:
            if entry.kind not in sides:
                continue
            key, what, known = sides[entry.kind]
            for other in dict.fromkeys(getattr(entry.read, key) or ()):
                if other not in known:
                    message = f"names the unknown {what} {other!r}; add it to '{what}s' or drop the name"
                    self._draft.problem(f"{entry.place}.{key}", message)
                    continue
                own = entry.values["id"]
                context, atom = (other, own) if entry.kind == "atoms" else (own, other)
                links.setdefault(context, set()).add(atom)
        for context, linked in links.items():
            contexts[context]["atom_ids"] = tuple(sorted(linked, key=atoms.index))

    def _note_misspelt(self, entry: _Entry) -> None:
        """Note the keys of an item that look misspelt."""
        spare = tuple(sorted(KINDS[entry.kind].model_fields.keys() - entry.read.model_fields_set))
        for key in sorted(map(str, entry.unknown or ())):
            if meant := nearest_to(key, spare):
                shown = entry.place.partition("[")[0]
                self.notes[f"{shown}: {key!r} is kept as metadata; did you mean {meant!r}?"] = None


def _is_blank(text: object) -> bool:
    return text is None or (isinstance(text, str) and not text.strip())


def _fill(source: dict[Any, Any], more: Mapping[Any, Any]) -> None:
    """Add values for keys that have none."""
    source |= {key: value for key, value in more.items() if value and _is_blank(source.get(key))}


def _first_text(metadata: Mapping[Any, Any], keys: Iterable[str]) -> str:
    found = (str(metadata[key]).strip() for key in keys if isinstance(metadata.get(key), str | int))
    return next(filter(None, found), "")
