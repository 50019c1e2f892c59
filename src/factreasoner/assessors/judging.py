"""Judge tasks: which passages and claims go into which calls, and their verdicts and failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from factreasoner.assessors.settings import AssessorSettings
from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import estimate_tokens
from factreasoner.graph.pairs import ContextPairs
from factreasoner.models import Atom, Claim, Context, Outcome, Part, Premise
from factreasoner.protocols import Judge, Judged, asks_model
from factreasoner.text.passages import runs_of, split_passages

CLAIM_TOKENS = 256
"""Maximum tokens of a context used as a claim, in version 3."""
Task = tuple[Premise, list[Claim]]


def tasks(
    work: Sequence[ContextPairs], atoms: Sequence[Atom], contexts: Sequence[Context], record_id: str
) -> list[Task]:
    """The judge's tasks: every context with its atoms, then every context with the other contexts.

    As a claim, a context is its summary, or the first CLAIM_TOKENS tokens of its text.
    """
    premise = premises(contexts, record_id)
    text = {atom.id: atom.text for atom in atoms}
    claimed = {context_id for item in work for context_id in item.context_ids}
    text |= {c.id: c.summary or _cut(c.text, CLAIM_TOKENS) for c in contexts if c.id in claimed}

    asked = [(item.context_id, item.atom_ids) for item in work]
    asked += [(item.context_id, item.context_ids) for item in work]
    return [
        (premise(context_id), [Claim(target, text[target]) for target in targets])
        for context_id, targets in asked
        if targets
    ]


def premises(contexts: Sequence[Context], record_id: str) -> Callable[[str], Premise]:
    """Returns a function that makes the premise of a context id."""
    by_id = {context.id: context for context in contexts}

    def premise(context_id: str) -> Premise:
        context = by_id[context_id]
        others = tuple(other.text for other in contexts if other.id != context_id)
        return Premise(context.id, context.text, others, context.title, record_id)

    return premise


def judge_all(judge: Judge, asked: Sequence[Task], *, workers: int) -> Judged:
    """The verdicts and failures of every task, in task order.

    Tasks on one passage start together, so that a server can reuse its text.
    """
    first: dict[str, int] = {}
    order = sorted(range(len(asked)), key=lambda n: first.setdefault(asked[n][0].id, n))
    found = parallel_map(lambda n: judge.judge(*asked[n]), order, workers=workers)
    parts = [part for _, part in sorted(zip(order, found, strict=True), key=lambda pair: pair[0])]
    return Judged(
        tuple(verdict for part in parts for verdict in part.verdicts),
        tuple(failure for part in parts for failure in part.failures),
    )


def judging_threads(judge: object, config: AssessorSettings) -> int:
    """How many tasks run at once: threads speed up only a judge that waits for a model."""
    return config.concurrency if asks_model(judge) else 1


def judged_outcome(
    judge: Judge, asked: Sequence[Task], atoms: Sequence[Atom], work: Sequence[ContextPairs], *, workers: int
) -> Outcome:
    """Verdicts and failures of all tasks, and the atoms with failed verdicts in `work`."""
    judged = judge_all(judge, asked, workers=workers)
    planned = Counter(atom_id for item in work for atom_id in item.atom_ids)
    answered = Counter(verdict.target_id for verdict in judged.verdicts)
    return Outcome(
        p_true={},
        support={},
        unjudged=tuple(a.id for a in atoms if planned[a.id] and not answered[a.id]),
        partly_judged=tuple(a.id for a in atoms if 0 < answered[a.id] < planned[a.id]),
        verdicts=judged.verdicts,
        failures=judged.failures,
    )


def _cut(text: str, tokens: int) -> str:
    """The beginning of `text`, at most about `tokens` tokens, cut between words."""
    estimate = estimate_tokens(text)
    if estimate <= tokens:
        return text
    head = text[: max(1, len(text) * tokens // estimate)]
    return head.rsplit(maxsplit=1)[0] if " " in head else head


WORDS_OF_TOKENS = 0.6
"""Words per token, with a margin: English text has 0.75."""


def in_calls(contexts: Iterable[Context], tokens: int) -> list[list[Part]]:
    """The contexts in order, in the fewest calls of at most `tokens` tokens each.

    A longer context is cut into pieces, each with its id.
    """
    parts = [part for context in contexts for part in pieces(context, tokens)]
    runs = runs_of([estimate_tokens(part.text) for part in parts], tokens)
    return [parts[first:end] for first, end in runs]


def pieces(context: Context, tokens: int) -> list[Part]:
    """The context with its title, or overlapping pieces of it of about `tokens` tokens."""
    titled = not context.title or context.text.startswith(context.title)
    title = "" if titled else f"{context.title}\n"
    if estimate_tokens(context.text) <= tokens:
        return [Part(context.id, title + context.text)]
    cut = split_passages(context.text, words=max(1, int(WORDS_OF_TOKENS * tokens)))
    return [Part(context.id, title + piece.text) for piece in cut]
