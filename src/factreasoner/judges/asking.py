"""Asking a model about claims through function objects, and again about those it left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from factreasoner.errors import PendingError
from factreasoner.judges import faaf
from factreasoner.llm.ask import ItemAsker, ItemQuestion, NoResult
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.slots import one_slot
from factreasoner.models import Claim, Failure, Label
from factreasoner.models.messages import Chances, FunctionSchema, Prompt
from factreasoner.models.verdicts import LABEL_OF_VALUE
from factreasoner.protocols import LLM
from factreasoner.settings import Config

MOST_FACTS = 32
"""Facts a call for a model that does not say how many it bears."""


class ClaimQuestion(NamedTuple):
    """How claims are put to a model, what a valid answer means, and how a failure names a claim (`item`)."""

    stage: str
    request: Callable[[Sequence[Claim]], tuple[Prompt, FunctionSchema]]
    item: Callable[[str], str]
    label_of: Callable[[str], Label | None] = LABEL_OF_VALUE.get


class JudgedClaim(NamedTuple):
    """What came out for one claim, with a probability and where that is from."""

    label: Label
    probability: float
    confidence: Literal["logprobs", "verbal", "votes", "constant"]
    quote: str = ""
    reasoning: str = ""
    sources: str = ""
    chances: Chances | None = None


class JudgedClaims(NamedTuple):
    """What was found, or why nothing was, by claim id."""

    found: dict[str, JudgedClaim]
    failures: dict[str, Failure]


class Asker:
    """Asks about claims, `claims_per_call` a call at most; bad replies are mended as `ItemAsker` does it.

    `tokens_per_claim` is about what the answer to one takes.
    """

    def __init__(self, llm: LLM, config: Config, *, tokens_per_claim: int) -> None:
        self._item_asker = ItemAsker(llm, config)
        self._config = config
        self._tokens_per_claim = tokens_per_claim
        self._llm = llm

    @property
    def claims_per_call(self) -> int:
        """`atoms_per_call`, else what the model bears; fewer when the answer would not fit `max_tokens`."""
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

        Calls about one passage follow one another, in one slot: the server has their beginning at hand.

        Raises:
            ConfigError, BudgetError: from the model client; nothing else escapes.
        """
        batches = self.batches(claims)
        if self._config.confidence == "votes":
            rounds = parallel_map(
                lambda sample: self._ask_once(question, batches, sample=sample, samples=self._config.votes),
                range(1, self._config.votes + 1),
                workers=self._config.concurrency,
            )
            said = {claim.id: _majority([votes[claim.id] for votes in rounds]) for claim in claims}
        else:
            said = self._ask_once(question, batches, sample=0, samples=1)
        return JudgedClaims(
            {name: one for name, one in said.items() if isinstance(one, JudgedClaim)},
            {name: one for name, one in said.items() if isinstance(one, Failure)},
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
                answer if isinstance(answer, NoResult) else self._decide(answer)
                for answer in faaf.read(reply, schema, len(claims), question.label_of)
            ],
            logprobs=self._config.confidence in ("auto", "logprobs"),
        )
        said: dict[str, JudgedClaim | Failure] = {}
        pending: PendingError | None = None
        with one_slot():
            for batch in batches:
                try:
                    results = self._item_asker.ask(asked, batch, sample=sample, samples=samples)
                except PendingError as error:
                    pending = error
                    continue
                said |= zip((claim.id for claim in batch), results, strict=True)
        if pending is not None:
            raise pending
        return said

    def _decide(self, answer: faaf.ClaimAnswer) -> JudgedClaim | NoResult:
        """The answer as a finding, with the probability the setting asks for."""
        setting = self._config.confidence
        finding = JudgedClaim(
            answer.label,
            self._config.constant_confidence,
            "constant",
            quote=answer.quote,
            reasoning=answer.reasoning,
            sources=answer.sources,
            chances=answer.chances,
        )
        if setting == "verbal" and answer.p_verbal is not None:
            return finding._replace(probability=answer.p_verbal, confidence="verbal")
        if setting in ("auto", "logprobs") and answer.p_logprobs is not None:
            return finding._replace(probability=answer.p_logprobs, confidence="logprobs")
        if setting == "logprobs":
            return NoResult("the reply carried no log-probabilities of it; use --confidence auto", final=True)
        return finding


def _majority(votes: Sequence[JudgedClaim | Failure]) -> JudgedClaim | Failure:
    """The most frequent label with its share; a failed vote is a failure unless a majority answered."""
    cast = [vote for vote in votes if isinstance(vote, JudgedClaim)]
    if 2 * len(cast) <= len(votes):
        return next(vote for vote in votes if isinstance(vote, Failure))
    label, count = Counter(vote.label for vote in cast).most_common(1)[0]
    winner = next(vote for vote in cast if vote.label == label)
    return winner._replace(probability=count / len(cast), confidence="votes")
