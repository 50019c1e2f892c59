"""Tables of relations: human verdicts, one per line, and their use by an input."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, NamedTuple

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from factreasoner.errors import InputError, InputProblem
from factreasoner.files import describe_read_error, open_file
from factreasoner.judges import pair_id
from factreasoner.models import Label, Record, Verdict
from factreasoner.models.formatting import refused
from factreasoner.models.journal import JOURNAL
from factreasoner.models.rows import grouped

MOST_PROBLEMS = 100
LINE_FORMAT = 'a line is {"record", "source", "target", "label", "probability"?, "quote"?}'

_Id = Annotated[str, BeforeValidator(lambda value: str(value) if type(value) is int else value)]
Pair = tuple[str, str]


class Recording(NamedTuple):
    """The recorded verdicts of one record by (source, target), and their texts by id.

    `atoms` and `contexts` are empty if the file has no texts; then `lines` has each verdict's line.
    """

    verdicts: Mapping[Pair, Verdict]
    atoms: Mapping[str, str] = MappingProxyType({})
    contexts: Mapping[str, str] = MappingProxyType({})
    lines: Mapping[Pair, int] = MappingProxyType({})


class _RelationLine(BaseModel):
    """One line of a relation table; other keys are ignored."""

    record: _Id = Field(min_length=1)
    source: _Id = Field(min_length=1)
    target: _Id = Field(min_length=1)
    label: Label
    probability: float | None = Field(default=None, ge=0.0, le=1.0, allow_inf_nan=False, strict=True)
    quote: Annotated[str, Field(min_length=1)] | None = None


def table_of(file: Path, constant: float) -> dict[str, Recording]:
    """A relation table, by record id."""
    records: dict[str, dict[Pair, tuple[Verdict, int]]] = {}
    problems: list[InputProblem] = []
    for number, raw in enumerate(lines_of(file), start=1):
        if not raw.strip() or len(problems) >= MOST_PROBLEMS:
            continue
        where = f"{file}:{number}"
        try:
            line = _RelationLine.model_validate_json(raw)
        except ValidationError as error:
            problems += line_problems(error, where, LINE_FORMAT)
            continue
        verdict = Verdict(
            context_id=line.source,
            target_id=line.target,
            probability=constant if line.probability is None else line.probability,
            confidence="constant" if line.probability is None else "recorded",
            **line.model_dump(include={"label", "quote"}),
        )
        pair = (line.source, line.target)
        before, first = records.setdefault(line.record, {}).setdefault(pair, (verdict, number))
        if before != verdict:
            message = f"line {first} has another verdict on {pair_id(*pair)} of {line.record!r}; keep one"
            problems.append(InputProblem(where, "label", message))
    if problems:
        raise InputError(problems)
    return {
        record: Recording(
            {pair: verdict for pair, (verdict, _) in found.items()},
            lines={pair: number for pair, (_, number) in found.items()},
        )
        for record, found in records.items()
    }


class UsedLines:
    """Tracks which verdicts of a table concern pairs of an input."""

    def __init__(self, file: Path, table: Mapping[str, Recording]) -> None:
        self._file = file
        self._table = table
        self._named: set[str] = set()
        self._others: dict[str, dict[int, str]] = {
            record: dict.fromkeys(recording.lines.values(), f"no record {record!r}")
            for record, recording in table.items()
        }
        """By record, the lines that are on no pair, and why."""

    def note(self, record: Record, *, pairs: bool) -> None:
        """Record an input record; with `pairs`, also the ids of its atoms and contexts.

        Before atoms are made or contexts retrieved, any id may be theirs.
        """
        if (recording := self._table.get(record.id)) is None:
            return
        self._named.add(record.id)
        self._others[record.id] = {}
        if not pairs or record.atoms is None or record.contexts is None:
            return
        known = {*(atom.id for atom in record.atoms), *(context.id for context in record.contexts)}
        for pair, line in recording.lines.items():
            for strange in (name for name in pair if name not in known):
                self._others[record.id][line] = f"record {record.id!r} has no atom or context {strange!r}"

    def unused(self, *, whole: bool = True) -> str:
        """How many verdicts concern the input, and the first that does not; empty if all do.

        Without the `whole` input, verdicts on unread records are ignored.

        Raises InputError: none concerns the input.
        """
        counted = self._table.keys() if whole else self._named
        others = {line: why for name in counted for line, why in self._others[name].items()}
        if not others:
            return ""
        total, first = sum(len(self._table[name].lines) for name in counted), min(others)
        where = f"{self._file}:{first}"
        if len(others) == total:
            which = "of the file" if whole else "on a record that is read"
            message = f"no verdict {which} belongs to a pair of this input: {others[first]}"
            raise InputError([InputProblem(where, "", message)])
        used = f"{total - len(others)} of {total} verdicts belong to pairs of this input"
        return f"{self._file}: {used}; the first other one is on line {first}: {others[first]}"


def line_problems(error: ValidationError, where: str, line_format: str) -> Iterator[InputProblem]:
    """Problems of a line's fields; fields with the same problem are named together."""
    for why, items in grouped(error.errors(), refused).items():
        names = (".".join(map(str, item["loc"])) for item in items)
        yield InputProblem(where, ", ".join(names), f"{why}; {line_format}")


def lines_of(file: Path) -> Iterator[bytes]:
    """The lines of a file, compressed or not. Raises InputError if it can't be read."""
    try:
        with open_file(file) as lines:
            yield from lines
    except OSError as error:
        why = describe_read_error(error)
        if file.name == JOURNAL and isinstance(error, FileNotFoundError):
            why = "is missing; put it back, or name another run folder"
        raise InputError([InputProblem(str(file), "", why)]) from error
