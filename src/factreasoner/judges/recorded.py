"""A judge whose verdicts are read from a file: a person's, or those of an earlier run."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from factreasoner.errors import ConfigError, InputError, InputProblem
from factreasoner.judges import pair_id, unjudged
from factreasoner.judges.faaf import check_citation
from factreasoner.judges.journals import Journal, Pair, Recording, lines_of
from factreasoner.models import Claim, Label, Premise, Verdict
from factreasoner.models.journal_line import is_line
from factreasoner.protocols import Judged
from factreasoner.settings import Config
from factreasoner.settings.expectations import refused

JOURNAL = "journal.jsonl"
MOST_PROBLEMS = 100
LINE_FORMAT = (
    'a line is {"record", "source", "target", "label", "probability"?, "quote"?, "belief"?, "nearness"?}'
)

_Id = Annotated[str, BeforeValidator(lambda value: str(value) if type(value) is int else value)]


class RecordedJudge:
    """Gives the verdicts that `config.relations` holds; see the settings `relations` and `unlisted`.

    The file is JSONL with one {record, source, target, label, probability?, quote?, belief?, nearness?} a
    line, or an earlier run's journal or folder; quotes and beliefs are kept in both. A pair that it does not
    hold, or holds about other texts or with a quote that is not in the passage, is a Failure of error type
    "MissingVerdict". With `unlisted` of "neutral", an unlisted pair of a record that is named is neutral.

    Raises:
        ConfigError: no file is set.
        InputError: the file can't be read; every bad line is named with its field.
    """

    pairwise = True
    """A verdict depends on its passage and claim alone."""

    def __init__(self, config: Config | None = None) -> None:
        self._config = config or Config()
        if self._config.relations is None:
            raise ConfigError("judge: 'recorded' needs its verdicts: add --relations FILE, or a run folder")
        self._file = recording_file(self._config.relations)
        self._recordings = recordings(self._file, self._config.constant_confidence)

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim, in order."""
        recording = self._recordings.get(premise.record_id)
        verdicts, failures = [], []
        for claim in claims:
            found = self._found(recording, premise, claim)
            if isinstance(found, Verdict):
                verdicts.append(found)
            else:
                failures.append(unjudged(premise.id, claim.id, "MissingVerdict", found))
        return Judged(tuple(verdicts), tuple(failures))

    def _found(self, recording: Recording | None, premise: Premise, claim: Claim) -> Verdict | str:
        """The verdict on a pair, or why there is none that counts."""
        neutral = self._config.unlisted == "neutral"
        if recording is None and neutral:
            return (
                f"no line about this record in {self._file}: unlisted pairs are neutral only in records that "
                "it names, so a misspelt id is not taken for silence; one neutral verdict names a record"
            )
        verdict = None if recording is None else recording.verdicts.get((premise.id, claim.id))
        if recording is None or (verdict is None and not neutral):
            return f"no verdict on this pair in {self._file}{_remade(recording, claim)}"
        passage = recording.contexts.get(premise.id, premise.text)
        if passage != premise.text or recording.atoms.get(claim.id, claim.text) != claim.text:
            return f"the verdict in {self._file} is on other texts{_remade(recording, claim)}"
        if verdict is None:
            return Verdict(
                context_id=premise.id,
                target_id=claim.id,
                label="neutral",
                probability=self._config.constant_confidence,
                confidence="constant",
            )
        # a run's own quotes were checked when it made them
        quote = None if recording.contexts else verdict.quote
        if quote is not None and check_citation(quote, premise.text) == "absent":
            return f"the quote in {self._file} is not in {premise.id}: {quote!r}"
        return verdict


def recording_file(path: Path) -> Path:
    """The file that is read: of a run folder, its journal."""
    return path / JOURNAL if path.is_dir() else path


def recording_fingerprint(path: Path) -> str:
    """Short digest of the recorded verdicts' file. Raises InputError when it can't be read."""
    digest = hashlib.sha256()
    for line in lines_of(recording_file(path)):
        digest.update(line)
    return digest.hexdigest()[:16]


def _remade(recording: Recording | None, claim: Claim) -> str:
    """The cause and the remedy where the recorded run made no such claim."""
    if recording is None or not recording.atoms:
        return ""
    if claim.id in recording.contexts or recording.atoms.get(claim.id) == claim.text:
        return ""
    return (
        ": that run made other claims than this one; give that run's settings, above all its --model with "
        "the cache, or records that bring its claims"
    )


def recordings(file: Path, constant: float) -> Mapping[str, Recording]:
    """What a file in either form holds, by record id; verdicts without a probability get `constant`.

    Raises:
        InputError: the file can't be read, is empty, or has a bad line.
    """
    first = next((line for line in lines_of(file) if line.strip()), None)
    if first is None:
        raise InputError([InputProblem(str(file), "", f"empty; {LINE_FORMAT}")])
    return Journal(file) if is_line(first) else _table(file, constant)


class _Line(BaseModel):
    """One line of a table of relations; other keys are ignored."""

    record: _Id = Field(min_length=1)
    source: _Id = Field(min_length=1)
    target: _Id = Field(min_length=1)
    label: Label
    probability: float | None = Field(default=None, ge=0.0, le=1.0, allow_inf_nan=False, strict=True)
    belief: float | None = Field(default=None, ge=0.0, le=1.0, allow_inf_nan=False, strict=True)
    nearness: float = Field(default=0.0, ge=0.0, le=1.0, allow_inf_nan=False, strict=True)
    quote: Annotated[str, Field(min_length=1)] | None = None


def _table(file: Path, constant: float) -> dict[str, Recording]:
    """A table of relations, by record id."""
    records: dict[str, dict[Pair, Verdict]] = {}
    problems: list[InputProblem] = []
    numbers: dict[tuple[str, Pair], int] = {}
    for number, raw in enumerate(lines_of(file), start=1):
        if not raw.strip() or len(problems) >= MOST_PROBLEMS:
            continue
        where = f"{file}:{number}"
        try:
            line = _Line.model_validate_json(raw)
        except ValidationError as error:
            problems += line_problems(error, where, LINE_FORMAT)
            continue
        pair = (line.source, line.target)
        verdict = _listed(line, constant)
        if records.setdefault(line.record, {}).setdefault(pair, verdict) != verdict:
            first = numbers[line.record, pair]
            message = f"line {first} has another verdict on {pair_id(*pair)} of {line.record!r}; keep one"
            problems.append(InputProblem(where, "label", message))
        numbers.setdefault((line.record, pair), number)
    if problems:
        raise InputError(problems)
    return {record: Recording(verdicts, {}, {}) for record, verdicts in records.items()}


def _listed(line: _Line, constant: float) -> Verdict:
    return Verdict(
        context_id=line.source,
        target_id=line.target,
        label=line.label,
        probability=constant if line.probability is None else line.probability,
        confidence="constant" if line.probability is None else "recorded",
        quote=line.quote,
        belief=line.belief,
        nearness=line.nearness,
    )


def line_problems(error: ValidationError, where: str, line_format: str) -> Iterator[InputProblem]:
    """What is wrong with the fields of a line."""
    for item in error.errors():
        field = ".".join(map(str, item["loc"]))
        yield InputProblem(where, field, f"{refused(item)}; {line_format}")
