"""Log-probabilities as OpenAI-compatible servers report them, and what they say of a value."""

from __future__ import annotations

import bisect
import itertools
import math
import sys
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from factreasoner.models.messages import Chances

_LEAST = -sys.float_info.max
"""JSON can spell whole numbers beyond it, which no float can hold."""
_ROUNDING = 1e-3
"""How far above 0 rounding may put a log-probability."""


class Token(NamedTuple):
    """One generated token: its bytes, its natural log-probability and the alternatives at its place.

    `logprob` is None where it, or that of an alternative, is no log-probability.
    """

    raw: bytes
    logprob: float | None
    top: tuple[tuple[str, float], ...] = ()


class Tokens:
    """The tokens of a reply, which joined spell `raw`."""

    def __init__(self, tokens: Iterable[Token]) -> None:
        self.tokens = tuple(tokens)
        self.raw = b"".join(token.raw for token in self.tokens)
        self._ends = list(itertools.accumulate(len(token.raw) for token in self.tokens))

    def chances(self, place: int, value: str, allowed: Sequence[str]) -> Chances | None:
        """How probable each allowed value was, of which `value` begins at byte `place`; None if unknown.

        The allowed values differ in their first word, so the token with its beginning decides.
        """
        number = bisect.bisect_right(self._ends, place)
        if number == len(self.tokens):
            return None
        token = self.tokens[number]
        before = token.raw[: place - self._ends[number] + len(token.raw)].decode("utf-8", "replace")
        return _chances(token, before, value, allowed)


def _chances(token: Token, before: str, value: str, allowed: Sequence[str]) -> Chances | None:
    """Shares of the allowed values at one token, of which `before` stands in front of the value.

    A value that is not among the alternatives is at most as probable as the least of these, and as what they
    leave of 1, and is taken to be that.
    """
    if token.logprob is None:
        return None
    seen = dict(((token.raw.decode("utf-8", "replace"), token.logprob), *token.top))
    mass = dict.fromkeys(allowed, 0.0)
    for text, logprob in seen.items():
        if text.startswith(before) and (named := named_by(text[len(before) :], allowed)):
            mass[named] += math.exp(logprob)
    if mass[value] == 0.0:
        return None
    if len(token.top) <= 1:
        p = min(1.0, mass[value])
        rest = (1.0 - p) / max(len(allowed) - 1, 1)
        return Chances(probabilities={name: p if name == value else rest for name in allowed})
    shares = [math.exp(logprob) for logprob in seen.values()]
    unseen = min(*shares, max(0.0, 1.0 - sum(shares)))
    whole = {name: known or unseen for name, known in mass.items()}
    total = sum(whole.values())
    return Chances(
        probabilities={name: share / total for name, share in whole.items()},
        mass=min(1.0, sum(mass.values())),
    )


def named_by(text: str, allowed: Sequence[str]) -> str | None:
    """The one allowed value that `text` begins, or that begins `text`; None where it is not one."""
    said = text.strip().casefold()
    if not said or (said == "no" and not any(value.casefold() == "no" for value in allowed)):
        return None  # a word of its own, and not the beginning of "not"
    fits = [v for v in allowed if v.casefold().startswith(said) or said.startswith(v.casefold())]
    return fits[0] if len(fits) == 1 else None


def field_of(owner: object, name: str) -> Any:  # noqa: ANN401 - JSON, or an object of a library
    """A field of a JSON object, or of an object that stands for one; None where there is none."""
    return owner.get(name) if isinstance(owner, dict) else getattr(owner, name, None)


def tokens_of(logprobs: object) -> Tokens | None:
    """The tokens of a choice's `logprobs`, None where they are none or none of them is sound."""
    entries = field_of(logprobs, "content")
    if not isinstance(entries, list | tuple) or not entries:
        return None
    try:
        tokens = Tokens(_token(entry) for entry in entries)
    except (TypeError, ValueError):  # bytes or alternatives that are none
        return None
    return tokens if any(token.logprob is not None for token in tokens.tokens) else None


def _token(entry: object) -> Token:
    raw = bytes(field_of(entry, "bytes") or str(field_of(entry, "token")).encode("utf-8", "replace"))
    told = [(str(field_of(o, "token")), _sound(field_of(o, "logprob"))) for o in _listed(entry)]
    top = tuple((token, logprob) for token, logprob in told if logprob is not None)
    logprob = _sound(field_of(entry, "logprob"))
    return Token(raw, logprob if len(top) == len(told) else None, top)


def _listed(entry: object) -> Sequence[object]:
    return field_of(entry, "top_logprobs") or ()


def _sound(value: object) -> float | None:
    """`value` as a natural log-probability, at most 0; None where it is none."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not _LEAST <= value <= _ROUNDING:
        return None
    return min(float(value), 0.0)
