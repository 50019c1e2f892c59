"""What a run would take, without one model call: a dry run.

Its work is done with stand-ins for the model, a verifier and a user's own parts, and their calls are counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, NamedTuple, cast

from factreasoner.assessors.assessors import ASSESSORS
from factreasoner.assessors.coherence import STAGE as COHERENCE
from factreasoner.calls.usage import current_stage, estimate_request
from factreasoner.errors import ConfigError, PluginError
from factreasoner.judges.asking import VOTES
from factreasoner.llm import forms
from factreasoner.llm.ask import most_paid
from factreasoner.llm.client import Panel
from factreasoner.llm.form_search import order_of
from factreasoner.llm.scripted import ScriptedLLM
from factreasoner.llm.transport import Transport
from factreasoner.models import Atom, Claim, Label, Marginals, Premise, Record
from factreasoner.models.factor_graph import FactorGraph
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.models.rows import known_verdict
from factreasoner.pipeline.assembly import Assembly, Calls, names_of
from factreasoner.plugins.kinds import (
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
from factreasoner.protocols import AsksModel, Atomized, Judged, Retrieved
from factreasoner.retrieval.per_atom import FoundPassage, Query, retrieve_each
from factreasoner.settings import Config
from factreasoner.tasks.factuality import TASK as FACTUALITY_TASK
from factreasoner.tasks.task import Task, Worker

TOKENS_PER_ATOM = 30
"""Output tokens an atom takes in the answer of the atomizer, the reviser and the query builder, about."""
CHARACTERS_OF_A_TOKEN = 3
"""Of a reply in JSON, about."""
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
    """Searches, pairs, and calls and estimated tokens by stage; re-asks are left out.

    Statements that a model has yet to make are the sentences of a text, contexts yet to be searched for all
    that a search may bring, of about 200 words each. No context is taken to be irrelevant, and every claim
    is `supported`, or none is: then what is asked only about claims that failed is counted for all of them.

    Cached answers are not deducted. A user's own part is counted by its `requests`, if it has that method.

    Raises:
        ConfigError, InputError, MissingExtraError: as the task's worker does.
    """
    planner = _Rehearsal(task, config, supported=supported)
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


class _Rehearsal:
    """Does a task's work with stand-ins for every model, a verifier and a user's own parts.

    Adds up calls and tokens by stage, searches, and pairs for a verifier.
    """

    def __init__(self, task: Task[Any], config: Config, *, supported: bool) -> None:
        self._config, self._supported = config, supported
        self.searches = self.pairs = 0
        self.uncounted: list[str] = []
        self._asked: dict[str, AsksModel | None] = {}
        self._transport = Transport(str(config.first_model), config.api_base, None)
        self._counted: dict[str, Counter[str]] = {}
        row = ASSESSORS.get(config.assessor)
        self._stages = {"query": "query_builder"} | ({row.prompt: "assessor"} if row else {})
        """Prompts that have another name than their stage."""
        names = config.models
        models = {name: ScriptedLLM(self._answer) for name in names}
        llm = Panel(models) if len(models) > 1 else next(iter(models.values()), None)
        changes = {"concurrency": 1, "cache": False, "calibration": None, "prefilter": "none"}
        alone = config.model_copy(update=changes)
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
        stage = COHERENCE if current_stage() == COHERENCE else self._stages.get(prompt.name, prompt.name)
        self.count(stage, [(prompt, schema)], len(str(reply)) // CHARACTERS_OF_A_TOKEN)
        return reply

    def _stand_ins(self, assembly: Assembly) -> dict[str, object]:
        """What works in place of a verifier and of a user's own parts, which a dry run does not call."""
        found: dict[str, object] = {"solver": SimpleNamespace(marginals=_undecided)}
        found["retriever"] = SimpleNamespace(retrieve=self._retrieved)
        for kind in (ATOMIZER, REVISER, FACT_GENERATOR, QUERY_BUILDER, SUMMARIZER, JUDGE):
            name = self._config.plugin(kind.name)
            own = name not in (*PLUGINS[kind.name], "none")
            if not own and name != "verifier":
                continue
            self._asked[kind.name] = self._own(assembly, kind) if own else None
            found[kind.name] = SimpleNamespace(**{kind.method: self._stand_in(kind)})
        return found

    def _own(self, assembly: Assembly, kind: PluginKind[Any]) -> AsksModel | None:
        """A user's own part if it says what it asks a model; else it is noted that it does not."""
        part = assembly.fact_generator() if kind is FACT_GENERATOR else assembly.made(kind)
        if callable(getattr(part, "requests", None)):
            return cast(AsksModel, part)
        self.uncounted.append(f"{kind.name} {self._config.plugin(kind.name)}")
        return None

    def _stand_in(self, kind: PluginKind[Any]) -> Callable[..., Any]:
        """Counts what a part would ask, and does its work as the embedded one does, or as `_judged`."""
        work: Callable[..., Any] = self._judged
        if kind in (QUERY_BUILDER, SUMMARIZER):
            work = lambda items, _: (Atomized if kind is QUERY_BUILDER else Retrieved)(tuple(items))  # noqa: E731
        elif kind is not JUDGE:
            work = getattr(load(kind.name, "rules")(self._config), kind.method)

        def counted(*given: Any) -> Any:  # noqa: ANN401 - of whatever kind
            made = work(*given)
            try:
                self._count_own(kind, given, made)
            except PluginError as error:  # a worker would make a failure of it
                raise ConfigError(str(error)) from error
            return made

        return counted

    def _retrieved(self, atoms: Sequence[Atom], record: Record) -> Retrieved:
        """Stand-ins for what searching for every atom, and for the question, may find."""
        if self._config.retriever == "given":
            return Retrieved(())

        def search(query: Query) -> list[FoundPassage]:
            self.searches += len(names_of(self._config.retriever))
            return [FoundPassage(f"{query.text} {rank} {PASSAGE}") for rank in range(self._config.retrieve_k)]

        return retrieve_each(search, atoms, record, self._config.model_copy(update={"concurrency": 1}))

    def _judged(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        label: Label = "entailment" if self._supported else "neutral"
        return Judged(tuple(known_verdict(premise.id, claim.id, label, "") for claim in claims))

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

    def _count_own(self, kind: PluginKind[Any], given: Sequence[Any], made: Any) -> None:  # noqa: ANN401
        """Add what a user's own part asks about what it is `given`, where it says so; `made` came of it."""
        part = self._asked[kind.name]
        if kind is JUDGE and self._config.plugin("judge") == "verifier":
            self.pairs += len(given[1])
        if part is None:
            return
        asked, answer, rounds, items = part.requests(*given), TOKENS_PER_ATOM * len(made[0]), 1, None
        if kind is JUDGE:
            rounds = VOTES if self._config.confidence == "votes" else 1
            rounds *= max(1, len(self._config.models))
            answer = int(getattr(part, "tokens_per_claim", TOKENS_PER_ATOM)) * _num_items(asked)
            items = len(given[1]) * rounds
        self.count(kind.name, list(asked) * rounds, answer * rounds, items=items)


def _undecided(graph: FactorGraph) -> Marginals:
    return Marginals(probabilities=dict.fromkeys(graph.names, (0.5, 0.5)), solver="none", exact=True)


def _num_items(requests: Requests) -> int:
    return sum(max(len(schema.items), 1) for _, schema in requests)
