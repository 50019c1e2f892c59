"""inspect_ai: a scorer for `Task(..., scorer=factuality(model="openai/gpt-4o-mini"))`."""

from __future__ import annotations

from functools import partial
from typing import Unpack

from factreasoner.errors import MissingPackageError
from factreasoner.integrations.scoring import PRECISION, Scoring
from factreasoner.pipeline.keywords import Keywords
from factreasoner.protocols import LLM

try:
    from anyio import to_thread
    from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ModuleNotFoundError as error:
    raise MissingPackageError("the scorer for inspect_ai", "inspect-ai", error) from error


@scorer(metrics=[mean(), stderr()])
def factuality(metric: str = PRECISION, *, llm: LLM | None = None, **settings: Unpack[Keywords]) -> Scorer:
    """A metric of `factreasoner metrics` or `factreasoner metrics rag` for inspect_ai.

    The answer is the model's completion; contexts come from the sample's metadata "contexts", and the target
    is the reference. A sample without a score gets inspect_ai's unscored value NaN, which its metrics
    exclude; `reason` is then "no_response" without claims, else "grader_failed", and `explanation` says why.
    Otherwise the explanation lists every unsupported claim with its evidence, and the metadata has `bounds`,
    `status` and the judge.

    `settings` are those of :class:`Config`; `llm` replaces the model client.

    Raises ConfigError: no such metric, or a setting is wrong.
    """
    scoring = Scoring(metric, llm=llm, **settings)

    async def score(state: TaskState, target: Target) -> Score:
        answer = state.output.completion
        work = partial(
            scoring.score,
            answer,
            state.metadata.get("contexts"),
            reference=target.text or None,
            input=state.input_text,
        )
        scored = await to_thread.run_sync(work)
        found = {"bounds": scored.bounds, "status": scored.result.status, "judged_by": scoring.judged_by}
        if scored.value is None:
            reason = "no_response" if scored.result.status == "no_atoms" else "grader_failed"
            return Score.unscored(reason=reason, answer=answer, explanation=scored.reason, metadata=found)
        return Score(value=scored.value, answer=answer, explanation=scored.reason, metadata=found)

    return score
