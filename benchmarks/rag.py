"""How well the faithfulness of `rag` agrees with people, without a model.

    python benchmarks/rag.py [ROWS]

Spearman's correlation with the mean of three people's scores of all answers of MT-RAG, or of the first so
many, beside RAGAS's and ROUGE-L's own of the same answers (RAGAS asked a language model).

95 % intervals: bootstrap over questions, 2,000 draws. A row whose answer makes no claim (an abstention,
mostly) has no score and is left out for all.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from data_folder import data_folder
from numpy.typing import NDArray
from scipy.stats import spearmanr

from factreasoner.models import Context, Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.tasks.rag.table import RagScores, scored_rag
from factreasoner.tasks.rag.task import TASK

Floats = NDArray[np.float64]
Statistic = Callable[[Floats, Floats], float]
DRAWS = 2000


def main() -> None:
    """Print the table."""
    worker = TASK.worker(Config(), Calls())
    _faithfulness(lambda record: scored_rag(worker.assess(record)))


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
