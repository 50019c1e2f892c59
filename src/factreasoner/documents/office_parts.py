"""The parts of an office document's archive, and their XML."""

from __future__ import annotations

import posixpath
import zipfile
from functools import cached_property
from typing import Any
from urllib.parse import unquote

from lxml import etree

OFF = ("0", "false", "off")


def xml_of(archive: zipfile.ZipFile, name: str) -> Any:
    """A part's root; entities are not resolved, and nothing is fetched."""
    parser = etree.XMLParser(resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True)
    return etree.fromstring(archive.read(name), parser)


def local_name(element: Any) -> str:
    """The name of an element without its namespace."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Any, name: str, other: str = "") -> str:
    """An attribute, whatever its namespace; `other` without it, or without the element."""
    found = () if element is None else element.items()
    return next((str(value) for key, value in found if key.rpartition("}")[2] == name), other)


def child(element: Any, *names: str) -> Any:
    """The element below `element` on the path of these names; None if there is none."""
    return None if element is None else element.find("/".join(f"{{*}}{name}" for name in names))


def is_on(properties: Any, name: str) -> bool:
    """Whether properties, if there are any, turn something on."""
    found = child(properties, name)
    return found is not None and attribute(found, "val", "1") not in OFF


class OfficePart:
    """One part of an archive; the one without a name is the archive itself."""

    def __init__(self, archive: zipfile.ZipFile, name: str = "") -> None:
        self._archive = archive
        self._name = name
        self.root: Any = xml_of(archive, name) if name else None
        begun: list[Any] = []
        for mark in () if self.root is None else self.root.iter("{*}fldChar"):
            kind = attribute(mark, "fldCharType")
            begun += [mark] * (kind == "begin")
            begun[-1:] = begun[-1:] * (kind != "end")
        for mark in begun:  # it has no end: nothing belongs to its instruction
            mark.attrib.clear()

    @cached_property
    def _relations(self) -> dict[str, tuple[str, str]]:
        """The kind and the name of each part that it points to, by id."""
        folder, base = posixpath.split(self._name)
        name = posixpath.join(folder, "_rels", f"{base}.rels")
        found = {}
        for row in xml_of(self._archive, name) if name in self._archive.namelist() else ():
            path = posixpath.join("/", folder, unquote(row.get("Target", "")))
            kind = row.get("Type", "").rpartition("/")[2]
            found[row.get("Id", "")] = kind, posixpath.normpath(path).lstrip("/")
        return found

    def linked(self, relation_id: str) -> OfficePart | None:
        """The part that an id points to."""
        _, target = self._relations.get(relation_id, ("", ""))
        return OfficePart(self._archive, target) if target in self._archive.namelist() else None

    def of_kind(self, kind: str, unread: list[str] | None = None) -> list[OfficePart]:
        """The parts of a kind that it points to; `unread` gets the kind for each that is missing."""
        found = [self.linked(key) for key, (own, _) in self._relations.items() if own == kind]
        if unread is not None:
            unread += [f"a {kind}"] * found.count(None)
        return [part for part in found if part is not None]
