"""How tools judge people's atoms of Factcheck-Bench with one real model, beside people's labels.

    python benchmarks/factcheck.py URL [--answers N] [--pairs N] [--minutes M] [--folder F]

URL is that of an OpenAI-compatible server, with /v1. N answers (10) are drawn at random from those with at
most so many pairs of an atom and a passage (36), since IBM's FactReasoner asks once for each. All tools get
the same atoms and passages (FActScore for each atom its own) and give each atom a probability; see
`ranking.py` for the table, in which "scored" counts atoms.

- factreasoner: `run --version 2`, then with `--prefilter bundled`, then the bundled judge alone.
- factscore: the published prompt, once for each atom, with the passages found for it.
- ibm_factreasoner: fact-reasoner 0.8.0, FR2. A call that fails counts as neutral there, so no atom is without
  a score. Merlin, which it calls for inference, is replaced by exact sums.

Data: the folder named by FACTREASONER_DATA or ../shared/data.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
from contenders import FACTSCORE, IBM, OURS, Way, install
from data_folder import data_folder, lines
from ranking import SEED, Study, add_options, compare

from factreasoner.inputs.input import CheckedInput
from factreasoner.pipeline.config import Config
from factreasoner.runs.plan import plan

VERSION = "--version=2"
WAYS = (
    Way(OURS, (VERSION,), "run"),
    Way(OURS, (VERSION, "--prefilter=bundled"), "run"),
    Way(OURS, (VERSION,), "run", asks=False),
    Way(FACTSCORE),
    Way(IBM),
)


def main() -> None:
    """Print the calls that each tool needs, and the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("url")
    parser.add_argument("--pairs", type=int, default=36, help="the most pairs of an answer")
    add_options(parser, answers=10)
    options = parser.parse_args()
    study = factcheck(options.answers, options.pairs)
    print_planned_calls(study.rows)
    for contender in dict.fromkeys(way.contender for way in WAYS):
        install(contender)
    compare(WAYS, study, options.url, options)


def factcheck(number: int, most: int) -> Study:
    """Answers with few pairs, drawn at random, and whether people call each atom supported."""
    rows = [row for row in lines("factcheck_bench/records.jsonl") if pairs(row) <= most]
    random.Random(SEED).shuffle(rows)
    for row in rows:
        row["contexts"] = [{key: c[key] for key in ("id", "title", "text")} for c in row["contexts"]]
    people = [[float(atom["label"] == "S") for atom in row["atoms"]] for row in rows[:number]]
    return Study("Factcheck-Bench answers", rows[:number], people, "p_true", "AUROC", auroc, 1)


def pairs(row: dict[str, Any]) -> int:
    """How many pairs of an atom and a passage there are."""
    return len(row["atoms"]) * len(row["contexts"])


def auroc(scores: np.ndarray, people: np.ndarray) -> float:
    """How often a supported atom has a higher score than another; NaN without both."""
    above = scores[people == 1][:, None] - scores[people == 0]
    return float(np.mean((np.sign(above) + 1) / 2)) if above.size else float("nan")


def print_planned_calls(rows: Sequence[dict[str, Any]]) -> None:
    """Calls of each tool when nothing fails; ours sends as many atoms at once as the model bears, or one.

    Those that find out how many that is are left out: each of our rows makes them once.
    """
    ids = {row["id"] for row in rows}
    given = CheckedInput(data_folder() / "factcheck_bench" / "records.jsonl").records()
    ours = plan((one for one in given if one.id in ids), Config(model="openai/local", version=2))
    fewest, most = sum(stage.calls for stage in ours.stages), sum(map(pairs, rows))
    atoms = sum(len(row["atoms"]) for row in rows)
    print(
        f"{len(rows)} answers, {atoms} atoms; calls: factreasoner {fewest} to {most}, factscore {atoms}, "
        f"ibm_factreasoner {most}"
    )


if __name__ == "__main__":
    main()
