"""Public labelled data. Not a benchmark by itself.

Sets with a label on every atom: biographies (FActScore), answers of a chat model (Factcheck-Bench), medical
answers (K-QA), summaries (QASemConsistency), Wikipedia sentences (WiCE). Sets with people's stance on pairs:
Factcheck-Bench, K-QA, WikiContradict, FEVER-symmetric, SciFact. They lie in the folder named by
FACTREASONER_DATA or in ../shared/data.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from data_folder import data_folder

IN_RECORDS = ("factcheck_bench", "kqa", "wikicontradict")
SURE = 0.9
"""A human entailment below this is of a part of the claim."""


class Pair(NamedTuple):
    """A premise, a hypothesis and what a human said of them."""

    premise: str
    hypothesis: str
    label: str


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSONL file."""
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


@cache
def records(name: str) -> tuple[dict[str, Any], ...]:
    """All records of a set."""
    return tuple(lines(data_folder() / name / "records.jsonl"))


@cache
def labelled_pairs(name: str) -> tuple[Pair, ...]:
    """All pairs of a passage and a claim of a set, labelled entailment, partial, neutral or contradiction."""
    if name == "factcheck_bench":
        return tuple(_relations(name))
    if name in IN_RECORDS:
        rows = lines(data_folder() / name / "nli_pairs.jsonl")
        kept = (row for row in rows if row.get("kind", "context_atom") == "context_atom")
    else:
        kept = (row for row in lines(data_folder() / "nli" / "pairs.jsonl") if row["source"] == name)
    return tuple(Pair(row["premise"], row["hypothesis"], row["label"]) for row in kept)


def _relations(name: str) -> Iterator[Pair]:
    texts = {
        (record["id"], part["id"]): part["text"]
        for record in records(name)
        for part in (*record["contexts"], *record["atoms"])
    }
    for row in lines(data_folder() / name / "human_relations.jsonl"):
        partly = row["label"] == "entailment" and row["probability"] < SURE
        source, target = texts[row["record"], row["source"]], texts[row["record"], row["target"]]
        yield Pair(source, target, "partial" if partly else row["label"])
