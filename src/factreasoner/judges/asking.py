"""Ask a model about claims through functions, read its answers, and retry unanswered ones."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
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
"""Number of samples if votes give the confidence."""


class ClaimQuestion(NamedTuple):
    """How claims are put to a model, the meaning of answers, and a claim's name in failures (`item`)."""

    stage: str
    request: Callable[[Sequence[Claim]], tuple[Prompt, FunctionSchema]]
    item: Callable[[str], str]
    label_of: Callable[[str], Label | None] = LABEL_OF_VALUE.get


class JudgedClaim(NamedTuple):
    """A model's label for one claim, with a probability and its origin."""

    label: Label
    probability: float
    confidence: Literal["logprobs", "model", "verbal", "votes", "constant"]
    quote: str = ""
    reasoning: str = ""
    sources: str = ""
    chances: Chances | None = None


class JudgedClaims(NamedTuple):
    """A verdict or a failure, by claim id."""

    found: dict[str, JudgedClaim]
    failures: dict[str, Failure]


class Asker:
    """Asks about at most `claims_per_call` claims per call; `ItemAsker` retries bad replies.

    `tokens_per_claim` is the estimated answer length per claim.
    """

    def __init__(self, llm: LLM, config: JudgeSettings, *, tokens_per_claim: int) -> None:
        self._item_asker = ItemAsker(llm, config)
        self._config = config
        self._tokens_per_claim = tokens_per_claim
        self._llm = llm

    @property
    def claims_per_call(self) -> int:
        """`atoms_per_call`, else the probed number; fewer if the answer would not fit `max_tokens`."""
        if self._config.form == "word":
            return 1
        wanted = self._config.atoms_per_call or int(getattr(self._llm, "facts_per_call", MOST_FACTS))
        fitting = int(0.8 * self._config.max_tokens) // self._tokens_per_claim
        return max(1, min(wanted, fitting))

    def batches(self, claims: Sequence[Claim]) -> list[Sequence[Claim]]:
        """The calls of a first round: the fewest that hold all `claims`."""
        size = self.claims_per_call
        return [claims[start : start + size] for start in range(0, len(claims), size)]

    def ask(self, question: ClaimQuestion, claims: Sequence[Claim]) -> JudgedClaims:
        """One verdict or one failure for every claim, in order.

        Calls about one passage share a slot and follow one another, so that the server can reuse its prefix.

        Raises ConfigError, BudgetError: from the model client.
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
                read_answer(reply, schema, f"fact_{position}", question.label_of, self._config)
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


def read_answer(
    reply: Reply,
    schema: FunctionSchema,
    name: str,
    label_of: Callable[[str], Label | None],
    config: JudgeSettings,
) -> JudgedClaim | NoResult:
    """The value of argument `name` in a reply with its probability as `config` requires, or what is missing.

    `label_of` gives the meaning of a valid answer, or None.
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
        quote=_stripped(given.get(f"{name}_citation")),
        reasoning=_stripped(given.get(f"{name}_reasoning")),
        sources=_listed(given.get(f"{name}_sources")),
        chances=chances,
    )
    if verbal:
        return found._replace(probability=given[certainty] / 100, confidence="verbal")
    share = _share(reply, name, value) if config.confidence in ("auto", "logprobs") else None
    if share is not None and chances is not None:
        likeliest, most = max(chances.probabilities.items(), key=itemgetter(1))
        explained = found.quote or found.reasoning or found.sources
        if most > share and chances.mass is not None and not explained and (likelier := label_of(likeliest)):
            found, share = found._replace(label=likelier), most  # another one was drawn
        origin: Literal["model", "logprobs"] = "model" if reply.form == "systemone" else "logprobs"
        return found._replace(probability=share, confidence=origin)
    if config.confidence == "logprobs":
        return NoResult("the reply has no log-probabilities for it; use `confidence='auto'`", final=True)
    return found


def _listed(given: object) -> str:
    """Numbers as text, in whatever form they were given."""
    if isinstance(given, list):
        return ", ".join(map(str, given))
    return str(given) if isinstance(given, int) else _stripped(given)


def _stripped(given: object) -> str:
    return given.strip() if isinstance(given, str) else ""


def _share(reply: Reply, name: str, value: str) -> float | None:
    """The chosen value's share of the probability; None if all values have too little mass."""
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
    """Warn once that log-probabilities are unusable."""
    log.warning("%s, so they give no confidence; the constant one is used", fault)


def _majority(votes: Sequence[JudgedClaim | Failure]) -> JudgedClaim | Failure:
    """The most frequent label with its share; a failure if no more than half answered."""
    cast = [vote for vote in votes if isinstance(vote, JudgedClaim)]
    if 2 * len(cast) <= len(votes):
        return next(vote for vote in votes if isinstance(vote, Failure))
    label, count = Counter(vote.label for vote in cast).most_common(1)[0]
    winner = next(vote for vote in cast if vote.label == label)
    return winner._replace(probability=count / len(cast), confidence="votes")
