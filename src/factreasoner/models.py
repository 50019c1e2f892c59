"""Every data model: what goes in, what the stages hand on, what comes out.

All are frozen, refuse unknown fields and hold tuples, so that an assessment can be written to a journal,
read back and compared. Probabilities lie in [0, 1]; ids are strings, unique within their record.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, model_validator

if TYPE_CHECKING:
    from factreasoner.metrics.factuality import FactualityScores

Label = Literal["entailment", "contradiction", "neutral"]
RelationKind = Literal["entailment", "contradiction", "equivalence"]
NodeKind = Literal["atom", "context"]
Gold = Literal["S", "NS", "C", "U"]
Support = Literal["supported", "contradicted", "undecided", "unverified"]
VerdictConfidence = Literal[
    "logprobs", "verbal", "votes", "constant", "model", "recorded", "judges", "corrected"
]
Status = Literal["ok", "partial", "no_atoms", "failed"]

HALF_TOLERANCE = 1e-9
"""A probability this near to one half is one half: it says neither true nor false."""


class Model(BaseModel):
    """Base of all data models: frozen, no unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Atom(Model):
    """One checkable statement of a response.

    `text` is judged; `original` is the text before revision; `span` is (start, end) in the response, in
    characters, when the statement's source could be located; `gold` is a human label: S for supported, NS for
    not supported or, where people told these apart, C for contradicted and U for neither. `query` is what a
    query builder would search for; empty: the text. `unresolved` are the pronouns and the like in the text of
    which the embedded reviser could not tell what they stand for.
    """

    id: str
    text: str
    original: str | None = None
    gold: Gold | None = None
    span: tuple[int, int] | None = None
    query: str = ""
    unresolved: tuple[str, ...] = ()


class Context(Model):
    """One passage of evidence. `atom_ids` names the atoms it was retrieved for; none: for the question.

    `note` says in words what befell it on the way ("page not read: status 403; the snippet is used");
    `unread` is the reason where that may be otherwise the next time ("status 503"). `source` names the
    retrievers that found it, where several were asked.
    `summary` says what the text has on the atoms, and `p_summary` how sure it is to say just that. `dropped`
    is why the context is judged for nothing and in no graph; most have none.
    """

    id: str
    text: str
    title: str = ""
    link: str = ""
    snippet: str = ""
    summary: str = ""
    p_summary: float | None = Field(default=None, ge=0.0, le=1.0)
    note: str = ""
    unread: str = ""
    source: str = ""
    dropped: str = ""
    prior: float | None = Field(default=None, ge=0.0, le=1.0)
    atom_ids: tuple[str, ...] = ()


class Record(Model):
    """One response to assess. `atoms` or `contexts` of None were not given; an empty tuple: none exist.

    `facts` are what the response should state; the `gold` of each is whether it does as people judged it
    (S: it does, NS: it does not). `reference` is the right answer, `reference_atoms` its statements.
    `gold_contexts` are the ids of all relevant contexts, retrieved or not.
    """

    id: str
    response: str
    prompt: str = ""
    topic: str | None = None
    atoms: tuple[Atom, ...] | None = None
    contexts: tuple[Context, ...] | None = None
    reference: str | None = None
    reference_atoms: tuple[Atom, ...] | None = None
    facts: tuple[Atom, ...] | None = None
    gold_contexts: tuple[str, ...] | None = None
    metadata: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _ids_agree(self) -> Record:
        atom_ids = _unique((atom.id for atom in self.atoms or ()), "atom")
        context_ids = _unique((context.id for context in self.contexts or ()), "context")
        named = {"an atom": atom_ids, "a context": context_ids}
        named["a fact"] = _unique((fact.id for fact in self.facts or ()), "fact")
        named["a reference atom"] = _unique(
            (atom.id for atom in self.reference_atoms or ()), "reference atom"
        )
        for (one, ids), (other, others) in itertools.combinations(named.items(), 2):
            for shared in sorted(ids & others):
                raise ValueError(
                    f"id {shared!r} names both {one} and {other}; ids are unique within a record"
                )
        if self.atoms is not None:
            for context in self.contexts or ():
                for atom_id in context.atom_ids:
                    if atom_id not in atom_ids:
                        raise ValueError(f"context {context.id!r} names unknown atom {atom_id!r}")
        return self


def _unique(ids: Iterable[str], kind: str) -> set[str]:
    seen: set[str] = set()
    for item in ids:
        if item in seen:
            raise ValueError(f"duplicate {kind} id {item!r}")
        seen.add(item)
    return seen


class Claim(NamedTuple):
    """A statement to verify against a premise, keyed by id and never by text."""

    id: str
    text: str


class Part(NamedTuple):
    """A passage that stands in a premise with others, or a piece of one: its context's id, and its text."""

    id: str
    text: str


class Premise(NamedTuple):
    """The passage claims are verified against. `others` are the texts of the record's other passages.

    `parts` are the passages that a premise of several is put together of, in the order of their numbers in
    `text`. A judge that can says in a verdict's `rests_on` which of them it rests on.

    `shared_claims` are claims that several premises are asked about, in one order for all: those asked of
    this one and maybe more. A judge may put them all to a model, so that its calls begin alike, where that
    takes no further call; what comes out for one that was not asked about is no verdict and no failure.
    """

    id: str
    text: str
    others: tuple[str, ...] = ()
    title: str = ""
    record_id: str = ""
    shared_claims: tuple[Claim, ...] = ()
    parts: tuple[Part, ...] = ()


class Verdict(Model):
    """What a judge found for one (premise, claim) pair.

    `confidence` names where `probability` comes from; "corrected": a reader set the label. `citation` says
    where the quote the judge gave was found: in the premise, elsewhere in the record, or nowhere; an absent
    quote is voided (None). `uncalibrated` is the probability the judge gave, where `probability` is what a
    calibration made of it.

    `belief` is P(target is true) given what the passages leave open, where the judge has one; an atom takes
    that of its nearest passage, by `nearness`, as its prior. `note` says why the two could not be compared.
    `rests_on` are the ids of the passages it rests on, where the premise is several and the judge named them.

    Where several judges were asked, `votes` are what each said, with its name in `judge`.
    """

    context_id: str
    target_id: str
    label: Label
    probability: float = Field(ge=0.0, le=1.0)
    quote: str | None = None
    confidence: VerdictConfidence = "constant"
    citation: Literal["found", "elsewhere", "absent"] | None = None
    uncalibrated: float | None = Field(default=None, ge=0.0, le=1.0)
    belief: float | None = Field(default=None, ge=0.0, le=1.0)
    nearness: float = Field(default=0.0, ge=0.0, le=1.0)
    note: str = ""
    rests_on: tuple[str, ...] = ()
    judge: str = Field(default="", exclude_if=operator.not_)
    votes: tuple[Verdict, ...] = Field(default=(), exclude_if=operator.not_)

    @property
    def given_probability(self) -> float:
        """The probability the judge gave, before any calibration."""
        return self.probability if self.uncalibrated is None else self.uncalibrated


class AtomAnswer(Model):
    """What a model said of one atom in view of all its contexts at once, and why, where it was asked for."""

    atom_id: str
    support: Support
    probability: float = Field(ge=0.0, le=1.0)
    confidence: Literal["logprobs", "verbal", "votes", "constant"] = "constant"
    reasoning: str = ""


class Failure(Model):
    """One item that went wrong. `item_id` is the record, atom, context, or `context->target` pair.

    `votes` are what judges said of a pair on which they were at odds.
    """

    stage: str
    item_id: str
    error_type: str
    message: str
    attempts: int = 1
    votes: tuple[Verdict, ...] = Field(default=(), exclude_if=operator.not_)

    @classmethod
    def of(cls, stage: str, item_id: str, error: Exception) -> Failure:
        """Describe `error`, raised while `stage` worked on `item_id`."""
        return cls(
            stage=stage,
            item_id=item_id,
            error_type=type(error).__name__,
            message=str(error) or repr(error),
            attempts=getattr(error, "attempts", 1),
        )


class Relation(Model):
    """A judged dependency between two nodes; neutral verdicts make none."""

    source: str
    target: str
    kind: RelationKind
    probability: float = Field(ge=0.0, le=1.0)


class Node(Model):
    """A binary variable of the fact graph with its prior P(true)."""

    id: str
    kind: NodeKind
    prior: float = Field(ge=0.0, le=1.0)


class FactGraph(Model):
    """Atoms and contexts with the relations between them. Round-trips through JSON."""

    nodes: tuple[Node, ...]
    relations: tuple[Relation, ...] = ()

    def touching(self) -> dict[str, list[Relation]]:
        """The relations that touch each node."""
        found: dict[str, list[Relation]] = {node.id: [] for node in self.nodes}
        for relation in self.relations:
            found[relation.source].append(relation)
            found[relation.target].append(relation)
        return found


class Marginals(Model):
    """Posterior distributions. `probabilities[id]` is (P(state 0), P(state 1), ...).

    `width` is the largest elimination width over components (largest clique size - 1) when known;
    `stderr` the largest standard error of a probability, None when the result is exact or has no such bound.
    `converged` is False where sampling stopped before its results could be relied on, whatever `stderr` says,
    and None where nothing was sampled. Every number is finite.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    probabilities: dict[str, tuple[float, ...]]
    solver: str
    exact: bool
    converged: bool | None = None
    width: int | None = None
    stderr: float | None = None
    diagnostics: dict[str, str | int | float] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, data: object) -> object:
        """Read what was written when an infinite R-hat became null, and a warning alone told of it."""
        if not isinstance(data, dict) or not isinstance(data.get("diagnostics"), dict):
            return data
        told = data["diagnostics"]
        if "r_hat" in told and data.get("converged") is None:
            data = data | {"converged": "warning" not in told and told["r_hat"] is not None}
        return data | {"diagnostics": {key: value for key, value in told.items() if value is not None}}

    @property
    def p_true(self) -> dict[str, float]:
        """P(state 1) of every variable."""
        return {name: values[1] for name, values in self.probabilities.items()}


class Usage(Model):
    """What model calls took. `cost` is in US dollars, None when any call's price is unknown."""

    calls: int = 0
    cached_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0

    def __add__(self, other: Usage) -> Usage:
        cost = None if self.cost is None or other.cost is None else self.cost + other.cost
        return Usage(
            calls=self.calls + other.calls,
            cached_calls=self.cached_calls + other.cached_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            cost=cost,
        )


class Audit(Model):
    """How a random sample of batched verdicts fared when each was asked again alone."""

    asked: int
    disagreed: int


class Independence(Model):
    """How evidence was counted once: what speaks for what, in one record.

    Each of `sources` lists contexts that come from one source, that one first whose id stands for them all
    in the graph. `relations_left_out` counts those that a stronger one of the same source overruled.
    """

    sources: tuple[tuple[str, ...], ...] = ()
    relations_left_out: int = 0


class Outcome(Model):
    """What an evaluator concluded about one record.

    `p_true` holds every atom at least one judgement was obtained for (or that had no pair to judge);
    `unjudged` lists the atoms whose every judgement failed and which are therefore left out of n;
    `partly_judged` those scored on fewer judgements than planned. `graph` is None for assessors
    that build none. A judge's `verdicts` are about pairs, `answers` about an atom and all its contexts.
    `independence` is None where every relation counts by itself.
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
    audit: Audit | None = None


class TaskResult(Model):
    """What every task keeps of one record.

    `fingerprint` identifies the record's content, so that a changed input line is judged anew. `usage` and
    `seconds` are by stage; `elapsed` is the wall time of them all in seconds, None where it was not taken.
    """

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
    metadata: dict[str, Any] = Field(default_factory=dict)


class Assessment(TaskResult):
    """Everything known of the factuality of one record; metrics are computed from it, not stored in it.

    `searched` names the collections of own documents that were searched and their states, as `name@state`.
    """

    assessor: str
    atoms: tuple[Atom, ...] = ()
    contexts: tuple[Context, ...] = ()
    searched: tuple[str, ...] = ()
    outcome: Outcome | None = None

    @property
    def p_true(self) -> dict[str, float]:
        """P(atom is true) by atom id, for every atom that could be judged."""
        return dict(self.outcome.p_true) if self.outcome else {}

    @property
    def labels(self) -> dict[str, Support]:
        """What the evidence says of each atom that could be judged, by atom id."""
        return dict(self.outcome.support) if self.outcome else {}

    @property
    def precision(self) -> float | None:
        """Share of the judged atoms that are supported; None where none was judged."""
        return self._scores().precision

    @property
    def entropy(self) -> float | None:
        """Sum over judged atoms of -P log10 P; None where none was judged."""
        return self._scores().entropy

    @property
    def avg_entropy(self) -> float | None:
        """E(y), the mean over judged atoms of -P log10 P: 0.150515 where nothing is known."""
        return self._scores().avg_entropy

    @property
    def avg_norm_entropy(self) -> float | None:
        """Mean binary entropy of the judged atoms, in bits: 1 where nothing is known."""
        return self._scores().avg_norm_entropy

    @property
    def avg_prob(self) -> float | None:
        """Mean probability of the judged atoms."""
        return self._scores().avg_prob

    def recall_at_k(self, k: int) -> float | None:
        """Supported atoms over `k`, at most 1. Raises ValueError for `k` below 1."""
        return self._scores(k).recall_k

    def f1_at_k(self, k: int) -> float | None:
        """Harmonic mean of precision and recall at `k`. Raises ValueError for `k` below 1."""
        return self._scores(k).f1_k

    def _scores(self, k: int | None = None) -> FactualityScores:
        from factreasoner.metrics.factuality import factuality

        return factuality(self, k)


def status_of(outcome: Outcome, failures: Sequence[Failure]) -> Status:
    """Status of a judged record: failed with no posterior at all, else partial where something failed.

    Posteriors that have not converged are such a thing too. `failures` are those of the stages before.
    """
    if not outcome.p_true:
        return "failed"
    converged = outcome.marginals is None or outcome.marginals.converged is not False
    return "ok" if converged and not failures and not outcome.failures else "partial"


def side_of(p_true: float) -> Literal[-1, 0, 1]:
    """Whether a probability is above one half (1), below it (-1), or within 1e-9 of it (0)."""
    if abs(p_true - 0.5) <= HALF_TOLERANCE:
        return 0
    return 1 if p_true > 0.5 else -1


def support_of(p_true: float, touching: Iterable[Relation]) -> Support:
    """Label of an atom by its posterior and the relations that touch it.

    supported: above one half. contradicted: below, and a contradiction touches it. undecided: at one half,
    with evidence for it and a contradiction. unverified: all else; nothing speaks against it.
    """
    side = side_of(p_true)
    if side > 0:
        return "supported"
    kinds = {relation.kind for relation in touching}
    if "contradiction" not in kinds:
        return "unverified"
    if side < 0:
        return "contradicted"
    return "undecided" if len(kinds) > 1 else "unverified"


def supports_of(p_true: Mapping[str, float], graph: FactGraph | None) -> dict[str, Support]:
    """Labels of atoms by their posteriors and the relations of their graph."""
    touching = graph.touching() if graph else {}
    return {atom_id: support_of(p, touching.get(atom_id, ())) for atom_id, p in p_true.items()}
