"""`recall`: does the answer state the expected facts? (FaaF: Facts as a Function, arXiv 2403.03888)

Its metrics are those of section 4 there: error rate, and F1 of the facts that are not stated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar, Unpack

import numpy as np

from factreasoner.assessors.assessors import ASSESSORS, LABEL_OF
from factreasoner.calls.usage import Meter
from factreasoner.errors import InputProblem
from factreasoner.inputs.parsing import AtomLike, parse_record
from factreasoner.judges.functions import ANSWERED_FALSE
from factreasoner.metrics.samples import Claims, LabelledClaim, Sample
from factreasoner.metrics.statistics import OfClaims, OfRecords, OfSums, Statistic, ratio
from factreasoner.metrics.table import COUNT, EVERYWHERE, Metric, Need, Table, usage_metrics
from factreasoner.models import Atom, Claim, Context, Failure, Premise, Record, Verdict, side_of
from factreasoner.models.rows import (
    ANSWER,
    ClaimRow,
    Evidence,
    Vocabulary,
    by_claim,
    claim_row,
    judgement_of,
    known_verdict,
)
from factreasoner.pipeline.assembly import Assembly, Calls, assembly_of
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import ConfigLike, awaitable, python_call
from factreasoner.plugins.kinds import ASSESSOR
from factreasoner.protocols import LLM, Evaluator, Judged
from factreasoner.tasks.task import ClaimResult, ClaimTally, ClaimWorker, Task, Work, numbered
from factreasoner.text.reasoning import without_reasoning

FACTS = "facts"
TRUE, FALSE, UNANSWERED = 0, 1, 2
"""Classes of a fact's value; labels are one of the first two."""
CLASSES = {True: TRUE, False: FALSE, None: UNANSWERED}


class RecallResult(ClaimResult):
    """The facts that an answer should state, with a verdict on each.

    Verdicts have the premise `answer`. `reference` is the right answer, if the record has it.
    """

    vocabulary: ClassVar[Vocabulary] = Vocabulary(
        no_claims="no fact is given, or found in the reference",
        scores=("recall",),
        labels={
            "supported": "stated",
            "conflicting": "not stated",
            "unverified": "not stated",
            None: "unanswered",
        },
    )
    facts: tuple[Atom, ...] = ()
    reference: str | None = None

    @property
    def metrics(self) -> dict[str, float | None]:
        """The metrics; see `factreasoner metrics recall`."""
        return RECALL.line(self)

    @property
    def stated(self) -> dict[str, bool | None]:
        """Whether the answer states each fact, by the fact's id; None if it was not judged."""
        predicted = {v.target_id: v.supports and side_of(v.probability) > 0 for v in self.verdicts}
        return {fact.id: predicted.get(fact.id) for fact in self.facts}

    def _rows(self) -> Iterator[ClaimRow]:
        """Every fact, judged on the answer. An unanswered one has no label."""
        verdicts = by_claim(self.verdicts)
        for fact in self.facts:
            own = verdicts.get(fact.id, [])[-1:]
            judgement = judgement_of(own[0].p.entailment if own else None, own)
            yield claim_row(self.record_id, FACTS, fact, judgement, Evidence(ANSWER, {}, own))

    def count(self, value: bool | None) -> int:
        """The number of facts that are stated (True), not stated (False) or unanswered (None)."""
        return [*self.stated.values()].count(value)

    @property
    def recall(self) -> float | None:
        """Share of the judged facts that the answer states; None without any."""
        true, false = self.count(True), self.count(False)
        return true / (true + false) if true + false else None

    @property
    def bounds(self) -> dict[str, tuple[float, float]]:
        """The possible range of recall, under "recall"; empty if every fact is answered."""
        true, open_, every = self.count(True), self.count(None), len(self.facts)
        return {"recall": (true / every, (true + open_) / every)} if open_ else {}

    @property
    def missed(self) -> tuple[Atom, ...]:
        """The facts that the answer does not state, without unanswered ones."""
        return tuple(fact for fact in self.facts if self.stated[fact.id] is False)

    @property
    def unanswered(self) -> tuple[Atom, ...]:
        """The facts without a verdict; `failures` say why."""
        return tuple(fact for fact in self.facts if self.stated[fact.id] is None)


def labels_of(result: RecallResult) -> list[LabelledClaim]:
    """The labelled facts. Unanswered ones are a separate class, with P 0.5."""
    stated = result.stated
    return [
        LabelledClaim(
            0.5 if row.p_true is None else row.p_true,
            CLASSES[stated[row.claim]],
            TRUE if row.gold == "S" else FALSE,
        )
        for row in result.rows()
        if row.gold is not None
    ]


FEW_RECORDS = 20


def _count(value: bool) -> OfRecords:
    """The number of facts with that value; None without an answered fact."""
    return OfRecords(lambda record: None if record.recall is None else record.count(value))


def error_rate(claims: Claims) -> Statistic:
    """Share of the answered facts where judge and labels differ."""
    answered = claims.predicted != UNANSWERED
    wrong = answered & (claims.predicted != claims.gold)
    return OfSums(claims.sums(np.stack([wrong, answered])), lambda sums: ratio(sums[..., 0], sums[..., 1]))


def f1_false(claims: Claims) -> Statistic:
    """F1 of "the answer does not state it" over all facts; an unanswered fact counts as missed.

    Undefined without a False label, or without an answered fact.
    """
    predicted, gold = claims.predicted == FALSE, claims.gold == FALSE
    answered = claims.predicted != UNANSWERED

    def function(sums: np.ndarray) -> np.ndarray:
        hits, found, wanted, known = (sums[..., column] for column in range(4))
        return np.where((wanted > 0) & (known > 0), ratio(2 * hits, found + wanted), np.nan)

    found = OfSums(claims.sums(np.stack([predicted & gold, predicted, gold, answered])), function)
    found.present = (found.parts[:, 1:3] != 0).any(axis=1)  # a record without a False counts for nothing
    return found


def _unlabelled(sample: Sample) -> str:
    return "every labelled fact is unanswered" if len(sample.claims.p) else "no fact is labelled"


def _none_false(sample: Sample) -> str:
    labels = sample.claims.gold
    none = len(labels) and not np.any(labels == FALSE)
    return "no fact is labelled False" if none else _unlabelled(sample)


def _none_answered(sample: Sample) -> str:
    none = np.isnan(sample.values["num_facts"]).all()
    return "no record has a fact" if none else "no fact was answered"


SOME_FACTS = Need("facts", lambda sample: "no record has a fact")
ANSWERED = SOME_FACTS._replace(words="answered facts", missing=_none_answered)
LABELS = Need(
    "labelled facts", _unlabelled, lambda record: any(fact.gold for fact in record.facts), labels=True
)
FALSE_LABELS = LABELS._replace(words="facts labelled false", missing=_none_false)

score = partial(Metric, places=EVERYWHERE, tested=True)
count = partial(Metric, bounds=COUNT, decimals=1)

# fmt: off
METRICS = (
    score("recall", "recall", "share of answered facts that the answer states",
          ANSWERED, OfRecords(lambda record: record.recall), better="higher"),
    count("num_facts", "facts", "facts per record",
          SOME_FACTS, OfRecords(lambda record: len(record.facts) or None), places=("line",)),
    count("num_true", "stated", "facts per record that the answer states",
          ANSWERED, _count(True), places=("line",)),
    count("num_false", "not stated", "facts per record that the answer does not state",
          ANSWERED, _count(False), places=("line",)),
    count("num_unanswered", "N/A", "facts per record that stayed unanswered",
          SOME_FACTS, OfRecords(lambda record: record.count(None) if record.facts else None),
          title="unanswered a record", places=("line", "run", "evaluate", "compare"), better="lower"),
    score("error_rate", "error rate",
          "share of the answered, labelled facts on which judge and human label differ",
          LABELS, OfClaims(error_rate), better="lower", few=FEW_RECORDS),
    score("f1_false", "F1 False",
          "F1 of the facts that the answer does not state; unanswered ones count as missed", FALSE_LABELS,
          OfClaims(f1_false), better="higher", few=FEW_RECORDS),
    *usage_metrics(attrgetter("total_usage")),
)
# fmt: on

RECALL: Table[RecallResult] = Table(
    # A record without an answered fact still has scores: the number of facts, and f1_false.
    "recall",
    main="num_facts",
    claims=lambda record: (labels_of(record), 0),
    metrics=METRICS,
)

PROMPT_TF = "prompt-tf"
"""The assessor with one prompt per fact, whose reply is searched for "true" and "false"."""


class RecallWorker(ClaimWorker[RecallResult]):
    """Judges every fact of a record on the answer, `atoms_per_call` facts per call."""

    result = RecallResult
    two_sided = True

    def __init__(self, assembly: Assembly) -> None:
        super().__init__(assembly)
        self._generator = assembly.fact_generator()
        row = ASSESSORS.get(self.config.assessor)
        self._in_words = assembly.made(ASSESSOR) if row and row.in_words else None

    def _work(self, record: Record, meter: Meter) -> Work:
        facts, failures = self._facts(record, meter)
        answer = without_reasoning(record.response)
        with meter.stage("evaluator"):
            judged = self._judged(record.model_copy(update={"response": answer}), facts)
        fields = {"facts": facts, "reference": record.reference, "verdicts": judged.verdicts}
        return Work(fields, (*failures, *judged.failures), len(judged.verdicts), len(facts))

    def _facts(self, record: Record, meter: Meter) -> tuple[tuple[Atom, ...], tuple[Failure, ...]]:
        """The record's facts, else its reference atoms, else facts made from the reference."""
        if record.facts is not None:
            return record.facts, ()
        if record.reference_atoms is not None:
            # Their labels are about the reference, not about the answer.
            return tuple(a.model_copy(update={"gold": None}) for a in record.reference_atoms), ()
        with meter.stage("fact_generator"):
            generated = self._generator.generate(record)
        return numbered(generated.atoms, "f", record), generated.failures

    def _judged(self, record: Record, facts: Sequence[Atom]) -> Judged:
        if not facts:
            return Judged(())
        if not record.response.strip():
            note = "the answer is empty"
            return Judged(tuple(known_verdict(ANSWER, fact.id, "neutral", note) for fact in facts))
        if self._in_words is not None:
            return self._judged_as_text(self._in_words, record, facts)
        title = f"Answer to: {record.prompt}" if record.prompt else ""
        premise = Premise(ANSWER, record.response, title=title, record_id=record.id)
        return self._judge.judge(premise, [Claim(fact.id, fact.text) for fact in facts])

    def _judged_as_text(self, evaluator: Evaluator, record: Record, facts: Sequence[Atom]) -> Judged:
        outcome = evaluator.evaluate(facts, [Context(id=ANSWER, text=record.response)], record)
        verdicts = (
            Verdict(
                context_id=ANSWER,
                target_id=answer.atom_id,
                label=LABEL_OF[answer.support],
                probability=answer.probability,
                confidence=answer.confidence,
                note=ANSWERED_FALSE if LABEL_OF[answer.support] == "neutral" else "",
            )
            for answer in outcome.answers
        )
        return Judged(tuple(verdicts), outcome.failures)


def _problems(record: Record, config: Config) -> list[InputProblem]:
    if _brings_facts(record) or (record.reference or "").strip():
        return []
    message = "none given, and no 'reference' to make them from; add one of them"
    return [InputProblem(f"record {record.id}", "facts", message)]


def _brings_facts(record: Record) -> bool:
    return record.facts is not None or record.reference_atoms is not None


def _worker(config: Config, calls: Calls) -> RecallWorker:
    if config.mode == PROMPT_TF:
        config = config.model_copy(update={"mode": "tf", "assessor": PROMPT_TF, "atoms_per_call": 1})
    return RecallWorker(assembly_of(config, calls))


def _scored(result: RecallResult) -> tuple[RecallResult, dict[str, Any]]:
    verdicts = {verdict.target_id: verdict for verdict in result.verdicts}
    stated = result.stated
    facts = [
        {
            "id": row.claim,
            "text": row.text,
            "value": stated[row.claim],
            "p_true": row.p_true,
            "verdict": verdict and verdict.label,
            "quote": verdict and verdict.quote,
            **({} if row.gold is None else {"label": row.gold == "S"}),
        }
        for row in result.rows()
        for verdict in [verdicts.get(row.claim)]
    ]
    return result, {"bounds": result.bounds, "facts": facts, "reference": result.reference}


TASK = Task(
    name="recall",
    result=RecallResult,
    table=RECALL,
    problems=_problems,
    prompts=lambda config: [
        *([PROMPT_TF] if config.mode == PROMPT_TF else ["judge", "judge_one"]),
        "fact_generator",
    ],
    worker=_worker,
    tally=lambda config, sizes: ClaimTally(RECALL, _scored),
    claims=lambda result: result.facts,
    makes_claims=lambda record, config: not _brings_facts(record) and config.part("fact_generator").parses,
)


@python_call
def recall(  # noqa: PLR0913 - what a record of this task may bring
    output: str,
    *,
    facts: Iterable[AtomLike] | None = None,
    reference: str | None = None,
    input: str = "",
    topic: str | None = None,
    id: str | None = None,
    llm: LLM | None = None,
    config: ConfigLike = None,
    **settings: Unpack[Keywords],
) -> RecallResult:
    """Find which of the expected facts an answer states. Synchronous; see `arecall`.

    `facts` are strings, mappings ({text, id?, label?}, the label true or false for this answer) or `Atom`
    objects. By default, they are made from `reference`, the right answer to `input`. Aliases, `settings`
    (such as `mode="tf"`), `config` and `llm` are as in `assess`. Failures are listed in the result.

    Raises what `assess` does, and InputError if there are neither facts nor a reference.
    """
    given = {"id": id, "response": output, "prompt": input, "topic": topic, "facts": facts}
    record = parse_record("recall()", **given, reference=reference)
    return TASK.assessed("recall()", record, llm, config, settings)


arecall = awaitable(recall)
