"""A judge that replays verdicts from a file: human ones, or an earlier run's journal."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from factreasoner.errors import ConfigError, InputError, InputProblem
from factreasoner.files import is_compressed
from factreasoner.graph.pairs import equal_groups
from factreasoner.judges import CONSTANT_CONFIDENCE, unjudged
from factreasoner.judges.relation_lines import LINE_FORMAT, Pair, Recording, UsedLines, lines_of, table_of
from factreasoner.judges.settings import JudgeSettings
from factreasoner.models import Assessment, Claim, Context, Premise, Verdict
from factreasoner.models.journal import DamagedLineError, Journal, is_line, journal_of
from factreasoner.plugins.results import with_true_quote
from factreasoner.protocols import Judged


class RecordedJudge:
    """Replays the verdicts in `config.relations`; see the settings `relations` and `unlisted`.

    The file is JSONL with one {record, source, target, label, probability?, quote?} per line, or an earlier
    run's journal or folder. An unlisted pair, or one with other texts or a quote that is not in the passage,
    is a Failure of type "MissingVerdict". With `unlisted="neutral"`, an unlisted pair of a listed record is
    neutral.

    Raises:
        ConfigError: no file is set.
        InputError: the file can't be read; every bad line is named with its field.
    """

    asks_model = False
    pairwise = True

    def __init__(self, config: JudgeSettings | None = None) -> None:
        self._config = config or JudgeSettings()
        if self._config.relations is None:
            raise ConfigError("judge: 'recorded' needs its verdicts: add `relations=FILE`, or a run folder")
        self._file = journal_of(self._config.relations)
        self._recordings = recordings(self._file, CONSTANT_CONFIDENCE)

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim, in order."""
        recording = self._recordings.get(premise.record_id)
        verdicts, failures = [], []
        for claim in claims:
            found = self._verdict(recording, premise, claim)
            if isinstance(found, Verdict):
                verdicts.append(found)
            else:
                failures.append(unjudged(premise.id, claim.id, "MissingVerdict", found))
        return Judged(tuple(verdicts), tuple(failures))

    def _verdict(self, recording: Recording | None, premise: Premise, claim: Claim) -> Verdict | str:
        """The verdict on a pair, or why there is no valid one."""
        neutral = self._config.unlisted == "neutral"
        if recording is None and neutral:
            return (
                f"{self._file} has no verdict for this record. `unlisted='neutral'` covers only records in "
                "the file (a misspelt id must not pass as neutral); add one neutral line for this record"
            )
        verdict = None if recording is None else recording.verdicts.get((premise.id, claim.id))
        if recording is None or (verdict is None and not neutral):
            return f"no verdict on this pair in {self._file}{_remade(recording, claim)}"
        passage = recording.contexts.get(premise.id, premise.text)
        if passage != premise.text or recording.atoms.get(claim.id, claim.text) != claim.text:
            return f"the verdict in {self._file} is about other texts{_remade(recording, claim)}"
        if verdict is None:
            return Verdict(
                context_id=premise.id,
                target_id=claim.id,
                label="neutral",
                probability=CONSTANT_CONFIDENCE,
                confidence="unlisted",
            )
        # a run's own quotes were checked when it made them
        return verdict if recording.contexts else with_true_quote(verdict, premise)


def recording_fingerprint(path: Path) -> str:
    """Short digest of the verdict file. Raises InputError if it can't be read."""
    digest = hashlib.sha256()
    for line in lines_of(journal_of(path)):
        digest.update(line)
    return digest.hexdigest()[:16]


def _remade(recording: Recording | None, claim: Claim) -> str:
    """Cause and fix if the recorded run has no such claim."""
    if recording is None or not recording.atoms:
        return ""
    if claim.id in recording.contexts or recording.atoms.get(claim.id) == claim.text:
        return ""
    return (
        ": that run made different claims; use that run's settings, above all its `model` with the cache, "
        "or records that contain its claims"
    )


def recordings(file: Path, constant: float) -> Mapping[str, Recording]:
    """The content of a file in either form, by record id; the default probability is `constant`.

    Raises InputError: the file can't be read, is empty, or has a bad line.
    """
    first = next((line for line in lines_of(file) if line.strip()), None)
    if first is None:
        raise InputError([InputProblem(str(file), "", f"empty; {LINE_FORMAT}")])
    return RecordedRun(file) if is_line(first) else table_of(file, constant)


def used_lines(config: JudgeSettings) -> UsedLines | None:
    """Tracks which verdicts an input uses; None unless they come from a table.

    Raises InputError: the table can't be read, or has a bad line.
    """
    if not config.part("judge").replays or config.relations is None:
        return None
    file = journal_of(config.relations)
    table = recordings(file, CONSTANT_CONFIDENCE)
    return None if isinstance(table, RecordedRun) else UsedLines(file, table)


class _Text(BaseModel):
    """A claim or a fact."""

    id: str
    text: str


_VERDICTS = TypeAdapter(tuple[Verdict, ...])
_CONTEXTS = TypeAdapter(tuple[Context, ...])
_CLAIMS = TypeAdapter(tuple[_Text, ...])


class RecordedRun(Mapping[str, Recording]):
    """An earlier run's journal, by record id: the last line of each record, read on request.

    Raises InputError: a line is damaged, or the file is compressed.
    """

    def __init__(self, file: Path) -> None:
        if is_compressed(file):
            message = "a run's journal, compressed; unpack it first: verdicts are looked up in it one by one"
            raise InputError([InputProblem(str(file), "", message)])
        self._journal = Journal(file)
        try:
            self._ids = self._journal.entries.keys()
        except DamagedLineError as error:
            message = "damaged line; remove it, or finish that run first"
            raise InputError([InputProblem(error.where, "", message)]) from error
        self._read = lru_cache(maxsize=32)(self._read_record)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __getitem__(self, record_id: str) -> Recording:
        if record_id not in self._ids:
            raise KeyError(record_id)
        return self._read(record_id)

    def _read_record(self, record_id: str) -> Recording:
        try:
            (line,) = self._journal.lines([record_id])
            verdicts, passages, atoms, premises = _parse_result(line.result)
        except (ValueError, LookupError, TypeError, AttributeError, DamagedLineError) as error:
            why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else "the line has changed"
            message = f"the result of {record_id!r} can't be read: {why}; run again"
            raise InputError([InputProblem(str(self._journal.journal_path), "", message)]) from error
        return Recording(_for_equal_contexts(verdicts, passages), atoms, premises)


def _parse_result(line: bytes) -> tuple[Sequence[Verdict], Sequence[Context], dict[str, str], dict[str, str]]:
    """A result's verdicts and passages, and its texts by id."""
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
    return verdicts, passages, atoms, premises


def _for_equal_contexts(verdicts: Sequence[Verdict], contexts: Sequence[Context]) -> dict[Pair, Verdict]:
    """Uncalibrated verdicts by pair; each applies to all equal contexts.

    FR1 judges equal contexts separately and FR2 only one, so each can replay the other. Among several
    verdicts the most probable counts.
    """
    same = {c.id: [other.id for other in group] for group in equal_groups(contexts) for c in group}
    given = (
        verdict.uncalibrated_verdict.model_copy(update={"confidence": "recorded"}) for verdict in verdicts
    )
    found = {verdict.pair: verdict for verdict in given}
    strongest = sorted(found.items(), key=lambda item: (-item[1].probability, item[1].label, item[0]))
    for (source, target), verdict in strongest:
        for pair in product(same.get(source, ()), same.get(target, [target])):
            if pair[0] != pair[1] and pair not in found:
                found[pair] = verdict.model_copy(update={"context_id": pair[0], "target_id": pair[1]})
    return found
