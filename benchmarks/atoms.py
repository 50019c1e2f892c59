"""Atoms made without a model beside those that people wrote.

Each answer is split by the installed spaCy pipeline and once more into sentences. Columns:

- `atoms`: ours per people's atom; `theirs in ours`, `ours in theirs`: share with a counterpart, which shares
  at least .7 of the content words of both (F1 of stems).
- `compound`: more than one finite verb outside a subordinate clause, or a list of three (by another parse, so
  for sentences too); `open`: an atom that begins with a pronoun or "this"; `words`: of an atom, on average.
- `whole`: share of the answer's sentences with an atom that just one atom stands for.

Data: the folder named by FACTREASONER_DATA or ../shared/data. Run: `python benchmarks/atoms.py`;
`--list N` prints N atoms drawn at random, to be read.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Sequence
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from data_folder import data_folder

from factreasoner.atoms.extraction import make_atoms
from factreasoner.calls.usage import Meter
from factreasoner.inputs.input import CheckedInput
from factreasoner.models import Atom, Record
from factreasoner.pipeline.assembly import assembly_of
from factreasoner.pipeline.config import Config
from factreasoner.plugins.kinds import ATOMIZER, REVISER
from factreasoner.text import parsing
from factreasoner.text.language import FUNCTION_WORDS, stem
from factreasoner.text.parsing import VERBS, find_parser
from factreasoner.text.sentences import sentences

SETS = ("factscore_bios", "factcheck_bench")
ALIKE = 0.7
OPEN = re.compile(r"(?:He|She|It|They|His|Her|Its|Their|This|These|Those|That)\b")
EXPLETIVE = re.compile(
    r"It(?:'s| is| was| has been| may be) (?:\w+ )?(?:that|to|how|\w+ (?:that|to|how|when))\b"
)


class Row(NamedTuple):
    """One way to make atoms, and the atoms of each answer."""

    name: str
    atoms: list[tuple[Atom, ...]]


def main() -> None:
    """Print the table of each set."""
    parser = argparse.ArgumentParser(description="Atoms made without a model.")
    parser.add_argument("--list", type=int, default=0, help="print that many atoms of each set")
    chosen = parser.parse_args()
    if find_parser() is None:
        raise SystemExit('no parser of English is installed: pip install "factreasoner[english]" and a model')
    for name in SETS:
        records = list(CheckedInput(data_folder() / name / "records.jsonl").records())
        people = Row("people", [record.atoms or () for record in records])
        ours = _row("parse", records, Config())
        with patch.object(parsing, "MODELS", ("none",)):
            whole = _row("sentences", records, Config())
        if chosen.list:
            _print_some(records, ours, chosen.list)
        else:
            _print(name, records, [people, ours, whole])


def _row(name: str, records: Sequence[Record], config: Config) -> Row:
    assembly = assembly_of(config)
    atomizer, reviser = assembly.made(ATOMIZER), assembly.made(REVISER)
    given = (record.model_copy(update={"atoms": None}) for record in records)
    return Row(name, [make_atoms(record, atomizer, reviser, Meter()).atoms for record in given])


def _print(name: str, records: Sequence[Record], rows: Sequence[Row]) -> None:
    print(f"\n{name}: {len(records)} answers")
    print("             atoms  theirs in ours  ours in theirs  compound  open  words  whole")
    people = rows[0]
    for row in rows:
        flat = [atom for atoms in row.atoms for atom in atoms]
        both = list(zip(people.atoms, row.atoms, strict=True))
        print(
            f"{row.name:12} {len(flat) / sum(map(len, people.atoms)):5.2f}  "
            f"{_matched(both):14.2f}  {_matched([(b, a) for a, b in both]):14.2f}  "
            f"{_compound(flat):8.2f}  {np.mean([_is_open(a.text) for a in flat]):4.2f}  "
            f"{np.mean([len(a.text.split()) for a in flat]):5.1f}  {_whole(records, row):5.2f}"
        )


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
            w for w in parse.words if w.dep in ("conj", "relcl", "advcl") and w.pos in VERBS and w.is_finite
        ]
        free = [
            w
            for w in beside
            if w.dep != "advcl" and (w.dep == "conj" or parse.words[w.first - 1].text == ",")
        ]
        lists = [w for w in parse.words if w.dep == "conj" and w.head.dep == "conj"]
        found.append(bool(free or lists))
    return float(np.mean(found))


def _is_open(text: str) -> bool:
    return OPEN.match(text) is not None and EXPLETIVE.match(text) is None


def _whole(records: Sequence[Record], row: Row) -> float:
    """Share of the sentences with an atom, by their places, that have but one."""
    placed = [
        sum(atom.span is not None and start <= atom.span[0] < end for atom in atoms)
        for record, atoms in zip(records, row.atoms, strict=True)
        for start, end in sentences(record.response)
    ]
    found = [count for count in placed if count]
    return found.count(1) / len(found) if found else float("nan")


def _print_some(records: Sequence[Record], row: Row, count: int) -> None:
    drawn = [(record.id, atom) for record, atoms in zip(records, row.atoms, strict=True) for atom in atoms]
    for record_id, atom in sorted(
        random.Random(0).sample(drawn, min(count, len(drawn))), key=lambda x: (x[0], x[1].id)
    ):
        print(json.dumps({"record": record_id, "atom": atom.id, "text": atom.text}, ensure_ascii=False))


if __name__ == "__main__":
    main()
