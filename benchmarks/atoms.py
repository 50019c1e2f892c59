"""Atoms made without a model beside those that people wrote, and what they do to the score of an answer.

Each answer is split as it is by the installed spaCy pipeline and once more into sentences; then the embedded
judge judges both, and people's atoms, against the record's passages (version 2). Columns:

- `atoms`: ours per people's atom; `theirs in ours`, `ours in theirs`: share with a counterpart, which shares
  at least .7 of the content words of both (F1 of stems).
- `compound`: more than one finite verb outside a subordinate clause, or a list of three (by another parse, so
  for sentences too); `open`: an atom that begins with a pronoun or "this"; `words`: of an atom, on average.
- `whole`: share of the answer's sentences with an atom that just one atom stands for.
- `covered`: share of the answer's sentences that one of people's atoms came from and one of ours stands for.
- `MAE`: mean |precision - people's share of supported atoms| over answers; `rho`: their Spearman correlation.
  `constant` is the MAE of always saying the mean of the other answers.

The judge is the shipped one, which has seen people's atoms of these answers. Data: the folder named by
FACTREASONER_DATA or ../shared/data. Run: `python benchmarks/atoms.py` (two minutes); `--list N` prints N
atoms drawn at random, to be read.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from data_folder import data_folder
from scipy.stats import spearmanr

from factreasoner.inputs.input import check_input
from factreasoner.models import Atom, Record, factuality
from factreasoner.pipeline import build_pipeline
from factreasoner.settings import Config
from factreasoner.text.lexicon import FUNCTION_WORDS
from factreasoner.text.parsing import find_parser
from factreasoner.text.sentences import sentences
from factreasoner.text.stems import stem
from factreasoner.text.tree import VERBS

SETS = ("factscore_bios", "factcheck_bench")
ALIKE = 0.7
OPEN = re.compile(r"(?:He|She|It|They|His|Her|Its|Their|This|These|Those|That)\b")
EXPLETIVE = re.compile(
    r"It(?:'s| is| was| has been| may be) (?:\w+ )?(?:that|to|how|\w+ (?:that|to|how|when))\b"
)


LEAST_CLAIMS = (1, 3, 5, 10)
FEWEST_ANSWERS = 10


class Row(NamedTuple):
    """One way to make atoms: the atoms of each answer, and the precision the judge gives it."""

    name: str
    atoms: list[tuple[Atom, ...]]
    precision: list[float | None]


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Atoms made without a model.")
    parser.add_argument("--list", type=int, default=0, help="print that many atoms of each set")
    chosen = parser.parse_args()
    if find_parser() is None:
        raise SystemExit('no parser of English is installed: pip install "factreasoner[english]" and a model')
    for name in SETS:
        records = list(check_input(data_folder() / name / "records.jsonl").records())
        people = _row("people", records, Config(judge="embedded"), given=True)
        ours = _row("parse", records, Config(judge="embedded"))
        whole = _row("sentences", records, Config(judge="embedded", spacy_model="none"))
        if chosen.list:
            _print_some(records, ours, chosen.list)
        else:
            _print(name, records, people, [people, ours, whole])


def _row(name: str, records: Sequence[Record], config: Config, *, given: bool = False) -> Row:
    pipeline = build_pipeline(config)
    made = [pipeline.assess(r if given else r.model_copy(update={"atoms": None})) for r in _loose(records)]
    return Row(name, [a.atoms for a in made], [factuality(a, len(a.atoms) or 1).precision for a in made])


def _loose(records: Sequence[Record]) -> list[Record]:
    """Records whose passages belong to no atom, so that atoms may come and go."""
    return [
        record.model_copy(
            update={
                "contexts": tuple(c.model_copy(update={"atom_ids": ()}) for c in record.contexts or ()),
            }
        )
        for record in records
    ]


def _print(name: str, records: Sequence[Record], people: Row, rows: Sequence[Row]) -> None:
    share = [_share(record) for record in records]
    rest = [(sum(share) - own) / (len(share) - 1) for own in share]
    constant = np.mean([abs(own - other) for own, other in zip(share, rest, strict=True)])
    print(f"\n{name}: {len(records)} answers, MAE of a constant {constant:.3f}")
    print(
        "             atoms  theirs in ours  ours in theirs  compound  open  words  whole  covered"
        "   MAE   rho  none"
    )
    for row in rows:
        pairs = [(p, s) for p, s in zip(row.precision, share, strict=True) if p is not None]
        error = np.mean([abs(p - s) for p, s in pairs])
        rho = spearmanr(*zip(*pairs, strict=True)).statistic
        flat = [atom for atoms in row.atoms for atom in atoms]
        both = list(zip(people.atoms, row.atoms, strict=True))
        print(
            f"{row.name:12} {len(flat) / sum(map(len, people.atoms)):5.2f}  "
            f"{_matched(both):14.2f}  {_matched([(b, a) for a, b in both]):14.2f}  "
            f"{_compound(flat):8.2f}  {np.mean([_is_open(a.text) for a in flat]):4.2f}  "
            f"{np.mean([len(a.text.split()) for a in flat]):5.1f}  {_whole(records, row):5.2f}  "
            f"{_covered(records, row):7.2f}  "
            f"{error:.3f}  {rho:4.2f}  {len(share) - len(pairs):4}"
        )
    _print_by_length(records, share, rows)


def _print_by_length(records: Sequence[Record], share: Sequence[float], rows: Sequence[Row]) -> None:
    """Spearman's rho where people found at least so many claims: of one or two, a share says little."""
    for least in LEAST_CLAIMS:
        long = [len(record.atoms or ()) >= least for record in records]
        if sum(long) < FEWEST_ANSWERS:
            continue
        found = []
        for row in rows:
            chosen = zip(long, row.precision, share, strict=True)
            pairs = [(p, s) for is_long, p, s in chosen if is_long and p is not None]
            found.append(f"{row.name} {spearmanr(*zip(*pairs, strict=True)).statistic:.2f}")
        print(f"rho of {sum(long)} answers with {least} claims or more: {', '.join(found)}")


def _share(record: Record) -> float:
    labels = [atom.gold for atom in record.atoms or () if atom.gold is not None]
    return labels.count("S") / len(labels)


def _content(text: str) -> set[str]:
    function = FUNCTION_WORDS["english"]
    return {stem(word, "english") for word in re.findall(r"[^\W_]+", text.lower()) if word not in function}


def _matched(pairs: Sequence[tuple[tuple[Atom, ...], tuple[Atom, ...]]]) -> float:
    """Share of the first ones' atoms that one of the second's is like."""
    found = []
    for wanted, others in pairs:
        bags = [_content(atom.text) for atom in others]
        for atom in wanted:
            bag = _content(atom.text)
            likeness = [2 * len(bag & other) / max(1, len(bag) + len(other)) for other in bags]
            found.append(max(likeness, default=0.0) >= ALIKE)
    return float(np.mean(found))


def _compound(atoms: Sequence[Atom]) -> float:
    parser = find_parser()
    assert parser is not None
    found = []
    for parse in parser.parse([atom.text for atom in atoms]):
        if parse is None:
            continue
        beside = [
            w
            for w in parse.words
            if w.dep in ("conj", "relcl", "advcl") and w.pos in VERBS and parse.is_finite(w)
        ]
        free = [
            w
            for w in beside
            if w.dep != "advcl" and (w.dep == "conj" or parse[parse.edges(w)[0] - 1].text == ",")
        ]
        lists = [w for w in parse.words if w.dep == "conj" and parse[w.head].dep == "conj"]
        found.append(bool(free or lists))
    return float(np.mean(found))


def _is_open(text: str) -> bool:
    return OPEN.match(text) is not None and EXPLETIVE.match(text) is None


def _whole(records: Sequence[Record], row: Row) -> float:
    """Share of the sentences with an atom, by their places, that have but one."""
    counts = [
        sum(atom.span is not None and start <= atom.span[0] < end for atom in atoms)
        for record, atoms in zip(records, row.atoms, strict=True)
        for start, end in sentences(record.response)
    ]
    placed = [count for count in counts if count]
    return placed.count(1) / len(placed) if placed else float("nan")


def _covered(records: Sequence[Record], row: Row) -> float:
    """Share of the sentences people took an atom from that an atom of the row stands for."""
    found = []
    for record, atoms in zip(records, row.atoms, strict=True):
        ours = [_content(atom.text) for atom in atoms]
        spans = [atom.span for atom in atoms if atom.span]
        theirs = [_content(atom.original or atom.text) for atom in record.atoms or ()]
        for start, end in sentences(record.response):
            said = _content(record.response[start:end])
            if not any(len(bag & said) >= 0.8 * len(bag) for bag in theirs if bag):
                continue
            placed = any(first < end and last > start for first, last in spans)
            found.append(placed or any(len(bag & said) >= 0.8 * len(bag) for bag in ours if bag))
    return float(np.mean(found))


def _print_some(records: Sequence[Record], row: Row, count: int) -> None:
    drawn = [(record.id, atom) for record, atoms in zip(records, row.atoms, strict=True) for atom in atoms]
    for record_id, atom in sorted(
        random.Random(0).sample(drawn, min(count, len(drawn))), key=lambda x: (x[0], x[1].id)
    ):
        print(
            json.dumps(
                {
                    "record": record_id,
                    "atom": atom.id,
                    "text": atom.text,
                    "unresolved": list(getattr(atom, "unresolved", ())),
                },
                ensure_ascii=False,
            )
        )


if __name__ == "__main__":
    main()
