"""Asking a model about claims through function objects, and again about those it left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from factreasoner.judges import faaf
from factreasoner.llm.messages import FunctionSchema, Prompt, Reply
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.reasking import ItemQuestion, NoResult, Reasker
from factreasoner.models import Claim, Failure, Label
from factreasoner.protocols import LLM
from factreasoner.settings import Config


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


class JudgedClaims(NamedTuple):
    """What was found, or why nothing was, by claim id."""

    found: dict[str, JudgedClaim]
    failures: dict[str, Failure]


class Batch(NamedTuple):
    """The claims one call is to decide, and those it shows the model: these and maybe others."""

    claims: Sequence[Claim]
    shown: Sequence[Claim]


class Asker:
    """Asks about claims, `claims_per_call` a call at most; bad replies are mended as `Reasker` does it.

    `tokens_per_claim` is about what the answer to one takes.
    """

    def __init__(self, llm: LLM, config: Config, *, tokens_per_claim: int) -> None:
        self._reasker = Reasker(llm, config)
        self._config = config
        self._tokens_per_claim = tokens_per_claim

    @property
    def claims_per_call(self) -> int:
        """`atoms_per_call`, or fewer when the estimated answer would not fit `max_tokens`."""
        fitting = int(0.8 * self._config.max_tokens) // self._tokens_per_claim
        return max(1, min(self._config.atoms_per_call, fitting))

    def batches(self, claims: Sequence[Claim], shared: Sequence[Claim] = ()) -> list[Batch]:
        """The calls of a first round: as few as `claims` take.

        `shared` claims are those of several questions. Where it takes no further call, each batch shows as
        many of them in a row, so that calls of different questions show the same.
        """
        wanted = {claim.id for claim in claims}
        alone = [Batch(part, part) for part in self._parts(claims)]
        together = [Batch([c for c in part if c.id in wanted], part) for part in self._parts(shared)]
        together = [batch for batch in together if batch.claims]
        complete = sum(len(batch.claims) for batch in together) == len(claims)
        return together if complete and len(together) <= len(alone) else alone

    def _parts(self, claims: Sequence[Claim]) -> list[Sequence[Claim]]:
        size = self.claims_per_call
        return [claims[start : start + size] for start in range(0, len(claims), size)]

    def ask(
        self, question: ClaimQuestion, claims: Sequence[Claim], shared: Sequence[Claim] = ()
    ) -> JudgedClaims:
        """One finding or one failure for every claim, in the order of the claims; for `shared` see `batches`.

        Raises:
            ConfigError, BudgetError: from the model client; nothing else escapes.
        """
        batches = self.batches(claims, shared)
        if self._config.confidence != "votes":
            return _in_order(claims, [self._ask_once(question, batches, sample=0, samples=1)])
        rounds = parallel_map(
            lambda sample: self._ask_once(question, batches, sample=sample, samples=self._config.votes),
            range(1, self._config.votes + 1),
            workers=self._config.concurrency,
        )
        return _in_order(claims, [self._count_votes(claim.id, rounds) for claim in claims])

    def _ask_once(
        self, question: ClaimQuestion, batches: Sequence[Batch], *, sample: int, samples: int
    ) -> JudgedClaims:
        parts = parallel_map(
            lambda batch: self._reasker.ask(
                self._asked(question, batch), batch.claims, sample=sample, samples=samples
            ),
            batches,
            workers=self._config.concurrency,
        )
        found: dict[str, JudgedClaim] = {}
        failures: dict[str, Failure] = {}
        for batch, part in zip(batches, parts, strict=True):
            for claim, result in zip(batch.claims, part, strict=True):
                if isinstance(result, Failure):
                    failures[claim.id] = result
                else:
                    found[claim.id] = result
        return JudgedClaims(found, failures)

    def _asked(self, question: ClaimQuestion, batch: Batch) -> ItemQuestion[Claim, JudgedClaim]:
        def shown(claims: Sequence[Claim]) -> Sequence[Claim]:
            """What is shown with all claims of the batch; about some of them again, nothing is added."""
            return batch.shown if len(claims) == len(batch.claims) else claims

        return ItemQuestion(
            stage=question.stage,
            result="verdict",
            name=lambda claim: question.item(claim.id),
            request=lambda claims: question.request(shown(claims)),
            read=lambda reply, schema, claims: self._results(
                question.read(reply, schema, shown(claims)), claims
            ),
            logprobs=self._config.confidence in ("auto", "logprobs"),
        )

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
