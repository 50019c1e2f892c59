"""`run`: is the answer true? The pipeline does the work; the result is the Assessment."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Unpack

from factreasoner.assessors.assessors import ASSESSORS
from factreasoner.atoms.extraction import ATOM_PROMPTS
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.errors import InputProblem
from factreasoner.inputs.parsing import AtomLike, ContextLike, parse_record
from factreasoner.metrics.factuality import FACTUALITY, resolve_k
from factreasoner.metrics.summary import COUNTS, Summary
from factreasoner.models import Assessment, Record, Verdict
from factreasoner.pipeline.assembly import assembly_of
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.keywords import Keywords
from factreasoner.pipeline.loading import ConfigLike, awaitable, python_call
from factreasoner.pipeline.pipeline import Pipeline
from factreasoner.protocols import LLM
from factreasoner.tasks.task import FACTUALITY as NAME
from factreasoner.tasks.task import Task

_OPTIONAL = {"query_builder": "query", "summarizer": "summarizer"}


def check_fits(record: Record, config: Config) -> list[InputProblem]:
    """What `record` lacks for the configured assessor.

    A record with nothing to judge (no atoms, or an abstention) lacks nothing.
    """
    by_own = config.version == 1 and not config.part("assessor").prompts
    if record.contexts is None and config.part("retriever").takes_given:
        field = "contexts"
        message = (
            "missing; add a list of contexts ([] for none), or choose a `retriever` that searches for them"
        )
    elif by_own and record.contexts and not any(context.atom_ids for context in record.contexts):
        field = "atoms"
        message = (
            "no atom names a context, and version 1 judges an atom against its own contexts only; list them "
            "in atoms[].contexts, or use `version=2` or 3 (of `compare`: fr2, fr3)"
        )
    else:
        return []
    unjudged = is_abstention(record.response) if record.atoms is None else not record.atoms
    return [] if unjudged else [InputProblem(f"record {record.id}", field, message)]


def _prompts(config: Config) -> list[str]:
    row = ASSESSORS.get(config.assessor)
    names = [*ATOM_PROMPTS, *(["judge", "judge_one"] if row is None else [row.prompt])]
    return names + [prompt for part, prompt in _OPTIONAL.items() if config.part(part).prompts]


def _with_verdicts(result: Assessment, verdicts: tuple[Verdict, ...]) -> Assessment:
    if result.outcome is None:
        return result
    return result.with_outcome(result.outcome.model_copy(update={"verdicts": verdicts}))


TASK = Task(
    name=NAME,
    result=Assessment,
    table=FACTUALITY,
    problems=check_fits,
    prompts=_prompts,
    worker=lambda config, calls: Pipeline(assembly_of(config, calls)),
    tally=lambda config, sizes: Summary(config.k, resolve_k(config.k, sizes), gamma=config.gamma),
    of_config=lambda config: {"assessor": config.assessor},
    verdicts=lambda result: result.outcome.verdicts if result.outcome else (),
    with_verdicts=_with_verdicts,
    size=lambda result: len(result.atoms) - len(result.outcome.unjudged) if result.outcome else 0,
    claims=lambda result: result.atoms,
    # unconverged posteriors, which are no failure, need only `score`
    to_repeat=lambda result: (
        result.status == "failed" or bool(result.status == "partial" and result.failures)
    ),
    has_graph=True,
    counts={**dict.fromkeys((*COUNTS, "gold_num_atoms", "gold_left_out"), int), "unjudged_atoms": list},
)


@python_call
def assess(  # noqa: PLR0913 - what a record of this task may bring
    output: str,
    *,
    input: str = "",
    contexts: Iterable[ContextLike] | None = None,
    topic: str | None = None,
    atoms: Iterable[AtomLike] | None = None,
    id: str | None = None,
    llm: LLM | None = None,
    config: ConfigLike = None,
    **settings: Unpack[Keywords],
) -> Assessment:
    """Assess one answer against contexts. Synchronous; `aassess` is for an event loop.

    The parameters are named like a record's keys, whose aliases are accepted too: `response`, `question`,
    `retrieved_contexts`. `output` is the answer to `input`. `contexts` are passages: strings, mappings with
    the keys of a record's contexts, `Context` objects, or documents of LangChain and LlamaIndex. If given, no
    retriever is used. `atoms` are the statements to judge: strings, mappings or `Atom` objects. By default,
    they are made from the answer. `settings` are those of `Config`, such as `version=3`,
    `model="openai/gpt-4o-mini"`; None counts as not given. They override `config`, which defaults to the
    environment. Without a model, the bundled judge is used. A setting that names a component also takes your
    own object or class: `judge=MyJudge()`. `llm` replaces the model client. Failures are listed in the
    result, not raised.

    Raises:
        ConfigError: a setting, a key or a model name is wrong.
        InputError: an argument is wrong, or there are no contexts and no retriever to find them.
        BudgetError: the next call could exceed `max_cost`; answered calls stay in the cache.
    """
    given = {"id": id, "response": output, "prompt": input, "topic": topic, "contexts": contexts}
    record = parse_record("assess()", **given, atoms=atoms)
    return TASK.assessed("assess()", record, llm, config, settings)


aassess = awaitable(assess)
