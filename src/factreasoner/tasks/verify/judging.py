"""Judge claims on their cited sources: a model sees all of them and the answer, other judges one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from factreasoner import prompts
from factreasoner.assessors.judging import Task, in_calls, judging_threads, premises
from factreasoner.assessors.prompted import PASSAGE_TOKENS
from factreasoner.calls.threads import parallel_map
from factreasoner.judges import OTHER_LANGUAGE, functions, pair_id
from factreasoner.judges.asking import JudgedClaim
from factreasoner.judges.ensemble import EnsembleJudge
from factreasoner.judges.llm import LLMJudge, format_source
from factreasoner.llm.client import Panel
from factreasoner.models import Claim, Failure, Part, Premise, Record, Verdict
from factreasoner.models.messages import Example, FunctionSchema, Prompt
from factreasoner.models.rows import grouped, known_verdict
from factreasoner.models.verdicts import FALSE, NOT_CLEAR, TRUE
from factreasoner.pipeline.assembly import with_single_model
from factreasoner.pipeline.config import Config
from factreasoner.protocols import LLM, Judge
from factreasoner.text.language import is_quote

Against = Mapping[str, tuple[str, ...]]
"""Claim id -> ids of the contexts to judge it against."""


class SourceVerdict(NamedTuple):
    """A verdict on a claim from the sources `shown`, with a reason and the quoted source."""

    verdict: Verdict
    shown: tuple[str, ...]
    explanation: str = ""
    quoted: str | None = None

    @property
    def rests_on(self) -> tuple[str, ...]:
        """The deciding sources: all that were shown if it names none."""
        return self.verdict.rests_on or self.shown


class ClaimVerdicts(NamedTuple):
    """Verdicts on claims. A claim in `failed` lacks the verdict of at least one source.

    `unread`: a claim, a source in an unsupported language, and the judge's reason.
    """

    verdicts: Sequence[SourceVerdict] = ()
    failures: Sequence[Failure] = ()
    failed: frozenset[str] = frozenset()
    unread: Sequence[tuple[str, str, str]] = ()


class ClaimJudge:
    """Judges claims on the contexts given for each.

    One call to a model, or to each of several, has all claims that cite the same sources. Sources of more
    than `PASSAGE_TOKENS` tokens take several calls, a longer one is cut into pieces; a claim that needs two
    of them is not supported. Without a model, `judge` gets one source at a time.
    """

    def __init__(self, judge: Judge, llm: LLM | None, config: Config) -> None:
        self._judge = judge
        self._llm = llm
        self._config = config

    def judged(self, claims: Sequence[Claim], against: Against, record: Record) -> ClaimVerdicts:
        """Verdicts or failures for every claim. Raises what a `Judge` may."""
        judge = self._judge if self._llm is None else _by_model(self._llm, self._config, record)
        tasks = (_by_source if self._llm is None else _by_sources)(claims, against, record)
        stated = {context.id for context in record.contexts or () if context.text.strip()}
        parts = parallel_map(
            lambda task: _judge(judge, *task, stated), tasks, workers=judging_threads(judge, self._config)
        )
        return ClaimVerdicts(
            [verdict for part in parts for verdict in part.verdicts],
            [failure for part in parts for failure in part.failures],
            frozenset().union(*(part.failed for part in parts)),
            [row for part in parts for row in part.unread],
        )


def _by_model(llm: LLM, config: Config, record: Record) -> Judge:
    if not isinstance(llm, Panel):
        return ModelJudge(llm, config, record)
    return EnsembleJudge(
        {name: ModelJudge(one, with_single_model(config, name), record) for name, one in llm.members.items()}
    )


def _by_source(claims: Sequence[Claim], against: Against, record: Record) -> list[Task]:
    """Every source with all claims that cite it."""
    premise_of = premises(record.contexts or (), record.id)
    sources = (context.id for context in record.contexts or ())
    asked = [(premise_of(i), [claim for claim in claims if i in against[claim.id]]) for i in sources]
    return [task for task in asked if task[1]]


def _by_sources(claims: Sequence[Claim], against: Against, record: Record) -> list[Task]:
    """The claims that cite the same sources, with these sources."""
    groups = grouped(claims, lambda claim: frozenset(against[claim.id]))
    return [
        (Premise("+".join(_ids(shown)), "", parts=tuple(shown)), asked)
        for ids, asked in groups.items()
        for shown in in_calls((c for c in record.contexts or () if c.id in ids), PASSAGE_TOKENS)
    ]


def _ids(shown: Iterable[Part]) -> tuple[str, ...]:
    """The sources shown in a call."""
    return tuple(dict.fromkeys(part.id for part in shown))


def _judge(judge: Judge, premise: Premise, claims: Sequence[Claim], stated: set[str]) -> ClaimVerdicts:
    """The verdicts of a premise; neutral ones if all of its sources are empty."""
    shown = _ids(premise.parts) or (premise.id,)
    if stated.isdisjoint(shown):
        note = "the source is empty"
        known = (known_verdict(premise.id, claim.id, "neutral", note) for claim in claims)
        return ClaimVerdicts([SourceVerdict(verdict, shown) for verdict in known])
    judged = judge.judge(premise, claims)
    reasons = {f.item_id: f.message for f in judged.failures if f.error_type == OTHER_LANGUAGE}
    pairs = {claim.id: pair_id(premise.id, claim.id) for claim in claims}
    unread = [(i, premise.id, reasons[pair]) for i, pair in pairs.items() if pair in reasons]
    lost = pairs.keys() - {v.target_id for v in judged.verdicts} - {row[0] for row in unread}
    if not premise.parts:
        found = [SourceVerdict(v, shown, quoted=premise.id if v.quote else None) for v in judged.verdicts]
        return ClaimVerdicts(found, judged.failures, frozenset(lost), unread)
    # a model's reason is its verdict's note
    found = [
        SourceVerdict(_bare(v), shown, v.note, _quoted(v.quote or "", premise.parts)) for v in judged.verdicts
    ]
    failures = [f.model_copy(update={"votes": tuple(map(_bare, f.votes))}) for f in judged.failures]
    return ClaimVerdicts(found, failures, frozenset(lost))


def _bare(verdict: Verdict) -> Verdict:
    return verdict.model_copy(update={"note": "", "votes": tuple(map(_bare, verdict.votes))})


def _quoted(quote: str, parts: Sequence[Part]) -> str | None:
    return next((part.id for part in parts if is_quote(quote, part.text)), None)


class ModelJudge(LLMJudge):
    """A model that sees the question, the whole answer and the sources in a premise's parts.

    For each claim it names the deciding sources, a quote and a reason, and then the verdict, whose note has
    the reason.
    """

    cuts_passages = False

    def __init__(self, llm: LLM, config: Config, record: Record) -> None:
        inquiry = functions.Inquiry(
            values=(TRUE, FALSE, NOT_CLEAR),
            task="Say of each claim, by the sources alone, whether it is true.",
            item="claim",
            first=("sources", "citation", "reasoning"),
            verbal=config.confidence == "verbal",
        )
        super().__init__(llm, config, inquiry)
        self._record = record
        self._numbers = {context.id: n for n, context in enumerate(record.contexts or (), start=1)}
        self._template = prompts.load("verify")

    def _request(self, premise: Premise, claims: Sequence[Claim]) -> tuple[Prompt, FunctionSchema]:
        sources = ((str(self._numbers[part.id]), part.text) for part in premise.parts)
        prompt = self._filled(self._record.prompt, self._record.response, sources)
        return prompt.model_copy(update={"examples": self._answered}), self._inquiry.build(claims)

    def _filled(self, question: str, answer: str, sources: Iterable[tuple[str, str]]) -> Prompt:
        return self._template.fill(
            question=prompts.delimit(question, "question"),
            answer=prompts.delimit(answer, "answer"),
            sources="\n\n".join(format_source(name, text) for name, text in sources),
        )

    @cached_property
    def _answered(self) -> tuple[Example, ...]:
        """The examples, each with its answer."""

        def user(texts: Sequence[str], claims: Sequence[str]) -> str:
            numbered = ((str(number), text) for number, text in enumerate(texts, start=1))
            return self._filled("What is known of the matter?", " ".join(claims), numbered).user

        return self._inquiry.examples(user=user)

    def _verdict(self, premise: Premise, claim: Claim, finding: JudgedClaim) -> Verdict:
        ids = {self._numbers[part.id]: part.id for part in premise.parts}
        quoted = _quoted(finding.quote, premise.parts)
        named = [ids[number] for number in functions.numbered(finding.sources, max(ids)) if number in ids]
        if finding.label == "neutral" or len(ids) == 1:
            named = []  # a neutral verdict rests on no source, one on a single source on that
        elif quoted and not named:
            named = [quoted]
        return Verdict(
            context_id=premise.id,
            target_id=claim.id,
            label=finding.label,
            probability=finding.probability,
            quote=finding.quote if quoted else None,
            quote_by="model" if quoted else None,
            confidence=finding.confidence,
            citation=None if not finding.quote else "found" if quoted else "absent",
            note=" ".join(finding.reasoning.split()),
            rests_on=tuple(dict.fromkeys(named)),
        )
