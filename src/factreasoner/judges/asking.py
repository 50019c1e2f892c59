"""Asking a model about claims through function objects, and again about those it left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from factreasoner.config import Config
from factreasoner.judges import faaf
from factreasoner.llm.messages import FunctionSchema, Prompt, Reply
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.reasking import Asked, Lacking, Reasker
from factreasoner.models import Claim, Failure, Label
from factreasoner.protocols import LLM


class Question(NamedTuple):
    """How claims are put to a model, and how its reply is read. `item` says how a failure names a claim."""

    stage: str
    request: Callable[[Sequence[Claim]], tuple[Prompt, FunctionSchema]]
    read: Callable[[Reply, FunctionSchema, Sequence[Claim]], faaf.Reading]
    item: Callable[[str], str]


class Finding(NamedTuple):
    """What came out for one claim, with a probability and where that is from."""

    label: Label
    probability: float
    confidence: Literal["logprobs", "verbal", "votes", "constant"]
    quote: str = ""
    reasoning: str = ""


class Findings(NamedTuple):
    """What was found, or why nothing was, by claim id."""

    found: dict[str, Finding]
    failures: dict[str, Failure]


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

    def batches(self, claims: Sequence[Claim]) -> list[Sequence[Claim]]:
        """The claims of each call of a first round."""
        size = self.claims_per_call
        return [claims[start : start + size] for start in range(0, len(claims), size)]

    def ask(self, question: Question, claims: Sequence[Claim]) -> Findings:
        """One finding or one failure for every claim, in the order of the claims.

        Raises:
            ConfigError, BudgetError: from the model client; nothing else escapes.
        """
        if self._config.confidence != "votes":
            return self._ask_once(question, claims, sample=0, samples=1)
        rounds = parallel_map(
            lambda sample: self._ask_once(question, claims, sample=sample, samples=self._config.votes),
            range(1, self._config.votes + 1),
            workers=self._config.concurrency,
        )
        return _in_order(claims, [self._count_votes(claim.id, rounds) for claim in claims])

    def _ask_once(
        self, question: Question, claims: Sequence[Claim], *, sample: int, samples: int
    ) -> Findings:
        asked = Asked[Claim, Finding](
            stage=question.stage,
            result="verdict",
            name=lambda claim: question.item(claim.id),
            request=question.request,
            read=lambda reply, schema, batch: self._read(question, reply, schema, batch),
            logprobs=self._config.confidence in ("auto", "logprobs"),
        )
        batches = self.batches(claims)
        parts = parallel_map(
            lambda batch: self._reasker.ask(asked, batch, sample=sample, samples=samples),
            batches,
            workers=self._config.concurrency,
        )
        found: dict[str, Finding] = {}
        failures: dict[str, Failure] = {}
        for batch, part in zip(batches, parts, strict=True):
            for claim, result in zip(batch, part, strict=True):
                if isinstance(result, Failure):
                    failures[claim.id] = result
                else:
                    found[claim.id] = result
        return Findings(found, failures)

    def _read(
        self, question: Question, reply: Reply, schema: FunctionSchema, claims: Sequence[Claim]
    ) -> list[Finding | Lacking]:
        reading = question.read(reply, schema, claims)
        return [
            self._decide(reading.answers[claim.id])
            if claim.id in reading.answers
            else Lacking(reading.unreadable[claim.id], final=True)
            if claim.id in reading.unreadable
            else Lacking(reading.problems[claim.id])
            for claim in claims
        ]

    def _decide(self, answer: faaf.Answer) -> Finding | Lacking:
        """The answer as a finding, with the probability the setting asks for."""
        setting = self._config.confidence
        finding = Finding(
            answer.label, self._config.constant_confidence, "constant", answer.quote, answer.reasoning
        )
        if setting == "verbal" and answer.p_verbal is not None:
            return finding._replace(probability=answer.p_verbal, confidence="verbal")
        if setting in ("auto", "logprobs") and answer.p_logprobs is not None:
            return finding._replace(probability=answer.p_logprobs, confidence="logprobs")
        if setting == "logprobs":
            return Lacking("the reply carried no log-probabilities of it; use --confidence auto", final=True)
        return finding

    def _count_votes(self, claim_id: str, rounds: Sequence[Findings]) -> Findings:
        """The most frequent label with its share; a failed vote is a failure unless a majority answered."""
        cast = [findings.found[claim_id] for findings in rounds if claim_id in findings.found]
        if 2 * len(cast) <= self._config.votes:
            lost = [findings.failures[claim_id] for findings in rounds if claim_id in findings.failures]
            return Findings({}, {claim_id: lost[0]})
        label, count = Counter(finding.label for finding in cast).most_common(1)[0]
        winner = next(finding for finding in cast if finding.label == label)
        return Findings({claim_id: winner._replace(probability=count / len(cast), confidence="votes")}, {})


def _in_order(claims: Sequence[Claim], parts: Iterable[Findings]) -> Findings:
    found: dict[str, Finding] = {}
    failures: dict[str, Failure] = {}
    for part in parts:
        found |= part.found
        failures |= part.failures
    ids = [claim.id for claim in claims]
    return Findings({i: found[i] for i in ids if i in found}, {i: failures[i] for i in ids if i in failures})
