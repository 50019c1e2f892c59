"""Input problems with their fixes, and checks of single values."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, BeforeValidator, TypeAdapter, ValidationError, model_validator

from factreasoner.errors import InputError, InputProblem
from factreasoner.models.formatting import describe, reworded
from factreasoner.models.rows import grouped

T = TypeVar("T")
SAME_PROBLEM = 3
"""Number of places from which a shared problem is reported once."""
PLACES_SHOWN = 20
"""Maximum number of further places named in such a report."""
_BEFORE = re.compile(r"^(?:.*?[:,] )?record |^.*:")
"""The text before a line number or record id."""
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")


def _id(value: object) -> object:
    if isinstance(value, str) and value.strip():
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    found = "missing" if value is None else "blank" if isinstance(value, str) else f"is {describe(value)}"
    raise ValueError(f"{found}; an id is a string or an integer")


Id = Annotated[str, BeforeValidator(_id)]
"""A string that is not blank; integers are converted."""
STANDS_IN = "?"
"""Replaces a missing text or id while the rest of its record is checked."""
A_LIST = "is {found}; it must be a list of %s: [...]"
_A_TURN = "a turn is an object {{role, content}}"


class _ConversationTurn(BaseModel):
    """A turn of a conversation."""

    role: str | None = None
    content: str | None

    @model_validator(mode="before")
    @classmethod
    def _called(cls, turn: Any) -> Any:  # noqa: ANN401 - whatever the input has
        called = isinstance(turn, Mapping) and "tool_calls" in turn
        return {"content": None} | dict(turn) if called else turn


_ID, _IDS, _TURNS = TypeAdapter(Id), TypeAdapter(list[Id]), TypeAdapter(list[_ConversationTurn])


@dataclass
class RecordCheck:
    """Checks the values of one record and collects all problems.

    `where` is the place in the input ("file.jsonl:12"); `names` are the input's names for the fields.
    """

    where: str
    names: Mapping[str, str]
    problems: list[InputProblem] = field(default_factory=list)

    def problem(self, field: str, message: str) -> None:
        """Add a problem of `field`."""
        self.problems.append(InputProblem(self.where, field, message))

    def finish(self) -> None:
        """Raise InputError with all problems, if any."""
        if self.problems:
            raise InputError(self.problems)

    def take(self, kind: TypeAdapter[T], value: object, *above: str, **words: str) -> T | None:
        """The value under the keys `above` as a `kind`; None, with a problem, if it is wrong.

        `words` replace the usual message, by pydantic's error type.
        """
        try:
            return kind.validate_python(value)
        except ValidationError as error:
            self.problems += reworded(error, self.where, self.names, *above, **words)
            return None

    def id(self, value: object, field: str, default: str) -> str:
        """An id: a string that is not blank, or an integer converted to one; `default` for null."""
        if isinstance(value, str) and value.strip():  # as in most records, and sooner than by pydantic
            return value
        return self.take(_ID, default if value is None else value, field) or default

    def ids(self, value: object, field: str) -> tuple[str, ...]:
        """Different ids, in order."""
        return tuple(dict.fromkeys(self.take(_IDS, value, field, list_type=A_LIST % "ids") or ()))

    def conversation(self, value: object, field: str) -> str:
        """A list of turns {role, content} as one text, a turn a line."""
        words = {"missing": f"missing; {_A_TURN}", "model_type": f"is {{found}}; {_A_TURN}"}
        turns = self.take(_TURNS, value, field, **words) or ()
        return "\n".join(f"{turn.role or 'user'}: {turn.content or ''}" for turn in turns)


DEEPEST = 190
"""Maximum nesting of lists and objects in a record."""


def unwritable(value: object, depth: int = 0) -> str | None:
    """What prevents writing a value to any file, and the fix; None if nothing."""
    if isinstance(value, Mapping):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple):
        if depth == DEEPEST:
            return f"is nested more than {DEEPEST} levels deep; remove it"
        return next(filter(None, (unwritable(part, depth + 1) for part in value)), None)
    if isinstance(value, str) and (half := _HALF_CHARACTER.search(value)):
        code = f"U+{ord(half[0]):04X}, a lone surrogate"
        return f"has half a character ({code}) at {half.start()}; remove it"
    if isinstance(value, float) and math.isinf(value):
        return "holds a number that is too large; write it as a string"
    return None


def merged(problems: Sequence[InputProblem]) -> list[InputProblem]:
    """The problems in order; one shared by three places or more is reported once, with its places."""
    places = grouped(problems, itemgetter(slice(1, None)))
    found: list[InputProblem] = []
    for problem in problems:
        shared = places[problem[1:]]
        if len(shared) >= SAME_PROBLEM:
            found.append(problem._replace(where=_together([one.where for one in shared])))
            shared.clear()
        elif shared:
            found.append(problem)
    return found


def _together(places: Sequence[str]) -> str:
    """Places of one input as text: "file.jsonl:1 and 3 more (4, 7, 9)"."""
    first, *others = places
    shown = [_BEFORE.sub("", place, count=1) for place in others[:PLACES_SHOWN]]
    more = ", …" * (len(others) > PLACES_SHOWN)
    return f"{first} and {len(others):,} more ({', '.join(shown)}{more})"


def by_place(problems: Sequence[InputProblem]) -> list[InputProblem]:
    """The problems, with those of one place joined."""
    return [
        InputProblem(where, "", "; ".join(str(problem._replace(where="")) for problem in here))
        for where, here in itertools.groupby(problems, key=lambda problem: problem.where)
    ]
