"""Holding claims against sources: by a model, all sources of a claim in one call, or by any judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from factreasoner import prompts
from factreasoner.assessors.prompted import PASSAGE_TOKENS
from factreasoner.judges import faaf
from factreasoner.judges.asking import Asker, ClaimQuestion, JudgedClaim
from factreasoner.judges.llm import pair_id
from factreasoner.llm.parallel import parallel_map
from factreasoner.llm.tokens import estimate_tokens
from factreasoner.models import Claim, Context, Failure, Premise, Record, Verdict
from factreasoner.models.messages import Example, FunctionSchema, Prompt
from factreasoner.models.verdicts import FALSE, NOT_CLEAR, TRUE
from factreasoner.protocols import LLM, Judge
from factreasoner.settings import Config
from factreasoner.tasks.verdicts import known_verdict
from factreasoner.text.passages import split_passages

STAGE = "judge"
WORDS_OF_PART = int(0.6 * PASSAGE_TOKENS)
"""Words of a part of a source that is longer than what one call may show."""


class Holding(NamedTuple):
    """A claim held against the sources `shown`: the verdict, why in a sentence, and the source quoted."""

    verdict: Verdict
    shown: tuple[str, ...]
    explanation: str = ""
    quoted: str | None = None

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The sources that the verdict rests on: all that were shown where it names none."""
        return self.verdict.rests_on or self.shown


class Held(NamedTuple):
    """What came of holding claims against sources, by claim id; one in `failed` was not held against all."""

    holdings: dict[str, list[Holding]]
    failures: tuple[Failure, ...]
    failed: frozenset[str]


class Holder(Protocol):
    """Holds claims against the contexts named for each, given by id."""

    def hold(self, claims: Sequence[Claim], against: Mapping[str, tuple[str, ...]], record: Record) -> Held:
        """Holdings or failures for every claim. Raises what a judge may."""
        ...


class JudgeHolder:
    """Asks a judge about one source at a time, with all claims that cite it."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def hold(self, claims: Sequence[Claim], against: Mapping[str, tuple[str, ...]], record: Record) -> Held:
        """See `Holder`."""
        contexts = record.contexts or ()
        holdings: dict[str, list[Holding]] = {claim.id: [] for claim in claims}
        failures: list[Failure] = []
        failed: set[str] = set()
        for context in contexts:
            asked = [claim for claim in claims if context.id in against[claim.id]]
            if not asked:
                continue
            if not context.text.strip():
                for claim in asked:
                    holdings[claim.id].append(_empty(context.id, claim.id))
                continue
            others = tuple(other.text for other in contexts if other.id != context.id)
            premise = Premise(context.id, context.text, others, title=context.title, record_id=record.id)
            judged = self._judge.judge(premise, asked)
            for verdict in judged.verdicts:
                quoted = context.id if verdict.quote else None
                holdings[verdict.target_id].append(Holding(verdict, (context.id,), quoted=quoted))
            failures += judged.failures
            failed |= {claim.id for claim in asked} - {verdict.target_id for verdict in judged.verdicts}
        return Held(holdings, tuple(failures), frozenset(failed))


def _empty(context_id: str, claim_id: str) -> Holding:
    note = "the source is empty, and states nothing"
    return Holding(known_verdict(context_id, claim_id, "neutral", note), (context_id,), note)


class _Shown(NamedTuple):
    """A source, or a part of one, as a call shows it; `number` is its place in the record."""

    number: int
    context: Context
    text: str


class _Call(NamedTuple):
    """Claims that cite the same sources, and what of these one call shows."""

    claims: Sequence[Claim]
    shown: Sequence[_Shown]

    @property
    def premise_id(self) -> str:
        """The ids of what is shown, joined."""
        return "+".join(dict.fromkeys(shown.context.id for shown in self.shown))


class ModelHolder:
    """Asks a model about all claims that cite the same sources in one call.

    A call shows the question, the whole answer and those sources; each claim gets the sources that decide it,
    a quote, an explanation and a verdict. Sources of more than `PASSAGE_TOKENS` together take several calls,
    and a longer one is shown in parts; a claim that takes two parts to bear out is then not borne out.
    """

    def __init__(self, llm: LLM, config: Config) -> None:
        self._config = config
        self._template = prompts.load("verify")
        self._inquiry = faaf.Inquiry(
            values=(TRUE, FALSE, NOT_CLEAR),
            task="Say of each claim, by the sources alone, whether it is true.",
            item="claim",
            first=("sources", "citation", "reasoning"),
            verbal=config.confidence == "verbal",
        )
        self._asker = Asker(llm, config, tokens_per_claim=self._inquiry.tokens_per_claim)

    def hold(self, claims: Sequence[Claim], against: Mapping[str, tuple[str, ...]], record: Record) -> Held:
        """See `Holder`."""
        calls = self._calls(claims, against, record)
        parts = parallel_map(lambda call: self._ask(call, record), calls, workers=self._config.concurrency)
        holdings: dict[str, list[Holding]] = {claim.id: [] for claim in claims}
        failures: list[Failure] = []
        failed: set[str] = set()
        for part in parts:
            for claim_id, found in part.holdings.items():
                holdings[claim_id] += found
            failures += part.failures
            failed |= part.failed
        return Held(holdings, tuple(failures), frozenset(failed))

    def _calls(
        self, claims: Sequence[Claim], against: Mapping[str, tuple[str, ...]], record: Record
    ) -> list[_Call]:
        groups: dict[frozenset[str], list[Claim]] = {}
        for claim in claims:
            groups.setdefault(frozenset(against[claim.id]), []).append(claim)
        return [
            _Call(asked, shown)
            for ids, asked in groups.items()
            for shown in shown_in_calls(record.contexts or (), ids)
        ]

    def _ask(self, call: _Call, record: Record) -> Held:
        if not any(shown.text.strip() for shown in call.shown):
            empty = {claim.id: [_empty(call.premise_id, claim.id)] for claim in call.claims}
            return Held(empty, (), frozenset())
        question = ClaimQuestion(
            stage=STAGE,
            request=lambda claims: self._request(call, claims, record),
            read=faaf.read,
            item=lambda claim_id: pair_id(call.premise_id, claim_id),
        )
        judged = self._asker.ask(question, call.claims)
        return Held(
            {claim_id: [_holding(call, claim_id, found)] for claim_id, found in judged.found.items()},
            tuple(judged.failures.values()),
            frozenset(judged.failures),
        )

    def _request(self, call: _Call, claims: Sequence[Claim], record: Record) -> tuple[Prompt, FunctionSchema]:
        prompt = self._template.fill(
            question=prompts.delimit(record.prompt, "question"),
            answer=prompts.delimit(record.response, "answer"),
            sources="\n\n".join(shown_source(shown, str(shown.number)) for shown in call.shown),
        )
        prompt = prompt.model_copy(update={"examples": self._examples})
        return prompt, self._inquiry.build(claims)

    @cached_property
    def _examples(self) -> tuple[Example, ...]:
        def user(texts: Sequence[str], claims: Sequence[str]) -> str:
            return self._template.fill(
                question=prompts.delimit("What is known of the matter?", "question"),
                answer=prompts.delimit(" ".join(claims), "answer"),
                sources="\n\n".join(
                    f"Source {number}:\n{prompts.delimit(text, 'source')}"
                    for number, text in enumerate(texts, start=1)
                ),
            ).user

        return faaf.examples(self._inquiry, user=user)


def shown_source(shown: _Shown, name: str) -> str:
    """A source as a prompt shows it: its name, and title and text between tags."""
    title = f"{shown.context.title}\n" if shown.context.title else ""
    return f"Source {name}:\n{prompts.delimit(title + shown.text, 'source')}"


def shown_in_calls(contexts: Sequence[Context], ids: frozenset[str]) -> list[list[_Shown]]:
    """The contexts named, in runs of at most `PASSAGE_TOKENS` each; longer ones in parts."""
    calls: list[list[_Shown]] = []
    left = 0
    for number, context in enumerate(contexts, start=1):
        if context.id not in ids:
            continue
        for part in _parts(context.text):
            tokens = estimate_tokens(part)
            if not calls or tokens > left:
                calls.append([])
                left = PASSAGE_TOKENS
            calls[-1].append(_Shown(number, context, part))
            left -= tokens
    return calls


def _parts(text: str) -> list[str]:
    if estimate_tokens(text) <= PASSAGE_TOKENS:
        return [text]
    return [passage.text for passage in split_passages(text, words=WORDS_OF_PART)]


def _holding(call: _Call, claim_id: str, found: JudgedClaim) -> Holding:
    ids = {shown.number: shown.context.id for shown in call.shown}
    quoted = next(
        (s.context.id for s in call.shown if faaf.check_citation(found.quote, s.text) == "found"), None
    )
    named = [ids[number] for number in faaf.numbered(found.sources, max(ids)) if number in ids]
    if found.label == "neutral" or len(set(ids.values())) == 1:
        named = []  # silence rests on none, and a verdict on one source on that
    elif quoted and not named:
        named = [quoted]
    verdict = Verdict(
        context_id=call.premise_id,
        target_id=claim_id,
        label=found.label,
        probability=found.probability,
        quote=found.quote if quoted else None,
        confidence=found.confidence,
        citation=None if not found.quote else "found" if quoted else "absent",
        rests_on=tuple(dict.fromkeys(named)),
    )
    return Holding(verdict, tuple(ids.values()), " ".join(found.reasoning.split()), quoted)
