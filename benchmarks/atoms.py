"""Atoms made without a model beside those that people wrote, and what they do to the score of an answer.

Each answer is split by the installed spaCy pipeline and once more into sentences; then the bundled judge
judges both, and people's atoms, against the record's passages (version 2). Columns:

- `atoms`: ours per people's atom; `theirs in ours`, `ours in theirs`: share with a counterpart, which shares
  at least .7 of the content words of both (F1 of stems).
- `compound`: more than one finite verb outside a subordinate clause, or a list of three (by another parse, so
  for sentences too); `open`: an atom that begins with a pronoun or "this"; `words`: of an atom, on average.
- `whole`: share of the answer's sentences with an atom that just one atom stands for.
- `covered`: share of the answer's sentences that one of people's atoms came from and one of ours stands for.
- `MAE`: mean |precision - people's share of supported atoms| over answers; `rho`: their Spearman correlation.
  `MAE P` and `rho P` are the same for the mean P(true) of the answer's atoms in place of precision, and
  `mean P` is its mean over answers, to be held against people's share.
  `constant` is the MAE of always saying the mean of the other answers, `all true` that of calling every
  atom true.

A last line gives `MAE P` and `rho P` of those of our atoms that say a claim of people's.

`--ablate` leaves out each rule of the atomizer in turn. Columns: `atoms`; `split`: share of the sentences
with an atom that have several; `refused`: of the sentences that could be split, those that the second reading
left whole; `faulty`: of the atoms of split sentences, those that are no single finite clause in a parse of
their own; `MAE P`, `rho P`.

Data: the folder named by
FACTREASONER_DATA or ../shared/data. Run: `python benchmarks/atoms.py` (half a minute, four with `--ablate`);
`--list N` prints N atoms drawn at random, to be read.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from data_folder import data_folder
from scipy.stats import spearmanr

from factreasoner.atoms import clauses, embedded, fragments, nonclaims, phrases, statements
from factreasoner.inputs.input import CheckedInput
from factreasoner.models import Atom, Record, factuality
from factreasoner.pipeline import build_pipeline
from factreasoner.protocols import Atomized
from factreasoner.settings import Config
from factreasoner.text.language import FUNCTION_WORDS, stem
from factreasoner.text.parsing import VERBS, find_parser
from factreasoner.text.sentences import sentences

SETS = ("factscore_bios", "factcheck_bench")
ALIKE, SAID = 0.7, 0.8
OPEN = re.compile(r"(?:He|She|It|They|His|Her|Its|Their|This|These|Those|That)\b")
EXPLETIVE = re.compile(
    r"It(?:'s| is| was| has been| may be) (?:\w+ )?(?:that|to|how|\w+ (?:that|to|how|when))\b"
)


LEAST_CLAIMS = (1, 3, 5, 10)
FEWEST_ANSWERS = 10


class Row(NamedTuple):
    """One way to make atoms: the atoms of each answer, its precision, and P(true) of each atom."""

    name: str
    atoms: list[tuple[Atom, ...]]
    precision: list[float | None]
    p_true: list[Mapping[str, float]]

    @property
    def mean_p(self) -> list[float | None]:
        """The mean P(true) of the atoms of each answer; None for an answer without atoms."""
        return [float(np.mean(list(each.values()))) if each else None for each in self.p_true]


class Rule(NamedTuple):
    """A rule of the atomizer, the function that is it, and what the function says without it."""

    name: str
    owner: object
    function: str
    without: Callable[..., object]


RULES = (
    Rule("verbs beside each other", clauses.Splitter, "_conjuncts", lambda *_: []),
    Rule("definitions", phrases, "_definition", lambda *_: None),
    Rule("what commas set off", phrases, "_set_off", lambda *_: None),
    Rule("a date apart from a place", clauses.Splitter, "_when_and_where", lambda _, verb, line: [line]),
    Rule("lists", clauses, "split_list", lambda wording, verb: [tuple(wording.line(verb))]),
    Rule("names behind a colon", fragments, "enumerated", lambda *_: ()),
    Rule("the second reading", statements, "is_sound", lambda *_: True),
    Rule("  nothing pointed to outside", clauses, "_is_open", lambda *_: False),
    Rule("lead-ins of lists", fragments.Leads, "of", lambda *_: ""),
    Rule("labels", statements.StatementFinder, "_label", lambda _, span, kind: ("", span)),
    Rule("instructions", nonclaims, "is_instruction", lambda *_: False),
    Rule("remarks that open", nonclaims, "opening", lambda *_: 0),
    Rule("courtesies and advice", nonclaims, "is_filler", lambda *_: False),
    Rule("lists of sources", nonclaims, "is_reference_heading", lambda *_: False),
    Rule("headings", statements.StatementFinder, "_is_heading", lambda *_: False),
    Rule("names for pronouns", embedded.EmbeddedReviser, "revise", lambda _, atoms, __: Atomized(atoms)),
)


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description="Atoms made without a model.")
    parser.add_argument("--list", type=int, default=0, help="print that many atoms of each set")
    parser.add_argument("--ablate", action="store_true", help="leave out each rule in turn")
    chosen = parser.parse_args()
    if find_parser() is None:
        raise SystemExit('no parser of English is installed: pip install "factreasoner[english]" and a model')
    for name in SETS:
        records = list(CheckedInput(data_folder() / name / "records.jsonl").records())
        if chosen.ablate:
            _print_ablation(name, records)
            continue
        people = _row("people", records, Config(), given=True)
        ours = _row("parse", records, Config())
        whole = _row("sentences", records, Config(spacy_model="none"))
        if chosen.list:
            _print_some(records, ours, chosen.list)
        else:
            _print(name, records, people, [people, ours, whole])


def _row(name: str, records: Sequence[Record], config: Config, *, given: bool = False) -> Row:
    pipeline = build_pipeline(config)
    made = [pipeline.assess(r if given else r.model_copy(update={"atoms": None})) for r in _loose(records)]
    precision = [factuality(a, len(a.atoms) or 1).precision for a in made]
    return Row(name, [a.atoms for a in made], precision, [a.p_true for a in made])


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
    people_say = f"people's share {np.mean(share):.3f}"
    fixed = f"MAE of a constant {constant:.3f}, of all true {1 - np.mean(share):.3f}"
    print(f"\n{name}: {len(records)} answers, {people_say}, {fixed}")
    print(
        "             atoms  theirs in ours  ours in theirs  compound  open  words  whole  covered"
        "   MAE   rho  MAE P  rho P  mean P  none"
    )
    for row in rows:
        error, rho = _against(row.precision, share)
        error_p, rho_p = _against(row.mean_p, share)
        flat = [atom for atoms in row.atoms for atom in atoms]
        both = list(zip(people.atoms, row.atoms, strict=True))
        print(
            f"{row.name:12} {len(flat) / sum(map(len, people.atoms)):5.2f}  "
            f"{_matched(both):14.2f}  {_matched([(b, a) for a, b in both]):14.2f}  "
            f"{_compound(flat):8.2f}  {np.mean([_is_open(a.text) for a in flat]):4.2f}  "
            f"{np.mean([len(a.text.split()) for a in flat]):5.1f}  {_whole(records, row):5.2f}  "
            f"{_covered(records, row):7.2f}  "
            f"{error:.3f}  {rho:4.2f}  {error_p:.3f}  {rho_p:5.2f}  "
            f"{np.mean([p for p in row.mean_p if p is not None]):6.3f}  {row.mean_p.count(None):4}"
        )
    _print_by_length(records, share, rows)
    _print_checked(people, share, rows[1:])


def _print_checked(people: Row, share: Sequence[float], rows: Sequence[Row]) -> None:
    """The same where people looked at the claim: the passages were gathered for their claims alone."""
    for row in rows:
        found = [_checked(*each) for each in zip(row.atoms, people.atoms, strict=True)]
        kept = row._replace(
            p_true=[
                {name: p for name, p in each.items() if name in checked}
                for each, checked in zip(row.p_true, found, strict=True)
            ]
        )
        error, rho = _against(kept.mean_p, share)
        count = f"{sum(map(len, found))} of {sum(map(len, row.atoms))} atoms"
        print(f"{row.name}: {count} say a claim of people's, MAE P {error:.3f}, rho P {rho:.2f}")


def _checked(atoms: Sequence[Atom], theirs: Sequence[Atom]) -> set[str]:
    """The ids of `atoms` that are like one of people's, or say nearly all that it says."""
    wanted = [bag for bag in (_content(atom.text) for atom in theirs) if bag]
    bags = {atom.id: _content(atom.text) for atom in atoms}
    return {
        name
        for name, own in bags.items()
        for bag in wanted
        if len(own & bag) >= min(ALIKE * (len(own) + len(bag)) / 2, SAID * len(bag))
    }


def _against(scores: Sequence[float | None], share: Sequence[float]) -> tuple[float, float]:
    """The mean absolute error and the rank correlation of scores, where there is one."""
    pairs = [(score, own) for score, own in zip(scores, share, strict=True) if score is not None]
    error = float(np.mean([abs(score - own) for score, own in pairs]))
    return error, float(spearmanr(*zip(*pairs, strict=True)).statistic)


def _print_ablation(name: str, records: Sequence[Record]) -> None:
    print(f"\n{name}: {len(records)} answers")
    print("left out                       atoms  split  refused  faulty  MAE P  rho P")
    _print_without(None, records)
    for rule in RULES:
        with patch.object(rule.owner, rule.function, rule.without):
            _print_without(rule, records)


def _print_without(rule: Rule | None, records: Sequence[Record]) -> None:
    tried: list[bool] = []
    found = vars(statements.StatementFinder)["_split"]

    def split(finder, sentence, parse):
        said = found(finder, sentence, parse)
        if parse is not None and len(clauses.split(parse)) > 1:
            tried.append(not said)
        return said

    with patch.object(statements.StatementFinder, "_split", split):
        row = _row("", records, Config())
    parts = [atom for group in _by_sentence(records, row) if len(group) > 1 for atom in group]
    error, rho = _against(row.mean_p, [_share(record) for record in records])
    print(
        f"{rule.name if rule else 'nothing':30} "
        f"{sum(map(len, row.atoms)):5}  {1 - _whole(records, row):5.2f}  "
        f"{np.mean(tried):7.2f}  {np.mean(_faulty(parts) or [False]):6.3f}  {error:.3f}  {rho:5.2f}"
    )


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
    placed = [len(group) for group in _by_sentence(records, row) if group]
    return placed.count(1) / len(placed) if placed else float("nan")


def _by_sentence(records: Sequence[Record], row: Row) -> list[list[Atom]]:
    """The atoms of each sentence, by their places."""
    return [
        [atom for atom in atoms if atom.span is not None and start <= atom.span[0] < end]
        for record, atoms in zip(records, row.atoms, strict=True)
        for start, end in sentences(record.response)
    ]


def _faulty(atoms: Sequence[Atom]) -> list[bool]:
    """Whether each atom is no single finite clause by a parse of its own."""
    parser = find_parser()
    assert parser is not None
    found = []
    for atom, parse in zip(atoms, parser.parse([atom.text for atom in atoms]), strict=True):
        whole = parse is not None and parse.root.is_clause
        found.append(not whole or _compound([atom]) > 0)
    return found


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
