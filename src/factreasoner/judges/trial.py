"""Is a model a judge? Sixty facts over a dozen passages with known verdicts, put to any judge.

Passages and facts stand in `trial.json`; each fact has a verdict (true, contradicted, silent) and a kind
(number, date, negation, rounding, role, same name, partial support, injected instruction, ...).
"""

from __future__ import annotations

import json
import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from typing import Literal, NamedTuple

from factreasoner.llm.parallel import parallel_map
from factreasoner.models import Claim, Failure, Label, Premise, Verdict
from factreasoner.protocols import Judge

Truth = Literal["true", "contradicted", "silent"]
TRUTHS: tuple[Truth, ...] = ("true", "contradicted", "silent")
LABEL_OF: dict[Truth, Label] = {"true": "entailment", "contradicted": "contradiction", "silent": "neutral"}
BATCHES = (1, 8, 32)
"""Facts a call that are tried."""
BLIND = 0.9
"""Share of answers with one label from which a judge is taken not to see what it is asked."""


class TrialFact(NamedTuple):
    """One fact: its claim, which passage decides it, what it is, and what it tests."""

    claim: Claim
    premise_id: str
    truth: Truth
    kind: str


class Trial(NamedTuple):
    """The passages, and the facts in order."""

    premises: tuple[Premise, ...]
    facts: tuple[TrialFact, ...]


class TrialScores(NamedTuple):
    """How a judge fared. `confusion` counts (truth, label); probabilities are those of the labels given.

    `constant` says that every probability is the same, so that there is nothing to calibrate. `brier` is the
    mean square of probability less correctness.
    """

    batch: int
    asked: int
    confusion: dict[tuple[Truth, Label], int]
    wrong_kinds: dict[str, int]
    mean_probability: float | None
    brier: float | None
    constant: bool
    failures: tuple[Failure, ...]

    @property
    def answered(self) -> int:
        """How many facts the judge gave a verdict on."""
        return sum(self.confusion.values())

    @property
    def unanswered(self) -> int:
        """How many facts it gave none on."""
        return self.asked - self.answered

    @property
    def right(self) -> int:
        """How many facts it gave the right verdict on."""
        return sum(self.confusion.get((truth, LABEL_OF[truth]), 0) for truth in TRUTHS)

    @property
    def accuracy(self) -> float | None:
        """Share of right verdicts among all facts asked, unanswered ones counted as not right."""
        return self.right / self.asked if self.asked else None

    def recall(self, truth: Truth) -> float | None:
        """Share of the answered facts of this truth that got its label; None where there are none."""
        total = sum(count for (known, _), count in self.confusion.items() if known == truth)
        return self.confusion.get((truth, LABEL_OF[truth]), 0) / total if total else None

    @property
    def blind(self) -> bool:
        """Whether nearly every answer is the same, as from a model that is not shown facts or passage."""
        labels: Counter[Label] = Counter()
        for (_, label), count in self.confusion.items():
            labels[label] += count
        return bool(self.answered) and max(labels.values()) >= BLIND * self.answered


@cache
def trial() -> Trial:
    """The passages and facts of `trial.json`."""
    data = json.loads(resources.files(__package__).joinpath("trial.json").read_text(encoding="utf-8"))
    premises = tuple(Premise(f"p{i}", item["passage"]) for i, item in enumerate(data))
    facts = (
        (f"p{i}", truth, kind, text) for i, item in enumerate(data) for truth, kind, text in item["facts"]
    )
    return Trial(
        premises,
        tuple(
            TrialFact(Claim(f"f{number}", text), premise_id, truth, kind)
            for number, (premise_id, truth, kind, text) in enumerate(facts)
        ),
    )


def calls_of(batch: int) -> int:
    """Judge calls that a trial takes with `batch` facts a call."""
    return sum(1 for _ in _tasks(trial(), batch))


def judged(judge: Judge, batch: int, *, workers: int = 1) -> TrialScores:
    """The scores of `judge`, asked `batch` facts at once, `workers` calls side by side.

    Each passage has five facts; a larger batch is filled up with facts of other passages, whose answers are
    not scored, spread among its own.

    Raises:
        ConfigError, BudgetError: from the judge's model.
    """
    known = {fact.claim.id: fact for fact in trial().facts}
    verdicts: list[Verdict] = []
    failures: list[Failure] = []
    tasks = list(_tasks(trial(), batch))
    for (premise, _), found in zip(
        tasks, parallel_map(lambda task: judge.judge(*task), tasks, workers=workers), strict=True
    ):
        verdicts += [v for v in found.verdicts if known[v.target_id].premise_id == premise.id]
        failures += found.failures
    return _scores(known, verdicts, batch, tuple(failures))


def _tasks(trial: Trial, batch: int) -> Iterator[tuple[Premise, list[Claim]]]:
    for premise in trial.premises:
        own = [fact.claim for fact in trial.facts if fact.premise_id == premise.id]
        if batch < len(own):
            yield from ((premise, own[start : start + batch]) for start in range(0, len(own), batch))
            continue
        others = [fact.claim for fact in trial.facts if fact.premise_id != premise.id]
        yield premise, _spread(own, others[: batch - len(own)])


def _spread(own: Sequence[Claim], others: Sequence[Claim]) -> list[Claim]:
    """`own` at even distances among `others`, both in their order."""
    size = len(own) + len(others)
    places = {round(i * size / len(own)): claim for i, claim in enumerate(own)}
    rest = iter(others)
    return [places[i] if i in places else next(rest) for i in range(size)]


def _scores(
    known: dict[str, TrialFact], verdicts: Sequence[Verdict], batch: int, failures: tuple[Failure, ...]
) -> TrialScores:
    confusion: Counter[tuple[Truth, Label]] = Counter()
    wrong: Counter[str] = Counter()
    squares: list[float] = []
    for verdict in verdicts:
        fact = known[verdict.target_id]
        right = verdict.label == LABEL_OF[fact.truth]
        confusion[fact.truth, verdict.label] += 1
        squares.append((verdict.probability - right) ** 2)
        if not right:
            wrong[fact.kind] += 1
    probabilities = [verdict.probability for verdict in verdicts]
    return TrialScores(
        batch=batch,
        asked=len(known),
        confusion=dict(confusion),
        wrong_kinds=dict(wrong.most_common()),
        mean_probability=statistics.fmean(probabilities) if probabilities else None,
        brier=statistics.fmean(squares) if squares else None,
        constant=len(set(probabilities)) <= 1,
        failures=failures,
    )


class FormScores(NamedTuple):
    """The scores of one call form."""

    form: str
    scores: TrialScores


class Advice(NamedTuple):
    """What to use: the largest batch, and the first form, whose accuracy is within chance of the best."""

    form: str
    batch: int
    scores: TrialScores


def advice(tried: Sequence[FormScores]) -> Advice | None:
    """What to use; None where no attempt saw the facts and answered.

    Within chance: not further below the best than the standard error of a difference of two shares.
    """
    usable = [(t, accuracy) for t in tried if not t.scores.blind and (accuracy := t.scores.accuracy)]
    if not usable:
        return None
    best = max(accuracy for _, accuracy in usable)
    asked = usable[0][0].scores.asked
    margin = math.sqrt(2 * best * (1 - best) / asked)
    near = [(t, accuracy) for t, accuracy in usable if accuracy >= best - margin]
    largest = max(t.scores.batch for t, _ in near)
    chosen = next(t for t, _ in near if t.scores.batch == largest)
    return Advice(chosen.form, largest, chosen.scores)
