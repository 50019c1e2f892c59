"""Verdicts of earlier runs, as their journals hold them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, TypeAdapter, ValidationError

from factreasoner.errors import InputError, InputProblem
from factreasoner.files import is_packed, opened
from factreasoner.graph.pairs import equal_groups
from factreasoner.models import Assessment, Context, Verdict
from factreasoner.models.journal_line import is_bare, unpack

Pair = tuple[str, str]


class Recording(NamedTuple):
    """What is recorded of one record: verdicts by (source, target), and the texts they are about, by id.

    `atoms` and `contexts` are empty where the file has no texts.
    """

    verdicts: Mapping[Pair, Verdict]
    atoms: Mapping[str, str]
    contexts: Mapping[str, str]


def lines_of(file: Path) -> Iterator[bytes]:
    """The lines of a file, compressed or not. Raises InputError when it can't be read."""
    try:
        with opened(file) as lines:
            yield from lines
    except OSError as error:
        raise InputError([InputProblem(str(file), "", f"can't be read: {error.strerror}")]) from error


class _Text(BaseModel):
    """A claim or a fact."""

    id: str
    text: str


_VERDICTS = TypeAdapter(tuple[Verdict, ...])
_CONTEXTS = TypeAdapter(tuple[Context, ...])
_CLAIMS = TypeAdapter(tuple[_Text, ...])


class Journal(Mapping[str, Recording]):
    """An earlier run's journal, by record id: the last line of each record, read when it is asked for.

    Raises:
        InputError: a line is damaged; or the file is compressed, so that no line can be looked up.
    """

    def __init__(self, file: Path) -> None:
        if is_packed(file):
            message = "a run's journal, compressed; unpack it first: verdicts are looked up in it one by one"
            raise InputError([InputProblem(str(file), "", message)])
        self._file = file
        self._offsets: dict[str, int] = {}
        offset = 0
        for number, raw in enumerate(lines_of(file), start=1):
            if not raw.endswith(b"\n"):
                break  # torn by a kill
            try:
                name = json.loads(raw)["record_id"] if is_bare(raw) else unpack(raw).id
            except (ValueError, LookupError, TypeError, AttributeError) as error:
                message = "damaged line; remove it, or finish that run first"
                raise InputError([InputProblem(f"{file}:{number}", "", message)]) from error
            self._offsets[name] = offset
            offset += len(raw)
        self._read = lru_cache(maxsize=32)(self._read_record)

    def __iter__(self) -> Iterator[str]:
        return iter(self._offsets)

    def __len__(self) -> int:
        return len(self._offsets)

    def __getitem__(self, record_id: str) -> Recording:
        return self._read(record_id)

    def _read_record(self, record_id: str) -> Recording:
        offset = self._offsets[record_id]
        with self._file.open("rb") as journal:
            journal.seek(offset)
            line = journal.readline()
        try:
            return _recording(line if is_bare(line) else unpack(line).result)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else "the line has changed"
            message = f"the result of {record_id!r} can't be read: {why}"
            raise InputError([InputProblem(str(self._file), "", message)]) from error


def _recording(line: bytes) -> Recording:
    result = json.loads(line)
    if result.get("verdicts") is None:
        found = Assessment.model_validate_json(line)
        verdicts = found.outcome.verdicts if found.outcome else ()
        passages, texts = found.contexts, {}
        atoms = {atom.id: atom.text for atom in found.atoms}
    else:  # of `rag`, `recall` or `verify`
        verdicts = _VERDICTS.validate_python(result["verdicts"])
        passages = _CONTEXTS.validate_python(result.get("contexts") or ())
        parts = [part for name in ("verified", "revised") if (part := result.get(name))]
        lists = [part.get("claims") for part in (result, *parts)]
        lists += [result.get("reference_claims"), result.get("facts")]
        claims = _CLAIMS.validate_python([claim for given in lists for claim in given or ()])
        atoms = {claim.id: claim.text for claim in claims}
        texts = {"answer": result["response"]}
        if result.get("reference") is not None:
            texts["reference"] = result["reference"].strip()
    premises = {context.id: context.text for context in passages} | texts
    return Recording(_for_equal_contexts(verdicts, passages), atoms, premises)


def _for_equal_contexts(verdicts: Sequence[Verdict], contexts: Sequence[Context]) -> dict[Pair, Verdict]:
    """Verdicts as their judge gave them, uncalibrated, by pair; each holds for all equal contexts.

    FR1 judges equal contexts separately and FR2 one of them, so each replays the other. Where several equal
    ones have a verdict the most probable counts.
    """
    same = {c.id: [other.id for other in group] for group in equal_groups(contexts) for c in group}
    given = (verdict.as_given.model_copy(update={"confidence": "recorded"}) for verdict in verdicts)
    found = {(verdict.context_id, verdict.target_id): verdict for verdict in given}
    strongest = sorted(found.items(), key=lambda item: (-item[1].probability, item[1].label, item[0]))
    for (source, target), verdict in strongest:
        for pair in product(same.get(source, ()), same.get(target, [target])):
            if pair[0] != pair[1] and pair not in found:
                found[pair] = verdict.model_copy(update={"context_id": pair[0], "target_id": pair[1]})
    return found
