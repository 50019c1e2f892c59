"""The items of a record: atoms, contexts and facts in the forms people use -> the values of its fields."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, get_args

from factreasoner.inputs.columns import nearest_to
from factreasoner.inputs.draft import STANDS_IN, Draft
from factreasoner.inputs.wording import describe
from factreasoner.models import Atom, Context, Gold, new_id

TEXT_KEYS = ("page_content", "content")
"""Where a passage has its text that has no `text`: a document of LangChain, a search result."""
DOCUMENT_KEYS = {"title": ("title", "file_name"), "link": ("source", "url", "link")}
"""Under which names the `metadata` of such a passage commonly has its title and link."""
FACT_LABELS: dict[object, Gold] = {True: "S", False: "NS", "True": "S", "False": "NS", "S": "S", "NS": "NS"}
GOLD_LABELS: tuple[Gold, ...] = get_args(Gold)
LABEL_REMEDY = 'write "S" (supported), "NS" (not supported; or "C", contradicted, or "U", neither) or null'
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
    """An item: its values, where it stands ("atoms", 3), its kind, and the object that may say more of it."""

    values: dict[str, Any]
    shown: str
    number: int
    kind: str
    source: Mapping[str, Any]

    @property
    def field(self) -> str:
        """The field it stands in: atoms[3]."""
        return f"{self.shown}[{self.number}]"


_NO_SOURCE: Mapping[str, Any] = {}


def _is_plain(item: dict[str, Any], name: str) -> bool:
    """Whether an object has an id and a text and nothing that must be made ready: most passages in files."""
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
    """Makes the items of one record ready. `notes` are on keys of theirs that look misspelt."""

    def __init__(self, draft: Draft) -> None:
        self.notes: dict[str, None] = {}
        self._draft = draft
        self._entries: list[_Entry] = []
        self._rest: dict[str, dict[str, Any]] = {}

    def of(self, value: object, name: str) -> list[dict[str, Any]]:
        """The items of the field `name`."""
        shown = self._draft.names.get(name, name)
        if name == "contexts" and isinstance(value, str):
            value = self._one_passage(value, shown)
        found = []
        for index, item in enumerate(self._draft.listed(value, shown, "texts or objects")):
            values, source = self._made(item, f"{shown}[{index}]", name)
            self._entries.append(_Entry(values, shown, index, name, source))
            found.append(values)
        return found

    def _one_passage(self, text: str, field: str) -> list[str]:
        """The contexts where a text stands for them: the only one, unless it is a list written as a text."""
        if text.strip().startswith("[") and text.strip().endswith("]"):
            self._draft.problem(field, "is a list written as a text; write the list itself: [...]")
            return []
        return [text] if text.strip() else []

    def _made(self, item: object, field: str, name: str) -> tuple[dict[str, Any], Mapping[str, Any]]:
        """The values of an item, and the object that may say more of it."""
        if isinstance(item, str) and item.strip():
            return {"id": None, "text": item}, _NO_SOURCE
        if type(item) is dict and _is_plain(item, name):
            return item.copy(), _NO_SOURCE
        kind = KINDS[name]
        if isinstance(item, Atom | Context):
            return item.model_dump(exclude_defaults=True), _NO_SOURCE
        source = as_mapping(item)
        if source is None:
            message = f"is {describe(item)}; it must be a text, or an object with a 'text'"
            self._draft.problem(field, message)
            return {"id": None, "text": STANDS_IN}, _NO_SOURCE
        values = {key: source[key] for key in kind.passed if source.get(key) is not None}
        given = source.get("id")
        values["id"] = given if given is None else self._draft.id(given, f"{field}.id")
        values["text"] = self._text(source, values, field, kind)
        if name == "facts":
            values["gold"] = self._fact_label(source.get("label"), f"{field}.label")
        elif name != "contexts":
            values["gold"] = self._gold(source, field)
        return values, source

    def _text(self, source: Mapping[str, Any], values: dict[str, Any], field: str, kind: Kind) -> object:
        """The text of an item: of a passage also under another key, and of an unread page its snippet."""
        text = source.get("text")
        if text is not None and not (isinstance(text, str) and not text.strip()):
            return text
        if kind.passed is _PASSED:
            document = {key: source.get(key) for key in TEXT_KEYS} | {"snippet": values.get("snippet")}
            for key, text in document.items():
                if isinstance(text, str) and text.strip():
                    if key in TEXT_KEYS:
                        values |= _described(source.get("metadata")) | values
                    return text
        near = nearest_to("text", tuple(sorted(map(str, source.keys() - {"text"}))))
        hint = f"there is a key {near!r}: did you mean 'text'?" if near else "give it, or leave the item out"
        self._draft.problem(f"{field}.text", f"missing or blank; {hint}")
        return STANDS_IN

    def _gold(self, source: Mapping[str, Any], field: str) -> Gold | None:
        labels = {name: source[name] for name in ("label", "gold") if source.get(name) is not None}
        for name, label in labels.items():
            if label not in GOLD_LABELS:
                self._draft.problem(f"{field}.{name}", f"is {label!r}; {LABEL_REMEDY}")
                return None
        if len(labels) == 2 and labels["label"] != labels["gold"]:
            self._draft.problem(f"{field}.label", "'label' and 'gold' differ; keep one")
        return next(iter(labels.values()), None)

    def _fact_label(self, label: object, field: str) -> Gold | None:
        if isinstance(label, str | bool) and label in FACT_LABELS:
            return FACT_LABELS[label]
        if label is not None:
            remedy = "write true (the answer states it), false (it does not) or null"
            self._draft.problem(field, f"is {label!r}; {remedy}")
        return None

    def numbered(self) -> None:
        """Give an id to each item that has none, and note ids that two have."""
        taken = {entry.values["id"] for entry in self._entries} - {None}
        places: dict[str, int] = {}
        for entry in self._entries:
            number = places[entry.kind] = places.get(entry.kind, -1) + 1
            if entry.values["id"] is None:
                entry.values["id"] = new_id(entry.kind[0], number, taken)
                taken.add(entry.values["id"])
        if len(taken) < len(self._entries):
            self._tell_repeated()

    def linked(self, fields: dict[str, Any], metadata: dict[str, Any]) -> None:
        """Number and link the items, and put what else they say where it belongs."""
        self.numbered()
        sources = [entry for entry in self._entries if entry.source]
        if not sources:
            return
        stated = [e for e in sources if (key := KINDS[e.kind].links) and e.source.get(key) is not None]
        if stated:
            self._link(stated)
        if any(entry.source.get("relevant") is not None for entry in sources):
            self._mark(fields)
        for entry in sources:
            if not entry.source.keys() <= KINDS[entry.kind].keys:
                self._keep(entry)
        for name, unknown in self._rest.items():
            if name in metadata:
                message = "is the name under which other unknown keys are kept; rename this one"
                self._draft.problem(name, message)
            metadata[name] = unknown

    def _tell_repeated(self) -> None:
        first: dict[str, str] = {}
        for entry in self._entries:
            item = entry.values["id"]
            if item in first and item != STANDS_IN:
                message = f"{item!r} is the id of {first[item]} too; {_UNIQUE}"
                self._draft.problem(f"{entry.field}.id", message)
            first.setdefault(item, entry.field)

    def _link(self, stated: list[_Entry]) -> None:
        """Give contexts the ids of their atoms, in the order of these, from whichever side names the link."""
        known = [e.values["id"] for e in self._entries if e.kind == "atoms"]
        contexts = {e.values["id"]: e.values for e in self._entries if e.kind == "contexts"}
        links: dict[str, set[str]] = {}
        named = []
        for entry in stated:
            field = f"{entry.field}.{KINDS[entry.kind].links}"
            named.append((field, entry, self._draft.ids(entry.source[KINDS[entry.kind].links], field)))
        if self._draft.problems:  # who names an item that is wrong itself is not to blame
            return
        for field, entry, ids in named:
            for other in ids:
                of_atom = entry.kind == "atoms"
                if other not in (contexts if of_atom else known):
                    what, add = ("context", "contexts") if of_atom else ("atom", "atoms")
                    message = f"names the unknown {what} {other!r}; add it to {add!r} or drop the name"
                    self._draft.problem(field, message)
                    continue
                context, atom = (other, entry.values["id"]) if of_atom else (entry.values["id"], other)
                links.setdefault(context, set()).add(atom)
        for context, atoms in links.items():
            contexts[context]["atom_ids"] = tuple(sorted(atoms, key=known.index))

    def _mark(self, fields: dict[str, Any]) -> None:
        """List the contexts that say of themselves that they are relevant."""
        marked = []
        for entry in self._entries:
            relevant = entry.source.get("relevant") if entry.kind == "contexts" else None
            if relevant is not None and not isinstance(relevant, bool):
                self._draft.problem(f"{entry.field}.relevant", "write true or false")
            elif relevant:
                marked.append(entry.values["id"])
        if "gold_contexts" in fields:
            message = "contexts say themselves whether they are relevant; keep one of both"
            self._draft.problem("gold_contexts", message)
        fields["gold_contexts"] = tuple(marked)

    def _keep(self, entry: _Entry) -> None:
        """Note the unknown keys of an item, by its id."""
        kind, source = KINDS[entry.kind], entry.source
        used = next((k for k in TEXT_KEYS if source.get(k) is entry.values["text"]), "") if kind.links else ""
        unknown = {key: value for key, value in source.items() if key not in kind.keys and key != used}
        spare = tuple(sorted(kind.keys - source.keys()))
        for key in sorted(map(str, unknown)):
            if (meant := nearest_to(key, spare)) and not (used and meant == "text"):
                self.notes[f"{entry.shown}: {key!r} is kept as metadata; did you mean {meant!r}?"] = None
        if unknown:
            self._rest.setdefault(f"{entry.kind[:-1]}_fields", {})[entry.values["id"]] = unknown


def as_mapping(item: object) -> Mapping[str, Any] | None:
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
    """Title and link of a document, by the names its metadata commonly has for them."""
    if not isinstance(metadata, Mapping):
        return {}
    found = {
        ours: next((metadata[key] for key in keys if isinstance(metadata.get(key), str)), None)
        for ours, keys in DOCUMENT_KEYS.items()
    }
    return {key: value for key, value in found.items() if value}
