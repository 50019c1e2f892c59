"""How well the metrics of `rag` agree with people, without a model.

    python benchmarks/rag.py [ROWS]

Of both sets, or of the first so many rows of each.

- MT-RAG: Spearman's correlation of faithfulness with the mean of three people's scores, beside RAGAS's and
  ROUGE-L's own on the same rows (RAGAS asked a language model).
- RAGChecker's meta-evaluation: Pearson's correlation of the difference between two answers with people's
  preference.

95 % intervals: bootstrap over questions, 2,000 draws. A row whose answer makes no claim (an abstention,
mostly) has no score and is left out for all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from data_folder import data_folder
from numpy.typing import NDArray
from scipy.stats import pearsonr, spearmanr

from factreasoner.models import Context, Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.tasks.rag.table import RagScores, scored_rag
from factreasoner.tasks.rag.task import TASK

Floats = NDArray[np.float64]
Statistic = Callable[[Floats, Floats], float]
DRAWS = 2000


def main() -> None:
    """Print both tables."""
    worker = TASK.worker(Config(), Calls())
    _faithfulness(lambda record: scored_rag(worker.assess(record)))
    _preferences(lambda record: scored_rag(worker.assess(record)))


def _lines(name: str) -> list[dict[str, Any]]:
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else None
    rows = (data_folder() / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in rows[:limit]]


def _faithfulness(score: Callable[[Record], RagScores]) -> None:
    rows = _lines("mtrag_human/rag.jsonl")
    found = [score(_turn(row)).values for row in rows]
    people = _numbers([row["human_mean"]["faithfulness"] for row in rows])
    questions = [row["id"].split("|")[0] for row in rows]
    columns = {
        "faithfulness": _numbers([values["faithfulness"] for values in found]),
        "faithfulness_p": _numbers([values["faithfulness_p"] for values in found]),
        "RAGAS": _numbers([row["human_mean"]["rl_f"] for row in rows]),
        "ROUGE-L": _numbers([row["automatic"]["RougeL"] for row in rows]),
    }
    kept = ~np.isnan(columns["faithfulness"])
    print(f"MT-RAG: Spearman with people's faithfulness, {kept.sum()} of {len(rows)} answers make claims")
    groups = [question for question, keep in zip(questions, kept, strict=True) if keep]
    for name, column in columns.items():
        _print_row(name, column[kept], people[kept], groups, lambda x, y: float(spearmanr(x, y)[0]))
    differences = columns["faithfulness_p"][kept], columns["RAGAS"][kept], people[kept]
    low, high = _interval(
        lambda at: (
            float(spearmanr(differences[0][at], differences[2][at])[0])
            - float(spearmanr(differences[1][at], differences[2][at])[0])
        ),
        groups,
    )
    print(f"  faithfulness_p less RAGAS: [{low:+.3f}, {high:+.3f}]")


def _turn(row: dict[str, Any]) -> Record:
    said = [f"{turn['speaker']}: {turn['text']}" for turn in row["history"]]
    contexts = (Context(id=c["id"], title=c["title"] or "", text=c["text"]) for c in row["contexts"])
    return Record(
        id=row["id"],
        prompt="\n".join([*said, f"user: {row['question']}"]),
        response=row["answer"],
        contexts=tuple(contexts),
    )


def _preferences(score: Callable[[Record], RagScores]) -> None:
    rows = _lines("ragchecker_meta/pairs.jsonl")
    ours: dict[str, list[list[float | None]]] = {}
    for row in rows:
        answers = [row[model]["response"] for model in ("model1", "model2")]
        scored = [score(_answer(row, answer)).values for answer in answers]
        for name in ("correctness", "coverage", "claim_f1"):
            for column in (name, f"{name}_p"):
                ours.setdefault(column, []).append([values[column] for values in scored])
    print(f"\nRAGChecker: Pearson of differences with people's preferences, {len(rows)} pairs")
    for name, label in (
        ("correctness", "correctness"),
        ("coverage", "completeness"),
        ("claim_f1", "overall"),
    ):
        people = _numbers([np.mean(row["labels"][label]) for row in rows])
        differences = {column: _differences(ours[column]) for column in (name, f"{name}_p")}
        kept = ~np.isnan(differences[name])
        groups = [row["query"] for row, keep in zip(rows, kept, strict=True) if keep]
        print(f" {label}, {kept.sum()} pairs")
        for column, values in differences.items():
            _print_row(column, values[kept], people[kept], groups, lambda x, y: float(pearsonr(x, y)[0]))


def _answer(row: dict[str, Any], answer: str) -> Record:
    return Record(id=row["id"], prompt=row["query"], response=answer, reference=row["ground_truth"])


def _differences(pairs: Sequence[Sequence[float | None]]) -> Floats:
    return np.asarray([second for _, second in _known(pairs)]) - np.asarray([one for one, _ in _known(pairs)])


def _known(pairs: Sequence[Sequence[float | None]]) -> Iterator[tuple[float, float]]:
    for one, second in pairs:
        yield np.nan if one is None else one, np.nan if second is None else second


def _numbers(values: Sequence[float | None]) -> Floats:
    return np.asarray([np.nan if value is None else value for value in values], dtype=float)


def _print_row(name: str, ours: Floats, people: Floats, groups: Sequence[str], statistic: Statistic) -> None:
    low, high = _interval(lambda at: statistic(ours[at], people[at]), groups)
    print(f"  {name:16s} {statistic(ours, people):.3f}  [{low:.3f}, {high:.3f}]")


def _interval(statistic: Callable[[NDArray[np.int64]], float], groups: Sequence[str]) -> tuple[float, float]:
    """95 % percentile bootstrap interval; rows of one group are drawn together."""
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    rows = [np.flatnonzero(group == number) for number in range(len(names))]
    drawn = np.random.default_rng(0).integers(len(names), size=(DRAWS, len(names)))
    values = [statistic(np.concatenate([rows[number] for number in draw])) for draw in drawn]
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)


if __name__ == "__main__":
    main()
