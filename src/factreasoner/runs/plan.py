"""Estimate the cost of a run: calls and tokens of each record from its texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from factreasoner.assessors.assessors import ASSESSORS
from factreasoner.assessors.coherence import STAGE as COHERENCE
from factreasoner.assessors.coherence import coherence_tasks
from factreasoner.assessors.judging import Task as Asked
from factreasoner.assessors.judging import in_calls, tasks
from factreasoner.assessors.prompted import PASSAGE_TOKENS
from factreasoner.calls.usage import estimate_tokens
from factreasoner.graph.pairs import merge_equal, pairs, relevant
from factreasoner.judges.asking import VOTES
from factreasoner.judges.excerpts import Excerpt, excerpts
from factreasoner.llm.ask import MOST_FACTS, most_paid
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.models import Atom, Claim, Context, Part, Premise, Record
from factreasoner.pipeline.assembly import Calls, retriever_names
from factreasoner.pipeline.config import Config
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.per_atom import FoundPassage, Query, retrieve_each
from factreasoner.tasks.factuality import TASK as FACTUALITY_TASK
from factreasoner.tasks.rag.worker import WINDOW_TOKENS
from factreasoner.tasks.task import Task
from factreasoner.text.sentences import sentences

INSTRUCTIONS = 1_000
"""Approximate prompt tokens besides texts: instructions, examples and answer format."""


class _AboutClaims(NamedTuple):
    """Prompt tokens of a call about claims: per `call`, and `each` claim; `alone` for one."""

    call: int
    each: int
    alone: int

    def of(self, claims: int) -> int:
        """Those of a call about that many claims."""
        return self.alone if claims == 1 else self.call + self.each * claims


LABELS = _AboutClaims(800, 40, 800)
PROMPTED = LABELS._replace(alone=1_200)
EXPLAINED = _AboutClaims(950, 70, 1_050)
WORDS = _AboutClaims(800, 35, 850)
WORD, REASON, STATEMENT = 6, 60, 30
"""Output tokens of a label, of a quote or reasoning, and of a repeated statement."""
SUMMARY = 120
PASSAGE = "passage " * 250


class StagePlan(NamedTuple):
    """Calls of one stage over a whole run, with estimated tokens.

    `most_calls` is the maximum number of paid calls, if the model's replies are useless.
    """

    stage: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    most_calls: int


class RunPlan(NamedTuple):
    """The cost of a run: calls by stage, searches, pairs for a classifier."""

    stages: list[StagePlan]
    records: int = 0
    searches: int = 0
    pairs: int = 0

    @property
    def total(self) -> StagePlan:
        """All stages together."""
        counts = [stage[1:] for stage in self.stages] or [(0, 0, 0, 0)]
        return StagePlan("total", *map(sum, zip(*counts, strict=True)))

    def content(self) -> dict[str, Any]:
        """The plan as JSON-like values."""
        return self._asdict() | {"stages": [stage._asdict() for stage in self.stages]}


def plan(records: Iterable[Record], config: Config, task: Task[Any] = FACTUALITY_TASK) -> RunPlan:
    """Estimated searches, pairs, and calls and tokens by stage.

    Statements yet to be made are counted as the sentences of a text; contexts yet to be found as the maximum
    of each search, of about 200 words each. Every source counts for every claim. Repeated questions, cached
    answers, and extra calls for unsupported claims are not counted.

    Raises InputError: version 1 judges contexts by their own atoms, and no context names one.
    """
    estimate = _CallEstimate(config, task.name)
    count = 0
    for record in records:
        estimate.add(record)
        count += 1
    stages = [StagePlan(stage, **counts) for stage, counts in estimate.stages.items()]
    return RunPlan(stages, count, estimate.searches, estimate.pairs)


def refuse_misfit(config: Config, task: Task[Any]) -> None:
    """Make the components of a run except the model and the search.

    Raises ConfigError, MissingExtraError: as the task's worker does.
    """
    llm = ScriptedLLM([]) if config.models else None
    task.worker(config.model_copy(update={"cache": False}), Calls(llm=llm, parts={"retriever": _Nothing()}))


class _Nothing:
    """Replaces a retriever, which may need a key or a collection."""

    def retrieve(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """Find nothing."""
        return Retrieved(())


class _CallEstimate:
    """Adds up the calls for a task's records."""

    def __init__(self, config: Config, task: str) -> None:
        self.stages: dict[str, Counter[str]] = {}
        self.searches = self.pairs = 0
        self._config, self._task = config, task
        judge = config.part("judge")
        self._asks = bool(config.models) and not judge.replays and not judge.classifies
        self._classifies = judge.classifies
        self._prompted = config.part("assessor").prompts
        self._cuts = self._asks and task != "verify" and not self._prompted
        one = config.form == "word" or config.mode == "prompt-tf"
        self._size = 1 if one else config.atoms_per_call or MOST_FACTS
        explains = self._task == "verify" or "citation" in config.mode or "reasoning" in config.mode
        self._answer = WORD + REASON * explains
        row = ASSESSORS.get(config.assessor)
        words = one or (row is not None and row.in_words)
        labels = LABELS if row is None else PROMPTED
        self._about = EXPLAINED if explains else WORDS if words else labels
        self._rounds = len(config.models) * (VOTES if config.confidence == "votes" else 1)

    def add(self, record: Record) -> None:
        """Add one record."""
        asked: Iterable[Asked]
        if self._task == "recall":
            facts = self._plan_claims(record.facts, record.reference or "", "fact_generator")
            self._judge("judge", [(_premise(record.response), facts)])
            return
        claims = self._plan_claims(record.atoms, record.response, "atomizer")
        if self._task == FACTUALITY_TASK.name:
            contexts = self._plan_contexts(claims, record)
            asked = self._pairs(claims, contexts, record)
            self._judge("assessor" if self._prompted else "judge", asked)
            if self._config.coherence:
                self._judge(COHERENCE, coherence_tasks(claims, record.id))
            return
        calls = in_calls(record.contexts or (), WINDOW_TOKENS)
        together = [_premise(*(part.text for part in call)) for call in calls]
        if self._task == "rag":
            self._judge("judge", self._of_rag(claims, together, record))
        else:
            self._judge("judge", [(premise, claims) for premise in together])

    def _plan_claims(self, given: Sequence[Atom] | None, text: str, part: str) -> list[Claim]:
        """The claims of a text, after adding the calls that make them."""
        if given is None:
            found = enumerate(sentences(text))
            made = [Claim(f"{part}{n}", text[start:end]) for n, (start, end) in found]
        else:
            made = [Claim(atom.id, atom.text) for atom in given]
        makers = [part] if given is None else []
        if part == "atomizer" and (given is None or self._config.revise_given):
            makers.append("reviser")
        for name in makers if made else ():
            if self._config.part(name).prompts:
                self._count(name, 1, INSTRUCTIONS + estimate_tokens(text), STATEMENT * len(made))
        return made

    def _plan_contexts(self, claims: Sequence[Claim], record: Record) -> Sequence[Context]:
        """The contexts of a record, after adding the searches and summaries."""
        found, config = record.contexts or (), self._config
        atoms = [Atom(id=claim.id, text=claim.text) for claim in claims]
        if record.contexts is None and not config.part("retriever").takes_given and atoms:

            def search(query: Query) -> list[FoundPassage]:
                self.searches += len(retriever_names(config.retriever))
                return [FoundPassage(f"{query.text} {rank} {PASSAGE}") for rank in range(config.retrieve_k)]

            if config.part("query_builder").prompts:
                self._in_batches("query_builder", claims, 0, STATEMENT)
            alone = config.model_copy(update={"concurrency": 1})
            found = retrieve_each(search, atoms, record, alone).contexts
        if config.part("summarizer").prompts and atoms:
            for context in found:
                self._count("summarizer", 1, INSTRUCTIONS + estimate_tokens(context.text), SUMMARY)
        return found

    def _pairs(self, claims: Sequence[Claim], contexts: Sequence[Context], record: Record) -> Iterable[Asked]:
        """Add the assessor's calls for a record's claims."""
        config, atoms = self._config, [Atom(id=claim.id, text=claim.text) for claim in claims]
        if self._prompted:
            return list(_of_prompted(claims, relevant(contexts), self._size))
        merged = merge_equal(contexts) if config.version > 1 else contexts
        return tasks(pairs(config.version, atoms, merged), atoms, relevant(merged), record.id)

    def _of_rag(
        self, claims: Sequence[Claim], together: Sequence[Premise], record: Record
    ) -> Iterator[Asked]:
        """The judge tasks of rag: contexts with all claims, each text with the other's claims."""
        wanted = self._plan_claims(record.reference_atoms, record.reference or "", "atomizer")
        each = [_premise(context.text) for context in record.contexts or ()]
        for premise in together if self._config.premise == "joint" else each:
            yield premise, [*claims, *wanted]
        if wanted:
            yield _premise(record.reference or ""), list(claims)
            yield _premise(record.response), wanted

    def _judge(self, stage: str, asked: Iterable[Asked]) -> None:
        """Add the judge's calls."""
        for premise, claims in asked:
            self.pairs += len(claims) * self._classifies
            shown = [Excerpt(premise.text, tuple(claims))]
            if self._cuts and len(premise.parts) < 2:
                shown = excerpts(premise.text, claims, claims_per_call=self._size)
            for one in shown * (self._rounds * self._asks):
                self._in_batches(stage, one.claims, estimate_tokens(one.text), self._answer)

    def _in_batches(self, stage: str, claims: Sequence[Claim], passage: int, answer: int) -> None:
        """Add calls about claims with the same passage of that many tokens."""
        size = self._size
        for start in range(0, len(claims), size):
            batch = claims[start : start + size]
            texts = passage + sum(estimate_tokens(claim.text) for claim in batch)
            self._count(stage, len(batch), self._about.of(len(batch)) + texts, answer * len(batch))

    def _count(self, stage: str, items: int, prompt: int, answer: int) -> None:
        """Add one call about that many items."""
        self.stages.setdefault(stage, Counter()).update(
            calls=1, prompt_tokens=prompt, completion_tokens=answer, most_calls=most_paid(1, items)
        )


def _of_prompted(claims: Sequence[Claim], contexts: Sequence[Context], size: int) -> Iterator[Asked]:
    """Up to `size` claims per call, with their contexts, as far as one call can show these."""
    everyone = frozenset(claim.id for claim in claims)
    shown_for = [everyone.intersection(context.atom_ids) or everyone for context in contexts]
    asked = [claim for claim in claims if any(claim.id in ids for ids in shown_for)]
    linked = any(context.atom_ids for context in contexts)
    tokens = sum(estimate_tokens(context.text) for context in contexts)
    fitting = (
        PASSAGE_TOKENS * len(asked) // max(tokens, 1) if linked else len(asked) * (tokens <= PASSAGE_TOKENS)
    )
    step = max(1, min(size, fitting))
    for start in range(0, len(asked), step):
        batch = asked[start : start + step]
        ids = {claim.id for claim in batch}
        yield _premise(*(c.text for c, own in zip(contexts, shown_for, strict=True) if ids & own)), batch


def _premise(*texts: str) -> Premise:
    return Premise("", "\n\n".join(texts), parts=tuple(Part("", text) for text in texts))
