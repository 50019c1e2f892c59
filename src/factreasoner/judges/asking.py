"""Asking a model about claims through function objects, and again about those it left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from factreasoner.errors import PendingError
from factreasoner.judges import faaf
from factreasoner.llm.ask import ItemAsker, ItemQuestion, NoResult
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.slots import one_slot
from factreasoner.models import Claim, Failure, Label
from factreasoner.models.messages import Chances, FunctionSchema, Prompt, Reply
from factreasoner.protocols import LLM
from factreasoner.settings import Config

MOST_FACTS = 32
"""Facts a call for a model that does not say how many it bears."""


class ClaimQuestion(NamedTuple):
    """How claims are put to a model, and how its reply is read. `item` says how a failure names a claim."""

    stage: str
    request: Callable[[Sequence[Claim]], tuple[Prompt, FunctionSchema]]
    read: Callable[[Reply, FunctionSchema, Sequence[Claim]], faaf.ParsedReply]
    item: Callable[[str], str]


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
        if self._config.confidence != "votes":
            return _in_order(claims, [self._ask_once(question, batches, sample=0, samples=1)])
        rounds = parallel_map(
            lambda sample: self._ask_once(question, batches, sample=sample, samples=self._config.votes),
            range(1, self._config.votes + 1),
            workers=self._config.concurrency,
        )
        return _in_order(claims, [self._count_votes(claim.id, rounds) for claim in claims])

    def _ask_once(
        self, question: ClaimQuestion, batches: Sequence[Sequence[Claim]], *, sample: int, samples: int
    ) -> JudgedClaims:
        asked = ItemQuestion(
            stage=question.stage,
            result="verdict",
            name=lambda claim: question.item(claim.id),
            request=question.request,
            read=lambda reply, schema, claims: self._results(question.read(reply, schema, claims), claims),
            logprobs=self._config.confidence in ("auto", "logprobs"),
        )
        found: dict[str, JudgedClaim] = {}
        failures: dict[str, Failure] = {}
        pending: PendingError | None = None
        with one_slot():
            for batch in batches:
                try:
                    results = self._item_asker.ask(asked, batch, sample=sample, samples=samples)
                except PendingError as error:
                    pending = error
                    continue
                for claim, result in zip(batch, results, strict=True):
                    if isinstance(result, Failure):
                        failures[claim.id] = result
                    else:
                        found[claim.id] = result
        if pending is not None:
            raise pending
        return JudgedClaims(found, failures)

    def _results(self, reading: faaf.ParsedReply, claims: Sequence[Claim]) -> list[JudgedClaim | NoResult]:
        return [
            self._decide(reading.answers[claim.id])
            if claim.id in reading.answers
            else NoResult(reading.unreadable[claim.id], final=True)
            if claim.id in reading.unreadable
            else NoResult(reading.problems[claim.id])
            for claim in claims
        ]

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

    def _count_votes(self, claim_id: str, rounds: Sequence[JudgedClaims]) -> JudgedClaims:
        """The most frequent label with its share; a failed vote is a failure unless a majority answered."""
        cast = [findings.found[claim_id] for findings in rounds if claim_id in findings.found]
        if 2 * len(cast) <= self._config.votes:
            lost = [findings.failures[claim_id] for findings in rounds if claim_id in findings.failures]
            return JudgedClaims({}, {claim_id: lost[0]})
        label, count = Counter(finding.label for finding in cast).most_common(1)[0]
        winner = next(finding for finding in cast if finding.label == label)
        return JudgedClaims(
            {claim_id: winner._replace(probability=count / len(cast), confidence="votes")}, {}
        )


def _in_order(claims: Sequence[Claim], parts: Iterable[JudgedClaims]) -> JudgedClaims:
    found: dict[str, JudgedClaim] = {}
    failures: dict[str, Failure] = {}
    for part in parts:
        found |= part.found
        failures |= part.failures
    ids = [claim.id for claim in claims]
    return JudgedClaims(
        {i: found[i] for i in ids if i in found}, {i: failures[i] for i in ids if i in failures}
    )
