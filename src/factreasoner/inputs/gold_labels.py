"""Human labels of atoms from a separate file, which replace those of a run's input."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, TypeAdapter

from factreasoner.errors import InputError, InputProblem
from factreasoner.inputs.items import Items, Label
from factreasoner.inputs.jsonl import InputLine, objects_of
from factreasoner.inputs.problems import Id, RecordCheck
from factreasoner.models import Assessment, Atom, Gold

LINE_FORMAT = '{"record", "atom", "label"}, or a record with labelled "atoms"'
_AS_PATTERN = LINE_FORMAT.replace("{", "{{").replace("}", "}}")
MOST_PROBLEMS = 100


class GoldLabel(NamedTuple):
    """A label, its atom's text if given, and its line."""

    label: Gold
    text: str | None
    line: int


class _GoldLine(BaseModel):
    """A line about one atom."""

    record: Id
    atom: Id
    label: Label
    text: str | None = None


_LINE = TypeAdapter(_GoldLine)


class GoldFile:
    """Labels by record and atom id, with usage counts.

    The file is JSONL; a line is {record, atom, label, text?} or a record of the input format with labelled
    atoms. A label with a text applies only to an atom with that text.

    `unused` reports wrong or conflicting lines.

    Raises InputError: the file can't be read, or has no label.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._labels: dict[str, dict[str, GoldLabel]] = {}
        self._used = 0
        self._reworded = 0
        self._seen: set[str] = set()
        self._problems: list[InputProblem] = []
        for line in objects_of(path, self._problems, f"a line is {LINE_FORMAT}"):
            draft = RecordCheck(line.where, {})
            for record, atom, gold in _gold_labels_of(line, draft):
                first = self._labels.setdefault(record, {}).setdefault(atom, gold)
                if first.label != gold.label:
                    draft.problem(
                        "label", f"{atom!r} of {record!r} is {first.label} in line {first.line}; keep one"
                    )
            self._problems += draft.problems
            if len(self._problems) >= MOST_PROBLEMS:
                break
        if not self._labels:
            none = InputProblem(str(path), "", f"holds no label; a line is {LINE_FORMAT}")
            raise InputError(self._problems or [none])

    def apply(self, assessment: Assessment) -> Assessment:
        """The assessment with only the labels of this file."""
        labels = self._labels.get(assessment.record_id, {})
        self._seen.add(assessment.record_id)
        atoms = tuple(self._labelled(atom, labels.get(atom.id)) for atom in assessment.atoms)
        return assessment.model_copy(update={"atoms": atoms})

    def _labelled(self, atom: Atom, gold: GoldLabel | None) -> Atom:
        if gold is not None and gold.text is not None:
            texts = (" ".join((text or "").split()) for text in (atom.text, atom.original))
            if " ".join(gold.text.split()) not in texts:
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
        """A note on unused labels; None if all were used.

        Raises InputError if none was used, or a line is wrong.
        """
        counts = self.counts()
        (_, total), _, *others = counts.items()
        parts = ", ".join(f"{n} {name.replace('_', ' ')}" for name, n in others if n)
        message = f"{self._used} of {total} labels are used; {parts}"
        if not self._used:
            known = "`show` names the run's atoms"
            if counts["of_other_records"]:
                known = (
                    f"the file's records are {example_ids(self._labels)}, the run's {example_ids(self._seen)}"
                )
            message = f"none of its {total} labels is for an atom of this run: {parts}; {known}"
        found = [InputProblem(str(self.path), "", message)] if parts else []
        if self._problems or not self._used:
            raise InputError([*self._problems, *found])
        return str(found[0]) if found else None


def _gold_labels_of(line: InputLine, draft: RecordCheck) -> Iterator[tuple[str, str, GoldLabel]]:
    """Record, atom and label; nothing if wrong, which the draft notes."""
    data, number = line.data, line.number
    if "atoms" not in data:
        found = draft.take(_LINE, data, missing=f"missing; a line is {_AS_PATTERN}")
        if found is not None and found.label is not None:
            yield found.record, found.atom, GoldLabel(found.label, found.text, number)
        return
    items = Items(draft)
    atoms = items.of(data["atoms"], "atoms")
    record = draft.id(data.get("id"), "id", f"r{number}")
    items.numbered()
    for atom in () if draft.problems else atoms:
        if (gold := atom.get("gold")) is not None:
            yield record, atom["id"], GoldLabel(gold, atom["text"], number)


def example_ids(ids: Iterable[str]) -> str:
    """The first ids, for a message."""
    first, rest = sorted(ids)[:3], sorted(ids)[3:]
    return ", ".join([*map(repr, first), *(["..."] if rest else [])])
