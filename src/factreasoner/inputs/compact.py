"""Ids and digests of a great many records, in a fraction of the memory of Python's own strings and dicts."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

_DIGEST = re.compile("[0-9a-f]{16}")
_LEAST_SLOTS = 8


class Ids(Sequence[str]):
    """Different ids in the order in which they were added: their text, and some 20 bytes for each.

    A table of slots finds the place of an id: the slot of its hash, or one of those behind it, holds its
    place and 1, and an empty one holds 0. At most half of them are taken.
    """

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._text = bytearray()
        self._ends = array("Q", [0])
        self._slots = array("L", bytes(_LEAST_SLOTS * array("L").itemsize))
        for record_id in ids:
            self.add(record_id)

    def add(self, record_id: str) -> int:
        """The place of an id, which is put last where it is new."""
        text = _encoded(record_id)
        slot = self._slot(text)
        if self._slots[slot]:
            return self._slots[slot] - 1
        self._text += text
        self._ends.append(len(self._text))
        self._slots[slot] = len(self)
        if 2 * len(self) > len(self._slots):
            self._widen()
        return len(self) - 1

    def place(self, record_id: str) -> int | None:
        """The place of an id, None where it was not added."""
        return self._slots[self._slot(_encoded(record_id))] - 1 if record_id in self else None

    def __contains__(self, record_id: object) -> bool:
        return isinstance(record_id, str) and self._slots[self._slot(_encoded(record_id))] > 0

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        found = range(len(self))[place]
        return self._id(found) if isinstance(found, int) else [self._id(at) for at in found]

    def __iter__(self) -> Iterator[str]:
        return map(self._id, range(len(self)))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def _id(self, place: int) -> str:
        return self._encoded_id(place).decode("utf-8", "surrogatepass")

    def _encoded_id(self, place: int) -> bytes:
        return bytes(self._text[self._ends[place] : self._ends[place + 1]])

    def _slot(self, text: bytes) -> int:
        """The slot that holds the place of that id, or the empty one where it goes."""
        slot = hash(text) % len(self._slots)
        while (taken := self._slots[slot]) and self._encoded_id(taken - 1) != text:
            slot = (slot + 1) % len(self._slots)
        return slot

    def _widen(self) -> None:
        self._slots = array("L", bytes(2 * len(self._slots) * self._slots.itemsize))
        for place in range(len(self)):
            self._slots[self._slot(self._encoded_id(place))] = place + 1


class Digests:
    """Digests by place: 8 bytes each where they are of 16 hexadecimal digits, as those of records are."""

    def __init__(self) -> None:
        self._usual = array("Q")
        self._others: dict[int, str] = {}

    def __getitem__(self, place: int) -> str:
        return self._others.get(place, f"{self._usual[place]:016x}")

    def __setitem__(self, place: int, digest: str) -> None:
        """Raises TypeError where it is no text, IndexError beyond the next place."""
        usual = _DIGEST.fullmatch(digest)
        number = int(digest, 16) if usual else 0
        if place == len(self._usual):
            self._usual.append(number)
        else:
            self._usual[place] = number
        self._others.pop(place, None)
        if not usual:
            self._others[place] = digest

    def __len__(self) -> int:
        return len(self._usual)


def _encoded(record_id: str) -> bytes:
    return record_id.encode("utf-8", "surrogatepass")
