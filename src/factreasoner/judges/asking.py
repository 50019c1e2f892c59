"""Asking a model about claims through function objects, and again about those it left open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple

from factreasoner.config import Config
from factreasoner.errors import LLMError, UnusableReplyError
from factreasoner.judges import faaf
from factreasoner.llm.messages import FunctionSchema, Prompt, Reply
from factreasoner.llm.parallel import parallel_map
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


class _Turn(NamedTuple):
    """Which sample of an answer is asked for, and how many times these claims were asked about with it."""

    sample: int
    attempt: int = 1


class Asker:
    """Asks about claims, `claims_per_call` a call at most.

    A claim whose argument is missing, null or not among the allowed values is asked again: first with the
    other such claims, then in halves, then alone, `max_attempts` times in all; then it is a Failure. A reply
    cut by the token limit is halved at once. `tokens_per_claim` is about what the answer to one takes.
    """

    def __init__(self, llm: LLM, config: Config, *, tokens_per_claim: int) -> None:
        self._llm = llm
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
            return self._ask_once(question, claims, sample=0)
        rounds = parallel_map(
            lambda sample: self._ask_once(question, claims, sample=sample),
            range(1, self._config.votes + 1),
            workers=self._config.concurrency,
        )
        return _in_order(claims, [self._count_votes(claim.id, rounds) for claim in claims])

    def _ask_once(self, question: Question, claims: Sequence[Claim], *, sample: int) -> Findings:
        batches = self.batches(claims)
        parts = parallel_map(
            lambda batch: self._call(question, batch, _Turn(sample)),
            batches,
            workers=self._config.concurrency,
        )
        return _in_order(claims, parts)

    def _call(self, question: Question, claims: Sequence[Claim], turn: _Turn) -> Findings:
        prompt, schema = question.request(claims)
        logprobs = self._config.confidence in ("auto", "logprobs")
        try:
            reply = self._llm.call(prompt, schema, sample=turn.sample, logprobs=logprobs)
        except UnusableReplyError as error:
            return self._call_again(question, claims, dict.fromkeys(_ids(claims), str(error)), turn)
        except LLMError as error:
            failures = {i: Failure.of(question.stage, question.item(i), error) for i in _ids(claims)}
            return Findings({}, failures)
        if reply.truncated and len(claims) > 1:
            return _in_order(claims, [self._call(question, half, turn) for half in _halves(claims)])
        if reply.truncated:
            problem = f"the reply was cut by max_tokens={self._config.max_tokens}"
            return self._call_again(question, claims, {claims[0].id: problem}, turn)
        reading = question.read(reply, schema, claims)
        parts = [self._decide(question, claim_id, answer) for claim_id, answer in reading.answers.items()]
        parts.append(_failed(question, reading.unreadable, attempts=turn.attempt))
        if reading.problems:
            parts.append(self._call_again(question, claims, reading.problems, turn))
        return _in_order(claims, parts)

    def _call_again(
        self, question: Question, asked: Sequence[Claim], problems: dict[str, str], turn: _Turn
    ) -> Findings:
        """Ask again about those of the `asked` claims that have a problem."""
        if turn.attempt >= self._config.max_attempts:
            return _failed(question, problems, attempts=turn.attempt)
        claims = [claim for claim in asked if claim.id in problems]
        attempt = turn.attempt + 1
        groups = [claims] if attempt == 2 else _halves(claims) if attempt == 3 else [[c] for c in claims]
        # The same request again must be another sample, lest the cache give the same unusable reply.
        again = turn.sample + self._config.votes + 1
        parts = [
            self._call(question, group, _Turn(again if len(group) == len(asked) else turn.sample, attempt))
            for group in groups
        ]
        return _in_order(claims, parts)

    def _decide(self, question: Question, claim_id: str, answer: faaf.Answer) -> Findings:
        """The answer as a finding, with the probability the setting asks for."""
        setting = self._config.confidence
        finding = Finding(
            answer.label, self._config.constant_confidence, "constant", answer.quote, answer.reasoning
        )
        if setting == "verbal" and answer.p_verbal is not None:
            finding = finding._replace(probability=answer.p_verbal, confidence="verbal")
        elif setting in ("auto", "logprobs") and answer.p_logprobs is not None:
            finding = finding._replace(probability=answer.p_logprobs, confidence="logprobs")
        elif setting == "logprobs":
            message = "the reply carried no log-probabilities of this verdict; use --confidence auto"
            return Findings({}, {claim_id: _failure(question, claim_id, message)})
        return Findings({claim_id: finding}, {})

    def _count_votes(self, claim_id: str, rounds: Sequence[Findings]) -> Findings:
        """The most frequent label with its share; a failed vote is a failure unless a majority answered."""
        cast = [findings.found[claim_id] for findings in rounds if claim_id in findings.found]
        if 2 * len(cast) <= self._config.votes:
            lost = [findings.failures[claim_id] for findings in rounds if claim_id in findings.failures]
            return Findings({}, {claim_id: lost[0]})
        label, count = Counter(finding.label for finding in cast).most_common(1)[0]
        winner = next(finding for finding in cast if finding.label == label)
        return Findings({claim_id: winner._replace(probability=count / len(cast), confidence="votes")}, {})


def _failed(question: Question, problems: dict[str, str], *, attempts: int) -> Findings:
    return Findings(
        {},
        {
            claim_id: _failure(question, claim_id, f"no usable verdict: {problem}", attempts)
            for claim_id, problem in problems.items()
        },
    )


def _failure(question: Question, claim_id: str, message: str, attempts: int = 1) -> Failure:
    return Failure(
        stage=question.stage,
        item_id=question.item(claim_id),
        error_type="UnusableReplyError",
        message=message,
        attempts=attempts,
    )


def _ids(claims: Sequence[Claim]) -> list[str]:
    return [claim.id for claim in claims]


def _halves(claims: Sequence[Claim]) -> list[Sequence[Claim]]:
    middle = (len(claims) + 1) // 2
    return [half for half in (claims[:middle], claims[middle:]) if half]


def _in_order(claims: Sequence[Claim], parts: Iterable[Findings]) -> Findings:
    found: dict[str, Finding] = {}
    failures: dict[str, Failure] = {}
    for part in parts:
        found |= part.found
        failures |= part.failures
    ids = _ids(claims)
    return Findings({i: found[i] for i in ids if i in found}, {i: failures[i] for i in ids if i in failures})
