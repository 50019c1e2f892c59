"""Putting passages with claims to a judge: in which calls, which pairs need none, and what became of them."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from factreasoner.assessors.settings import AssessorSettings
from factreasoner.calls.threads import parallel_map
from factreasoner.calls.usage import estimate_tokens
from factreasoner.graph.pairs import ContextPairs
from factreasoner.models import Atom, Claim, Context, Outcome, Part, Premise, Pruned, Verdict
from factreasoner.protocols import Judge, Judged, asks_model
from factreasoner.text.passages import split_passages

CLAIM_TOKENS = 256
"""Tokens of a context that is a claim, in version 3."""
Task = tuple[Premise, list[Claim]]
"""A passage, and the claims that the judge is asked about it."""


def tasks(
    work: Sequence[ContextPairs],
    atoms: Sequence[Atom],
    contexts: Sequence[Context],
    record_id: str,
    config: AssessorSettings,
) -> list[Task]:
    """The judge's tasks: first every context with its atoms, then every context with the other contexts.

    As a claim, a context is its summary, or about CLAIM_TOKENS tokens of its text.
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
    """Makes a premise of the context with an id."""
    by_id = {context.id: context for context in contexts}

    def premise(context_id: str) -> Premise:
        context = by_id[context_id]
        others = tuple(other.text for other in contexts if other.id != context_id)
        return Premise(context.id, context.text, others, context.title, record_id)

    return premise


def judge_all(judge: Judge, asked: Sequence[Task], *, workers: int) -> Judged:
    """Every task's verdicts and failures, in the order of the tasks.

    Tasks of one passage are begun one after the other, so that a server reads its text once.
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
    """How many tasks run at once: threads only speed up a judge that waits for a model."""
    return config.concurrency if asks_model(judge) else 1


def judged_outcome(
    judge: Judge, asked: Sequence[Task], atoms: Sequence[Atom], work: Sequence[ContextPairs], *, workers: int
) -> Outcome:
    """The verdicts and failures of all tasks, and the atoms of which judgements in `work` failed."""
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
    """The beginning of `text`, about `tokens` tokens long at most, cut between words."""
    estimate = estimate_tokens(text)
    if estimate <= tokens:
        return text
    head = text[: max(1, len(text) * tokens // estimate)]
    return head.rsplit(maxsplit=1)[0] if " " in head else head


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


Pair = tuple[str, str]
SURELY_NEUTRAL = 0.95
"""How probable neutral is, by the bundled judge, in a pair that need not be judged."""


class Prefiltered(NamedTuple):
    """What is left to judge, the neutral verdicts on pruned pairs, and those of them that are audited."""

    work: tuple[ContextPairs, ...]
    pruned: tuple[Verdict, ...]
    audited: frozenset[Pair]

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdicts on pairs that are not judged."""
        return tuple(v for v in self.pruned if (v.context_id, v.target_id) not in self.audited)

    def report(self, verdicts: Sequence[Verdict]) -> Pruned:
        """How many pairs were pruned, how many of these were audited, and how many of these not neutral."""
        found = [v for v in verdicts if (v.context_id, v.target_id) in self.audited]
        missed = sum(verdict.label != "neutral" for verdict in found)
        return Pruned(pairs=len(self.pruned), audited=len(found), missed=missed)


def prefiltered(
    work: Sequence[ContextPairs], judged: Sequence[Verdict], audited: Callable[[Pair], bool]
) -> Prefiltered:
    """Prune the pairs that the bundled judge has `judged` surely neutral; `audited` picks those to audit."""
    pruned = tuple(
        v.model_copy(update={"confidence": "bundled"})
        for v in judged
        if v.label == "neutral" and v.probability >= SURELY_NEUTRAL
    )
    pairs = {(v.context_id, v.target_id) for v in pruned}
    chosen = frozenset(filter(audited, pairs))
    left = (_without(item, pairs - chosen) for item in work)
    return Prefiltered(tuple(item for item in left if item.atom_ids or item.context_ids), pruned, chosen)


def draw(seed: int, record_id: str, pair: Pair) -> float:
    """A number in [0, 1) that depends on the arguments alone: an interrupted run draws the same again."""
    key = "\x1f".join((str(seed), record_id, *pair))
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) / 2**64


def _without(item: ContextPairs, cut: set[Pair]) -> ContextPairs:
    def left(targets: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(target for target in targets if (item.context_id, target) not in cut)

    return ContextPairs(item.context_id, left(item.atom_ids), left(item.context_ids))
