"""The values of one record as they are made ready, with what is wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.wording import describe

STANDS_IN = "?"
"""For a text or an id that is missing, while the rest of its record is checked."""


class Draft:
    """Makes values ready and notes what is wrong with them, so that all of it is told at once.

    `where` is the place in the input ("file.jsonl:12"); `names` are what it calls the fields of a Record.
    """

    def __init__(self, where: str, names: Mapping[str, str]) -> None:
        self.where = where
        self.names = names
        self.problems: list[InputProblem] = []

    def problem(self, field: str, message: str) -> None:
        """Note what is wrong with `field`."""
        self.problems.append(InputProblem(self.where, field, message))

    def finish(self) -> None:
        """Raise InputError with all that is wrong, if anything is."""
        if self.problems:
            raise InputError(self.problems)

    def text(self, value: object, field: str) -> str | None:
        """A text, or None for null."""
        if value is None or isinstance(value, str):
            return value
        self.problem(field, f"is {describe(value)}; it must be a text in quotes")
        return None

    def id(self, value: object, field: str, default: str | None = None) -> str:
        """An id: a text that is not blank, or an integer made one; `default` for null."""
        if isinstance(value, str) and value.strip():
            return value
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if value is None and default is not None:
            return default
        found = "missing" if value is None else "blank" if isinstance(value, str) else f"is {describe(value)}"
        self.problem(field, f"{found}; an id is a text or an integer")
        return default or STANDS_IN

    def ids(self, value: object, field: str) -> tuple[str, ...]:
        """Different ids, in order; none for null."""
        items = self.listed(value, field, "ids")
        return tuple(dict.fromkeys(self.id(item, f"{field}[{index}]") for index, item in enumerate(items)))

    def listed(self, value: object, field: str, of: str) -> Sequence[object]:
        """A list; an empty one for null."""
        if isinstance(value, list | tuple):
            return value
        if value is not None:
            self.problem(field, f"is {describe(value)}; it must be a list of {of}: [...]")
        return ()

    def conversation(self, value: Sequence[object], field: str) -> str:
        """A list of turns {role, content} as one text, a turn a line."""
        turns = []
        for index, turn in enumerate(value):
            place = f"{field}[{index}]"
            if not isinstance(turn, Mapping):
                self.problem(place, f"is {describe(turn)}; a turn is an object {{role, content}}")
                continue
            if "content" not in turn and "tool_calls" not in turn:
                self.problem(f"{place}.content", "missing; a turn is an object {role, content}")
            role = self.text(turn.get("role"), f"{place}.role") or "user"
            turns.append(f"{role}: {self.text(turn.get('content'), f'{place}.content') or ''}")
        return "\n".join(turns)
