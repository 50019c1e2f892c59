"""Excerpts of a long passage: the windows that share most words with a call's claims."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from factreasoner.calls.usage import estimate_tokens
from factreasoner.judges.encoder.bundled.windows import choose_windows, content_words
from factreasoner.models import Claim
from factreasoner.text.sentences import Span, joined_spans

TOKENS_A_CLAIM = 250
"""Maximum excerpt tokens per claim of a call. Twice as many are shown whole."""
LEAST_OF_BEST = 0.5
"""Minimum share of claim words of a window, as a fraction of the best window's share."""
GAP = " … "


class Excerpt(NamedTuple):
    """A part of a passage, and its claims."""

    text: str
    claims: tuple[Claim, ...]


def excerpts(text: str, claims: Sequence[Claim], *, claims_per_call: int) -> list[Excerpt]:
    """The excerpts for calls about a passage: all of it if short, else windows that claims share.

    A claim that shares too few words with every window gets the whole passage.
    """
    most = TOKENS_A_CLAIM * min(claims_per_call, len(claims))
    if estimate_tokens(text) <= 2 * most:
        return [Excerpt(text, tuple(claims))]
    groups: list[tuple[frozenset[Span], list[Claim]]] = []
    for claim in claims:
        own = _related(text, claim)
        for place, (windows, others) in enumerate(groups):
            if bool(windows) == bool(own) and _tokens(text, windows | own) <= max(
                most, _tokens(text, windows)
            ):
                groups[place] = (windows | own, [*others, claim])
                break
        else:
            groups.append((own, [claim]))
    return [Excerpt(_join_windows(text, windows) if windows else text, tuple(own)) for windows, own in groups]


def _related(text: str, claim: Claim) -> frozenset[Span]:
    """The windows about a claim; none if too few of its words occur, or it has no content words."""
    found = choose_windows(text, claim.text) if content_words(claim.text) else ()
    return frozenset(window.span for window in found if window.share >= LEAST_OF_BEST * found[0].share)


def _tokens(text: str, windows: Collection[Span]) -> int:
    return estimate_tokens(_join_windows(text, windows))


def _join_windows(text: str, windows: Collection[Span]) -> str:
    """The windows in order, with the text between them omitted."""
    spans = joined_spans(windows, lambda end, start: start == end + 1)
    return GAP.join(text[start:end] for start, end in spans)
