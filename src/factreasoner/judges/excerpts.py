"""Excerpts of long passages: the windows that share most words with the claims of a call."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

from factreasoner.calls.usage import estimate_tokens
from factreasoner.judges.encoder.bundled.windows import MOST, chosen
from factreasoner.models import Claim, Part
from factreasoner.text.sentences import Span

TOKENS_A_CLAIM = 250
"""Tokens of passages that a call shows, times the claims it may hold. Twice as many are shown whole."""
LEAST_OF_BEST = 0.5
"""A window is about a claim if its share of the claim's words is at least this fraction of the best one's."""
GAP = " … "


class Excerpt(NamedTuple):
    """Parts of passages, and the claims that they are about."""

    parts: tuple[Part, ...]
    claims: tuple[Claim, ...]


_Windows = frozenset[tuple[int, Span]]  # each with the number of its passage


def excerpts(parts: Sequence[Part], claims: Sequence[Claim], *, claims_per_call: int) -> list[Excerpt]:
    """What calls show of passages: all of it where it is short, else windows that claims share.

    A claim that shares too few words with every window is shown all.
    """
    most = TOKENS_A_CLAIM * min(claims_per_call, len(claims))
    if sum(estimate_tokens(part.text) for part in parts) <= 2 * most:
        return [Excerpt(tuple(parts), tuple(claims))]
    groups: list[tuple[_Windows, list[Claim]]] = []
    for claim in claims:
        own = _related(parts, claim)
        for place, (windows, others) in enumerate(groups):
            if bool(windows) == bool(own) and _tokens(parts, windows | own) <= max(
                most, _tokens(parts, windows)
            ):
                groups[place] = (windows | own, [*others, claim])
                break
        else:
            groups.append((own, [claim]))
    return [
        Excerpt(tuple(_shown(parts, windows) if windows else parts), tuple(own)) for windows, own in groups
    ]


def _related(parts: Sequence[Part], claim: Claim) -> _Windows:
    """The windows about a claim, at most MOST; none where too few of its words are in any."""
    found = [
        (w.share, number, w.span) for number, part in enumerate(parts) for w in chosen(part.text, claim.text)
    ]
    found.sort(key=lambda one: (-one[0], one[1:]))
    return frozenset(one[1:] for one in found[:MOST] if one[0] >= LEAST_OF_BEST * found[0][0])


def _tokens(parts: Sequence[Part], windows: _Windows) -> int:
    return sum(estimate_tokens(part.text) for part in _shown(parts, windows))


def _shown(parts: Sequence[Part], windows: Collection[tuple[int, Span]]) -> Iterator[Part]:
    """The passages that have windows, each cut to these."""
    for number, part in enumerate(parts):
        spans: list[Span] = []
        for start, end in sorted(span for place, span in windows if place == number):
            if spans and start <= spans[-1].end + 1:
                spans[-1] = Span(spans[-1].start, max(end, spans[-1].end))
            else:
                spans.append(Span(start, end))
        if spans:
            yield part._replace(text=GAP.join(part.text[start:end] for start, end in spans))
