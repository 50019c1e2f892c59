"""What an evaluator concludes about a record, and what every task keeps of it."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import Field

from factreasoner.models.graph import FactGraph, Marginals, Support
from factreasoner.models.notebook import notebook_html
from factreasoner.models.records import Model
from factreasoner.models.rows import ClaimRow, Words
from factreasoner.models.verdicts import AtomAnswer, Failure, Label, Verdict
from factreasoner.models.wording import number_of

PriorFrom = Literal["record", "table", "default"]
Status = Literal["ok", "partial", "no_atoms", "failed"]
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
"""Why a sentence was not checked; "not split" if no atom was made of what may be a claim."""
NO_VALUE = "(none)"
"""The group of records that have no value of the key grouped by."""


class Usage(Model):
    """What model calls took. `cost` is in US dollars, None when any call's price is unknown.

    `cached_calls` were answered from the cache of replies and are in no other count. `cached_tokens` are
    those of `prompt_tokens` that the server had in its prefix cache.
    """

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Usage(
            calls=self.calls + other.calls,
            cached_calls=self.cached_calls + other.cached_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=cost,
        )


PROBE_PASSAGES, PROBE_FACTS, PROBE_SIZES = 2, 16, (16, 4)
"""What a model is probed with: facts of each passage, and how many of them at once, beside one by one."""
LEAST_PROBE_CALLS = 2 * PROBE_PASSAGES
"""What the probe of a capable model takes: every passage with all of its facts, in both orders."""
MOST_PROBE_CALLS = PROBE_PASSAGES * (PROBE_FACTS + sum(2 * PROBE_FACTS // size for size in PROBE_SIZES))
"""The most paid calls of a probe, those included that are made again."""
WEAK_BELOW, UNRELIABLE_BELOW = 26 / 32, 20 / 32
"""Shares of known verdicts; a model with fewer right is called weak, and not to be relied on."""


class Probe(Model):
    """How many facts a model can be asked about in one call, and how it did on facts with known verdicts.

    At `facts_per_call` facts a call in call form `form`, `right` of `asked` verdicts were right, and
    `changed` of them differed when the facts were asked in reverse order. A guess has `chance` right, and the
    bundled judge `bundled`; None: not known.
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
        facts = f"{self.facts_per_call} fact{'s' if self.facts_per_call > 1 else ''} a call"
        said = f"{facts} ({self.form}), {self.right} of {self.asked} known verdicts right"
        others = [("chance", self.chance), ("the bundled judge", self.bundled)]
        if beside := ", ".join(f"{name}: {right}" for name, right in others if right is not None):
            said = f"{said} ({beside})"
        if self.facts_per_call > 1:
            said = f"{said}, {self.changed} others in reverse order"
        if not self.reliable:
            return f"{said}: WARNING: do not rely on this model's verdicts"
        return f"{said}: a weak judge" if self.weak else said


class Pruned(Model):
    """How many pairs were not sent to the judge, since the bundled judge calls them surely neutral."""

    pairs: int


class Independence(Model):
    """How evidence of one source was counted once, in one record.

    Each of `sources` lists contexts of one source, first the one whose id stands for them all in the graph.
    `relations_left_out` counts relations that a stronger one of the same source overruled.
    """

    sources: tuple[tuple[str, ...], ...] = ()
    relations_left_out: int = 0


class SelfContradiction(Model):
    """Two atoms of one answer that contradict each other.

    `probability` is that of the two directions combined; `directions` has the label of each, as "a0->a3".
    """

    atoms: tuple[str, str]
    probability: float = Field(ge=0.0, le=1.0)
    directions: dict[str, Label]


class Coherence(Model):
    """What the atoms of one answer say about each other; it is reported and affects no posterior.

    `self_contradictions` come most probable first. `score` is the largest share of atoms without such a pair;
    None without atoms, if one of the `unjudged_pairs` may be such a pair, or if it took too long.
    """

    self_contradictions: tuple[SelfContradiction, ...] = ()
    score: float | None = None
    unjudged_pairs: int = 0
    verdicts: tuple[Verdict, ...] = ()


class Outcome(Model):
    """What an evaluator concluded about one record.

    `p_true` holds every atom with at least one judgement, or without a pair to judge. `unjudged` lists the
    atoms whose every judgement failed, which are left out of n; `partly_judged` those scored on fewer
    judgements than planned. `graph` is None for assessors that build none. A judge's `verdicts` are about
    pairs, `answers` about an atom and all its contexts. `independence` is None if every relation counts by
    itself. With a table of credibility, `prior_from` says where each context's prior comes from, and
    `used_domains` are the domains that gave one.
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
    """A sentence of an answer, or a part of it, that no atom covers: its place and the reason."""

    span: tuple[int, int]
    reason: Reason


class TaskResult(Model):
    """What every task keeps of one record.

    `fingerprint` identifies the record's content, so that a changed input line is judged again. `coherence`
    is None if the setting of that name is off. `usage` and `seconds` are by stage; `elapsed` is the wall time
    in seconds, None if it was not measured. `nothing` says why there are no claims,
    where the response does not; `words` are those of the task.

    `unchecked` are the sentences of the response that no claim covers, of `sentences` in all; None if the
    response was not split into claims. `removed_reasoning` counts the characters of reasoning and of tokens
    in the response that were not read.
    """

    nothing: ClassVar[str] = ""
    words: ClassVar[Words] = Words()
    record_id: str
    status: Status
    prompt: str = ""
    response: str = ""
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
    metadata: dict[str, Any] = Field(default_factory=dict)

    @property
    def not_checked(self) -> str:
        """How many sentences were not checked, by reason; empty if all were: "1 of 9 sentences ..."."""
        reasons: Counter[str] = Counter(one.reason for one in self.unchecked or ())
        return not_checked(reasons, self.sentences or 0)

    @property
    def all_failures(self) -> tuple[Failure, ...]:
        """Everything that went wrong with the record, each failure once."""
        return self.failures

    @property
    def total_usage(self) -> Usage:
        """The usage of all stages."""
        return sum(self.usage.values(), Usage())

    @abstractmethod
    def rows(self) -> Iterator[ClaimRow]:
        """The claims, each with its probability, its label and the quote that decides it."""

    def in_brief(self) -> list[str]:
        """What was found, in a few words each: how many claims, with which labels, and the scores."""
        return []

    def short_form(self, kind: str, scores: Sequence[str] = ()) -> str:
        """What a prompt shows of a result of that `kind` with these scores."""
        failed = len(self.all_failures)
        failures = [number_of(failed, "failure")] * bool(failed)
        last = [self.not_checked] * bool(self.not_checked)
        brief = ", ".join([self.status.replace("_", " "), *self.in_brief(), *scores, *failures, *last])
        return f"<{kind} {self.record_id!r}: {brief}>"

    def __repr__(self) -> str:
        return self.short_form(type(self).__name__)

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return notebook_html(repr(self), [self], self.words)


def counted(word: str, labels: Iterable[str | None]) -> str:
    """How many there are and with which labels: "3 atoms (2 supported, 1 not judged)"."""
    counts = Counter((label or "not judged").replace("_", " ") for label in labels)
    by_label = ", ".join(f"{count} {label}" for label, count in counts.items())
    return number_of(counts.total(), word) + (f" ({by_label})" if counts else "")


_PLURALS = {
    "code": "code",
    "references": "references",
    "repeated": "repeated",
    "removed reasoning": "removed reasoning",
    "not split": "not split",
}


def not_checked(reasons: Mapping[str, int], sentences: int) -> str:
    """ "2 of 14 sentences not checked: 1 question, 1 remark"; empty if every sentence was checked."""
    if not (count := sum(reasons.values())):
        return ""
    by_reason = (
        f"{n:,} {_PLURALS[reason]}" if reason in _PLURALS else number_of(n, reason)
        for reason, n in sorted(reasons.items(), key=lambda item: -item[1])
    )
    return f"{count:,} of {number_of(sentences, 'sentence')} not checked: {', '.join(by_reason)}"


def status_of(outcome: Outcome, failures: Sequence[Failure]) -> Status:
    """Status of a judged record: failed without any posterior, partial if something failed, else ok.

    Posteriors that have not converged are a failure too. `failures` are those of the stages before.
    """
    if not outcome.p_true:
        return "failed"
    converged = outcome.marginals is None or outcome.marginals.converged is not False
    return "ok" if converged and not failures and not outcome.failures else "partial"


def group_of(result: TaskResult, by: str) -> str:
    """The group of a record by "topic" or a metadata key: the value as a text."""
    value = result.topic if by == "topic" else result.metadata.get(by)
    if value is None:
        return NO_VALUE
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
