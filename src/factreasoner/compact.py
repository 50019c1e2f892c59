"""Numbers, ids and digests of a great many records, in a fraction of the memory of Python's own objects."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import overload

_DIGEST = re.compile("[0-9a-f]{16}")
_LEAST_SLOTS = 8
_SLOT = "I"
_WIDTHS = "BHIQ"


class Numbers(Sequence[int]):
    """Integers from 0 on, each in as few bytes as the largest of them takes: 1, 2, 4 or 8."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self._array = array(_WIDTHS[0])
        for number in numbers:
            self.append(number)

    def append(self, number: int) -> None:
        """Put a number last. Raises OverflowError below 0 and from 2^64 on, TypeError for what is none."""
        try:
            self._array.append(number)
        except OverflowError:
            self._widen(number)
            self._array.append(number)

    def __setitem__(self, place: int, number: int) -> None:
        """Raises as `append` does."""
        try:
            self._array[place] = number
        except OverflowError:
            self._widen(number)
            self._array[place] = number

    def _widen(self, number: int) -> None:
        width = next((w for w in _WIDTHS if 0 <= number < 256 ** array(w).itemsize), None)
        if width is None:
            raise OverflowError(f"{number} is not from 0 to 2^64 - 1")
        self._array = array(width, self._array)

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[int]: ...

    def __getitem__(self, place: int | slice) -> int | Sequence[int]:
        return self._array[place]

    def __iter__(self) -> Iterator[int]:
        return iter(self._array)

    def __len__(self) -> int:
        return len(self._array)


class Texts(Sequence[str]):
    """Texts in the order in which they were added: their UTF-8, and 4 bytes for each."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        self._text = bytearray()
        self._ends = Numbers([0])
        for text in texts:
            self.append(text)

    def append(self, text: str) -> None:
        """Put a text last."""
        self._text += _encoded(text)
        self._ends.append(len(self._text))

    def encoded(self, place: int) -> bytes:
        """The text at a place, as UTF-8."""
        return bytes(self._text[self._ends[place] : self._ends[place + 1]])

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        found = range(len(self))[place]
        return self._decoded(found) if isinstance(found, int) else [self._decoded(at) for at in found]

    def __iter__(self) -> Iterator[str]:
        return map(self._decoded, range(len(self)))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def _decoded(self, place: int) -> str:
        return self.encoded(place).decode("utf-8", "surrogatepass")


class Ids(Sequence[str]):
    """Different ids in the order in which they were added: their text, and some 15 bytes for each.

    A table of slots finds the place of an id: the slot of its hash, or one of those behind it, holds its
    place and 1, and an empty one holds 0. At most half of them are taken.
    """

    def __init__(self, ids: Iterable[str] = ()) -> None:
        self._texts = Texts()
        self._slots = _empty(_LEAST_SLOTS)
        for record_id in ids:
            self.add(record_id)

    def add(self, record_id: str) -> int:
        """The place of an id, which is put last where it is new."""
        text = _encoded(record_id)
        slot = self._slot(text)
        if self._slots[slot]:
            return self._slots[slot] - 1
        self._texts.append(record_id)
        self._slots[slot] = len(self)
        if 2 * len(self) > len(self._slots):
            self._widen()
        return len(self) - 1

    def place(self, record_id: str) -> int | None:
        """The place of an id, None where it was not added."""
        taken = self._slots[self._slot(_encoded(record_id))]
        return taken - 1 if taken else None

    def __contains__(self, record_id: object) -> bool:
        return isinstance(record_id, str) and self.place(record_id) is not None

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> list[str]: ...

    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self._texts[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)

    def _slot(self, text: bytes) -> int:
        """The slot that holds the place of that id, or the empty one where it goes."""
        slot = hash(text) % len(self._slots)
        while (taken := self._slots[slot]) and self._texts.encoded(taken - 1) != text:
            slot = (slot + 1) % len(self._slots)
        return slot

    def _widen(self) -> None:
        self._slots = _empty(2 * len(self._slots))
        for place in range(len(self)):
            self._slots[self._slot(self._texts.encoded(place))] = place + 1


def _empty(slots: int) -> array[int]:
    return array(_SLOT, bytes(slots * array(_SLOT).itemsize))


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
