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

from factreasoner.judges.embedded.denials import denying_sentence
from factreasoner.judges.embedded.features import Measurements, measure
from factreasoner.judges.embedded.text import analyse
from factreasoner.judges.embedded.windows import Array, Passages, topic_discount

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
STANCE_SETS = ("factcheck_bench", "kqa")
"""Sets with people's stance on claims and passages as they come, most of them neutral."""
THREE_WAY = (*STANCE_SETS, "wikicontradict", "fever_symmetric", "scifact_oracle", "conjnli")
"""Sets whose pairs tell a contradiction from silence."""
PROSE = ("fever_symmetric", "scifact_oracle", "begin_wow")
"""Pair sets whose premises are ordinary prose, good for counting words in."""
_LEAST_SHARE = 0.003
SURE = 0.9
"""A human entailment below this is of a part of the claim."""


class Pair(NamedTuple):
    """A premise, a hypothesis and what a human said of them."""

    premise: str
    hypothesis: str
    label: str


class Judged(NamedTuple):
    """One pair as the judge sees it: its features, what a human said of it, and whether a sentence denies it.

    `label` is entailment, partial, neutral or contradiction.
    """

    values: Array
    label: str
    denied: bool


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


def measure_against(texts: list[str], claims: list[str], left_out: str | None) -> list[Measurements]:
    """What the judge measures on a record's claims, passage by passage."""
    passages = Passages(list(dict.fromkeys(texts)), background(left_out))
    analysed = [analyse(claim, passages.language) for claim in claims]
    coverage = passages.cover(analysed)
    return [measure(passages, coverage, row, analysed) for row in range(len(passages.texts))]


def spoken(measured: list[Measurements], claim: int) -> Array:
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


def stances(name: str) -> dict[tuple[str, str, str], str]:
    """People's stance on (passage, claim) pairs of the records of a set, by record id and the two texts."""
    found = {}
    if name == "kqa":
        of_texts = {(pair.premise, pair.hypothesis): pair.label for pair in labelled_pairs(name)}
        for record in records(name):
            for passage in record["contexts"]:
                for atom in record["atoms"]:
                    if label := of_texts.get((passage["text"], atom["text"])):
                        found[record["id"], passage["text"], atom["text"]] = label
        return found
    texts = {
        (record["id"], part["id"]): part["text"]
        for record in records(name)
        for part in (*record["contexts"], *record["atoms"])
    }
    for row in lines(name, "human_relations.jsonl"):
        partly = row["label"] == "entailment" and row["probability"] < SURE
        ends = (texts[row["record"], row["source"]], texts[row["record"], row["target"]])
        found[row["record"], *ends] = "partial" if partly else row["label"]
    return found


@cache
def judged_pairs(name: str, left_out: str | None) -> tuple[Judged, ...]:
    """Every pair of a three-way set; those of `STANCE_SETS` in the company of their record."""
    if name not in STANCE_SETS:
        return tuple(
            _judged(
                [pair.premise], [pair.hypothesis], {(pair.premise, pair.hypothesis): pair.label}, left_out
            )[0]
            for pair in labelled_pairs(name)
        )
    found: list[Judged] = []
    by_record: dict[str, dict[tuple[str, str], str]] = {}
    for (record_id, *ends), label in stances(name).items():
        by_record.setdefault(record_id, {})[ends[0], ends[1]] = label
    for record in records(name):
        texts = [context["text"] for context in record["contexts"]]
        claims = [atom["text"] for atom in record["atoms"]]
        found += _judged(texts, claims, by_record.get(record["id"], {}), left_out)
    return tuple(found)


def _judged(
    texts: list[str], claims: list[str], labels: dict[tuple[str, str], str], left_out: str | None
) -> list[Judged]:
    passages = Passages(list(dict.fromkeys(texts)), background(left_out))
    analysed = [analyse(claim, passages.language) for claim in claims]
    coverage = passages.cover(analysed)
    topical = topic_discount(analysed)
    measured = {row: measure(passages, coverage, row, analysed) for row in range(len(passages.texts))}
    found = []
    for (text, claim), label in labels.items():
        row, n = passages.row[text], claims.index(claim)
        weights = passages.weights(analysed[n], topical)
        denying = denying_sentence(analysed[n], weights, passages.texts[row], measured[row].windows[n])
        found.append(Judged(measured[row].values[n], label, denying is not None))
    return found


@lru_cache(maxsize=len(PAIR_SETS))
def pair_features(name: str, left_out: str | None) -> tuple[Array, list[str]]:
    """Features of every pair of a set, each judged alone, and the labels."""
    pairs = labelled_pairs(name)
    rows = [measure_against([pair.premise], [pair.hypothesis], left_out)[0].values[0] for pair in pairs]
    return np.array(rows), [pair.label for pair in pairs]
