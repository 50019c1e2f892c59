"""What a run would take, without one model call: a dry run.

Of `run`, what the parts of the pipeline say they would ask is counted. The work of any other task is done
with stand-ins for the model, a verifier and a user's own parts, and their calls are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from factreasoner.assessors.coherence import STAGE as COHERENCE_STAGE
from factreasoner.assessors.coherence import coherence_tasks
from factreasoner.assessors.graph import GraphEvaluator
from factreasoner.assessors.judging import Task as Question
from factreasoner.assessors.prompted import STAGE as ASSESSOR_STAGE
from factreasoner.assessors.prompted import PromptedEvaluator
from factreasoner.atoms.embedded import EmbeddedAtomizer
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.errors import ConfigError, PluginError
from factreasoner.judges import STAGE as JUDGE_STAGE
from factreasoner.judges.llm import LLMJudge
from factreasoner.llm import forms
from factreasoner.llm.ask import most_paid
from factreasoner.llm.client import Panel
from factreasoner.llm.form_search import order_of
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.llm.transport import Transport
from factreasoner.llm.usage import estimate_request
from factreasoner.models import Atom, Claim, Context, Label, Premise, Record
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.pipeline.assembly import Assembly, Calls, names_of
from factreasoner.plugins.kinds import (
    ASSESSOR,
    ATOMIZER,
    FACT_GENERATOR,
    JUDGE,
    QUERY_BUILDER,
    REVISER,
    SUMMARIZER,
    PluginKind,
    load,
)
from factreasoner.plugins.table import PLUGINS
from factreasoner.protocols import AsksModel, Judged
from factreasoner.retrieval.per_atom import FoundPassage, Query, retrieve_each
from factreasoner.retrieval.summarizer import TOKENS_PER_ANSWER
from factreasoner.settings import Config
from factreasoner.solvers.gibbs import AutoSolver
from factreasoner.tasks.factuality import TASK as FACTUALITY_TASK
from factreasoner.tasks.rows import known_verdict
from factreasoner.tasks.task import Task, Worker
from factreasoner.text.sentences import sentences

TOKENS_PER_ATOM = 30
"""Output tokens an atom takes in the answer of the atomizer, the reviser and the query builder, about."""
PASSAGE = "passage " * 250
"""About as many tokens as 200 words of English."""
WORDS = "words " * 25
"""Stands for a quote, a reasoning or another free text of a reply."""
Requests = Sequence[tuple[Prompt, FunctionSchema]]


class StagePlan(NamedTuple):
    """Calls of one stage over a whole run, with estimated tokens.

    `most_calls` is how many may have to be paid for at worst, if a model's replies are of no use.
    """

    stage: str
    calls: int
    prompt_tokens: int
    completion_tokens: int
    most_calls: int


class RunPlan(NamedTuple):
    """What a run of so many records takes: calls by stage, searches, pairs for a classifier to judge.

    `uncounted` names a user's own parts that do not say what they ask a model.
    """

    stages: list[StagePlan]
    records: int = 0
    searches: int = 0
    pairs: int = 0
    uncounted: tuple[str, ...] = ()

    @property
    def total(self) -> StagePlan:
        """All stages together."""
        counts = [stage[1:] for stage in self.stages] or [(0, 0, 0, 0)]
        return StagePlan("total", *map(sum, zip(*counts, strict=True)))

    def content(self) -> dict[str, Any]:
        """As JSON has it."""
        return self._asdict() | {"stages": [stage._asdict() for stage in self.stages]}


def plan(
    records: Iterable[Record], config: Config, task: Task[Any] = FACTUALITY_TASK, *, supported: bool = True
) -> RunPlan:
    """Searches, pairs, and calls and estimated tokens by stage; re-asks and audits are left out.

    Of `run`, atoms that a model has yet to find are estimated by the embedded atomizer, contexts yet to be
    searched for as all that a search may bring, of about 200 words each. No context is taken to be
    irrelevant. Of other tasks, made statements are the sentences of a text, and every claim is `supported`,
    or none is: then what is asked only about claims that failed is counted for all of them.

    Cached answers are not deducted. A user's own part is counted by its `requests`, if it has that method.

    Raises:
        ConfigError, InputError, MissingExtraError: as the task's worker does.
    """
    is_run = task is FACTUALITY_TASK
    planner = _PipelinePlanner(config) if is_run else _Rehearsal(task, config, supported=supported)
    count = 0
    for record in records:
        planner.add(record)
        count += 1
    return RunPlan(planner.stages, count, planner.searches, planner.pairs, tuple(planner.uncounted))


def _value(
    name: str, prop: Mapping[str, Any], prompt: Prompt, schema: FunctionSchema, *, supported: bool
) -> object:
    """The stand-in's answer for one argument."""
    if "enum" in prop:
        return prop["enum"][0 if supported else -1]
    if prop.get("type") == "integer":
        return prop.get("minimum", 0)
    if prop.get("type") != "array":
        if name not in schema.items:
            return WORDS
        if name.startswith("fact"):
            return "true" if supported else "false"
        return schema.items[name] if prompt.name != "correct" else f"{schema.items[name]} (corrected)"
    found = re.search(r"<given_parts_\w+>\n(.*?)\n</given_parts", prompt.user, re.DOTALL)
    return (found[1] if found else prompt.user).splitlines()


class _Planner:
    """Adds up calls and tokens by stage, searches, and pairs for a verifier, one record after another."""

    def __init__(self, config: Config) -> None:
        self._config = config
        self.searches = self.pairs = 0
        self.uncounted: list[str] = []
        self._asked: dict[str, AsksModel | None] = {}
        self._transport = Transport(str(config.model), config.api_base, None)
        self._counted: dict[str, Counter[str]] = {}

    @property
    def stages(self) -> list[StagePlan]:
        """What was counted."""
        return [StagePlan(stage, **counts) for stage, counts in self._counted.items()]

    def count(self, stage: str, requests: Requests, answer: int, *, items: int | None = None) -> None:
        """Add `requests` about `items`, or what their functions hold.

        Their answers take `answer` tokens, or less where each is a word. The requests are those made in the
        form that is tried first, as the model in `config.model` is asked.
        """
        asked = _num_items(requests) if items is None else items
        kinds = (forms.kind_of(schema) for _, schema in requests)
        tried = [order_of(kind, self._config, self._transport)[0] for kind in kinds]
        made = (forms.request(form, *request) for form, request in zip(tried, requests, strict=True))
        words = forms.WORD_TOKENS * len(requests)
        self._counted.setdefault(stage, Counter()).update(
            calls=len(requests),
            prompt_tokens=sum(map(estimate_request, made)),
            completion_tokens=min(answer, words) if set(tried) <= {"word"} else answer,
            most_calls=most_paid(len(requests), asked),
        )

    def _asking(self, assembly: Assembly, kind: PluginKind[Any]) -> AsksModel | None:
        """The part of that kind if it says what it asks a model; no other registered one is made."""
        name = self._config.plugin(kind.name)
        ours = name in PLUGINS[kind.name]
        if name == "none" or (ours and not hasattr(load(kind.name, name), "requests")):
            return None
        part = assembly.made(kind)
        if callable(getattr(part, "requests", None)):
            return cast(AsksModel, part)
        self.uncounted.append(f"{kind.name} {name}")
        return None

    def _count(self, kind: str, given: Sequence[object], answer: int, *, items: int | None = None) -> None:
        """Add what a part asks about what it is `given`, if it asks a model."""
        if part := self._asked[kind]:
            self.count(kind, part.requests(*given), answer, items=items)

    def _count_questions(self, stage: str, questions: Sequence[Question]) -> None:
        """Add what the judge is asked."""
        claims = sum(len(claims) for _, claims in questions)
        if self._config.plugin("judge") == "verifier":
            self.pairs += claims
        judge = self._asked["judge"]
        if judge and questions:
            asked = [request for question in questions for request in judge.requests(*question)]
            self._count_judging(stage, judge, asked, items=claims)

    def _count_judging(self, stage: str, part: AsksModel, asked: Requests, *, items: int) -> None:
        """Add what is asked about `items` claims, as many times as there are votes, of every judge."""
        rounds = self._config.votes if self._config.confidence == "votes" else 1
        rounds *= 1 + len(self._config.further_models)
        tokens = int(getattr(part, "tokens_per_claim", TOKENS_PER_ATOM)) * _num_items(asked)
        self.count(stage, list(asked) * rounds, tokens * rounds, items=items * rounds)


class _PipelinePlanner(_Planner):
    """Asks the parts of the pipeline what they would ask."""

    def __init__(self, config: Config) -> None:
        super().__init__(config.model_copy(update={"calibration": None}))
        llm = ScriptedLLM([])
        assembly = Assembly(self._config, llm, {"solver": AutoSolver})
        kinds = (ATOMIZER, REVISER, QUERY_BUILDER, SUMMARIZER, JUDGE)
        self._asked = {kind.name: self._asking(assembly, kind) for kind in kinds}
        # What a judge is asked about does not depend on it: any will do to plan that.
        any_judge = self._asked["judge"] or LLMJudge(llm, config)
        planning = Assembly(self._config, llm, {"solver": AutoSolver, "judge": any_judge})
        self._evaluator = planning.made(ASSESSOR)
        asks = not isinstance(self._evaluator, PromptedEvaluator) or config.plugin("judge") == "llm"
        self._asked["assessor"] = self._asking(planning, ASSESSOR) if asks else None

    def add(self, record: Record) -> None:
        """Count one record."""
        if not (atoms := self._atoms(record)):
            return
        words = TOKENS_PER_ATOM * len(atoms)
        if record.atoms is None:
            self._count("atomizer", (record,), words, items=len(sentences(record.response)))
            self._count("reviser", (atoms, record), words)
        contexts = record.contexts or ()
        if record.contexts is None and self._config.retriever != "given":
            self._count("query_builder", (atoms, record), words)
            contexts = self._expected_contexts(atoms, record)
        if summarizer := self._asked["summarizer"]:
            summaries = summarizer.requests(contexts, atoms)
            self.count("summarizer", summaries, TOKENS_PER_ANSWER * len(summaries))
        self._add_judging(atoms, record.model_copy(update={"contexts": contexts}))

    def _atoms(self, record: Record) -> tuple[Atom, ...]:
        if record.atoms is not None:
            return record.atoms
        silent = is_abstention(record.response)
        return () if silent else EmbeddedAtomizer(self._config).atomize(record).atoms

    def _add_judging(self, atoms: Sequence[Atom], record: Record) -> None:
        """Count what is asked about atoms against the contexts of `record`, and about each other."""
        contexts = record.contexts or ()
        if assessor := self._asked["assessor"]:
            asked = assessor.requests(atoms, contexts, record)
            self._count_judging(ASSESSOR_STAGE, assessor, asked, items=_num_items(asked))
        elif isinstance(self._evaluator, PromptedEvaluator | GraphEvaluator):
            self._count_questions(JUDGE_STAGE, self._evaluator.work(atoms, contexts))
        if self._config.coherence:
            claims = [Claim(atom.id, atom.text) for atom in atoms]
            self._count_questions(COHERENCE_STAGE, coherence_tasks(claims, record.id))

    def _expected_contexts(self, atoms: Sequence[Atom], record: Record) -> tuple[Context, ...]:
        """Stand-ins for what searching for every atom, and for the question, may find."""

        def search(query: Query) -> list[FoundPassage]:
            self.searches += len(names_of(self._config.retriever))
            return [FoundPassage(f"{query.text} {rank} {PASSAGE}") for rank in range(self._config.retrieve_k)]

        one_at_a_time = self._config.model_copy(update={"concurrency": 1})
        return retrieve_each(search, atoms, record, one_at_a_time).contexts


class _Rehearsal(_Planner):
    """Does a task's work with stand-ins for every model, a verifier and a user's own parts."""

    def __init__(self, task: Task[Any], config: Config, *, supported: bool) -> None:
        super().__init__(config)
        self._supported = supported
        names = config.judge_models or filter(None, [config.model])
        models = {name: ScriptedLLM(self._answer) for name in names}
        llm = Panel(models) if len(models) > 1 else next(iter(models.values()), None)
        alone = config.model_copy(update={"concurrency": 1, "cache": False})
        parts = self._stand_ins(Assembly(alone, llm, {}))
        self._worker: Worker[Any] = task.worker(alone, Calls(llm=llm, parts=parts))

    def add(self, record: Record) -> None:
        """Count one record."""
        self._worker.assess(record)

    def _answer(self, prompt: Prompt, schema: FunctionSchema) -> dict[str, Any]:
        """The stand-in's reply for a model."""
        reply = {
            name: _value(name, prop, prompt, schema, supported=self._supported)
            for name, prop in schema.parameters["properties"].items()
        }
        self.count(prompt.name, [(prompt, schema)], len(str(reply)) // 4)
        return reply

    def _stand_ins(self, assembly: Assembly) -> dict[str, object]:
        """What works in place of a verifier and of a user's own parts, which a dry run does not call."""
        found: dict[str, object] = {}
        for kind in (ATOMIZER, REVISER, FACT_GENERATOR, JUDGE):
            name = self._config.plugin(kind.name)
            if name == "verifier" or name not in PLUGINS[kind.name]:
                self._asked[kind.name] = self._asking(assembly, kind)
                found[kind.name] = SimpleNamespace(**{kind.method: self._stand_in(kind)})
        return found

    def _stand_in(self, kind: PluginKind[Any]) -> Callable[..., Any]:
        """Counts what a part would ask, and does its work as the embedded one does, or as `_judged`."""
        work: Callable[..., Any] = self._judged
        if kind is not JUDGE:
            work = getattr(load(kind.name, "embedded")(self._config), kind.method)

        def counted(*given: Any) -> Any:  # noqa: ANN401 - of whatever kind
            made = work(*given)
            try:
                if kind is JUDGE:
                    self._count_questions(JUDGE_STAGE, [given])
                else:
                    self._count(kind.name, given, TOKENS_PER_ATOM * len(made.atoms))
            except PluginError as error:  # a worker would make a failure of it
                raise ConfigError(str(error)) from error
            return made

        return counted

    def _judged(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        label: Label = "entailment" if self._supported else "neutral"
        return Judged(tuple(known_verdict(premise.id, claim.id, label, "") for claim in claims))


def _num_items(requests: Requests) -> int:
    return sum(max(len(schema.items), 1) for _, schema in requests)
