"""Several contexts in one premise, in as many as it takes where they are too long for one."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Context, Part, Premise, Verdict
from factreasoner.tasks.verdicts import CONTEXTS
from factreasoner.text.passages import split_passages

WORDS_OF_TOKENS = 0.6
"""Words that fit into a token, with room to spare: of English text it is 0.75."""


def premises_together(contexts: Sequence[Context], record_id: str, tokens: int) -> list[Premise]:
    """The contexts in their order, as few premises as show at most `tokens` tokens each.

    One premise is named `contexts`, several `contexts:1`, `contexts:2` and so on. A context that is longer
    stands in pieces, each named by its id.
    """
    groups: list[list[Part]] = []
    left = 0
    for context in contexts:
        for part in pieces(context, tokens):
            size = estimate_tokens(part.text)
            if not groups or size > left:
                groups.append([])
                left = tokens
            groups[-1].append(part)
            left -= size
    names = [CONTEXTS] if len(groups) == 1 else [f"{CONTEXTS}:{n}" for n in range(1, len(groups) + 1)]
    return [
        Premise(name, "\n\n".join(part.text for part in group), record_id=record_id, parts=tuple(group))
        for name, group in zip(names, groups, strict=True)
    ]


def pieces(context: Context, tokens: int) -> list[Part]:
    """The context with its title, or pieces of about `tokens` tokens that overlap by a few sentences."""
    titled = not context.title or context.text.startswith(context.title)
    title = "" if titled else f"{context.title}\n"
    if estimate_tokens(context.text) <= tokens:
        return [Part(context.id, title + context.text)]
    cut = split_passages(context.text, words=max(1, int(WORDS_OF_TOKENS * tokens)))
    return [Part(context.id, title + piece.text) for piece in cut]


def merged(verdicts: Sequence[Verdict], pieces_asked: int) -> Verdict | None:
    """One verdict on a claim from those of the pieces of a text; None where missing ones leave it open.

    A piece that bears the claim out decides, else one that contradicts it; it is neutral where all are, and
    as sure as the least sure of them.
    """
    for label in ("entailment", "contradiction"):
        found = [verdict for verdict in verdicts if verdict.label == label]
        if found and (label == "entailment" or len(verdicts) == pieces_asked):
            return max(found, key=lambda verdict: (verdict.probability, verdict.quote or ""))
    if not verdicts or len(verdicts) < pieces_asked:
        return None
    return min(verdicts, key=lambda verdict: verdict.probability)
