"""Pairs that need no judging: a passage that was not retrieved for an atom and shares no word with it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from factreasoner.graph.pairs import Work
from factreasoner.models import Atom, Context, Pruned, Verdict
from factreasoner.text.language import language_of, stem
from factreasoner.text.lexicon import FUNCTION_WORDS

Pair = tuple[str, str]
_TOKEN = re.compile(r"\d+|[^\W\d_]+")
_UNSPACED = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
"""Letters of scripts that do not part their words."""


class Prefiltered(NamedTuple):
    """What is left to judge, the pairs that were pruned, and those of them that are judged all the same."""

    work: tuple[Work, ...]
    pruned: frozenset[Pair]
    audited: frozenset[Pair]

    def report(self, verdicts: Sequence[Verdict]) -> Pruned:
        """How many pairs were pruned, how many were judged all the same, how many of these not neutral."""
        found = [v for v in verdicts if (v.context_id, v.target_id) in self.audited]
        missed = sum(verdict.label != "neutral" for verdict in found)
        return Pruned(pairs=len(self.pruned), audited=len(found), missed=missed)


def prefiltered(
    work: Sequence[Work],
    atoms: Sequence[Atom],
    contexts: Sequence[Context],
    audited: Callable[[Pair], bool],
) -> Prefiltered:
    """Prune the pairs that share no stem of a word or number, but for those that `audited` picks.

    A context keeps the atoms it was retrieved for. Two texts in different languages, or in a script that does
    not part words, are never pruned: there, no shared word says nothing.
    """
    text = {atom.id: atom.text for atom in atoms} | {context.id: context.text for context in contexts}
    own = {context.id: frozenset(context.atom_ids) for context in contexts}
    pruned = {
        (item.context_id, target)
        for item in work
        for target in (*item.atom_ids, *item.context_ids)
        if target not in own[item.context_id] and not _related(text[item.context_id], text[target])
    }
    chosen = frozenset(pair for pair in pruned if audited(pair))
    cut = pruned - chosen
    left = tuple(item for item in (_without(item, cut) for item in work) if item.atom_ids or item.context_ids)
    return Prefiltered(left, frozenset(pruned), chosen)


def draw(seed: int, record_id: str, pair: Pair) -> float:
    """A number in [0, 1) that depends on the pair alone: an interrupted run draws the same again."""
    key = "\x1f".join((str(seed), record_id, *pair))
    return int.from_bytes(hashlib.sha256(key.encode()).digest()[:8]) / 2**64


def _without(item: Work, cut: set[Pair]) -> Work:
    def left(targets: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(target for target in targets if (item.context_id, target) not in cut)

    return Work(item.context_id, left(item.atom_ids), left(item.context_ids))


def _related(one: str, other: str) -> bool:
    """Whether two texts share a stem, or can't be compared by their words."""
    first, second = _words(one), _words(other)
    if first is None or second is None or first.language != second.language:
        return True
    return not first.stems.isdisjoint(second.stems)


class _Words(NamedTuple):
    language: str
    stems: frozenset[str]


@lru_cache(maxsize=20_000)
def _words(text: str) -> _Words | None:
    """The stems of a text's content words and its numbers; None where words are not parted."""
    if _UNSPACED.search(text):
        return None
    language = language_of((text,))
    common: Mapping[str, frozenset[str]] = FUNCTION_WORDS
    words = {token.casefold() for token in _TOKEN.findall(text)} - common[language]
    return _Words(language, frozenset(stem(word, language) for word in words))
