"""Scores in batches to a backend: nothing is lost in silence, and what was not taken is told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from itertools import islice
from typing import NamedTuple, Protocol

from factreasoner.analysis.publish.scores import Score
from factreasoner.errors import PublishError

AT_ONCE = 512


class Taken(NamedTuple):
    """What a backend said of a batch: how many scores it took, and why it refused others."""

    number: int
    refused: tuple[str, ...] = ()


class Backend(Protocol):
    """Where scores go. `url` is told where it fails."""

    url: str

    def lacks(self, score: Score) -> str | None:
        """Why a score can't be sent here, in words that follow those of a record."""
        ...

    def send(self, scores: Sequence[Score]) -> Taken:
        """Send a batch. Raises PublishError where the backend is down, or takes nothing of it."""
        ...

    def close(self) -> None:
        """Nothing more is sent."""
        ...


class Sent(NamedTuple):
    """What became of the scores: how many were taken, how many could not be sent and why, refusals."""

    number: int
    lacking: Counter[str]
    refused: tuple[str, ...]


def publish(scores: Iterable[Score], backend: Backend, *, skip: int = 0) -> Sent:
    """Send all scores but the first `skip`, batch by batch; then close the backend.

    Raises:
        PublishError: the backend is down. It is named, and how many scores it was sent before.
    """
    rest, passed = iter(islice(scores, skip, None)), skip
    number, lacking, refused = 0, Counter[str](), list[str]()
    with closing(backend):
        while batch := list(islice(rest, AT_ONCE)):
            reasons = [_why_not(score, backend) for score in batch]
            ready = [score for score, reason in zip(batch, reasons, strict=True) if reason is None]
            lacking.update(filter(None, reasons))
            try:
                taken = backend.send(ready) if ready else Taken(0)
            except PublishError as error:
                if passed:
                    error.add_note(
                        f"{passed:,} scores were dealt with before: --skip {passed} goes on from there."
                    )
                raise
            number += taken.number
            refused += taken.refused
            passed += len(batch)
    return Sent(number, lacking, tuple(refused))


def _why_not(score: Score, backend: Backend) -> str | None:
    wrong = score.place.wrong
    return f"record {score.record}: {wrong}" if wrong else backend.lacks(score)
