"""Passages in calls: several in one call, a long one in pieces."""

from __future__ import annotations

from collections.abc import Iterable

from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Context, Part
from factreasoner.text.passages import split_passages

WORDS_OF_TOKENS = 0.6
"""Words in a token, with a margin: English text has 0.75."""


def in_calls(contexts: Iterable[Context], tokens: int) -> list[list[Part]]:
    """The contexts in their order, in as few calls as possible of at most `tokens` tokens each.

    A longer context is cut into pieces, each with its id.
    """
    calls: list[list[Part]] = []
    left = 0
    for context in contexts:
        for part in pieces(context, tokens):
            size = estimate_tokens(part.text)
            if not calls or size > left:
                calls.append([])
                left = tokens
            calls[-1].append(part)
            left -= size
    return calls


def pieces(context: Context, tokens: int) -> list[Part]:
    """The context with its title, or pieces of it of about `tokens` tokens that overlap by some sentences."""
    titled = not context.title or context.text.startswith(context.title)
    title = "" if titled else f"{context.title}\n"
    if estimate_tokens(context.text) <= tokens:
        return [Part(context.id, title + context.text)]
    cut = split_passages(context.text, words=max(1, int(WORDS_OF_TOKENS * tokens)))
    return [Part(context.id, title + piece.text) for piece in cut]
