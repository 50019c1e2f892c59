"""Run assessors, or recall modes, over the same records, each into its own run folder."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, get_args

from factreasoner.assessors.assessors import ASSESSORS
from factreasoner.errors import RunError, UsageError
from factreasoner.inputs.input import CheckedInput
from factreasoner.llm.ask import MOST_FACTS
from factreasoner.llm.settings import Mode
from factreasoner.models import Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import load_settings, parse_config
from factreasoner.plugins.kinds import load
from factreasoner.plugins.table import nearest
from factreasoner.protocols import asks_model, pairwise
from factreasoner.runs.finished import PastRecords, record_of
from factreasoner.runs.runner import Progress, open_run
from factreasoner.runs.runner import run as run_records
from factreasoner.runs.store import RunFolder
from factreasoner.settings.setting import setting_of
from factreasoner.settings.sources import read_profile
from factreasoner.tasks.factuality import TASK as FACTUALITY_TASK
from factreasoner.tasks.recall import TASK as RECALL_TASK
from factreasoner.tasks.task import Task

GRAPH = "factreasoner"
VERSIONS: dict[str, dict[str, Any]] = {
    f"fr{version}": {"assessor": GRAPH, "version": version} for version in (1, 2, 3)
}
KNOWN = (*VERSIONS, *ASSESSORS)
VERDICT_SETTINGS = (
    "judge",
    *(k for k, f in Config.model_fields.items() if setting_of(f).panel in ("Verifier", "Model", "Judging")),
)
"""Settings that a verdict may depend on; others affect only speed."""


class Contender(NamedTuple):
    """One run of the comparison and its folder name; it may replay the first run's verdicts."""

    name: str
    config: Config
    task: Task[Any]
    replay: bool = False


ShowProgress = Callable[[str], AbstractContextManager[Progress]]
"""Opens the progress display of the run with that name."""


def parse_assessors(
    names: Sequence[str], settings: Mapping[str, Any], profile: Path | None
) -> list[Contender]:
    """Assessors from names: fr1, fr2, fr3, a prompted assessor, or the path of a YAML profile.

    `settings` and `profile` apply to all; a name sets the assessor and its version, and a profile of its own
    overrides both.

    Raises:
        UsageError: an unknown name (the nearest known one is named), a name given twice, or fewer than two.
        ConfigError: settings that do not fit.
    """

    def made(name: str) -> Contender:
        if name.endswith((".yaml", ".yml")):
            base = load_settings(profile, settings).model_dump(exclude_unset=True)
            own = parse_config(read_profile(Path(name)), name).model_dump(exclude_unset=True)
            return Contender(Path(name).stem, parse_config(base | own, name), FACTUALITY_TASK)
        if name not in KNOWN:
            raise UsageError(f"assessors: unknown {name!r}, and no profile; {nearest(name, list(KNOWN))}")
        own = VERSIONS.get(name, {"assessor": name})
        return Contender(name, load_settings(profile, {**settings, **own}), FACTUALITY_TASK)

    return _distinct("assessors", names, made, KNOWN)


def parse_modes(names: Sequence[str], settings: Mapping[str, Any], profile: Path | None) -> list[Contender]:
    """Recall modes by name; `settings` and `profile` apply to all, with the same facts per call.

    Raises ConfigError, UsageError: as for `parse_assessors`.
    """
    known = get_args(Mode)

    def made(name: str) -> Contender:
        if name not in known:
            raise UsageError(f"modes: unknown {name!r}; {nearest(name, list(known))}")
        config = load_settings(profile, {**settings, "mode": name})
        alike = {"atoms_per_call": config.atoms_per_call or MOST_FACTS}
        return Contender(name, config.model_copy(update=alike), RECALL_TASK)

    return _distinct("modes", names, made, known)


def _distinct(
    parameter: str, names: Sequence[str], made: Callable[[str], Contender], known: Sequence[str]
) -> list[Contender]:
    found: dict[str, Contender] = {}
    for contender in (made(name.strip()) for name in names if name.strip()):
        if contender.name in found:
            raise UsageError(f"{parameter}: {contender.name!r} occurs twice")
        found[contender.name] = contender
    if len(found) < 2:
        raise UsageError(f"{parameter}: name at least two, separated by commas: {', '.join(known)}")
    return list(found.values())


def run_side_by_side(
    contenders: Sequence[Contender], source: RecordSource, out: Path, *, fresh: bool, progress: ShowProgress
) -> bool:
    """Run every contender into `out`/name; returns whether all are complete.

    The first run makes the atoms, contexts or facts that records lack; the others reuse them. Among
    assessors, the FactReasoner version that judges most pairs runs first. Runs whose judge would be asked the
    same replay its verdicts, unless a local judge's verdicts depend on the pairs it sees. A replay makes no
    calls, so it always starts over. All runs share one budget.

    Raises:
        RunError: a run folder holds another run, no record is left, or the budget is used up.
        ConfigError: a key or model name is wrong, or a component lacks something; nothing was run.
    """
    for contender in contenders:
        contender.task.worker(contender.config.model_copy(update={"cache": False}), Calls())

    def folder_of(contender: Contender) -> RunFolder[Any]:
        return RunFolder(out / contender.name, contender.task)

    def run(contender: Contender, records: RecordSource) -> bool:
        name, config, task, replay = contender
        folder, spent = folder_of(contender), sum(folder_of(one).spent for one in contenders)
        with open_run(folder, config, fresh=fresh or replay):
            worker = task.worker(config, folder.calls(config)._replace(spent=spent))
            with progress(name) as shown:
                report = run_records(worker, folder, records.ids, records.records(), shown)
        if report.stopped:
            raise RunError(
                f"{name}: {report.stopped} {report.unfinished} of {report.total} records are not assessed; "
                "raise `max_cost` and rerun to resume"
            )
        return report.complete

    first, *others = contenders
    if first.task is FACTUALITY_TASK:
        first, *others = sorted(contenders, key=_rank)
        others = [_taking(contender, first, out) for contender in others]
    complete = run(first, source)
    made = _PreparedRecords(source, folder_of(first))
    for contender in others:
        folder = folder_of(contender)
        kept = contender.replay and not fresh and folder.manifest.path.exists()
        if kept and not folder.config().part("judge").replays:
            problem = "holds a run that is not a replay; use another `out`, or `fresh=True`"
            raise RunError(f"{folder.path}: {problem}")
        complete &= run(contender, made)
    return complete


def _rank(contender: Contender) -> tuple[int, str]:
    graph = contender.config.part("assessor").builds_graph
    return (-contender.config.version if graph else 0, contender.name)


def _taking(contender: Contender, first: Contender, out: Path) -> Contender:
    """The contender, reusing atoms, contexts and (if judged alike) verdicts of `first`."""
    config, asked = contender.config, first.config
    changes: dict[str, Any] = {"summarizer": "none", "query_builder": "none"}
    graph, judge = asked.part("assessor").builds_graph, config.part("judge")
    recorded = graph and asked.version != 1 and not judge.replays
    # free, and what it says depends on the pairs it is shown
    made = load("judge", config.plugin("judge"))
    rejudges = not asks_model(made) and not pairwise(made)
    prompted = judge.prompts and not config.part("assessor").builds_graph
    alike = all(getattr(config, key) == getattr(asked, key) for key in VERDICT_SETTINGS)
    replay = recorded and alike and not rejudges and not prompted
    if replay:
        changes |= {"judge": "recorded", "relations": out / first.name}
        changes |= {"unlisted": "missing"}
    taking = parse_config(config.model_dump() | changes, "settings")
    return contender._replace(config=taking, replay=replay)


class _PreparedRecords:
    """The records of `source` with the atoms and contexts, or facts, that a run made for them.

    A record is excluded if an earlier stage failed for it, since missing evidence would look unsupported.
    """

    def __init__(self, source: RecordSource, folder: RunFolder[Any]) -> None:
        self._source = source
        self._folder = folder
        self._factuality = folder.task is FACTUALITY_TASK
        self.ids: list[str] = [
            made.record_id
            for made in folder.results(source.ids)
            if (not made.failures if self._factuality else made.status != "failed" or made.facts)
        ]
        if not self.ids:
            raise RunError(f"{folder.path}: every record failed before it was judged; see its results.jsonl")

    def records(self) -> Iterator[Record]:
        """The records, in the order of the source."""
        if self._factuality:
            yield from map(record_of, self._folder.results(self.ids))
            return
        wanted = set(self.ids)
        for record in self._source.records():
            if record.id in wanted and record.facts is None:
                (made,) = self._folder.results([record.id])
                yield record.model_copy(update={"facts": made.facts})
            elif record.id in wanted:
                yield record


RecordSource = CheckedInput | PastRecords | _PreparedRecords
"""The records of a comparison."""
