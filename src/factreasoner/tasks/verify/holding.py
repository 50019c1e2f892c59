"""Holding claims against sources: by a model, all sources of a claim in one call, or by any judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from factreasoner import prompts
from factreasoner.assessors.prompted import PASSAGE_TOKENS
from factreasoner.judges import faaf
from factreasoner.judges.asking import Asker, ClaimQuestion, JudgedClaim
from factreasoner.judges.ensemble import asked_of_each, counted, tie, unasked
from factreasoner.judges.llm import pair_id
from factreasoner.llm.parallel import parallel_map
from factreasoner.models import Claim, Context, Failure, Part, Premise, Record, Verdict
from factreasoner.models.messages import Example, FunctionSchema, Prompt
from factreasoner.models.verdicts import FALSE, NOT_CLEAR, TRUE
from factreasoner.protocols import LLM, Judge
from factreasoner.settings import Config
from factreasoner.tasks.pieces import in_calls
from factreasoner.tasks.rows import known_verdict

STAGE = "judge"
Against = Mapping[str, tuple[str, ...]]
"""The ids of the contexts that a claim is held against, by claim."""


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
    """What came of holding claims against sources; one in `failed` was not held against all of its own."""

    holdings: Sequence[Holding] = ()
    failures: Sequence[Failure] = ()
    failed: frozenset[str] = frozenset()


class Holder(Protocol):
    """Holds claims against the contexts named for each."""

    def hold(self, claims: Sequence[Claim], against: Against, record: Record) -> Held:
        """Holdings or failures for every claim. Raises what a judge may."""
        ...


def _together(parts: Iterable[Held]) -> Held:
    found = list(parts)
    return Held(
        [holding for part in found for holding in part.holdings],
        [failure for part in found for failure in part.failures],
        frozenset().union(*(part.failed for part in found)),
    )


class JudgeHolder:
    """Asks a judge about one source at a time, with all claims that cite it."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def hold(self, claims: Sequence[Claim], against: Against, record: Record) -> Held:
        """See `Holder`."""
        asked = [
            (context, [claim for claim in claims if context.id in against[claim.id]])
            for context in record.contexts or ()
        ]
        return _together(self._held(context, of_it, record) for context, of_it in asked if of_it)

    def _held(self, context: Context, claims: Sequence[Claim], record: Record) -> Held:
        if not context.text.strip():
            return Held([_empty(context.id, claim.id) for claim in claims])
        others = tuple(other.text for other in record.contexts or () if other.id != context.id)
        premise = Premise(context.id, context.text, others, title=context.title, record_id=record.id)
        judged = self._judge.judge(premise, claims)
        holdings = [
            Holding(verdict, (context.id,), quoted=context.id if verdict.quote else None)
            for verdict in judged.verdicts
        ]
        answered = {verdict.target_id for verdict in judged.verdicts}
        return Held(holdings, judged.failures, frozenset(claim.id for claim in claims) - answered)


def _empty(context_id: str, claim_id: str) -> Holding:
    note = "the source is empty, and states nothing"
    return Holding(known_verdict(context_id, claim_id, "neutral", note), (context_id,), note)


def _ids(shown: Iterable[Part]) -> tuple[str, ...]:
    """The sources that a call shows."""
    return tuple(dict.fromkeys(part.id for part in shown))


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

    def hold(self, claims: Sequence[Claim], against: Against, record: Record) -> Held:
        """See `Holder`."""
        groups: dict[frozenset[str], list[Claim]] = {}
        for claim in claims:
            groups.setdefault(frozenset(against[claim.id]), []).append(claim)
        calls = [
            (shown, asked)
            for ids, asked in groups.items()
            for shown in in_calls((c for c in record.contexts or () if c.id in ids), PASSAGE_TOKENS)
        ]
        workers = self._config.concurrency
        return _together(parallel_map(lambda call: self._ask(*call, record), calls, workers=workers))

    def _ask(self, shown: Sequence[Part], claims: Sequence[Claim], record: Record) -> Held:
        ids = _ids(shown)
        premise_id = "+".join(ids)
        if not any(c.text.strip() for c in record.contexts or () if c.id in ids):
            return Held([_empty(premise_id, claim.id) for claim in claims])
        numbers = {context.id: n for n, context in enumerate(record.contexts or (), start=1)}
        sources = [(str(numbers[part.id]), part.text) for part in shown]

        def request(asked: Sequence[Claim]) -> tuple[Prompt, FunctionSchema]:
            prompt = self._filled(record.prompt, record.response, sources)
            return prompt.model_copy(update={"examples": self._examples}), self._inquiry.build(asked)

        question = ClaimQuestion(STAGE, request, lambda claim_id: pair_id(premise_id, claim_id))
        judged = self._asker.ask(question, claims)
        return Held(
            [_holding(shown, claim_id, found, numbers) for claim_id, found in judged.found.items()],
            list(judged.failures.values()),
            frozenset(judged.failures),
        )

    def _filled(self, question: str, answer: str, sources: Iterable[tuple[str, str]]) -> Prompt:
        return self._template.fill(
            question=prompts.delimit(question, "question"),
            answer=prompts.delimit(answer, "answer"),
            sources="\n\n".join(shown_source(name, text) for name, text in sources),
        )

    @cached_property
    def _examples(self) -> tuple[Example, ...]:
        def user(texts: Sequence[str], claims: Sequence[str]) -> str:
            numbered = ((str(number), text) for number, text in enumerate(texts, start=1))
            return self._filled("What is known of the matter?", " ".join(claims), numbered).user

        return self._inquiry.examples(user=user)


def shown_source(name: str, text: str) -> str:
    """A source as a prompt shows it: its name, and its text between tags."""
    return f"Source {name}:\n{prompts.delimit(text, 'source')}"


def _holding(shown: Sequence[Part], claim_id: str, found: JudgedClaim, numbers: Mapping[str, int]) -> Holding:
    ids = {numbers[part.id]: part.id for part in shown}
    quoted = next((p.id for p in shown if faaf.check_citation(found.quote, p.text) == "found"), None)
    named = [ids[number] for number in faaf.numbered(found.sources, max(ids)) if number in ids]
    if found.label == "neutral" or len(ids) == 1:
        named = []  # silence rests on none, and a verdict on one source on that
    elif quoted and not named:
        named = [quoted]
    verdict = Verdict(
        context_id="+".join(_ids(shown)),
        target_id=claim_id,
        label=found.label,
        probability=found.probability,
        quote=found.quote if quoted else None,
        confidence=found.confidence,
        citation=None if not found.quote else "found" if quoted else "absent",
        rests_on=tuple(dict.fromkeys(named)),
    )
    return Holding(verdict, _ids(shown), " ".join(found.reasoning.split()), quoted)


class PanelHolder:
    """Has every holder hold every claim; the label that most of them give stands, as in `EnsembleJudge`.

    Explanation and sources are those of the judges that gave it. A judge that fails on a claim leaves it to
    the others, and its failure is said; a tie leaves the claim unanswered.
    """

    def __init__(self, holders: Mapping[str, Holder]) -> None:
        self._holders = holders

    def hold(self, claims: Sequence[Claim], against: Against, record: Record) -> Held:
        """See `Holder`."""
        asked = frozenset(claim.id for claim in claims)

        def lost(why: str) -> Held:
            return Held((), [unasked("+".join(against[c.id]), c.id, why) for c in claims], asked)

        parts = asked_of_each(self._holders, lambda holder: holder.hold(claims, against, record), lost)
        votes: dict[tuple[str, str], list[Holding]] = {}
        failures: list[Failure] = []
        for name, part in parts:
            failures += (f.model_copy(update={"message": f"{name}: {f.message}"}) for f in part.failures)
            for holding in part.holdings:
                vote = holding.verdict.model_copy(update={"judge": name})
                pair = vote.context_id, vote.target_id
                votes.setdefault(pair, []).append(holding._replace(verdict=vote))
        failed = set(asked.intersection(*(part.failed for _, part in parts)))
        winners: list[Holding] = []
        for (premise_id, claim_id), cast in votes.items():
            if (winner := _winner(cast)) is not None:
                winners.append(winner)
            else:
                failures.append(tie(premise_id, claim_id, [vote.verdict for vote in cast]))
                failed.add(claim_id)
        return Held(winners, failures, frozenset(failed))


def _winner(votes: Sequence[Holding]) -> Holding | None:
    """What most of them say, with its sources; None for a tie."""
    verdict = counted([vote.verdict for vote in votes])
    if verdict is None:
        return None
    agreeing = [vote for vote in votes if vote.verdict.label == verdict.label]
    shown = next((vote for vote in agreeing if vote.quoted), agreeing[0])
    return shown._replace(verdict=verdict)
