"""An evaluator's outcome for a record, and the common result of every task."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Literal, cast, get_args

from pydantic import (
    AliasChoices,
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    model_serializer,
    model_validator,
)

from factreasoner.models.formatting import number_of
from factreasoner.models.frames import frame_of
from factreasoner.models.graph import FactGraph, Marginals, Support
from factreasoner.models.notebook import notebook_html
from factreasoner.models.records import Exchange, Model
from factreasoner.models.rows import ClaimRow, Vocabulary, claim_columns, main_rows, table_row
from factreasoner.models.verdicts import AtomAnswer, Failure, Label, Verdict

if TYPE_CHECKING:
    from pandas import DataFrame

PriorFrom = Literal["record", "table", "default"]
Status = Literal["ok", "partial", "no_atoms", "failed"]
STATUSES = get_args(Status)
Reason = Literal[
    "question",
    "remark",
    "abstention",
    "code",
    "heading",
    "references",
    "repeated",
    "removed reasoning",
    "not split",
]
"""Why a sentence was not checked; "not split" if it may be a claim but has no atom."""
STORED = {"stored": True}
"""The serialisation context for a journal."""
_CONTENT = TypeAdapter(dict[str, Any])
NO_VALUE = "(none)"
"""The group of records without a value of the grouping key."""


class Usage(Model):
    """Usage of model calls. `cost` is in US dollars, None if any price is unknown.

    `cached_calls` were answered from the reply cache and are in no other count. `cached_tokens` are those of
    `prompt_tokens` in the server's prefix cache.
    """

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        counts = Usage.model_fields.keys() - {"cost"}
        return Usage(cost=cost, **{name: getattr(self, name) + getattr(other, name) for name in counts})


PROBE_PASSAGES, PROBE_FACTS, PROBE_SIZES = 2, 16, (16, 4)
"""Passages of a probe, facts per passage, and call sizes besides single facts."""
LEAST_PROBE_CALLS = 2 * PROBE_PASSAGES
"""Calls to probe a capable model: every passage with all facts, in both orders."""
MOST_PROBE_CALLS = PROBE_PASSAGES * (PROBE_FACTS + sum(2 * PROBE_FACTS // size for size in PROBE_SIZES))
"""Maximum paid calls of a probe, retries included."""
WEAK_BELOW, UNRELIABLE_BELOW = 26 / 32, 20 / 32
"""Shares of right verdicts below which a model is weak, or unreliable."""


class Probe(Model):
    """How many facts a model can judge per call, and its results on facts with known verdicts.

    At `facts_per_call` facts per call in form `form`, `right` of `asked` verdicts were right, and `changed`
    differed in reverse order. `chance` is the number right by guessing, `bundled` that of the bundled judge;
    None: unknown.
    """

    facts_per_call: int
    form: str
    right: int
    changed: int
    asked: int
    chance: int | None = None
    bundled: int | None = None

    @property
    def reliable(self) -> bool:
        """Whether the model's verdicts are reliable: at least 20 of 32 are right."""
        return self.right >= UNRELIABLE_BELOW * self.asked

    @property
    def weak(self) -> bool:
        """Whether fewer than 26 of 32 verdicts are right."""
        return self.right < WEAK_BELOW * self.asked

    def __str__(self) -> str:
        claims = f"{self.facts_per_call} claim{'s' if self.facts_per_call > 1 else ''} per call"
        wording = f"{claims} ({self.form}), {self.right} of {self.asked} test verdicts right"
        others = [("chance", self.chance), ("bundled judge", self.bundled)]
        if beside := ", ".join(f"{name}: {right}" for name, right in others if right is not None):
            wording = f"{wording} ({beside})"
        if self.facts_per_call > 1:
            wording = f"{wording}, {self.changed} changed in reverse order"
        if not self.reliable:
            return f"{wording}: WARNING: do not rely on this model's verdicts"
        return f"{wording}: a weak judge" if self.weak else wording


class Pruned(Model):
    """How many pairs were not sent, since the bundled judge finds them clearly neutral."""

    pairs: int


class Independence(Model):
    """How evidence of one source was merged, in one record.

    Each of `sources` lists contexts of one source, the graph's node first. `relations_left_out` counts
    relations overruled by a stronger one of the same source.
    """

    sources: tuple[tuple[str, ...], ...] = ()
    relations_left_out: int = 0


class SelfContradiction(Model):
    """Two atoms of one answer that contradict each other.

    `probability` combines the two directions; `directions` has the label of each, as "a0->a3".
    """

    atoms: tuple[str, str]
    probability: float = Field(ge=0.0, le=1.0)
    directions: dict[str, Label]


class Coherence(Model):
    """Contradictions between the atoms of one answer; reported only, without effect on posteriors.

    `self_contradictions` come most probable first. `score` is the largest share of atoms without such a pair;
    None without atoms, if `unjudged_pairs` may change it, or if it took too long.
    """

    self_contradictions: tuple[SelfContradiction, ...] = ()
    score: float | None = None
    unjudged_pairs: int = 0
    verdicts: tuple[Verdict, ...] = ()


class Outcome(Model):
    """An evaluator's result for one record.

    `p_true` holds every atom with at least one verdict, or without a pair to judge. `unjudged` lists the
    atoms without any verdict, which n excludes; `partly_judged` those with some failed verdicts. `graph` is
    None for assessors without one. A judge's `verdicts` are on pairs, `answers` on an atom and all its
    contexts. `independence` is None if every relation counts separately. With a credibility table,
    `prior_from` is the origin of each context's prior, and `used_domains` are the domains that matched.
    """

    p_true: dict[str, float]
    support: dict[str, Support]
    unjudged: tuple[str, ...] = ()
    partly_judged: tuple[str, ...] = ()
    verdicts: tuple[Verdict, ...] = ()
    answers: tuple[AtomAnswer, ...] = ()
    graph: FactGraph | None = None
    independence: Independence | None = None
    marginals: Marginals | None = None
    failures: tuple[Failure, ...] = ()
    pruned: Pruned | None = None
    prior_from: dict[str, PriorFrom] | None = None
    used_domains: tuple[str, ...] = ()


class Unchecked(Model):
    """A sentence of an answer, or part of one, that no atom covers: its position and the reason."""

    span: tuple[int, int]
    reason: Reason


class Result(Model, Exchange):
    """The result for one answer, common to every task, from a single call or a run.

    `status` is "ok", "partial" (something failed, or sampling did not converge), "no_atoms" (nothing to
    judge) or "failed". `failures` lists everything that failed. `unchecked` are the sentences of the answer
    without a claim, of `sentences` in all; None if the answer was not split into claims. `removed_reasoning`
    counts the characters of reasoning and special tokens that were ignored.

    `coherence` is None if the setting of that name is off. `usage` and `seconds` are by stage; `elapsed` is
    the wall time in seconds, None if not measured. `k` is the K of recall at K, F1@K and ranking scores, None
    if it is not a number. `fingerprint` identifies the record's content.
    """

    vocabulary: ClassVar[Vocabulary] = Vocabulary()
    record_id: str = Field(validation_alias=AliasChoices("record_id", "id"))
    status: Status
    prompt: str = Field("", validation_alias=AliasChoices("prompt", "input"))
    response: str = Field("", validation_alias=AliasChoices("response", "output"))
    topic: str | None = None
    model: str | None = None
    failures: tuple[Failure, ...] = ()
    usage: dict[str, Usage] = Field(default_factory=dict)
    seconds: dict[str, float] = Field(default_factory=dict)
    elapsed: float | None = None
    fingerprint: str = ""
    coherence: Coherence | None = None
    unchecked: tuple[Unchecked, ...] | None = None
    sentences: int | None = None
    removed_reasoning: int = 0
    k: int | None = Field(None, ge=1)
    metadata: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _without_scores(cls, data: Any) -> Any:  # noqa: ANN401 - whatever is to be validated
        """Accept what `model_dump` adds to the fields."""
        added = ("metrics", "rows")
        return {k: v for k, v in data.items() if k not in added} if isinstance(data, dict) else data

    @property
    def id(self) -> str:
        """The id of the record."""
        return self.record_id

    @property
    @abstractmethod
    def metrics(self) -> dict[str, float | None]:
        """Every metric of one record, by name; None for one without a value."""

    @property
    def not_checked(self) -> str:
        """How many sentences were not checked, by reason; empty if all were: "1 of 9 sentences ..."."""
        reasons: Counter[str] = Counter(one.reason for one in self.unchecked or ())
        return not_checked(reasons, self.sentences or 0)

    @property
    def total_usage(self) -> Usage:
        """The usage of all stages."""
        return sum(self.usage.values(), Usage())

    def rows(self) -> list[ClaimRow]:
        """The claims: text and position, P, label, and the deciding quote and passage."""
        return list(self._rows())

    @abstractmethod
    def _rows(self) -> Iterator[ClaimRow]:
        """See `rows`."""

    def to_frame(self) -> DataFrame:
        """The rows as a pandas DataFrame, with the columns of a run's tables.

        Raises MissingExtraError if pandas is not installed.
        """
        return frame_of(claim_columns(self.vocabulary), self._table())

    def _table(self) -> list[dict[str, Any]]:
        return [table_row(row, self.vocabulary) for row in self._rows()]

    @model_serializer(mode="wrap")
    def _with_scores(self, plain: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        """The fields by their record names, with `metrics` and `rows` except in a journal."""
        if info.context == STORED:
            fields: dict[str, Any] = plain(self)
            return fields
        skipped = ("exclude_unset", "exclude_defaults", "exclude_none")
        how: dict[str, Any] = {"mode": info.mode} | {name: getattr(info, name) for name in skipped}
        fields = self.model_dump(context=STORED, **how)
        names = {"record_id": "id", "prompt": "input", "response": "output"}
        shown = {names.get(name, name): value for name, value in fields.items()}
        shown |= {"metrics": self.metrics, "rows": self._table()}
        how |= {"include": info.include, "exclude": info.exclude}
        return cast("dict[str, Any]", _CONTENT.dump_python(shown, **how))

    def __repr__(self) -> str:
        words, rows = self.vocabulary, self.rows()
        labels = [words.labels.get(row.label, row.label) for row in main_rows(rows)]
        metrics = self.metrics if rows else {}
        values = ((name.replace("_", " "), metrics.get(name)) for name in words.scores)
        scores = [f"{name} {value:.3f}" for name, value in values if value is not None]
        failed = len(self.failures)
        failures = [number_of(failed, "failure")] * bool(failed)
        last = [self.not_checked] * bool(self.not_checked)
        brief = [self.status.replace("_", " "), *[counted(words.claim, labels)] * bool(labels), *scores]
        return f"<{type(self).__name__} {self.record_id!r}: {', '.join([*brief, *failures, *last])}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return notebook_html(repr(self), [(self.id, self._rows(), self.failures)], self.vocabulary)


def counted(word: str, labels: Iterable[str | None]) -> str:
    """A count with labels: "3 atoms (2 supported, 1 not judged)"."""
    counts = Counter((label or "not judged").replace("_", " ") for label in labels)
    by_label = ", ".join(f"{count} {label}" for label, count in counts.items())
    return number_of(counts.total(), word) + (f" ({by_label})" if counts else "")


_NO_NOUNS = ("code", "references", "repeated", "removed reasoning", "not split")


def not_checked(reasons: Mapping[str, int], sentences: int) -> str:
    """ "2 of 14 sentences not checked: 1 question, 1 remark"; empty if all were checked."""
    if not (count := sum(reasons.values())):
        return ""
    by_reason = (
        f"{n:,} {reason}" if reason in _NO_NOUNS else number_of(n, reason)
        for reason, n in sorted(reasons.items(), key=lambda item: -item[1])
    )
    return f"{count:,} of {number_of(sentences, 'sentence')} not checked: {', '.join(by_reason)}"


def status_of(outcome: Outcome, failures: Sequence[Failure]) -> Status:
    """Status of a judged record: failed without any posterior, partial after a failure, else ok.

    Unconverged posteriors count as a failure. `failures` are those of earlier stages.
    """
    if not outcome.p_true:
        return "failed"
    converged = outcome.marginals is None or outcome.marginals.converged is not False
    return "ok" if converged and not failures and not outcome.failures else "partial"


def group_of(result: Result, by: str) -> str:
    """The group of a record by "topic" or a metadata key: the value as a string."""
    value = result.topic if by == "topic" else result.metadata.get(by)
    if value is None:
        return NO_VALUE
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
