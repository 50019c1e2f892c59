"""Public labelled data as the embedded judge's fit and its table read it. Not a benchmark by itself.

Sets with a label on every atom: biographies (FActScore), answers of a chat model (Factcheck-Bench), medical
answers (K-QA), summaries (QASemConsistency), Wikipedia sentences (WiCE). Sets of labelled pairs:
FEVER-symmetric, SciFact, BEGIN, Breaking-NLI, MED, ConjNLI, WikiContradict; of Factcheck-Bench and K-QA the
pairs as well. They lie in the folder named by FACTREASONER_DATA or in ../shared/data.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from data_folder import data_folder

from factreasoner.judges.embedded.features import Measured, measure
from factreasoner.judges.embedded.text import analyse
from factreasoner.judges.embedded.windows import Array, Passages

ATOM_SETS = ("factscore_bios", "qasem_consistency", "wice", "kqa", "factcheck_bench")
PAIR_SETS = (
    "wikicontradict",
    "fever_symmetric",
    "scifact_oracle",
    "begin_wow",
    "breaking_nli",
    "med",
    "conjnli",
)
THREE_WAY = ("factcheck_bench", "kqa", "wikicontradict", "fever_symmetric", "scifact_oracle", "conjnli")
"""Sets whose pairs tell a contradiction from silence."""
PROSE = ("fever_symmetric", "scifact_oracle", "begin_wow")
"""Pair sets whose premises are ordinary prose, good for counting words in."""
_LEAST_SHARE = 0.003


class Pair(NamedTuple):
    """A premise, a hypothesis and what a human said of them."""

    premise: str
    hypothesis: str
    label: str


class Example(NamedTuple):
    """The features of one pair, and whether the claim is supported."""

    values: Array
    supported: bool


def lines(*path: str) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file of the data folder."""
    with data_folder().joinpath(*path).open(encoding="utf-8") as file:
        yield from map(json.loads, file)


@cache
def records(name: str) -> tuple[dict[str, Any], ...]:
    """All records of an atom set."""
    return tuple(lines(name, "records.jsonl"))


@cache
def labelled_pairs(name: str) -> tuple[Pair, ...]:
    """All pairs of a set of labelled pairs, context-to-context ones left out."""
    if name in PAIR_SETS and name != "wikicontradict":
        rows = (row for row in lines("nli", "pairs.jsonl") if row["source"] == name)
    else:
        rows = (
            row for row in lines(name, "nli_pairs.jsonl") if row.get("kind", "context_atom") == "context_atom"
        )
    return tuple(Pair(row["premise"], row["hypothesis"], row["label"]) for row in rows)


@cache
def _frequency(name: str) -> dict[str, float]:
    """Share of the set's passages that have a stem."""
    if name in ATOM_SETS:
        texts = {context["text"] for record in records(name) for context in record["contexts"]}
    else:
        texts = {pair.premise for pair in labelled_pairs(name)}
    counts = Counter(term for text in texts for term in set(analyse(text, "english").stems))
    return {term: count / len(texts) for term, count in counts.items()}


@lru_cache(maxsize=1)
def background(left_out: str | None) -> dict[str, float]:
    """Share of passages that have a stem, each set but one counting the same; rare stems are left out."""
    names = [name for name in (*ATOM_SETS, "wikicontradict", *PROSE) if name != left_out]
    total: Counter[str] = Counter()
    for name in names:
        for term, share in _frequency(name).items():
            total[term] += share / len(names)
    return {term: round(share, 3) for term, share in sorted(total.items()) if share >= _LEAST_SHARE}


def measure_against(texts: list[str], claims: list[str], left_out: str | None) -> list[Measured]:
    """What the judge measures on a record's claims, passage by passage."""
    passages = Passages(list(dict.fromkeys(texts)), background(left_out))
    analysed = [analyse(claim, passages.language) for claim in claims]
    coverage = passages.cover(analysed)
    return [measure(passages, coverage, row, analysed) for row in range(len(passages.texts))]


def spoken(measured: list[Measured], claim: int) -> Array:
    """Features of a claim against the passage that speaks for the record."""
    return next(part.values[claim] for part in measured if part.best[claim])


def atom_examples(name: str, left_out: str | None) -> list[Example]:
    """Every labelled atom against the passage of its record that covers it best."""
    found = []
    for record in records(name):
        texts = [context["text"] for context in record["contexts"]]
        measured = measure_against(texts, [atom["text"] for atom in record["atoms"]], left_out)
        found += [
            Example(spoken(measured, n), atom["label"] == "S")
            for n, atom in enumerate(record["atoms"])
            if atom["label"] is not None
        ]
    return found


@lru_cache(maxsize=len(PAIR_SETS))
def pair_features(name: str, left_out: str | None) -> tuple[Array, list[str]]:
    """Features of every pair of a set, each judged alone, and the labels."""
    pairs = labelled_pairs(name)
    rows = [measure_against([pair.premise], [pair.hypothesis], left_out)[0].values[0] for pair in pairs]
    return np.array(rows), [pair.label for pair in pairs]
