"""Judges the claims of one record's answer and reference against its contexts and against each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factreasoner.assembly import Assembly
from factreasoner.config import Config
from factreasoner.evaluators.judging import (
    UNASKED_JUDGES,
    Task,
    judge_all,
    judging_threads,
    premises,
)
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.usage import Meter
from factreasoner.models import Atom, Claim, Premise, Record, Verdict
from factreasoner.protocols import LLM, Judged
from factreasoner.tasks.claim_task import ClaimWorker, Work
from factreasoner.tasks.rag.claims import ClaimMaker, Claims
from factreasoner.tasks.rag.result import RagResult
from factreasoner.tasks.verdicts import ANSWER, CONTEXTS, REFERENCE, is_borne_out, known_verdict


class RagWorker(ClaimWorker[RagResult]):
    """Fills the matrices of one record.

    Answer claims and reference claims x contexts, answer claims x reference, reference claims x answer. A
    context takes both lists in one call. Answer claims that no context bears out alone are asked once more,
    against all contexts together.
    """

    result = RagResult

    def __init__(self, config: Config, llm: LLM | None, assembly: Assembly) -> None:
        super().__init__(config, llm, assembly)
        self._maker = ClaimMaker(assembly)
        self._asks = config.plugin("judge") not in UNASKED_JUDGES

    def _work(self, record: Record, meter: Meter) -> Work:
        with meter.stage("atomizer"):
            makers = (self._maker.of_answer, self._maker.of_reference)
            said, wanted = parallel_map(lambda make: make(record), makers, workers=2)
        with meter.stage("evaluator"):
            judged = self._judged(record, said, wanted)
            again = self._second_look(record, said, judged.verdicts)
        verdicts = judged.verdicts + again.verdicts
        failures = (*said.failures, *wanted.failures, *judged.failures, *again.failures)
        fields = {
            "claims": said.claims,
            "reference_claims": wanted.claims,
            "contexts": record.contexts,
            "gold_contexts": record.gold_contexts,
            "reference": record.reference,
            "second_look": self._asks,
            "verdicts": verdicts,
        }
        asked = len(said.claims or ()) + len(wanted.claims or ())
        judged_claims = len({verdict.target_id for verdict in verdicts})
        nothing_to_ask = not verdicts and not failures  # no context was retrieved, and there is no reference
        return Work(fields, failures, asked if nothing_to_ask else judged_claims, asked)

    def _judged(self, record: Record, said: Claims, wanted: Claims) -> Judged:
        tasks = list(_tasks(record, said.claims or (), wanted.claims or (), together=self._asks))
        open_tasks = [(premise, claims) for premise, claims in tasks if premise.text.strip()]
        judged = judge_all(self._judge, open_tasks, workers=judging_threads(self.config))
        known = (
            known_verdict(premise.id, claim.id, "neutral", "the text is empty, and states nothing")
            for premise, claims in tasks
            if not premise.text.strip()
            for claim in claims
        )
        return Judged((*judged.verdicts, *known), judged.failures)

    def _second_look(self, record: Record, said: Claims, verdicts: Sequence[Verdict]) -> Judged:
        """All contexts together on the answer's claims that none of them bears out."""
        if not self._asks or len(record.contexts or ()) < 2:
            return Judged(())
        contexts = {context.id for context in record.contexts or ()}
        borne_out = {v.target_id for v in verdicts if v.context_id in contexts and is_borne_out(v)}
        left = [Claim(claim.id, claim.text) for claim in said.claims or () if claim.id not in borne_out]
        if not left:
            return Judged(())
        return self._judge.judge(_all_contexts(record), left)


def _tasks(record: Record, said: Sequence[Atom], wanted: Sequence[Atom], *, together: bool) -> Iterator[Task]:
    """What each premise is asked about; with `together` a context is asked about both lists at once."""
    answer_claims = [Claim(claim.id, claim.text) for claim in said]
    reference_claims = [Claim(claim.id, claim.text) for claim in wanted]
    contexts = record.contexts or ()
    premise = premises(contexts, record.id)
    lists = [answer_claims + reference_claims] if together else [answer_claims, reference_claims]
    for claims in filter(None, lists):
        for context in contexts:
            yield premise(context.id), claims
    if answer_claims and (record.reference or "").strip():
        reference = record.reference or ""
        yield Premise(REFERENCE, reference, title=record.prompt, record_id=record.id), answer_claims
    if reference_claims:
        yield Premise(ANSWER, record.response, title=record.prompt, record_id=record.id), reference_claims


def _all_contexts(record: Record) -> Premise:
    texts = [f"{context.title}\n{context.text}".strip() for context in record.contexts or ()]
    text = "\n\n".join(f"Passage {number}\n{text}" for number, text in enumerate(texts, start=1))
    return Premise(CONTEXTS, text, record_id=record.id)
