"""`run`: is the answer true? Its work is the pipeline's, its result the Assessment."""

from __future__ import annotations

from factreasoner.assessors.assessors import ASSESSORS
from factreasoner.atoms.making import atom_prompts
from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.errors import InputProblem
from factreasoner.metrics.factuality import FACTUALITY, resolve_k
from factreasoner.metrics.summary import COUNTS, Summary
from factreasoner.models import Assessment, Record, Verdict
from factreasoner.pipeline.assembly import assembly_of
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import Pipeline
from factreasoner.tasks.task import FACTUALITY as NAME
from factreasoner.tasks.task import Task

_OPTIONAL = {"query_builder": "query", "summarizer": "summarizer"}


def check_fits(record: Record, config: Config) -> list[InputProblem]:
    """What `record` lacks for the assessor that `config` describes.

    A record with nothing to judge (no atoms, or an abstention) lacks nothing.
    """
    by_own = config.version == 1 and config.assessor not in ASSESSORS
    if record.contexts is None and config.retriever == "given":
        field = "contexts"
        message = "none given; add 'contexts' ([] if there are none), or choose a --retriever that finds them"
    elif by_own and record.contexts and not any(context.atom_ids for context in record.contexts):
        field = "atoms"
        message = (
            "no atom names a context, and version 1 judges an atom against its own contexts only; list them "
            "in atoms[].contexts, or use --version 2 or 3 (of `compare`: fr2, fr3)"
        )
    else:
        return []
    unjudged = is_abstention(record.response) if record.atoms is None else not record.atoms
    return [] if unjudged else [InputProblem(f"record {record.id}", field, message)]


def _prompts(config: Config) -> list[str]:
    row = ASSESSORS.get(config.assessor)
    names = [*atom_prompts(config), *(["judge", "judge_one"] if row is None else [row.prompt])]
    return names + [prompt for part, prompt in _OPTIONAL.items() if config.plugin(part) == "llm"]


def _with_verdicts(result: Assessment, verdicts: tuple[Verdict, ...]) -> Assessment:
    if result.outcome is None:
        return result
    outcome = result.outcome.model_copy(update={"verdicts": verdicts})
    return result.model_copy(update={"outcome": outcome})


def _to_repeat(result: Assessment) -> bool:
    """Only for failures: `score` solves posteriors that did not converge, without a judge."""
    failures = result.failures or (result.outcome.failures if result.outcome else ())
    return result.status == "failed" or bool(result.status == "partial" and failures)


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
    to_repeat=_to_repeat,
    counts={**dict.fromkeys((*COUNTS, "gold_num_atoms", "gold_left_out"), int), "unjudged_atoms": list},
)
