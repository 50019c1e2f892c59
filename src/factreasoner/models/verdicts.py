"""Inputs and outputs of judges: premises, claims, verdicts, answers, failures."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import partial
from operator import attrgetter
from typing import Annotated, Literal, NamedTuple

from pydantic import Field

from factreasoner.errors import FactReasonerError
from factreasoner.models.graph import Support
from factreasoner.models.records import Model

Label = Literal["entailment", "contradiction", "neutral"]
VerdictConfidence = Literal[
    "logprobs",
    "verbal",
    "votes",
    "constant",
    "model",
    "bundled",
    "recorded",
    "unlisted",
    "judges",
    "corrected",
]
QuoteBy = Literal["judge", "model", "nearest"]
TRUE, FALSE, NOT_CLEAR = "True", "False", "Not clear"
LABEL_OF_VALUE: dict[str, Label] = {TRUE: "entailment", FALSE: "contradiction", NOT_CLEAR: "neutral"}
"""A judge's answer -> its label."""
LEAST_MASS = 0.5
"""Minimum total probability of the allowed values for their shares to be meaningful."""
P_ROUNDED = 1e-6
"""Probabilities with a smaller difference count as equal."""


Probability = Annotated[float, Field(ge=0.0, le=1.0)]


class Claim(NamedTuple):
    """A statement to verify against a premise, keyed by id and never by text."""

    id: str
    text: str


class Part(NamedTuple):
    """One of several passages of a premise, or a piece of one: its context's id, and its text."""

    id: str
    text: str


class Premise(NamedTuple):
    """The passage claims are judged against. `others` are the record's other passages.

    `parts` are the passages of a combined premise, in the order of their numbers in `text`. A verdict's
    `rests_on` may name some of them.
    """

    id: str
    text: str
    others: tuple[str, ...] = ()
    title: str = ""
    record_id: str = ""
    parts: tuple[Part, ...] = ()


class LabelChances(NamedTuple):
    """P of each label of a verdict, adding up to 1."""

    entailment: float
    contradiction: float
    neutral: float


class Verdict(Model):
    """A judge's verdict on one (premise, claim) pair.

    `confidence` is the origin of `probability`; "corrected": a reader set the label. `citation` says where
    the judge's quote was found: in the premise, elsewhere in the record, or nowhere; an absent quote is
    removed (None). `quote_by` is the origin of the quote: "model" (copied by a language model), "nearest"
    (the sentence nearest to the claim), else the judge's. `uncalibrated` and `uncalibrated_label` are the
    judge's probability and label before calibration.

    `note` says why the two could not be compared. `rests_on` are the ids of the passages it rests on, if the
    premise is combined and the judge named them.

    With several judges, `votes` holds each verdict, with the judge's name in `judge`.

    `label_probabilities` are P of every allowed value ("True", "False", "Not clear"), adding up to 1, if the
    model gave log-probabilities. `label_mass` is their total probability among all possible outputs.
    """

    context_id: str
    target_id: str
    label: Label
    probability: float = Field(ge=0.0, le=1.0)
    quote: str | None = None
    confidence: VerdictConfidence = "constant"
    citation: Literal["found", "elsewhere", "absent"] | None = None
    uncalibrated: float | None = Field(default=None, ge=0.0, le=1.0)
    uncalibrated_label: Label | None = Field(default=None, exclude_if=partial(operator.is_, None))
    quote_by: QuoteBy | None = Field(default=None, exclude_if=partial(operator.is_, None))
    note: str = ""
    rests_on: tuple[str, ...] = ()
    judge: str = Field(default="", exclude_if=operator.not_)
    votes: tuple[Verdict, ...] = Field(default=(), exclude_if=operator.not_)
    label_probabilities: dict[str, Probability] = Field(default_factory=dict, exclude_if=operator.not_)
    label_mass: Probability | None = Field(default=None, exclude_if=partial(operator.is_, None))

    @property
    def pair(self) -> tuple[str, str]:
        """Ids of the premise and the claim."""
        return self.context_id, self.target_id

    @property
    def p(self) -> LabelChances:
        """P of each label: the judge's own, else derived from its probability of the label, at least 0.5.

        Its own are `label_probabilities` of all three labels that agree with `probability`. A contradiction
        of P 0 keeps it when the verdict is calibrated.
        """
        own = {LABEL_OF_VALUE.get(value): p for value, p in self.label_probabilities.items()}
        if own.keys() >= set(LABEL_OF_VALUE.values()) and abs(own[self.label] - self.probability) < P_ROUNDED:
            return LabelChances(own["entailment"], own["contradiction"], own["neutral"])
        q = max(self.probability, 0.5)
        rest, never_contradicts = 1.0 - q, own.get("contradiction") == 0.0
        match self.label:
            case "entailment":
                return LabelChances(q, 0.0, rest) if never_contradicts else LabelChances(q, rest, 0.0)
            case "contradiction":
                return LabelChances(rest, q, 0.0)
        return LabelChances(rest, 0.0, q) if never_contradicts else LabelChances(rest / 2, rest / 2, q)

    @property
    def uncalibrated_verdict(self) -> Verdict:
        """The judge's verdict before any calibration."""
        if self.uncalibrated is None:
            return self
        given = {"label": self.uncalibrated_label or self.label, "probability": self.uncalibrated}
        return self.model_copy(update=given | {"uncalibrated": None, "uncalibrated_label": None})

    @property
    def supports(self) -> bool:
        """Whether it is an entailment with p > 0.5."""
        return self.label == "entailment" and self.probability > 0.5

    @property
    def contradicts(self) -> bool:
        """Whether it is a contradiction with p > 0.5."""
        return self.label == "contradiction" and self.probability > 0.5


class AtomAnswer(Model):
    """A model's answer about one atom and all its contexts, with its reason if requested."""

    atom_id: str
    support: Support
    probability: float = Field(ge=0.0, le=1.0)
    confidence: Literal["logprobs", "model", "verbal", "votes", "constant"] = "constant"
    reasoning: str = ""


class Failure(Model):
    """One failed item, and why. It is listed in the results and never becomes a label or a score.

    `stage` is the failed stage, `item_id` the record, atom, context or pair (`context->target`), `error_type`
    the error's class, and `attempts` the number of requests sent. `votes` are the judges' verdicts, if none
    had the most.
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
            message=str(error) or ("out of memory" if isinstance(error, MemoryError) else repr(error)),
            attempts=getattr(error, "attempts", 1),
        )


class StageError(FactReasonerError):
    """A stage produced no result for one record."""

    def __init__(self, failures: Sequence[Failure]) -> None:
        super().__init__("; ".join(f"{f.stage} {f.item_id}: {f.message}" for f in failures))
        self.failures = tuple(failures)


class DecidingVerdict(NamedTuple):
    """The verdict that decides a claim, or None; and whether verdicts are `split` on its label."""

    verdict: Verdict | None
    split: bool


def decision(verdicts: Iterable[Verdict], *, unanimous: bool = False) -> DecidingVerdict:
    """The most probable verdict that supports or contradicts the claim, the first of equal ones.

    `split`: an equally probable one has the other label; with `unanimous`, any one has.
    """
    deciding = [verdict for verdict in verdicts if verdict.supports or verdict.contradicts]
    best = max(deciding, key=attrgetter("probability"), default=None)
    if best is None:
        return DecidingVerdict(None, split=False)
    rivals = (v for v in deciding if unanimous or v.probability == best.probability)
    return DecidingVerdict(best, split=any(rival.label != best.label for rival in rivals))


def decisive_verdict(label: str | None, verdicts: Iterable[Verdict]) -> Verdict | None:
    """The verdict that decides a label: a contradiction for contradicted, else an entailment."""
    wanted: Label = "contradiction" if label == "contradicted" else "entailment"
    return decision([verdict for verdict in verdicts if verdict.label == wanted]).verdict
