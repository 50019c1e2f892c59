"""A language model as the judge, asked through function objects that hold many claims at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from factreasoner import prompts
from factreasoner.config import Config
from factreasoner.errors import LLMError, UnusableReplyError
from factreasoner.judges import faaf
from factreasoner.llm.messages import FunctionSchema, Prompt
from factreasoner.llm.parallel import parallel_map
from factreasoner.models import Claim, Failure, Premise, Verdict
from factreasoner.protocols import LLM, Judged

STAGE = "judge"


class LLMJudge:
    """Judges claims by calls of one function each, `atoms_per_call` claims at most.

    A claim whose argument is missing, null or not among the allowed values is asked again: first with
    the other such claims, then in halves, then alone, `max_attempts` times in all; then it is a Failure.
    """

    def __init__(self, llm: LLM, config: Config | None = None) -> None:
        self._llm = llm
        self._config = config or Config()
        self._template = prompts.load("judge")
        self._verbal = self._config.confidence == "verbal"

    @property
    def claims_per_call(self) -> int:
        """`atoms_per_call`, or fewer when the estimated answer would not fit `max_tokens`."""
        per_claim = faaf.tokens_per_claim(self._config.mode, verbal=self._verbal)
        return max(1, min(self._config.atoms_per_call, int(0.8 * self._config.max_tokens) // per_claim))

    def requests(self, premise: Premise, claims: Sequence[Claim]) -> list[tuple[Prompt, FunctionSchema]]:
        """The calls a first round takes, without making one."""
        return [self._request(premise, batch) for batch in self._batches(claims)]

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim, in the order of the claims.

        Raises:
            ConfigError, BudgetError: from the model client; nothing else escapes.
        """
        if self._config.confidence == "votes":
            return self._vote(premise, claims)
        return self._judge_once(premise, claims, sample=0)

    def _judge_once(self, premise: Premise, claims: Sequence[Claim], *, sample: int) -> Judged:
        batches = self._batches(claims)
        parts = parallel_map(
            lambda batch: self._ask(premise, batch, sample=sample, attempt=1), batches, workers=len(batches)
        )
        return _in_order(claims, parts)

    def _batches(self, claims: Sequence[Claim]) -> list[Sequence[Claim]]:
        size = self.claims_per_call
        return [claims[start : start + size] for start in range(0, len(claims), size)]

    def _request(self, premise: Premise, claims: Sequence[Claim]) -> tuple[Prompt, FunctionSchema]:
        passage = f"{premise.title}\n{premise.text}" if premise.title else premise.text
        prompt = self._template.fill(passage=prompts.delimit(passage, "passage"))
        return prompt, faaf.build(claims, self._config.mode, verbal=self._verbal)

    def _ask(self, premise: Premise, claims: Sequence[Claim], *, sample: int, attempt: int) -> Judged:
        prompt, schema = self._request(premise, claims)
        logprobs = self._config.confidence in ("auto", "logprobs")
        try:
            reply = self._llm.call(prompt, schema, sample=sample, logprobs=logprobs)
        except UnusableReplyError as error:
            problems = {claim.id: str(error) for claim in claims}
            return self._ask_again(premise, claims, problems, sample=sample, attempt=attempt)
        except LLMError as error:
            failures = (Failure.of(STAGE, pair_id(premise.id, claim.id), error) for claim in claims)
            return Judged((), tuple(failures))
        if reply.truncated and len(claims) > 1:
            return self._ask_groups(premise, _halves(claims), sample=sample, attempt=attempt)
        if reply.truncated:
            problems = {claims[0].id: f"the reply was cut by max_tokens={self._config.max_tokens}"}
            return self._ask_again(premise, claims, problems, sample=sample, attempt=attempt)
        reading = faaf.read(reply, schema, claims)
        parts = [self._verdict(premise, claim_id, answer) for claim_id, answer in reading.answers.items()]
        missing = [claim for claim in claims if claim.id in reading.problems]
        if missing:
            parts.append(self._ask_again(premise, missing, reading.problems, sample=sample, attempt=attempt))
        return _in_order(claims, parts)

    def _ask_again(
        self,
        premise: Premise,
        claims: Sequence[Claim],
        problems: dict[str, str],
        *,
        sample: int,
        attempt: int,
    ) -> Judged:
        if attempt >= self._config.max_attempts:
            return Judged(
                (),
                tuple(
                    Failure(
                        stage=STAGE,
                        item_id=pair_id(premise.id, claim.id),
                        error_type="UnusableReplyError",
                        message=f"no usable verdict: {problems[claim.id]}",
                        attempts=attempt,
                    )
                    for claim in claims
                ),
            )
        attempt += 1
        groups = [claims] if attempt == 2 else _halves(claims) if attempt == 3 else [[c] for c in claims]
        return self._ask_groups(premise, groups, sample=sample, attempt=attempt)

    def _ask_groups(
        self, premise: Premise, groups: Sequence[Sequence[Claim]], *, sample: int, attempt: int
    ) -> Judged:
        parts = [self._ask(premise, group, sample=sample, attempt=attempt) for group in groups]
        return _in_order([claim for group in groups for claim in group], parts)

    def _verdict(self, premise: Premise, claim_id: str, answer: faaf.Answer) -> Judged:
        probability, confidence = self._config.constant_confidence, "constant"
        if self._config.confidence == "verbal" and answer.p_verbal is not None:
            probability, confidence = answer.p_verbal, "verbal"
        elif self._config.confidence in ("auto", "logprobs") and answer.p_logprobs is not None:
            probability, confidence = answer.p_logprobs, "logprobs"
        elif self._config.confidence == "logprobs":
            failure = Failure(
                stage=STAGE,
                item_id=pair_id(premise.id, claim_id),
                error_type="UnusableReplyError",
                message="the reply carried no log-probabilities of this verdict; use --confidence auto",
            )
            return Judged((), (failure,))
        citation = None
        if self._config.mode.endswith("citation") and (answer.quote or answer.label != "neutral"):
            citation = faaf.check_citation(answer.quote, premise.text, premise.others)
        verdict = Verdict(
            context_id=premise.id,
            target_id=claim_id,
            label=answer.label,
            probability=probability,
            quote=answer.quote if citation in ("found", "elsewhere") else None,
            confidence=confidence,
            citation=citation,
        )
        return Judged((verdict,))

    def _vote(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        rounds = parallel_map(
            lambda sample: self._judge_once(premise, claims, sample=sample),
            range(1, self._config.votes + 1),
            workers=self._config.votes,
        )
        parts = [self._count_votes(claim, rounds) for claim in claims]
        return _in_order(claims, parts)

    def _count_votes(self, claim: Claim, rounds: Sequence[Judged]) -> Judged:
        """The most frequent label with its share; a failed vote is a failure unless a majority answered."""
        cast = [verdict for judged in rounds for verdict in judged.verdicts if verdict.target_id == claim.id]
        if 2 * len(cast) <= self._config.votes:
            lost = [f for judged in rounds for f in judged.failures if f.item_id.endswith(f"->{claim.id}")]
            return Judged((), tuple(lost[:1]))
        label, count = Counter(verdict.label for verdict in cast).most_common(1)[0]
        winner = next(verdict for verdict in cast if verdict.label == label)
        share = count / len(cast)
        return Judged((winner.model_copy(update={"probability": share, "confidence": "votes"}),))


def pair_id(source: str, target: str) -> str:
    """How a failure names a pair."""
    return f"{source}->{target}"


def _halves(claims: Sequence[Claim]) -> list[Sequence[Claim]]:
    middle = (len(claims) + 1) // 2
    return [half for half in (claims[:middle], claims[middle:]) if half]


def _in_order(claims: Sequence[Claim], parts: Sequence[Judged]) -> Judged:
    position = {claim.id: index for index, claim in enumerate(claims)}
    verdicts = sorted((v for part in parts for v in part.verdicts), key=lambda v: position[v.target_id])
    return Judged(tuple(verdicts), tuple(failure for part in parts for failure in part.failures))
