"""How well tools rank MT-RAG answers with one real model, beside people. Called by `peers.py --api-base`."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from contenders import OURS, Asked, Way, process
from data_folder import data_folder
from relay import Relay
from scipy.stats import spearmanr

SEED, DRAWS = 0, 2000
JOINT = Way(OURS, ("--reviser", "none", "--premise", "joint"))
RULES = Way(OURS, ("--reviser", "none", "--premise", "joint", "--atomizer", "rules"))
BUNDLED = Way(OURS, (), asks=False)


def print_ranking(ways: Sequence[Way], url: str, model: str, *, answers: int, minutes: float) -> None:
    """A row for each way: answers with a score, Spearman's correlation, calls, tokens and seconds.

    "new" are the tokens that the server did not take from its prefix cache, and "s" the seconds that it
    computed (llama.cpp says so with each reply).
    The difference from the first way is on answers that both scored, with a paired 95 % interval.
    """
    rows, people = _answers(answers)
    print(f"\n{len(rows)} MT-RAG answers, {model}, at most {minutes:g} minutes a tool")
    print(f"{'':24}{'scored':>8}{'rank corr.':>22}{'less 1':>24}{'calls':>7}{'tokens':>10}{'new':>9}{'s':>6}")
    first: list[float] | None = None
    for way in ways:
        with Relay(url.removesuffix("/v1")) as relay:
            asked = Asked(relay.url, model, concurrency=1, most_seconds=int(60 * minutes))
            ended = process(way, rows, "faithfulness", asked)
            used = [exchange.answer.get("usage") or {} for exchange in relay.exchanges]
            timings = [exchange.answer.get("timings") or {} for exchange in relay.exchanges]
        given = ended.scores.get("faithfulness", [])
        scores = [np.nan if score is None else score for score in given]
        scores += [np.nan] * (len(rows) - len(scores))
        tokens = sum(usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0) for usage in used)
        computed = sum(t.get("prompt_ms", 0) + t.get("predicted_ms", 0) for t in timings) / 1000
        cached = sum((usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0) for usage in used)
        told = f"{np.isfinite(scores).sum():8d}{_correlation(scores, people):>22}"
        told += f"{'' if first is None else _difference(scores, first, people):>24}"
        code = f"  exit code {ended.code}" if ended.code else ""
        print(
            f"{way.title:24}{told}{len(used):7d}{tokens:10,d}{tokens - cached:9,d}{computed:6.0f}{code}",
            flush=True,
        )
        first = first or scores


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
    own, others = np.asarray(scores)[kept], np.asarray(people)[kept]
    if len(own) < 5:
        return "too few"
    low, high = _interval([own], others)
    return f"{_spearman(own, others):.3f} [{low:.3f}, {high:.3f}]"


def _difference(scores: Sequence[float], first: Sequence[float], people: Sequence[float]) -> str:
    kept = np.isfinite(scores) & np.isfinite(first)
    own, other, others = (np.asarray(values)[kept] for values in (scores, first, people))
    if len(own) < 5:
        return "too few"
    low, high = _interval([own, other], others)
    return f"{_spearman(own, others) - _spearman(other, others):+.3f} [{low:+.3f}, {high:+.3f}]"
