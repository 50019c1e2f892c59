"""How well scores of RAG answers agree with people: the faithfulness of `rag` without a model, and relevance.

    python benchmarks/rag.py [ROWS] [--relevance URL]

Spearman's correlation with the mean of three people's scores of all answers of MT-RAG, or of the first so
many, beside RAGAS's and ROUGE-L's own of the same answers (RAGAS asked a language model).

95 % intervals: bootstrap over questions, 2,000 draws. A row whose answer makes no claim (an abstention,
mostly) has no score and is left out for all.

`--relevance` asks the model at the URL instead, in one word, whether each answer addresses the question, and
compares its P(yes), and the share of the question's words in the answer, with people's scores of
appropriateness and completeness.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Sequence
from typing import Any

import httpx
import numpy as np
from data_folder import lines
from numpy.typing import NDArray
from scipy.stats import spearmanr

from factreasoner.judges.encoder.bundled.windows import content_words
from factreasoner.models import Context, Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.tasks.rag.table import RagScores, scored_rag
from factreasoner.tasks.rag.task import TASK

Floats = NDArray[np.float64]
Statistic = Callable[[Floats, Floats], float]
DRAWS = 2000
QUESTION = (
    "{prompt}\n\nAnswer:\n{answer}\n\nDoes the answer address the user's last question? Reply yes or no."
)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", nargs="?", type=int)
    parser.add_argument("--relevance", metavar="URL")
    options = parser.parse_args()
    rows = list(lines("mtrag_human/rag.jsonl"))[: options.rows]
    if options.relevance:
        _relevance(rows, options.relevance)
        return
    worker = TASK.worker(Config(), Calls())
    _faithfulness(rows, lambda record: scored_rag(worker.assess(record)))


def _relevance(rows: Sequence[dict[str, Any]], url: str) -> None:
    columns = {
        "P(yes)": _numbers([_addressed(_turn(row), url) for row in rows]),
        "words": _numbers([_shared_words(row["question"], row["answer"]) for row in rows]),
    }
    groups = [row["id"].split("|")[0] for row in rows]
    for rated in ("appropriateness", "completeness"):
        people = _numbers([row["human_mean"][rated] for row in rows])
        print(f"MT-RAG: Spearman with people's {rated}")
        for name, column in columns.items():
            kept = ~np.isnan(column)
            own = [group for group, keep in zip(groups, kept, strict=True) if keep]
            title = f"{name}, {kept.sum()} answers"
            _print_row(title, column[kept], people[kept], own, lambda x, y: float(spearmanr(x, y)[0]))


def _addressed(record: Record, url: str) -> float:
    """P(yes), of yes and no; NaN if the model says neither."""
    body = {
        "model": "local",
        "messages": [
            {"role": "user", "content": QUESTION.format(prompt=record.prompt, answer=record.response)}
        ],
        "max_tokens": 1,
        "temperature": 0,
        "logprobs": True,
        "top_logprobs": 20,
    }
    reply = httpx.post(f"{url}/chat/completions", json=body, timeout=900, trust_env=False).json()
    (first,) = reply["choices"][0]["logprobs"]["content"]
    weights = {"yes": 0.0, "no": 0.0}
    for token in first["top_logprobs"]:
        word = token["token"].strip().lower()
        if word in weights:
            weights[word] += math.exp(token["logprob"])
    return weights["yes"] / total if (total := sum(weights.values())) else math.nan


def _shared_words(question: str, answer: str) -> float:
    asked, said = content_words(question), content_words(answer)
    return len(asked & said) / len(asked) if asked else math.nan


def _faithfulness(rows: Sequence[dict[str, Any]], score: Callable[[Record], RagScores]) -> None:
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
    low, high = bootstrap_interval(
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
    low, high = bootstrap_interval(lambda at: statistic(ours[at], people[at]), groups)
    print(f"  {name:20s} {statistic(ours, people):.3f}  [{low:.3f}, {high:.3f}]")


def bootstrap_interval(
    statistic: Callable[[NDArray[np.int64]], float], groups: Sequence[str]
) -> tuple[float, float]:
    """95 % percentile bootstrap interval of a statistic of rows; rows of a group are drawn together."""
    names, group = np.unique(np.asarray(groups), return_inverse=True)
    rows = [np.flatnonzero(group == number) for number in range(len(names))]
    drawn = np.random.default_rng(0).integers(len(names), size=(DRAWS, len(names)))
    values = [statistic(np.concatenate([rows[number] for number in draw])) for draw in drawn]
    low, high = np.nanpercentile(values, [2.5, 97.5])
    return float(low), float(high)


if __name__ == "__main__":
    main()
