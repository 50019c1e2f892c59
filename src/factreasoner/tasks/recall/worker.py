"""Makes the facts of a record and puts them to a judge, with the answer as the premise."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.assessors.assessors import LABEL_OF
from factreasoner.llm.usage import Meter
from factreasoner.models import Atom, Claim, Context, Failure, Premise, Record, Verdict
from factreasoner.pipeline.assembly import Assembly
from factreasoner.plugins.kinds import FACT_GENERATOR
from factreasoner.protocols import Evaluator, Judged
from factreasoner.tasks.claim_task import ClaimWorker, Work
from factreasoner.tasks.recall.result import RecallResult
from factreasoner.tasks.verdicts import ANSWER, known_verdict

PROMPT_TF = "prompt-tf"
"""The assessor that asks one prompt a fact and looks for "true" and "false" in the words of the reply."""


class RecallWorker(ClaimWorker[RecallResult]):
    """Judges every fact of a record against the answer, `atoms_per_call` facts a call."""

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
        """The facts the record brings, else the reference's statements it brings, else made ones."""
        if record.facts is not None:
            return record.facts, ()
        if record.reference_atoms is not None:
            # A label there is about the reference, and says nothing of the answer.
            return tuple(a.model_copy(update={"gold": None}) for a in record.reference_atoms), ()
        with meter.stage("fact_generator"):
            generated = self._generator.generate(record)
        taken = {context.id for context in record.contexts or ()} | {atom.id for atom in record.atoms or ()}
        numbered = (fact.model_copy(update={"id": f"f{i}"}) for i, fact in enumerate(generated.atoms))
        facts = tuple(f.model_copy(update={"id": f"_{f.id}"}) if f.id in taken else f for f in numbered)
        return facts, generated.failures

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
