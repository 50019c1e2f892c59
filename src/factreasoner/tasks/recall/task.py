"""`recall`: does the answer say what it should?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

from factreasoner.assessors.assessors import LABEL_OF
from factreasoner.errors import InputProblem
from factreasoner.inputs.parsing import AtomLike, given_record
from factreasoner.llm.usage import Meter
from factreasoner.models import Atom, Claim, Context, Failure, Premise, Record, Verdict
from factreasoner.pipeline.assembly import Assembly, Calls, assembly_of, parts_and_config
from factreasoner.plugins.kinds import FACT_GENERATOR
from factreasoner.protocols import LLM, Evaluator, Judged
from factreasoner.settings import Config, Keywords, python_call
from factreasoner.tasks.recall.result import (
    RECALL,
    RecallResult,
    ScoredRecall,
    fact_rows,
    scored_recall,
    stated,
)
from factreasoner.tasks.rows import ANSWER, ClaimRow, known_verdict
from factreasoner.tasks.task import ClaimTally, ClaimWorker, Task, Work, numbered

PROMPT_TF = "prompt-tf"
"""The assessor that sends one prompt for each fact and looks for "true" and "false" in the reply."""


class RecallWorker(ClaimWorker[RecallResult]):
    """Judges every fact of a record against the answer, `atoms_per_call` facts in a call."""

    result = RecallResult
    two_sided = True

    def __init__(self, assembly: Assembly) -> None:
        super().__init__(assembly)
        self._generator = assembly.made(FACT_GENERATOR)
        self._in_words = assembly.evaluator() if self.config.assessor == PROMPT_TF else None

    def _work(self, record: Record, meter: Meter) -> Work:
        facts, failures = self._facts(record, meter)
        with meter.stage("evaluator"):
            judged = self._judged(record, facts)
        fields = {"facts": facts, "reference": record.reference, "verdicts": judged.verdicts}
        return Work(fields, (*failures, *judged.failures), len(judged.verdicts), len(facts))

    def _facts(self, record: Record, meter: Meter) -> tuple[tuple[Atom, ...], tuple[Failure, ...]]:
        """The record's facts, else its statements of the reference, else facts made from the reference."""
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
            note = "the answer is empty, and states nothing"
            return Judged(tuple(known_verdict(ANSWER, fact.id, "neutral", note) for fact in facts))
        if self._in_words is not None:
            return self._judged_in_words(self._in_words, record, facts)
        title = f"Answer to: {record.prompt}" if record.prompt else ""
        premise = Premise(ANSWER, record.response, title=title, record_id=record.id)
        return self._judge.judge(premise, [Claim(fact.id, fact.text) for fact in facts])

    def _judged_in_words(self, evaluator: Evaluator, record: Record, facts: Sequence[Atom]) -> Judged:
        outcome = evaluator.evaluate(facts, [Context(id=ANSWER, text=record.response)], record)
        verdicts = (
            Verdict(
                context_id=ANSWER,
                target_id=answer.atom_id,
                label=LABEL_OF[answer.support],
                probability=answer.probability,
                confidence=answer.confidence,
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
        config = config.model_copy(update={"mode": "tf", "assessor": PROMPT_TF, "calls": "single"})
    return RecallWorker(assembly_of(config, calls))


def _makes_claims(record: Record, config: Config) -> bool:
    return not _brings_facts(record) and config.plugin("fact_generator") == "embedded"


def _scored(result: RecallResult) -> tuple[ScoredRecall, dict[str, Any]]:
    scored = scored_recall(result)
    verdicts = {verdict.target_id: verdict for verdict in result.verdicts}
    facts = [_content(row, verdicts.get(row.claim)) for row in scored.facts]
    return scored, {"bounds": scored.bounds, "facts": facts, "reference": result.reference}


def _content(row: ClaimRow, verdict: Verdict | None) -> dict[str, Any]:
    """A fact in a result line."""
    return {
        "id": row.claim,
        "text": row.text,
        "value": stated(row),
        "p_true": row.p_true,
        "verdict": verdict and verdict.label,
        "quote": verdict and verdict.quote,
        **({} if row.gold is None else {"label": row.gold == "S"}),
    }


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
    rows=fact_rows,
    tally=lambda config, sizes: ClaimTally(RECALL, fact_rows, _scored),
    claims=lambda result: result.facts,
    makes_claims=_makes_claims,
    label_words={
        "supported": "stated",
        "conflicting": "not stated",
        "unverified": "not stated",
        None: "unanswered",
    },
)


@python_call
def recall(
    answer: str,
    *,
    facts: Iterable[AtomLike] | None = None,
    reference: str | None = None,
    prompt: str = "",
    llm: LLM | None = None,
    **settings: Unpack[Keywords],
) -> RecallResult:
    """Which facts an answer states, of those it should state. Synchronous.

    `facts` are texts, mappings ({text, id?, label?}, the label true or false for this answer) or `Atom`
    objects. Without them, they are made from `reference`, the right answer to `prompt`. `settings` are those
    of `Config`, such as `mode="tf"`, `model="openai/gpt-4o-mini"`; without a model, the embedded judge is
    used. A setting that names a part also takes your own object or class: `judge=MyJudge()`. What goes wrong
    is in the result's failures.

    Raises:
        ConfigError: a setting, a key or a model name is wrong.
        InputError: an argument is wrong, or there are neither facts nor a reference.
    """
    parts, config = parts_and_config(settings)
    record = given_record("recall()", response=answer, prompt=prompt, facts=facts, reference=reference)
    return TASK.assessed("recall()", record, config, Calls(llm=llm, parts=parts))
