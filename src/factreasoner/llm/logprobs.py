"""Log-probabilities as OpenAI-compatible servers report them, read for the values of a JSON object."""

from __future__ import annotations

import bisect
import itertools
import re
from typing import Any

from factreasoner.llm.messages import TokenLogprob, sound_logprob
from factreasoner.llm.reading import Piece, joined

VALUE = re.compile(rb'(?="(\s*:\s*"?))')
"""What stands before a value of a JSON object: only the alternatives of the token behind it are read."""


def field_of(owner: object, name: str) -> Any:  # noqa: ANN401 - JSON, or an object of a library
    """A field of a JSON object, or of an object that stands for one; None where there is none."""
    return owner.get(name) if isinstance(owner, dict) else getattr(owner, name, None)


def tokens_of(logprobs: object) -> tuple[TokenLogprob, ...] | None:
    """The tokens of a choice's `logprobs`, None where they are none or none of them is sound."""
    entries = field_of(logprobs, "content")
    if not isinstance(entries, list | tuple) or not entries:
        return None
    try:
        raws = [
            bytes(field_of(entry, "bytes") or str(field_of(entry, "token")).encode()) for entry in entries
        ]
        ends = list(itertools.accumulate(map(len, raws)))
        deciding = {bisect.bisect_right(ends, value.end(1)) for value in VALUE.finditer(b"".join(raws))}
        tokens = joined(
            Piece(raw, sound_logprob(field_of(entry, "logprob")), _top(entry) if number in deciding else ())
            for number, (raw, entry) in enumerate(zip(raws, entries, strict=True))
        )
    except (TypeError, ValueError):  # bytes or alternatives that are none
        return None
    return tokens if any(token.logprob is not None for token in tokens) else None


def _top(entry: object) -> tuple[tuple[str, float], ...] | None:
    """The alternatives of one token; None where any of them is unsound."""
    top = [
        (str(field_of(other, "token")), sound_logprob(field_of(other, "logprob")))
        for other in field_of(entry, "top_logprobs") or ()
    ]
    sound = tuple((token, logprob) for token, logprob in top if logprob is not None)
    return sound if len(sound) == len(top) else None
