"""The items of a record: atoms, contexts and facts in the forms people use -> the values of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from factreasoner.inputs.columns import nearest_to
from factreasoner.inputs.problems import STANDS_IN, Draft, describe
from factreasoner.models import Atom, Context, Gold, new_id

TEXT_KEYS = ("page_content", "content")
"""Other keys for the text of a passage: in a document of LangChain, in a search result."""
DOCUMENT_KEYS = {"title": ("title", "file_name"), "link": ("source", "url", "link")}
"""Keys of such a passage's `metadata` that commonly hold its title and link."""
GOLD_LABELS: tuple[Gold, ...] = get_args(Gold)
LABEL_REMEDY = 'write "S" (supported), "NS" (not supported; or "C", contradicted, or "U", neither) or null'
_LABELS: dict[object, Gold] = {label: label for label in GOLD_LABELS}
FACT_LABELS: dict[object, Gold] = {True: "S", False: "NS", "True": "S", "False": "NS", "S": "S", "NS": "NS"}
FACT_REMEDY = "write true (the answer states it), false (it does not) or null"
_UNIQUE = (
    "ids are unique within a record (those left out are numbered: a0 an atom, c0 a context, f0 a fact, ...)"
)


class Kind(NamedTuple):
    """Items of one field: the known keys, those that go into the item as they are, and the key for links."""

    keys: frozenset[str]
    passed: tuple[str, ...] = ()
    links: str = ""


_ATOM_KEYS = frozenset({"id", "text", "original", "label", "gold", "contexts"})
_PASSED = ("title", "link", "snippet", "summary", "prior")
KINDS = {
    "atoms": Kind(_ATOM_KEYS, ("original",), "contexts"),
    "contexts": Kind(frozenset({"id", "text", *_PASSED, "atom_ids", "relevant"}), _PASSED, "atom_ids"),
    "facts": Kind(frozenset({"id", "text", "label"})),
    "reference_atoms": Kind(_ATOM_KEYS, ("original",)),
}
"""The fields of a record that hold items."""
_PLAIN = {name: frozenset({"id", "text", *kind.passed}) for name, kind in KINDS.items()}


class _Entry(NamedTuple):
    """An item: its values, its place ("atoms[3]"), its kind, and the object that may hold more keys."""

    values: dict[str, Any]
    place: str
    kind: str
    source: Mapping[str, Any]


_NO_SOURCE: Mapping[str, Any] = {}


def _is_plain(item: dict[str, Any], name: str) -> bool:
    """Whether an object can be used as it is, as most passages in files can."""
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
    """Checks the items of one record. `notes` are on keys of theirs that look misspelt."""

    def __init__(self, draft: Draft) -> None:
        self.notes: dict[str, None] = {}
        self._draft = draft
        self._entries: list[_Entry] = []

    def of(self, value: object, name: str) -> list[dict[str, Any]]:
        """The items of the field `name`."""
        shown = self._draft.names.get(name, name)
        if name == "contexts" and isinstance(value, str):
            value = self._one_passage(value, shown)
        found = []
        for index, item in enumerate(self._draft.listed(value, shown, "texts or objects")):
            place = f"{shown}[{index}]"
            values, source = self._made(item, place, name)
            self._entries.append(_Entry(values, place, name, source))
            found.append(values)
        return found

    def _one_passage(self, text: str, field: str) -> list[str]:
        """A single text as contexts: the only one, unless it is a list written as a text."""
        if text.strip().startswith("[") and text.strip().endswith("]"):
            self._draft.problem(field, "is a list written as a text; write the list itself: [...]")
            return []
        return [text] if text.strip() else []

    def _made(self, item: object, place: str, name: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
        """The values of an item, and the object that may hold more keys."""
        if isinstance(item, str) and item.strip():
            return {"id": None, "text": item}, _NO_SOURCE
        if type(item) is dict and _is_plain(item, name):
            return item.copy(), _NO_SOURCE
        if isinstance(item, Atom | Context):
            return item.model_dump(exclude_defaults=True), _NO_SOURCE
        source = _as_mapping(item)
        if source is None:
            self._draft.problem(place, f"is {describe(item)}; it must be a text, or an object with a 'text'")
            return {"id": None, "text": STANDS_IN}, _NO_SOURCE
        values = {key: source[key] for key in KINDS[name].passed if source.get(key) is not None}
        given = source.get("id")
        values["id"] = given if given is None else self._draft.id(given, f"{place}.id")
        values["text"] = self._text(source, values, place, name)
        if (gold := self._gold(source, place, name)) is not None:
            values["gold"] = gold
        return values, source

    def _text(self, source: Mapping[str, Any], values: dict[str, Any], place: str, name: str) -> object:
        """The text of an item; of a passage also under another key, of an unread page its snippet."""
        text = source.get("text")
        if text is not None and not _is_blank(text):
            return text
        if name == "contexts":
            for key in (*TEXT_KEYS, "snippet"):
                text = source.get(key)
                if isinstance(text, str) and not _is_blank(text):
                    if key in TEXT_KEYS:
                        values |= _described(source.get("metadata")) | values
                    return text
        near = nearest_to("text", tuple(sorted(map(str, source.keys() - {"text"}))))
        hint = f"there is a key {near!r}: did you mean 'text'?" if near else "give it, or leave the item out"
        self._draft.problem(f"{place}.text", f"missing or blank; {hint}")
        return STANDS_IN

    def _gold(self, source: Mapping[str, Any], place: str, name: str) -> Gold | None:
        """The label of an item, under either of its keys."""
        of_facts = name == "facts"
        known = FACT_LABELS if of_facts else _LABELS
        found: dict[str, Gold] = {}
        for key in ("label", "gold"):
            label = source.get(key) if key in KINDS[name].keys else None
            if label is None:
                continue
            if not isinstance(label, str | bool) or label not in known:
                remedy = FACT_REMEDY if of_facts else LABEL_REMEDY
                self._draft.problem(f"{place}.{key}", f"is {label!r}; {remedy}")
                return None
            found[key] = known[label]
        if len(set(found.values())) > 1:
            self._draft.problem(f"{place}.label", "'label' and 'gold' differ; keep one")
        return next(iter(found.values()), None)

    def numbered(self) -> None:
        """Give an id to each item that has none, and note ids that two items have."""
        taken = {entry.values["id"] for entry in self._entries} - {None}
        counts: dict[str, int] = {}
        for entry in self._entries:
            number = counts[entry.kind] = counts.get(entry.kind, -1) + 1
            if entry.values["id"] is None:
                entry.values["id"] = new_id(entry.kind[0], number, taken)
                taken.add(entry.values["id"])
        if len(taken) == len(self._entries):
            return
        first: dict[str, str] = {}
        for entry in self._entries:
            item = entry.values["id"]
            if item in first and item != STANDS_IN:
                message = f"{item!r} is the id of {first[item]} too; {_UNIQUE}"
                self._draft.problem(f"{entry.place}.id", message)
            first.setdefault(item, entry.place)

    def linked(self, fields: dict[str, Any], metadata: dict[str, Any]) -> None:
        """Number and link the items; unknown keys go into `metadata`, marked contexts into `fields`."""
        self.numbered()
        if not (sources := [entry for entry in self._entries if entry.source]):
            return
        self._link([e for e in sources if (key := KINDS[e.kind].links) and e.source.get(key) is not None])
        self._mark(
            [e for e in sources if e.kind == "contexts" and e.source.get("relevant") is not None], fields
        )
        rest: dict[str, dict[str, Any]] = {}
        for entry in sources:
            if not entry.source.keys() <= KINDS[entry.kind].keys and (unknown := self._unknown(entry)):
                rest.setdefault(f"{entry.kind[:-1]}_fields", {})[entry.values["id"]] = unknown
        for name in rest.keys() & metadata.keys():
            self._draft.problem(name, "is the name under which other unknown keys are kept; rename this one")
        metadata |= rest

    def _link(self, stated: list[_Entry]) -> None:
        """Give contexts the ids of their atoms, in the order of these, from whichever side names the link."""
        named = []
        for entry in stated:
            place = f"{entry.place}.{KINDS[entry.kind].links}"
            named.append((place, entry, self._draft.ids(entry.source[KINDS[entry.kind].links], place)))
        if not named or self._draft.problems:  # a name of an item that is wrong itself is not to blame
            return
        known = [e.values["id"] for e in self._entries if e.kind == "atoms"]
        contexts = {e.values["id"]: e.values for e in self._entries if e.kind == "contexts"}
        links: dict[str, set[str]] = {}
        for place, entry, ids in named:
            of_atom = entry.kind == "atoms"
            for other in ids:
                if other not in (contexts if of_atom else known):
                    what = "context" if of_atom else "atom"
                    message = f"names the unknown {what} {other!r}; add it to '{what}s' or drop the name"
                    self._draft.problem(place, message)
                    continue
                context, atom = (other, entry.values["id"]) if of_atom else (entry.values["id"], other)
                links.setdefault(context, set()).add(atom)
        for context, atoms in links.items():
            contexts[context]["atom_ids"] = tuple(sorted(atoms, key=known.index))

    def _mark(self, stated: list[_Entry], fields: dict[str, Any]) -> None:
        """List the contexts that are marked as relevant, if any is marked at all."""
        if not stated:
            return
        for entry in stated:
            if not isinstance(entry.source["relevant"], bool):
                self._draft.problem(f"{entry.place}.relevant", "write true or false")
        if "gold_contexts" in fields:
            message = "contexts say themselves whether they are relevant; keep one of both"
            self._draft.problem("gold_contexts", message)
        fields["gold_contexts"] = tuple(e.values["id"] for e in stated if e.source["relevant"] is True)

    def _unknown(self, entry: _Entry) -> dict[str, Any]:
        """The unknown keys of an item; those that look misspelt are noted."""
        keys, source = KINDS[entry.kind].keys, entry.source
        used = None
        if entry.kind == "contexts":
            used = next((key for key in TEXT_KEYS if source.get(key) is entry.values["text"]), None)
        unknown = {key: value for key, value in source.items() if key not in keys and key != used}
        spare = tuple(sorted(keys - source.keys() - ({"text"} if used else set())))
        shown = entry.place.partition("[")[0]
        for key in sorted(map(str, unknown)):
            if meant := nearest_to(key, spare):
                self.notes[f"{shown}: {key!r} is kept as metadata; did you mean {meant!r}?"] = None
        return unknown


def _is_blank(text: object) -> bool:
    return isinstance(text, str) and not text.strip()


def _as_mapping(item: object) -> Mapping[str, Any] | None:
    """An item as a mapping: a text, or a document with its text in an attribute. None for all else."""
    if isinstance(item, Mapping):
        return item
    if isinstance(item, str):
        return {"text": item}
    for name in ("page_content", "text", "content"):
        text = getattr(item, name, None)
        if isinstance(text, str):
            return {"text": text} | _described(getattr(item, "metadata", None))
    return None


def _described(metadata: object) -> dict[str, str]:
    """Title and link of a document, by the keys its metadata commonly has for them."""
    if not isinstance(metadata, Mapping):
        return {}
    found = {
        ours: next((metadata[key] for key in keys if isinstance(metadata.get(key), str)), None)
        for ours, keys in DOCUMENT_KEYS.items()
    }
    return {key: value for key, value in found.items() if value}
