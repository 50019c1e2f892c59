"""What holds of a claim, told by verdicts of which some may be missing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Event(NamedTuple):
    """Something that holds of a claim or does not, with its probability.

    `holds` is None where failed verdicts leave it undecided; `p` is None where they leave that open.
    """

    holds: bool | None
    p: float | None

    def __invert__(self) -> Event:
        return Event(None if self.holds is None else not self.holds, None if self.p is None else 1 - self.p)

    def __and__(self, other: Event) -> Event:
        """That both hold, taken as independent; one that does not hold decides it."""
        sides = (self.holds, other.holds)
        p = None if self.p is None or other.p is None else self.p * other.p
        return Event(False if False in sides else None if None in sides else True, p)

    def without(self, part: Event) -> Event:
        """That this event holds and `part` does not, where `part` implies this one."""
        p = None if self.p is None or part.p is None else max(self.p - part.p, 0.0)
        return Event((self & ~part).holds, p)


NEVER = Event(False, 0.0)
UNDECIDED = Event(None, None)


def any_of(events: Iterable[Event]) -> Event:
    """That at least one of them holds; its probability is that of the most probable one.

    One that holds decides, whatever is missing; where none does, one that is undecided leaves it so.
    """
    found = list(events)
    if not found:
        return NEVER
    sides = [event.holds for event in found]
    holds = True if True in sides else None if None in sides else False
    known = [event.p for event in found if event.p is not None]
    complete = holds or len(known) == len(found)
    return Event(holds, max(known) if known and complete else None)


class Share(NamedTuple):
    """A share of things of which an event holds.

    `value` and `p` are the share and the mean probability, None where nothing is decided; `decided` counts
    the things it is of, `undecided` those that failed verdicts left out.
    """

    value: float | None
    p: float | None
    decided: int
    undecided: int

    @property
    def bounds(self) -> tuple[float, float] | None:
        """What the share can be, whatever the undecided ones are; None where there are none."""
        if not self.undecided:
            return None
        known, everything = (self.value or 0.0) * self.decided, self.decided + self.undecided
        return known / everything, (known + self.undecided) / everything


def share(events: Sequence[Event]) -> Share:
    """The share of `events` that hold."""
    decided = [event.holds for event in events if event.holds is not None]
    known = [event.p for event in events if event.p is not None]
    return Share(
        value=sum(decided) / len(decided) if decided else None,
        p=math.fsum(known) / len(known) if known else None,
        decided=len(decided),
        undecided=len(events) - len(decided),
    )
