"""Compute one metric of one answer, for other tools: a number or None, and the reason as text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple, Unpack

from factreasoner.errors import ConfigError, InputError
from factreasoner.inputs.parsing import ContextLike, parse_record
from factreasoner.judges import judged_by
from factreasoner.metrics.statistics import OfRecords
from factreasoner.metrics.table import SHARE, Metric, certain_range
from factreasoner.models import Result
from factreasoner.models.label_styles import look_of
from factreasoner.models.rows import ANSWER, CONTEXTS, ClaimRow
from factreasoner.pipeline.assembly import Calls, parts_and_config
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import python_call
from factreasoner.plugins.table import nearest
from factreasoner.protocols import LLM
from factreasoner.tasks.evidence_text import evidence_of
from factreasoner.tasks.task import FACTUALITY, Task, task_named
from factreasoner.text.visible import one_line, visible

TASKS = (FACTUALITY, "rag")
"""The tasks whose metrics are available; for a shared name, the first task counts."""
PRECISION = "precision"
QUOTE_LENGTH = 300


class ScoredAnswer(NamedTuple):
    """The score of an answer.

    - `value`: the metric, or None if it could not be computed.
    - `bounds`: its range over all outcomes of failed verdicts; None without a value, or if sampling did not
      converge.
    - `lower_is_better`: true for "hallucination" and the like.
    - `reason`: text with every unsupported claim and its deciding quote, or why there is no value. It has no
      terminal control characters.
    - `result`: the complete result.
    """

    value: float | None
    bounds: tuple[float, float] | None
    lower_is_better: bool
    reason: str
    result: Result

    def reaches(self, threshold: float) -> bool:
        """Whether the metric reaches the threshold despite failures; False without a value."""
        if self.bounds is None:
            return False
        low, high = self.bounds
        return high <= threshold if self.lower_is_better else low >= threshold


class Scoring:
    """Scores answers with components that are made once; thread-safe.

    `metric` is one of `factreasoner metrics` or `factreasoner metrics rag` that a single record has:
    "precision" (the share of atoms that are supported), "avg_prob", "faithfulness", "correctness" and so on.
    `settings` are those of :class:`Config`; `llm` replaces the model client.

    Raises ConfigError: no such metric, or a setting is wrong.
    """

    @python_call
    def __init__(
        self, metric: str = PRECISION, *, llm: LLM | None = None, **settings: Unpack[Keywords]
    ) -> None:
        self.metric = metric
        self._task = _task_of(metric)
        self._row = self._task.table.metrics[metric]
        parts, config = parts_and_config(settings)
        self._worker = self._task.worker(config, Calls(llm=llm, parts=parts))

    @property
    def judged_by(self) -> str:
        """The judge, as text."""
        return judged_by(self._worker.config)

    @python_call
    def score(
        self,
        output: str,
        contexts: Iterable[ContextLike] | None = None,
        *,
        reference: str | None = None,
        input: str = "",
    ) -> ScoredAnswer:
        """The metric of an answer to `input`, checked against `contexts`, a `reference` or both.

        Raises:
            InputError: an argument is invalid, or contexts or a reference are missing.
            ConfigError: a key or model name is wrong.
            BudgetError: the next call could exceed `max_cost`.
        """
        record = parse_record(
            "factreasoner", response=output, contexts=contexts, reference=reference, prompt=input
        )
        if problems := self._task.problems(record, self._worker.config):
            raise InputError([problem._replace(where="factreasoner") for problem in problems])
        result = self._worker.assess(record)
        line = self._task.tally(self._worker.config, ()).add(result)
        value = line[self._row.line_name]
        lower = self._row.better == "lower"
        if value is None:
            message = "; ".join(filter(None, [self._reason_without_score(line), result.not_checked]))
            return ScoredAnswer(None, None, lower, message, result)
        bounds = certain_range(self._row, line)
        rows = [row for row in result.rows() if row.label != "supported"]
        parts = [f"{self.metric} {self._row.text(value)}, judged by {self.judged_by}", *_failed(line)]
        parts += ["sampling did not converge"] * (bounds is None)
        parts += [result.not_checked] * bool(result.not_checked)
        reason = "\n".join([visible("; ".join(parts)), *(_lines(row, self._task) for row in rows)])
        return ScoredAnswer(value, bounds, lower, reason, result)

    def _reason_without_score(self, line: dict[str, Any]) -> str:
        message = line.get("reasons", {}).get(self.metric, "")
        if line["status"] == "no_atoms":
            message = "the answer is empty, abstains or makes no claim"
        elif self._row.line_name.endswith("_k"):
            message = "it needs a number: k=10"
        return visible("; ".join([f"no {self.metric}", *filter(None, [message]), *_failed(line)]))


def _failed(line: dict[str, Any]) -> list[str]:
    """How many verdicts and other steps failed, and the first message."""
    failures = line["failures"]
    if not failures:
        return []
    first = failures[0]
    return [f"{len(failures)} failed, the first: {first['stage']} {first['item_id']}: {first['message']}"]


def _lines(row: ClaimRow, task: Task[Any]) -> str:
    """An unsupported claim, with its evidence, if any, on the next line."""
    p_true = "-" if row.p_true is None else f"{row.p_true:.3f}"
    label, evidence = look_of(row, task.words.labels).word, "; ".join(evidence_of(row, QUOTE_LENGTH))
    against = "" if row.of == ANSWER and row.against == CONTEXTS else f" ({row.of} against {row.against})"
    claim = f"  {p_true:5}  {label}{against}: {one_line(row.text)}"
    return f"{claim}\n         {evidence}" if evidence else claim


def _task_of(metric: str) -> Task[Any]:
    known: list[str] = []
    for task in map(task_named, TASKS):
        names = [row.name for row in task.table if _of_a_record(row)]
        if metric in names:
            return task
        known += names
    raise ConfigError(f"{metric!r} is not a metric of an answer; {nearest(metric, known)}")


def _of_a_record(row: Metric) -> bool:
    """Whether a metric is a share computed from one answer without human labels."""
    kept = row.bounds == SHARE and "line" in row.places
    return kept and isinstance(row.average, OfRecords) and not row.needs.labels
