"""Asking a model about claims through functions, reading its answers, and asking again about what is open."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal, NamedTuple

from factreasoner.calls.slots import one_slot
from factreasoner.calls.threads import parallel_map
from factreasoner.errors import PendingError
from factreasoner.judges import CONSTANT_CONFIDENCE
from factreasoner.judges.settings import JudgeSettings
from factreasoner.llm.ask import MOST_FACTS, ItemAsker, ItemQuestion, NoResult
from factreasoner.models import Claim, Failure, Label
from factreasoner.models.messages import Chances, FunctionSchema, Prompt, Reply
from factreasoner.models.verdicts import LABEL_OF_VALUE, LEAST_MASS
from factreasoner.protocols import LLM
from factreasoner.text.visible import one_line

log = logging.getLogger(__name__)
VOTES = 5
"""Samples drawn where votes give the confidence."""


class ClaimQuestion(NamedTuple):
    """How claims are put to a model, what a valid answer means, and how a failure names a claim (`item`)."""

    stage: str
    request: Callable[[Sequence[Claim]], tuple[Prompt, FunctionSchema]]
    item: Callable[[str], str]
    label_of: Callable[[str], Label | None] = LABEL_OF_VALUE.get


class JudgedClaim(NamedTuple):
    """What a model said of one claim, with a probability and where that comes from."""

    label: Label
    probability: float
    confidence: Literal["logprobs", "model", "verbal", "votes", "constant"]
    quote: str = ""
    reasoning: str = ""
    sources: str = ""
    chances: Chances | None = None


class JudgedClaims(NamedTuple):
    """What was found, or why nothing was, by claim id."""

    found: dict[str, JudgedClaim]
    failures: dict[str, Failure]


class Asker:
    """Asks about claims, `claims_per_call` a call at most; `ItemAsker` mends bad replies.

    `tokens_per_claim` is about how many tokens the answer on one claim takes.
    """

    def __init__(self, llm: LLM, config: JudgeSettings, *, tokens_per_claim: int) -> None:
        self._item_asker = ItemAsker(llm, config)
        self._config = config
        self._tokens_per_claim = tokens_per_claim
        self._llm = llm

    @property
    def claims_per_call(self) -> int:
        """`atoms_per_call`, else what the model can take; fewer if the answer would not fit `max_tokens`."""
        if self._config.form == "word":
            return 1
        wanted = self._config.atoms_per_call or int(getattr(self._llm, "facts_per_call", MOST_FACTS))
        fitting = int(0.8 * self._config.max_tokens) // self._tokens_per_claim
        return max(1, min(wanted, fitting))

    def batches(self, claims: Sequence[Claim]) -> list[Sequence[Claim]]:
        """The calls of a first round: as few as `claims` take."""
        size = self.claims_per_call
        return [claims[start : start + size] for start in range(0, len(claims), size)]

    def ask(self, question: ClaimQuestion, claims: Sequence[Claim]) -> JudgedClaims:
        """One finding or one failure for every claim, in the order of the claims.

        Calls about one passage follow one another, in one slot: the server still has their beginning.

        Raises ConfigError, BudgetError: from the model client; nothing else escapes.
        """
        batches = self.batches(claims)
        if self._config.confidence == "votes":
            rounds = parallel_map(
                lambda sample: self._ask_once(question, batches, sample=sample, samples=VOTES),
                range(1, VOTES + 1),
                workers=self._config.concurrency,
            )
            answers = {claim.id: _majority([votes[claim.id] for votes in rounds]) for claim in claims}
        else:
            answers = self._ask_once(question, batches, sample=0, samples=1)
        return JudgedClaims(
            {name: one for name, one in answers.items() if isinstance(one, JudgedClaim)},
            {name: one for name, one in answers.items() if isinstance(one, Failure)},
        )

    def _ask_once(
        self, question: ClaimQuestion, batches: Sequence[Sequence[Claim]], *, sample: int, samples: int
    ) -> dict[str, JudgedClaim | Failure]:
        asked = ItemQuestion(
            stage=question.stage,
            result="verdict",
            name=lambda claim: question.item(claim.id),
            request=question.request,
            read=lambda reply, schema, claims: [
                read(reply, schema, f"fact_{position}", question.label_of, self._config)
                for position in range(len(claims))
            ],
            logprobs=self._config.confidence in ("auto", "logprobs"),
        )
        answers: dict[str, JudgedClaim | Failure] = {}
        pending: PendingError | None = None
        with one_slot():
            for batch in batches:
                try:
                    results = self._item_asker.ask(asked, batch, sample=sample, samples=samples)
                except PendingError as error:
                    pending = error
                    continue
                answers |= zip((claim.id for claim in batch), results, strict=True)
        if pending is not None:
            raise pending
        return answers


def read(
    reply: Reply,
    schema: FunctionSchema,
    name: str,
    label_of: Callable[[str], Label | None],
    config: JudgeSettings,
) -> JudgedClaim | NoResult:
    """What a reply says in argument `name`, with the probability that `config` asks for; or what it lacks.

    `label_of` says what a valid answer means, None when it means nothing.
    """
    given, certainty = reply.arguments, f"{name}_certainty"
    verbal = certainty in schema.arguments
    for required in (name, certainty) if verbal else (name,):
        if problem := schema.problem(required, given):
            return NoResult(problem)
    value = schema.value(name, given)
    label = label_of(value)
    if label is None:
        return NoResult(f"the answer decides nothing: {one_line(value, 80)!r}", final=True)
    chances = (reply.chances or {}).get(name)
    found = JudgedClaim(
        label,
        CONSTANT_CONFIDENCE,
        "constant",
        quote=_words(given.get(f"{name}_citation")),
        reasoning=_words(given.get(f"{name}_reasoning")),
        sources=_listed(given.get(f"{name}_sources")),
        chances=chances,
    )
    if verbal:
        return found._replace(probability=given[certainty] / 100, confidence="verbal")
    share = _share(reply, name, value) if config.confidence in ("auto", "logprobs") else None
    if share is not None:
        origin: Literal["model", "logprobs"] = "model" if reply.form == "systemone" else "logprobs"
        return found._replace(probability=share, confidence=origin)
    if config.confidence == "logprobs":
        return NoResult("the reply has no log-probabilities for it; use --confidence auto", final=True)
    return found


def _listed(given: object) -> str:
    """Numbers as text, however they were given."""
    if isinstance(given, list):
        return ", ".join(map(str, given))
    return str(given) if isinstance(given, int) else _words(given)


def _words(given: object) -> str:
    return given.strip() if isinstance(given, str) else ""


def _share(reply: Reply, name: str, value: str) -> float | None:
    """The chosen value's share; None where all values together have too little of the mass."""
    if reply.chances is None:
        return None
    if (chances := reply.chances.get(name)) is None:
        warn_of("the log-probabilities that came are not those of the answer")
        return None
    if chances.mass is not None and chances.mass < LEAST_MASS:
        warn_of("the allowed answers have less than half of the probability of all that the model could say")
        return None
    return chances.probabilities.get(value)


@cache
def warn_of(fault: str) -> None:
    """Say once why log-probabilities are of no use."""
    log.warning("%s, so they give no confidence; the constant one is used", fault)


def _majority(votes: Sequence[JudgedClaim | Failure]) -> JudgedClaim | Failure:
    """The most frequent label with its share; a failed vote is a failure unless a majority answered."""
    cast = [vote for vote in votes if isinstance(vote, JudgedClaim)]
    if 2 * len(cast) <= len(votes):
        return next(vote for vote in votes if isinstance(vote, Failure))
    label, count = Counter(vote.label for vote in cast).most_common(1)[0]
    winner = next(vote for vote in cast if vote.label == label)
    return winner._replace(probability=count / len(cast), confidence="votes")
