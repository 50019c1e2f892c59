"""The values of a great many records, held on disk, and read again a column at a time."""

from __future__ import annotations

import tempfile
import weakref
from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import IO

import numpy as np
from numpy.typing import NDArray

from factreasoner.errors import RunError

ROWS_AT_ONCE = 4096
"""Rows that are held in memory: as many more go to disk together, and fewer never do."""
_BYTES = array("d").itemsize


class Columns:
    """Rows with a number in each of the columns named; earlier rows are in an unnamed temporary file.

    There they stand in blocks of `ROWS_AT_ONCE` rows, one column behind the other. Memory does not grow.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._held = {name: array("d") for name in names}
        self._file: IO[bytes] | None = None
        self._rows = 0

    def add(self, row: Iterable[tuple[str, float | None]]) -> None:
        """Add a row, which has a value for every column; None is kept as NaN.

        Raises:
            RunError: the temporary file can't be written.
        """
        for name, value in row:
            self._held[name].append(float("nan") if value is None else value)
        self._rows += 1
        if self._rows % ROWS_AT_ONCE == 0:
            self._put_away()

    def so_far(self) -> Mapping[str, NDArray[np.float64]]:
        """The columns of the rows that there are now, by name, each read when it is asked for."""
        return _Rows(self, list(self._held), self._rows)

    def read(self, name: str, rows: int) -> NDArray[np.float64]:
        """The first so many values of a column."""
        found = np.empty(self._rows)
        place, block = list(self._held).index(name), ROWS_AT_ONCE * _BYTES
        for number in range(self._rows // ROWS_AT_ONCE):
            assert self._file is not None, "a whole block is in it"
            self._file.seek((number * len(self._held) + place) * block)
            found[number * ROWS_AT_ONCE :][:ROWS_AT_ONCE] = np.frombuffer(self._file.read(block))
        found[self._rows - len(self._held[name]) :] = self._held[name]
        return found[:rows]

    def _put_away(self) -> None:
        try:
            if self._file is None:
                self._file = _unnamed_file()
                weakref.finalize(self, self._file.close)
            self._file.seek(0, 2)
            self._file.writelines(self._held.values())
            self._file.flush()
        except OSError as error:
            raise RunError(
                f"{tempfile.gettempdir()}: can't be written: {error.strerror}; TMPDIR names another folder "
                "for temporary files"
            ) from error
        for column in self._held.values():
            del column[:]


def _unnamed_file() -> IO[bytes]:
    return tempfile.TemporaryFile()


class _Rows(Mapping[str, NDArray[np.float64]]):
    """The first rows of columns."""

    def __init__(self, columns: Columns, names: list[str], rows: int) -> None:
        self._columns = columns
        self._names = names
        self._rows = rows

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self._names:
            raise KeyError(name)
        return self._columns.read(name, self._rows)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
