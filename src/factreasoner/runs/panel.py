"""What each judge of an ensemble found by itself, how far they agree, and who judges answers of its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from factreasoner.metrics.agreement import Agreement
from factreasoner.metrics.table import Estimate
from factreasoner.models import Assessment, TaskResult, Verdict
from factreasoner.pipeline.rescoring import rescore
from factreasoner.settings import Config
from factreasoner.solvers.auto import AutoSolver
from factreasoner.tasks.claim_task import ClaimResult
from factreasoner.tasks.task import Task

WRITER_KEYS = ("model_name", "model")
"""Keys of a record that say which model wrote its answer."""

NO_ANSWER = Estimate(None, None, "the judge never answered")
"""What stands for every score of a judge by itself that gave no verdict."""


class PanelTally:
    """Adds up the results of a run judged by several models; `sizes` are those of its records."""

    def __init__(self, task: Task[Any], config: Config, sizes: Sequence[int]) -> None:
        self._table = task.table
        self._config = config
        self._agreement = Agreement()
        self._answered: set[str] = set()
        self._tallies = {name: task.tally(config, sizes) for name in config.judge_models}

    def add(self, result: TaskResult) -> None:
        """Count a record's result."""
        pairs: dict[tuple[str, str], list[str]] = {}
        for vote in votes_of(result):
            pairs.setdefault((vote.context_id, vote.target_id), []).append(vote.label)
            self._answered.add(vote.judge)
        for labels in pairs.values():
            self._agreement.add(labels)
        for name, tally in self._tallies.items():
            tally.add(as_judged_by(result, name, self._config))

    def content(self) -> dict[str, Any]:
        """For summary.json: each judge's own scores; Krippendorff's alpha over pairs of several votes.

        A judge that never answered has no score, whatever needs no judge.
        """
        names = [metric.name for metric in self._table if not metric.usage]
        return {
            "scores": {
                name: {
                    metric: (found if name in self._answered else NO_ANSWER).content()
                    for metric, found in self._table.estimates(tally.sample(), names).items()
                }
                for name, tally in self._tallies.items()
            },
            "alpha": self._agreement.alpha,
            "pairs": self._agreement.units,
        }


def votes_of(result: TaskResult) -> Iterator[Verdict]:
    """What each judge said of each pair, ties included."""
    inner = result.outcome if isinstance(result, Assessment) else None
    verdicts = result.verdicts if isinstance(result, ClaimResult) else inner.verdicts if inner else ()
    for verdict in verdicts:
        yield from verdict.votes
    for failure in (*result.failures, *(inner.failures if inner else ())):
        yield from failure.votes


def as_judged_by(result: TaskResult, judge: str, config: Config) -> TaskResult:
    """The result as it had been with that judge alone; pairs that it did not answer are unjudged."""
    own = tuple(vote for vote in votes_of(result) if vote.judge == judge)
    if isinstance(result, ClaimResult):
        known = tuple(verdict for verdict in result.verdicts if not verdict.votes)
        return result.model_copy(update={"verdicts": known + own})
    if not isinstance(result, Assessment) or result.outcome is None:
        return result
    judged = {vote.target_id for vote in own}
    unjudged = tuple(atom.id for atom in result.atoms if atom.id not in judged)
    outcome = result.outcome.model_copy(update={"verdicts": own, "unjudged": unjudged})
    alone = config.model_copy(update={"calibration": None})
    return rescore(result.model_copy(update={"outcome": outcome}), AutoSolver(alone), alone)


def own_answers(result: TaskResult, models: Sequence[str]) -> list[str]:
    """The models that judge here and, as the record says, wrote the answer."""
    writer = next((result.metadata[key] for key in WRITER_KEYS if result.metadata.get(key)), None)
    if not isinstance(writer, str):
        return []
    return [model for model in models if _bare(model) == _bare(writer)]


def _bare(model: str) -> str:
    """A model's name without its provider, in small letters."""
    return model.rsplit("/", 1)[-1].casefold()


class SelfPreference:
    """Counts the records whose answer was written by a model that judges it."""

    def __init__(self, config: Config) -> None:
        model = (config.model,) if config.model and config.plugin("judge") == "llm" else ()
        self._models = config.judge_models or model
        self._counts: Counter[str] = Counter()

    def add(self, result: TaskResult) -> None:
        """Count a record's result."""
        self._counts.update(own_answers(result, self._models))

    def content(self) -> dict[str, int]:
        """Records by model; none where no judge wrote an answer."""
        return dict(self._counts)
