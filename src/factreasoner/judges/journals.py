"""Verdicts of earlier runs, as their journals hold them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel, ValidationError

from factreasoner.errors import InputError, InputProblem
from factreasoner.files import is_packed, opened
from factreasoner.graph.pairs import equal_groups
from factreasoner.models import Assessment, Context, Verdict
from factreasoner.models.journal_line import is_bare, unpack

Pair = tuple[str, str]


class Recording(NamedTuple):
    """What is recorded of one record: verdicts by (source, target), and the texts they are about, by id.

    `atoms` and `contexts` are empty where the file does not tell the texts.
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


class Head(BaseModel):
    """What tells a journal's line, and whose it is."""

    record_id: str
    status: str


class Journal:
    """An earlier run's journal: where each record's last assessment starts; read when it is asked for.

    Raises:
        InputError: a line is damaged, or the file is compressed, where one can't go to a place at once.
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
                found = Head.model_validate_json(raw) if is_bare(raw) else unpack(raw)
                self._offsets[found.record_id if isinstance(found, Head) else found.id] = offset
            except (ValueError, LookupError) as error:
                problem = InputProblem(
                    f"{file}:{number}", "", "damaged line; remove it, or finish that run first"
                )
                raise InputError([problem]) from error
            offset += len(raw)
        self.of = lru_cache(maxsize=32)(self._read)

    @property
    def records(self) -> Collection[str]:
        """Ids of the records it names."""
        return self._offsets.keys()

    def _read(self, record_id: str) -> Recording | None:
        if record_id not in self._offsets:
            return None
        with self._file.open("rb") as journal:
            journal.seek(self._offsets[record_id])
            try:
                line = journal.readline()
                return _recording(line if is_bare(line) else unpack(line).result)
            except ValidationError as error:
                message = f"the result of {record_id!r} can't be read: {error.errors()[0]['msg']}"
                raise InputError([InputProblem(str(self._file), "", message)]) from error


class _Text(BaseModel):
    """A claim, a fact or a passage."""

    id: str
    text: str


class _Texts(BaseModel):
    """Claims of one text."""

    claims: tuple[_Text, ...] | None = None


class _ClaimLine(_Texts):
    """A line of `rag`, `recall` or `verify`: what these have of verdicts and of texts that these name."""

    verdicts: tuple[Verdict, ...]
    response: str
    reference: str | None = None
    reference_claims: tuple[_Text, ...] | None = None
    facts: tuple[_Text, ...] = ()
    verified: _Texts | None = None
    revised: _Texts | None = None
    contexts: tuple[Context, ...] | None = None


class _Kind(BaseModel):
    """What tells a line of another task from an assessment."""

    verdicts: object = None


def _recording(line: bytes) -> Recording:
    if _Kind.model_validate_json(line).verdicts is None:
        found = Assessment.model_validate_json(line)
        verdicts = found.outcome.verdicts if found.outcome else ()
        contexts = {context.id: context.text for context in found.contexts}
        atoms = {atom.id: atom.text for atom in found.atoms}
        return Recording(_for_equal_contexts(verdicts, found.contexts), atoms, contexts)
    said = _ClaimLine.model_validate_json(line)
    texts = [part.claims for part in (said, said.verified, said.revised) if part is not None]
    claims = [claim for part in (*texts, said.reference_claims, said.facts) for claim in part or ()]
    passages = said.contexts or ()
    premises = {context.id: context.text for context in passages} | {"answer": said.response}
    if said.reference is not None:
        premises["reference"] = said.reference.strip()
    atoms = {claim.id: claim.text for claim in claims}
    return Recording(_for_equal_contexts(said.verdicts, passages), atoms, premises)


def _replayed(verdict: Verdict) -> Verdict:
    """The verdict as its judge gave it: what that run's calibration made of it is not replayed."""
    return verdict.as_given.model_copy(update={"confidence": "recorded"})


def _for_equal_contexts(verdicts: Sequence[Verdict], contexts: Sequence[Context]) -> dict[Pair, Verdict]:
    """Verdicts by pair, those on one of several equal contexts for all of these.

    FR1 judges equal contexts apart and FR2 one of them, so each replays the other. Where several equal ones
    have a verdict the most probable counts.
    """
    same = {c.id: [other.id for other in group] for group in equal_groups(contexts) for c in group}
    found = {(v.context_id, v.target_id): _replayed(v) for v in verdicts}
    strongest = sorted(found.items(), key=lambda item: (-item[1].probability, item[1].label, item[0]))
    for (source, target), verdict in strongest:
        for other in same.get(source, ()):
            for other_target in same.get(target, [target]):
                pair = (other, other_target)
                if other != other_target and pair not in found:
                    ids = {"context_id": other, "target_id": other_target}
                    found[pair] = verdict.model_copy(update=ids)
    return found
