"""How well tools rank MT-RAG answers with one real model, beside people. Called by `peers.py --api-base`."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from contenders import OURS, Asked, Way, process
from data_folder import data_folder
from relay import Relay
from scipy.stats import spearmanr

SEED, DRAWS, ROUND = 0, 2000, 4
RULES = Way(OURS, ("--reviser", "none", "--premise", "joint", "--atomizer", "rules"))
BUNDLED = Way(OURS, (), asks=False)


class Spent(NamedTuple):
    """Scores in the order of the answers (NaN for none), and calls, tokens and seconds for all of them."""

    scores: list[float]
    calls: int
    tokens: int
    new: int
    seconds: float

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def print_ranking(ways: Sequence[Way], asked: Asked, folder: Path, *, answers: int, minutes: float) -> None:
    """Run the ways in turn on a few answers at a time, and print the table after each round.

    So a load of the machine meets all alike, and whatever ends this early leaves pairs. A way stops when
    the server has computed for it for so many minutes. What the folder keeps of an earlier run is not
    asked again.
    """
    rows, people = _answers(answers)
    print(f"{len(rows)} MT-RAG answers, {asked.model}, at most {minutes:g} minutes a tool", flush=True)
    kept = folder / "scores.json"
    before = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    found = {way: Spent(*before.get(way.title, ([], 0, 0, 0, 0.0))) for way in ways}
    for start in range(0, len(rows), ROUND):
        some = rows[start : start + ROUND]
        for way, taken in found.items():
            if len(taken.scores) == start and taken.seconds < 60 * minutes:
                found[way] = taken.plus(_round(way, some, asked))
                told = before | {way.title: taken for way, taken in found.items()}
                kept.write_text(json.dumps(told), encoding="utf-8")
        print_table(found, people)


def _round(way: Way, rows: Sequence[dict[str, Any]], asked: Asked) -> Spent:
    with Relay(asked.url.removesuffix("/v1")) as relay:
        ended = process(way, rows, "faithfulness", asked._replace(url=relay.url))
        answers = [exchange.answer for exchange in relay.exchanges]
    used = [answer.get("usage") or {} for answer in answers]
    timings = [answer.get("timings") or {} for answer in answers]
    tokens = sum(usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0) for usage in used)
    cached = sum((usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0) for usage in used)
    seconds = sum(t.get("prompt_ms", 0) + t.get("predicted_ms", 0) for t in timings) / 1000
    if ended.code:
        print(f"{way.title}: exit code {ended.code}", flush=True)
    scores = ended.scores.get("faithfulness", [])
    known = [np.nan if score is None else score for score in scores]
    return Spent(known + [np.nan] * (len(rows) - len(known)), len(answers), tokens, tokens - cached, seconds)


def print_table(found: Mapping[Way, Spent], people: Sequence[float]) -> None:
    """A row for each way: answers with a score, Spearman's correlation, calls, tokens and seconds.

    "new" are the tokens that the server did not take from its prefix cache, and "s" the seconds that it
    computed (llama.cpp says so with each reply).
    The difference from the first way is on answers that both scored, with a paired 95 % interval.
    """
    print(
        f"\n{'':24}{'scored':>8}{'rank corr.':>24}{'less 1':>24}{'calls':>7}{'tokens':>10}{'new':>9}{'s':>6}"
    )
    first = next(iter(found.values())).scores
    for way, taken in found.items():
        told = f"{f'{np.isfinite(taken.scores).sum()}/{len(taken.scores)}':>8}"
        told += f"{_correlation(taken.scores, people):>24}{_difference(taken.scores, first, people):>24}"
        print(
            f"{way.title:24}{told}{taken.calls:7d}{taken.tokens:10,d}{taken.new:9,d}{taken.seconds:6.0f}",
            flush=True,
        )


def _answers(number: int) -> tuple[list[dict[str, Any]], list[float]]:
    """Records of answers with contexts, drawn at random, and people's mean score of faithfulness."""
    lines = (data_folder() / "mtrag_human" / "rag.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["contexts"]]
    random.Random(SEED).shuffle(rows)
    found = [
        {
            "id": row["id"] + row["model"],
            "input": row["question"],
            "output": row["answer"],
            "contexts": row["contexts"],
        }
        for row in rows[:number]
    ]
    return found, [row["human_mean"]["faithfulness"] for row in rows[:number]]


def _spearman(scores: np.ndarray, people: np.ndarray) -> float:
    return float(spearmanr(scores, people)[0]) if len(scores) > 2 else float("nan")


def _interval(values: Sequence[np.ndarray], people: np.ndarray) -> tuple[float, float]:
    """95 % bootstrap interval of a correlation, or of the difference of two, over answers."""
    drawn = np.random.default_rng(SEED).integers(len(people), size=(DRAWS, len(people)))
    signs = (1, -1)
    found = [
        sum(s * _spearman(v[at], people[at]) for s, v in zip(signs, values, strict=False)) for at in drawn
    ]
    low, high = np.nanpercentile(found, [2.5, 97.5])
    return float(low), float(high)


def _correlation(scores: Sequence[float], people: Sequence[float]) -> str:
    kept = np.isfinite(scores)
    own, others = np.asarray(scores)[kept], np.asarray(people[: len(scores)])[kept]
    if len(own) < 5:
        return "too few"
    low, high = _interval([own], others)
    return f"{_spearman(own, others):.3f} [{low:.3f}, {high:.3f}]"


def _difference(scores: Sequence[float], first: Sequence[float], people: Sequence[float]) -> str:
    both = min(len(scores), len(first))
    kept = np.isfinite(scores[:both]) & np.isfinite(first[:both])
    own, other, others = (np.asarray(values[:both])[kept] for values in (scores, first, people))
    if len(own) < 5:
        return "too few"
    low, high = _interval([own, other], others)
    return f"{_spearman(own, others) - _spearman(other, others):+.3f} [{low:+.3f}, {high:+.3f}]"
