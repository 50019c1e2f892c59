"""Several assessors over the same atoms, contexts and verdicts, each into a run folder of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from factreasoner.assessors.assessors import ASSESSORS
from factreasoner.errors import ConfigError, RunError
from factreasoner.models import Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.plugins.table import nearest
from factreasoner.runs.finished import FinishedRun, record_of
from factreasoner.runs.runner import Progress, opened
from factreasoner.runs.runner import run as run_records
from factreasoner.runs.store import RunFolder
from factreasoner.settings import Config, load_settings, parse_config
from factreasoner.settings.sources import read_profile
from factreasoner.tasks.factuality import TASK
from factreasoner.tasks.task import Task

VERSIONS: dict[str, dict[str, Any]] = {
    f"fr{version}": {"assessor": "factreasoner", "version": version} for version in (1, 2, 3)
}
KNOWN = (*VERSIONS, *ASSESSORS)
GRAPH = "factreasoner"


class Contender(NamedTuple):
    """One assessor that takes part, under the name its run folder gets."""

    name: str
    config: Config


class Source(Protocol):
    """The records of a comparison: an input file, or what a finished run had for each of them."""

    @property
    def ids(self) -> Sequence[str]:
        """Ids of the records, in the order of the input."""

    def records(self) -> Iterable[Record]:
        """The records, one at a time, in the order of `ids`."""


ShowProgress = Callable[[str], AbstractContextManager[Progress]]
"""Opens the progress display of the contender of that name."""


def parse_contenders(
    names: Sequence[str], settings: Mapping[str, Any], profile: Path | None
) -> list[Contender]:
    """Assessors from names: fr1, fr2, fr3, a prompted one's, or the path of a YAML profile.

    `settings` and `profile` hold for all of them; a name decides the assessor and its version, and a
    profile of its own whatever it sets.

    Raises:
        ConfigError: an unknown name (the nearest known one is named), one that occurs twice, fewer than
            two, or settings that do not fit.
    """
    found = [_contender(name.strip(), settings, profile) for name in names if name.strip()]
    for number, contender in enumerate(found):
        if contender.name in {other.name for other in found[:number]}:
            raise ConfigError(f"assessors: {contender.name!r} occurs twice")
    if len(found) < 2:
        raise ConfigError(f"assessors: name at least two, with commas between: {', '.join(KNOWN)}")
    return found


def _contender(name: str, settings: Mapping[str, Any], profile: Path | None) -> Contender:
    if name.endswith((".yaml", ".yml")):
        base = load_settings(profile, settings).model_dump(exclude_unset=True)
        own = parse_config(read_profile(Path(name)), name).model_dump(exclude_unset=True)
        return Contender(Path(name).stem, parse_config(base | own, name))
    if name not in KNOWN:
        raise ConfigError(
            f"assessors: unknown {name!r}; {nearest(name, list(KNOWN))} A profile's path does too."
        )
    own = VERSIONS.get(name, {"assessor": name})
    return Contender(name, load_settings(profile, {**settings, **own}))


class SideBySide:
    """Runs contenders into `out`/name; what each of them has paid counts towards everyone's budget.

    Raises:
        ConfigError: a key or the model of one is wrong, or a part lacks something; nothing was run then.
    """

    def __init__(
        self,
        task: Task[Any],
        contenders: Sequence[Contender],
        out: Path,
        *,
        fresh: bool,
        progress: ShowProgress,
    ) -> None:
        for contender in contenders:
            task.worker(contender.config.model_copy(update={"cache": False}), Calls())
        self.out = out
        self.complete = True
        """Whether every record of the runs so far was assessed, and nothing failed."""
        self._task = task
        self._contenders = contenders
        self._fresh = fresh
        self._progress = progress

    def run(self, contender: Contender, source: Source, *, anew: bool = False) -> None:
        """Run or resume one contender, or start over (`anew`).

        Raises:
            RunError: its folder holds another run, or the budget is used up.
        """
        name, config = contender
        folder = RunFolder(self.out / name, self._task)
        spent = sum(RunFolder(self.out / other.name, self._task).spent for other in self._contenders)
        with opened(folder, config, fresh=self._fresh or anew):
            worker = self._task.worker(config, folder.calls(config)._replace(spent=spent))
            with self._progress(name) as shown:
                report = run_records(worker, folder, source.ids, source.records(), shown)
        if report.stopped:
            raise RunError(
                f"{name}: {report.stopped} {report.unfinished} of {report.total} records are not assessed; "
                "the same command with a higher --max-cost goes on"
            )
        self.complete &= report.complete


def run_side_by_side(
    contenders: Sequence[Contender], source: Source, out: Path, *, fresh: bool, progress: ShowProgress
) -> bool:
    """Run every contender into `out`/name; returns whether all of them are complete.

    The first to run atomizes and retrieves; the others take its atoms and contexts. It is the version of
    FactReasoner that judges the most pairs, if one takes part. The others whose judge would be asked the
    same take its verdicts too: a replay makes no calls, so such a run always starts over.

    Raises:
        RunError: a run folder holds another run, or the budget is used up.
        ConfigError: see :class:`SideBySide`.
    """
    runs = SideBySide(TASK, contenders, out, fresh=fresh, progress=progress)
    first, *others = sorted(contenders, key=_rank)
    runs.run(first, source)
    shared = _Shared(out / first.name)
    for contender in others:
        replayed = _replayed(contender, first, out)
        if replayed is not None and not fresh:
            _refuse_paid_run(out / contender.name)
        taking_part = Contender(contender.name, replayed or _given(contender.config))
        runs.run(taking_part, shared, anew=replayed is not None)
    return runs.complete


def _rank(contender: Contender) -> tuple[int, str]:
    graph = contender.config.assessor == GRAPH
    return (-contender.config.version if graph else 0, contender.name)


def _given(config: Config) -> Config:
    """The settings of a run whose atoms and contexts are there already."""
    return parse_config(config.model_dump() | {"summarizer": "none", "query_builder": "none"}, "settings")


def _replayed(contender: Contender, first: Contender, out: Path) -> Config | None:
    """The settings with the first run's verdicts as the judge; None where these are not what is asked."""
    config = contender.config
    if first.config.assessor != GRAPH or first.config.version == 1 or config.judge == "recorded":
        return None
    asks_itself = config.assessor != GRAPH and config.plugin("judge") == "llm"
    if asks_itself or _judging(config) != _judging(first.config):
        return None
    changes = {"judge": "recorded", "relations": out / first.name, "unlisted": "missing", "audit_share": 0.0}
    return parse_config(_given(config).model_dump() | changes, "settings")


def _judging(config: Config) -> dict[str, Any]:
    """The settings a verdict depends on."""
    keys = ("judge", "model", "api_base", "temperature", "max_tokens", "mode", "confidence")
    more = ("constant_confidence", "votes", "premise_tokens", "atoms_per_call")
    return {key: getattr(config, key) for key in (*keys, *more)}


def _refuse_paid_run(path: Path) -> None:
    """Replays start over; what is in the way must be one."""
    folder = RunFolder(path, TASK)
    if folder.manifest.path.exists() and folder.config().judge != "recorded":
        raise RunError(
            f"{path}: holds a run that is not a replay; use another --out, or start over with --fresh"
        )


class _Shared:
    """The records of a finished run with the atoms and contexts they had, but for those short of some.

    A record of which a stage before the assessor failed is left out: what it lacks would seem unsupported.
    """

    def __init__(self, path: Path) -> None:
        self._run = FinishedRun(path, TASK)
        self.ids = [a.record_id for a in self._run.results() if not a.failures]
        if not self.ids:
            raise RunError(f"{path}: every record failed before it was judged; see its results.jsonl")

    def records(self) -> Iterator[Record]:
        """The records, in the order of the run's results."""
        wanted = set(self.ids)
        return (record_of(a) for a in self._run.results() if a.record_id in wanted)
