"""Judging claims against the sources they cite: all of them in one call by a model, else one by one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

from factreasoner import prompts
from factreasoner.assessors.judging import premises
from factreasoner.assessors.prompted import PASSAGE_TOKENS
from factreasoner.judges import faaf, pair_id
from factreasoner.judges.asking import Asker, ClaimQuestion, JudgedClaim
from factreasoner.judges.ensemble import asked_of_each, counted, tie, unasked
from factreasoner.llm.parallel import parallel_map
from factreasoner.models import Claim, Failure, Part, Record, Verdict
from factreasoner.models.messages import Example, FunctionSchema, Prompt
from factreasoner.models.verdicts import FALSE, NOT_CLEAR, TRUE
from factreasoner.protocols import LLM, Judge
from factreasoner.settings import Config
from factreasoner.tasks.pieces import in_calls
from factreasoner.tasks.rows import known_verdict

STAGE = "judge"
Against = Mapping[str, tuple[str, ...]]
"""Claim id -> ids of the contexts to judge it against."""


class SourceVerdict(NamedTuple):
    """A verdict on a claim from the sources `shown`, with the reason in a sentence and the source quoted."""

    verdict: Verdict
    shown: tuple[str, ...]
    explanation: str = ""
    quoted: str | None = None

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The sources that decide the verdict: all that were shown where it names none."""
        return self.verdict.rests_on or self.shown


class ClaimVerdicts(NamedTuple):
    """Verdicts on claims. A claim in `failed` lacks the verdict of at least one of its sources."""

    verdicts: Sequence[SourceVerdict] = ()
    failures: Sequence[Failure] = ()
    failed: frozenset[str] = frozenset()


class ClaimJudge(Protocol):
    """Judges claims against the contexts named for each."""

    def judge(self, claims: Sequence[Claim], against: Against, record: Record) -> ClaimVerdicts:
        """Verdicts or failures for every claim. Raises what a `Judge` may."""
        ...


def _joined(parts: Iterable[ClaimVerdicts]) -> ClaimVerdicts:
    found = list(parts)
    return ClaimVerdicts(
        [verdict for part in found for verdict in part.verdicts],
        [failure for part in found for failure in part.failures],
        frozenset().union(*(part.failed for part in found)),
    )


def _of_empty(premise_id: str, sources: tuple[str, ...], claims: Sequence[Claim]) -> ClaimVerdicts:
    note = "the source is empty, and states nothing"
    found = (known_verdict(premise_id, claim.id, "neutral", note) for claim in claims)
    return ClaimVerdicts([SourceVerdict(verdict, sources) for verdict in found])


class JudgeBySource:
    """Asks a judge about one source at a time, with all claims that cite it."""

    def __init__(self, judge: Judge) -> None:
        self._judge = judge

    def judge(self, claims: Sequence[Claim], against: Against, record: Record) -> ClaimVerdicts:
        """See `ClaimJudge`."""
        ids = [context.id for context in record.contexts or ()]
        asked = [(i, [claim for claim in claims if i in against[claim.id]]) for i in ids]
        return _joined(self._of_source(source, citing, record) for source, citing in asked if citing)

    def _of_source(self, source: str, claims: Sequence[Claim], record: Record) -> ClaimVerdicts:
        premise = premises(record.contexts or (), record.id)(source)
        if not premise.text.strip():
            return _of_empty(source, (source,), claims)
        judged = self._judge.judge(premise, claims)
        found = [SourceVerdict(v, (source,), quoted=source if v.quote else None) for v in judged.verdicts]
        answered = {verdict.target_id for verdict in judged.verdicts}
        return ClaimVerdicts(found, judged.failures, frozenset(claim.id for claim in claims) - answered)


class ModelJudge:
    """Asks a model about all claims that cite the same sources in one call.

    A call shows the question, the whole answer and the sources. For each claim the model names the sources
    that decide it, a quote and a reason, and then the verdict. Sources of more than `PASSAGE_TOKENS` tokens
    take several calls, a longer one is shown in pieces. No call shows two of these, so a claim that needs
    both is not supported.
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

    def judge(self, claims: Sequence[Claim], against: Against, record: Record) -> ClaimVerdicts:
        """See `ClaimJudge`."""
        groups: dict[frozenset[str], list[Claim]] = {}
        for claim in claims:
            groups.setdefault(frozenset(against[claim.id]), []).append(claim)
        calls = [
            (shown, asked)
            for ids, asked in groups.items()
            for shown in in_calls((c for c in record.contexts or () if c.id in ids), PASSAGE_TOKENS)
        ]
        workers = self._config.concurrency
        return _joined(parallel_map(lambda call: self._ask(*call, record), calls, workers=workers))

    def _ask(self, shown: Sequence[Part], claims: Sequence[Claim], record: Record) -> ClaimVerdicts:
        ids = _ids(shown)
        premise_id = "+".join(ids)
        if not any(c.text.strip() for c in record.contexts or () if c.id in ids):
            return _of_empty(premise_id, ids, claims)
        numbers = {context.id: n for n, context in enumerate(record.contexts or (), start=1)}
        sources = [(str(numbers[part.id]), part.text) for part in shown]

        def request(asked: Sequence[Claim]) -> tuple[Prompt, FunctionSchema]:
            prompt = self._filled(record.prompt, record.response, sources)
            return prompt.model_copy(update={"examples": self._examples}), self._inquiry.build(asked)

        question = ClaimQuestion(STAGE, request, lambda claim_id: pair_id(premise_id, claim_id))
        judged = self._asker.ask(question, claims)
        return ClaimVerdicts(
            [_source_verdict(shown, claim_id, found, numbers) for claim_id, found in judged.found.items()],
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


def _ids(shown: Iterable[Part]) -> tuple[str, ...]:
    """The sources that a call shows."""
    return tuple(dict.fromkeys(part.id for part in shown))


def shown_source(name: str, text: str) -> str:
    """A source as a prompt shows it: its name, and its text between tags."""
    return f"Source {name}:\n{prompts.delimit(text, 'source')}"


def _source_verdict(
    shown: Sequence[Part], claim_id: str, found: JudgedClaim, numbers: Mapping[str, int]
) -> SourceVerdict:
    ids = {numbers[part.id]: part.id for part in shown}
    quoted = next((p.id for p in shown if faaf.check_citation(found.quote, p.text) == "found"), None)
    named = [ids[number] for number in faaf.numbered(found.sources, max(ids)) if number in ids]
    if found.label == "neutral" or len(ids) == 1:
        named = []  # a neutral verdict rests on no source, one on a single source on that
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
    return SourceVerdict(verdict, _ids(shown), " ".join(found.reasoning.split()), quoted)


class PanelJudge:
    """Asks every judge about every claim. The label with the most votes wins, as in `EnsembleJudge`.

    Explanation and sources come from the judges in the majority. Where a judge fails on a claim, the others
    decide, and the failure is listed. A tie leaves the claim without a label.
    """

    def __init__(self, judges: Mapping[str, ClaimJudge]) -> None:
        self._judges = judges

    def judge(self, claims: Sequence[Claim], against: Against, record: Record) -> ClaimVerdicts:
        """See `ClaimJudge`."""
        asked = frozenset(claim.id for claim in claims)

        def lost(why: str) -> ClaimVerdicts:
            return ClaimVerdicts((), [unasked("+".join(against[c.id]), c.id, why) for c in claims], asked)

        parts = asked_of_each(self._judges, lambda judge: judge.judge(claims, against, record), lost)
        votes: dict[tuple[str, str], list[SourceVerdict]] = {}
        failures: list[Failure] = []
        for name, part in parts:
            failures += (f.model_copy(update={"message": f"{name}: {f.message}"}) for f in part.failures)
            for source in part.verdicts:
                vote = source.verdict.model_copy(update={"judge": name})
                pair = vote.context_id, vote.target_id
                votes.setdefault(pair, []).append(source._replace(verdict=vote))
        failed = set(asked.intersection(*(part.failed for _, part in parts)))
        winners: list[SourceVerdict] = []
        for (premise_id, claim_id), cast in votes.items():
            if (winner := _winner(cast)) is not None:
                winners.append(winner)
            else:
                failures.append(tie(premise_id, claim_id, [vote.verdict for vote in cast]))
                failed.add(claim_id)
        return ClaimVerdicts(winners, failures, frozenset(failed))


def _winner(votes: Sequence[SourceVerdict]) -> SourceVerdict | None:
    """The majority's verdict with its sources; None for a tie."""
    verdict = counted([vote.verdict for vote in votes])
    if verdict is None:
        return None
    agreeing = [vote for vote in votes if vote.verdict.label == verdict.label]
    shown = next((vote for vote in agreeing if vote.quoted), agreeing[0])
    return shown._replace(verdict=verdict)
