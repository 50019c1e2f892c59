"""Human labels of atoms from a file of their own, put in the place of those a run's input brought."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.items import GOLD_LABELS, LABEL_REMEDY, Items
from factreasoner.inputs.jsonl import Line, objects_of
from factreasoner.inputs.problems import Draft
from factreasoner.models import Assessment, Atom, Gold

LINE_FORMAT = '{"record", "atom", "label"}, or a record with labelled "atoms"'
MOST_PROBLEMS = 100


class GoldLabel(NamedTuple):
    """A label, the text it is about where the file says so, and its line."""

    label: Gold
    text: str | None
    line: int


class GoldFile:
    """Labels by record and atom id, and how many of them are used.

    The file is JSONL; a line is {record, atom, label, text?} or a record of the input format with labelled
    atoms, in any mixture. A label with its atom's text is for that text alone: another atom of the same id,
    found by another atomizer, does not get it.

    Raises:
        InputError: the file can't be read, a line is wrong, or two lines differ about one atom.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._labels: dict[str, dict[str, GoldLabel]] = {}
        self._used = 0
        self._reworded = 0
        self._seen: set[str] = set()
        problems: list[InputProblem] = []
        for line in objects_of(path, problems):
            try:
                for record, atom, gold in _gold_labels_of(line):
                    self._add(record, atom, gold, line.where, problems)
            except InputError as error:
                problems += error.problems
            if len(problems) >= MOST_PROBLEMS:
                break
        if problems:
            raise InputError(problems)
        if not self._labels:
            raise InputError([InputProblem(str(path), "", f"holds no label; a line is {LINE_FORMAT}")])

    def _add(self, record: str, atom: str, gold: GoldLabel, where: str, problems: list[InputProblem]) -> None:
        first = self._labels.setdefault(record, {}).setdefault(atom, gold)
        if first.label != gold.label:
            message = f"{atom!r} of {record!r} is {first.label} in line {first.line}; keep one"
            problems.append(InputProblem(where, "label", message))

    def apply(self, assessment: Assessment) -> Assessment:
        """The assessment with the labels of this file and no other."""
        labels = self._labels.get(assessment.record_id, {})
        self._seen.add(assessment.record_id)
        atoms = tuple(self._labelled(atom, labels.get(atom.id)) for atom in assessment.atoms)
        return assessment.model_copy(update={"atoms": atoms})

    def _labelled(self, atom: Atom, gold: GoldLabel | None) -> Atom:
        if gold is not None and gold.text is not None and not _same(gold.text, atom):
            self._reworded += 1
            gold = None
        self._used += gold is not None
        return atom.model_copy(update={"gold": gold.label if gold else None})

    def counts(self) -> dict[str, int]:
        """How many labels were used so far, and why the others were not."""
        total = sum(map(len, self._labels.values()))
        elsewhere = sum(len(labels) for record, labels in self._labels.items() if record not in self._seen)
        return {
            "labels": total,
            "used": self._used,
            "of_other_records": elsewhere,
            "of_other_atoms": total - elsewhere - self._used - self._reworded,
            "on_other_texts": self._reworded,
        }

    def unused(self) -> str | None:
        """Which labels were not used, in words; None if all were. Raises InputError if none was."""
        counts = self.counts()
        unused = {name: n for name, n in counts.items() if n and name not in ("labels", "used")}
        parts = [f"{n} {name.replace('_', ' ')}" for name, n in unused.items()]
        if not self._used:
            known = f"the file's records are {_some(self._labels)}, the run's {_some(self._seen)}"
            count = f"none of its {counts['labels']} labels is for an atom of this run"
            message = f"{count}: {', '.join(parts)}; {known}"
            raise InputError([InputProblem(str(self.path), "", message)])
        if not parts:
            return None
        return f"{self.path}: {counts['used']} of {counts['labels']} labels are used; {', '.join(parts)}"


def _gold_labels_of(line: Line) -> Iterator[tuple[str, str, GoldLabel]]:
    data, number = line.data, line.number
    draft = Draft(line.where, {})
    if "atoms" in data:
        items = Items(draft)
        atoms = items.of(data["atoms"], "atoms")
        record = draft.id(data.get("id"), "id", f"r{number}")
        items.numbered()
        draft.finish()
        for atom in atoms:
            if (gold := atom.get("gold")) is not None:
                yield record, atom["id"], GoldLabel(gold, atom["text"], number)
        return
    record, atom_id = (draft.id(data.get(name), name) for name in ("record", "atom"))
    text = draft.text(data.get("text"), "text")
    label = data.get("label")
    if "label" not in data:
        draft.problem("label", f"missing; a line is {LINE_FORMAT}")
    elif label is not None and label not in GOLD_LABELS:
        draft.problem("label", f"is {label!r}; {LABEL_REMEDY}")
    draft.finish()
    if label is not None:
        yield record, atom_id, GoldLabel(label, text, number)


def _same(text: str, atom: Atom) -> bool:
    return " ".join(text.split()) in {" ".join((known or "").split()) for known in (atom.text, atom.original)}


def _some(ids: Mapping[str, Any] | set[str]) -> str:
    shown = ", ".join(map(repr, sorted(ids)[:3]))
    return f"{shown}, ..." if len(ids) > 3 else shown
