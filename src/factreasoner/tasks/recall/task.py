"""`recall`: does the answer say what it should?"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from types import MappingProxyType
from typing import Any, Unpack

from factreasoner.errors import InputProblem
from factreasoner.inputs.given import AtomLike, given_record
from factreasoner.models import Atom, Record, Verdict
from factreasoner.pipeline.assembly import Calls, parts_and_config
from factreasoner.protocols import LLM
from factreasoner.settings import Config, Keywords, python_call
from factreasoner.tasks.claim_task import ClaimTask, ClaimWorker
from factreasoner.tasks.recall.result import RecallResult, ScoredRecall, fact_rows, scored_recall, stated
from factreasoner.tasks.recall.table import RECALL
from factreasoner.tasks.recall.worker import PROMPT_TF, RecallWorker
from factreasoner.tasks.rows import ClaimRow


class Recall(ClaimTask[RecallResult, ScoredRecall]):
    """The share of the facts that an answer should state, and states."""

    name = "recall"
    result = RecallResult
    table = RECALL
    does = RecallWorker
    rows = staticmethod(fact_rows)
    p_word = "P(stated)"
    label_words = MappingProxyType(
        {"supported": "stated", "conflicting": "not stated", "unverified": "not stated", None: "unanswered"}
    )

    def problems(self, record: Record, config: Config) -> list[InputProblem]:
        """See `Task`."""
        if _brings_facts(record) or (record.reference or "").strip():
            return []
        message = "none given, and no 'reference' to make them from; add one of both"
        return [InputProblem(f"record {record.id}", "facts", message)]

    def prompts(self, config: Config) -> list[str]:
        """See `Task`."""
        judging = [PROMPT_TF] if config.mode == PROMPT_TF else ["judge", "judge_one"]
        return [*judging, "fact_generator"]

    def worker(self, config: Config, calls: Calls) -> ClaimWorker[RecallResult]:
        """See `Task`. The mode prompt-tf is an assessor that asks a fact a call."""
        if config.mode == PROMPT_TF:
            config = config.model_copy(update={"mode": "tf", "assessor": PROMPT_TF, "calls": "single"})
        return super().worker(config, calls)

    def claims(self, result: RecallResult) -> Sequence[Atom]:
        """See `Task`."""
        return result.facts

    def makes_claims(self, record: Record, config: Config) -> bool:
        """See `Task`."""
        return not _brings_facts(record) and config.plugin("fact_generator") == "embedded"

    def scored(self, result: RecallResult, config: Config) -> ScoredRecall:
        """See `ClaimTask`."""
        return scored_recall(result)

    def fields(self, scored: ScoredRecall) -> dict[str, Any]:
        """See `ClaimTask`."""
        verdicts = {verdict.target_id: verdict for verdict in scored.result.verdicts}
        facts = [_content(row, verdicts.get(row.claim)) for row in scored.facts]
        return {"facts": facts, "reference": scored.result.reference}


def _brings_facts(record: Record) -> bool:
    return record.facts is not None or record.reference_atoms is not None


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


TASK = Recall()


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
    """Which of the facts that an answer should state it states, synchronously.

    `facts` are texts, mappings ({text, id?, label?}, the label true or false as people judged this answer)
    or `Atom` objects; without them they are made from `reference`, the right answer to `prompt`.
    `settings` are those of `Config`, as `mode="tf"`, `model="openai/gpt-4o-mini"`; without a model
    the embedded judge is used. Where a setting names a part, an object or class of one's own may stand:
    `judge=MyJudge()`. What goes wrong inside is in the result's failures.

    Raises:
        ConfigError: an unknown or wrong setting, or a key or model name that is wrong.
        InputError: something given is not what it should be, or there are neither facts nor a reference.
    """
    parts, config = parts_and_config(settings)
    record = given_record("recall()", response=answer, prompt=prompt, facts=facts, reference=reference)
    return TASK.assessed("recall()", record, config, Calls(llm=llm, parts=parts))
