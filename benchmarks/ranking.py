"""Compare tools with human ratings, on one real model; `mtrag` loads MT-RAG.

Called by `peers.py --api-base` and `factcheck.py`.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from contenders import OURS, Asked, Score, Way, process
from data_folder import lines
from rag import bootstrap_interval
from relay import Relay
from scipy.stats import spearmanr

SEED, FEWEST = 0, 10
RULES = Way(OURS, ("--reviser", "none", "--premise", "joint", "--atomizer", "rules"))
SEVERAL = Way(OURS, (*RULES.options, "--atoms-per-call=16"))
BUNDLED = Way(OURS, (), asks=False)
Scores = Sequence[float | Sequence[float]]
"""By answer: one, or one for each atom; NaN for none."""


class Study(NamedTuple):
    """What tools are compared on: answers as records, and what people say of each or of each atom.

    `score` is what tools print, `rating` compares such scores with people's, and the tools take turns after
    `turn` answers.
    """

    title: str
    rows: list[dict[str, Any]]
    people: list[Sequence[float]]
    score: str
    heading: str
    rating: Callable[[np.ndarray, np.ndarray], float]
    turn: int


class Spent(NamedTuple):
    """Scores in the order of the answers, and calls, tokens and seconds for all of them.

    `graded`: the same as a mean of P, which our `rag` has beside a share of claims.
    """

    scores: list[float | Sequence[float]]
    calls: int
    tokens: int
    new: int
    seconds: float
    graded: list[float | Sequence[float]]

    def plus(self, other: Spent) -> Spent:
        """Both together."""
        return Spent(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def add_options(parser: argparse.ArgumentParser, answers: int) -> None:
    """The options of a comparison on a real model."""
    parser.add_argument("--model", default="local")
    parser.add_argument("--answers", type=int, default=answers)
    parser.add_argument("--minutes", type=float, default=60, help="the most that a tool may take")
    parser.add_argument("--folder", help="where scores are kept, for a run that goes on where it ended")


def compare(ways: Sequence[Way], study: Study, url: str, options: argparse.Namespace) -> None:
    """Compare the ways on a study with the model at the URL."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(options.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        asked = Asked(url, options.model, 2, 3600, str((folder / "cache").resolve()))
        print_comparison(ways, study, asked, folder, options.minutes)


def print_comparison(ways: Sequence[Way], study: Study, asked: Asked, folder: Path, minutes: float) -> None:
    """Run the ways in turn on a few answers at a time, and print the table after each round.

    So they meet the same load, and a run that ends early leaves pairs. A way stops when the server has
    computed for it for so many minutes. What the folder keeps of an earlier run is not asked again. Each way
    keeps an address of its own, so that none takes a reply from another's cache.
    """
    rows = study.rows
    print(f"{len(rows)} {study.title}, {asked.model}, at most {minutes:g} minutes a tool", flush=True)
    kept, addresses = folder / "scores.json", folder / "ports.json"
    before, ports = (json.loads(one.read_text()) if one.exists() else {} for one in (kept, addresses))
    found = {way: Spent(*before.get(way.title, ([], 0, 0, 0, 0.0, []))) for way in ways}
    with contextlib.ExitStack() as stack:
        target = asked.url.removesuffix("/v1")
        relays = {way: stack.enter_context(Relay(target, ports.get(way.title, 0))) for way in ways}
        addresses.write_text(json.dumps({way.title: relay.port for way, relay in relays.items()}))
        for start in range(0, len(rows), study.turn):
            some = rows[start : start + study.turn]
            for way, taken in found.items():
                if len(taken.scores) == start and taken.seconds < 60 * minutes:
                    found[way] = taken.plus(_turn(way, some, study.score, asked, relays[way]))
                    told = before | {way.title: taken for way, taken in found.items()}
                    kept.write_text(json.dumps(told), encoding="utf-8")
            print_table(found, study)


def _turn(way: Way, rows: Sequence[dict[str, Any]], score: str, asked: Asked, relay: Relay) -> Spent:
    relay.exchanges.clear()
    ended = process(way, rows, score, asked._replace(url=relay.url))
    answers = [exchange.answer for exchange in relay.exchanges]
    used = [answer.get("usage") or {} for answer in answers]
    timings = [answer.get("timings") or {} for answer in answers]
    tokens = sum(usage.get("prompt_tokens", 0) + usage.get("completion_tokens", 0) for usage in used)
    cached = sum((usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0) for usage in used)
    seconds = sum(t.get("prompt_ms", 0) + t.get("predicted_ms", 0) for t in timings) / 1000
    if ended.code:
        print(f"{way.title}: exit code {ended.code}", flush=True)
    known, graded = (_known(ended.scores.get(name, []), rows) for name in (score, f"{score}_p"))
    has_both = way.contender is OURS and way.task == "rag"
    return Spent(known, len(answers), tokens, tokens - cached, seconds, graded if has_both else [])


def _known(scores: Sequence[Score], rows: Sequence[Mapping[str, Any]]) -> list[float | Sequence[float]]:
    found = [_read(told, row) for told, row in zip(scores, rows, strict=False)]
    return found + [np.nan] * (len(rows) - len(found))


def _read(score: Score, row: Mapping[str, Any]) -> float | list[float]:
    """A record's score, or those of its atoms in their order."""
    if isinstance(score, Mapping):
        return [np.nan if (own := score.get(atom["id"])) is None else own for atom in row["atoms"]]
    return np.nan if score is None else score


def print_table(found: Mapping[Way, Spent], study: Study) -> None:
    """A row for each way: answers it got to, scores of all there, the rating, calls, tokens and seconds.

    "new" are the tokens that the server did not take from its prefix cache, and "s" the seconds that it
    computed, summed over its slots (llama.cpp says so with each reply).
    "minus first" is the difference from the first way (from its mean of P, where it has one) on what both
    scored. The intervals are 95 % ones, paired, over questions.
    """
    heads = f"{'answers':>8}{'scored':>8}{study.heading:>24}{'minus first':>24}"
    print(f"\n{'':36}{heads}{'calls':>7}{'tokens':>10}{'new':>9}{'s':>6}")
    head = next(iter(found.values()))
    first = head.graded or head.scores
    for way, taken in found.items():
        for title, scores in ((way.title, taken.scores), (f"  {study.score}_p", taken.graded)):
            if scores:
                own = _scored([scores], study)
                scored = f"{own[0].shape[1]}/{sum(map(len, study.people[: len(scores)]))}"
                told = f"{len(scores):8d}{scored:>8}{_rated(*own, study):>24}"
                told += f"{_rated(*_scored([scores, first], study), study):>24}"
                told += f"{taken.calls:7d}{taken.tokens:10,d}{taken.new:9,d}{taken.seconds:6.0f}"
                print(f"{title:36}{told}", flush=True)


def mtrag(number: int) -> Study:
    """Answers with contexts, drawn at random, and people's mean score of faithfulness."""
    rows = [row for row in lines("mtrag_human/rag.jsonl") if row["contexts"]]
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
    people = [[row["human_mean"]["faithfulness"]] for row in rows[:number]]
    return Study("MT-RAG answers", found, people, "faithfulness", "rank corr.", _spearman, 4)


def _spearman(scores: np.ndarray, people: np.ndarray) -> float:
    return float(spearmanr(scores, people)[0]) if len(scores) > 2 else float("nan")


def _scored(ways: Sequence[Scores], study: Study) -> tuple[np.ndarray, list[str]]:
    """The scores of each way and people's, a row each, where all ways have one; and the question of each."""
    found, questions = [], list[str]()
    for row, *scores, others in zip(study.rows, *ways, study.people, strict=False):
        values = np.array([np.broadcast_to(own, len(others)) for own in (*scores, others)], dtype=float)
        found.append(values[:, np.isfinite(values).all(axis=0)])
        questions += [row["input"]] * found[-1].shape[1]
    return np.concatenate(found, axis=1), questions


def _rated(values: np.ndarray, questions: Sequence[str], study: Study) -> str:
    """The rating of a way, or how it differs from that of a second, with its 95 % bootstrap interval."""
    if len(set(questions)) < FEWEST:
        return "too few"

    def rating(at: Sequence[int] | slice) -> float:
        *ways, people = values[:, at]
        return sum(sign * study.rating(own, people) for sign, own in zip((1, -1), ways, strict=False))

    low, high = bootstrap_interval(rating, questions)
    sign = "+" if len(values) > 2 else ""
    return f"{rating(slice(None)):{sign}.3f} [{low:{sign}.3f}, {high:{sign}.3f}]"
