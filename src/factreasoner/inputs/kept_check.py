"""What the check of an input file found, kept in a file so that a resumed run need not check it all again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from factreasoner import __version__
from factreasoner.compact import Digests, Ids, Numbers

_WHOLE = "end"
"""The last line: what has it was not cut short."""


class Found:
    """Where the records of a checked file are: in their order the line's number and offset, and a digest.

    `digests` are those of the records' content, empty where none were asked for. Each record takes 16 to 20
    bytes beside `Ids`.
    """

    def __init__(self) -> None:
        self.ids = Ids()
        self.offsets = Numbers()
        self.digests = Digests()
        self.notes: list[str] = []
        self._numbers = Numbers()

    def add(self, record_id: str, number: int, offset: int, digest: str | None) -> None:
        """Count a record; its id must be a new one."""
        place = self.ids.add(record_id)
        self._numbers.append(number)
        self.offsets.append(offset)
        if digest is not None:
            self.digests[place] = digest

    def number(self, record_id: str) -> int | None:
        """The number of the line with that id, None where there is none."""
        place = self.ids.place(record_id)
        return None if place is None else self._numbers[place]

    def places(self) -> Iterator[tuple[str, int, int, str | None]]:
        """Id, number, offset and digest of every record, in order."""
        for place, record_id in enumerate(self.ids):
            digest = self.digests[place] if len(self.digests) else None
            yield record_id, self._numbers[place], self.offsets[place], digest


class KeptCheck(NamedTuple):
    """A check that is kept in the file `path`, of a data file under settings that decide what it finds."""

    path: Path
    settings: Mapping[str, Any]

    def read(self, data: Path) -> Found | None:
        """What was found in `data`; None where that was not kept, or the file or the settings changed."""
        found = Found()
        try:
            with self.path.open(encoding="utf-8") as lines:
                head = json.loads(next(lines, "null"))
                if head["key"] != self._key(data):
                    return None
                found.notes = head["notes"]
                for line in lines:
                    if line.rstrip() == _WHOLE:
                        return found
                    number, offset, digest, record_id = line.split(" ", 3)
                    found.add(json.loads(record_id), int(number), int(offset), digest)
        except (OSError, ValueError, KeyError, TypeError):
            return None  # the data file tells it all
        return None

    def lines(self, data: Path, found: Found) -> Iterator[str]:
        """The lines of the file that `read` reads.

        Raises:
            OSError: `data` can't be read.
        """
        yield json.dumps({"key": self._key(data), "notes": found.notes})
        for record_id, number, offset, digest in found.places():
            yield f"{number} {offset} {digest} {json.dumps(record_id)}"
        yield _WHOLE

    def _key(self, data: Path) -> str:
        """A digest of the data file and of all that decides what a check finds in it."""
        with data.open("rb") as file:
            content = hashlib.file_digest(file, "sha256")
        content.update(json.dumps([__version__, dict(self.settings)], sort_keys=True, default=str).encode())
        return content.hexdigest()
