"""Files derived from a journal: results, summary, and networks as UAI files."""

from __future__ import annotations

import hashlib
import json
import os
import re
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any, TypeVar

from factreasoner.assessors.credibility import credibility_fingerprint, read_credibility
from factreasoner.errors import ConfigError, RunError
from factreasoner.files import make_folder_of, replace_file
from factreasoner.graph.factors import factor_graph
from factreasoner.graph.uai import uai_text
from factreasoner.judges.calibration import calibration_fingerprint
from factreasoner.metrics.comparison import Agreement
from factreasoner.metrics.statistics import Estimate
from factreasoner.models import Assessment, Failure, Result, Verdict
from factreasoner.models.formatting import number_of
from factreasoner.models.rows import grouped
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import rescore
from factreasoner.runs.corrections import CORRECTED
from factreasoner.runs.store import RunFolder
from factreasoner.solvers.gibbs import AutoSolver
from factreasoner.tasks.task import ClaimResult, Task

R = TypeVar("R", bound=Result)
WRITER_KEYS = ("model_name", "model")
"""Record keys that name the model behind its answer."""

NO_ANSWER = Estimate(None, None, "the judge never answered")
"""The scores of a judge without verdicts."""
Content = dict[str, Any]
"""The content of summary.json."""


def score_journal(
    folder: RunFolder[R],
    ids: Sequence[str],
    config: Config,
    *,
    again: Callable[[R], R] | None = None,
    out: Path | None = None,
) -> Content:
    """Write results.jsonl and summary.json of `ids`, in that order; returns the summary.

    `again` rescores each result first. The files go to `out`, by default the run folder, and replace older
    ones atomically.
    """
    out = out or folder.path
    make_folder_of(out / "results.jsonl")
    sizes = array("L", (folder.entries[i].size for i in ids if i in folder.entries))
    tally = folder.task.tally(config, sizes)
    results: Iterable[R] = folder.results(ids)
    if again is not None:
        results = map(again, results)

    own: Counter[str] = Counter()
    panel = PanelTally(folder.task, config, sizes) if config.judge_models else None
    fingerprint = _calibrated_by(folder, config, again=again is not None)

    def lines() -> Iterator[str]:
        for result in results:
            line = tally.add(result)
            own.update(self_judging_models(result, config))
            if panel is not None:
                panel.add(result)
            line["calibration"] = fingerprint
            line["corrected_verdicts"] = sum(v.confidence == CORRECTED for v in folder.task.verdicts(result))
            yield json.dumps(line, ensure_ascii=False, allow_nan=False)

    replace_file(out / "results.jsonl", lines(), touch=False)
    content = tally.content()
    _complete(content, folder, ids)
    content["judges"] = None if panel is None else panel.content()
    content["self_preference"] = dict(own)
    content["corrected_verdicts"] = content["confidences"].get(CORRECTED, 0)
    content["calibration"] = fingerprint and {"file": str(config.calibration), "fingerprint": fingerprint}
    if (table := config.credibility) and (used := content.get("credibility")):
        unused = sorted(read_credibility(table).keys() - set(used["used_domains"]))
        used |= {"file": str(table), "fingerprint": credibility_fingerprint(table), "unused_domains": unused}
    replace_file(out / "summary.json", [json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)])
    return content


def _complete(content: Content, folder: RunFolder[R], ids: Sequence[str]) -> None:
    """Add what the folder says about the whole run."""
    content["usage"]["spent"] = None if content["usage"]["total"]["cost"] is None else folder.spent
    content["records"]["unassessed"] = sum(i not in folder.entries for i in ids)
    content["records"]["not_in_input"] = len(folder.entries) - content["records"]["total"]
    content["probes"] = {
        name: {prompt: probe.model_dump() for prompt, probe in known.probes.items()}
        for name, known in folder.manifest.models().items()
    }


def _calibrated_by(folder: RunFolder[R], config: Config, *, again: bool) -> str | None:
    """Fingerprint of the calibration in use; a run keeps its initial one."""
    if config.calibration is None:
        return None
    if again:
        return calibration_fingerprint(config.calibration)
    kept: str | None = folder.manifest.content().get("files", {}).get("calibration")
    return kept


class PanelTally:
    """Adds up the results of several judging models; `sizes` are those of the records."""

    def __init__(self, task: Task[Any], config: Config, sizes: Sequence[int]) -> None:
        self._task = task
        self._config = config
        self._agreement = Agreement()
        self._answered: set[str] = set()
        self._tallies = {name: task.tally(config, sizes) for name in config.judge_models}

    def add(self, result: Result) -> None:
        """Count a record's result."""
        judged: tuple[Verdict | Failure, ...] = (*self._task.verdicts(result), *result.failures)
        votes = [vote for one in judged for vote in one.votes]  # ties included
        self._answered.update(vote.judge for vote in votes)
        for on_pair in grouped(votes, attrgetter("pair")).values():
            self._agreement.add([vote.label for vote in on_pair])
        for name, tally in self._tallies.items():
            tally.add(_as_judged(result, [vote for vote in votes if vote.judge == name], self._config))

    def content(self) -> dict[str, Any]:
        """For summary.json: each judge's scores; Krippendorff's alpha over pairs with several votes.

        A judge that never answered has no score.
        """
        names = [metric.name for metric in self._task.table if not metric.usage]
        return {
            "scores": {
                name: {
                    metric: (found if name in self._answered else NO_ANSWER).content()
                    for metric, found in self._task.table.estimates(tally.sample(), names).items()
                }
                for name, tally in self._tallies.items()
            },
            "alpha": self._agreement.alpha,
            "pairs": self._agreement.units,
        }


def _as_judged(result: Result, own: Sequence[Verdict], config: Config) -> Result:
    """The result of one judge alone, from its `own` verdicts; other pairs are unjudged."""
    if isinstance(result, ClaimResult):
        known = tuple(verdict for verdict in result.verdicts if not verdict.votes)
        return result.model_copy(update={"verdicts": (*known, *own)})
    if not isinstance(result, Assessment) or result.outcome is None:
        return result
    judged = {vote.target_id for vote in own}
    unjudged = tuple(atom.id for atom in result.atoms if atom.id not in judged)
    outcome = result.outcome.model_copy(update={"verdicts": tuple(own), "unjudged": unjudged})
    alone = config.model_copy(update={"calibration": None})
    return rescore(result.model_copy(update={"outcome": outcome}), AutoSolver(alone), alone)


def self_judging_models(result: Result, config: Config) -> list[str]:
    """The judging models that also wrote the answer, according to the record."""
    writer = next((result.metadata[key] for key in WRITER_KEYS if result.metadata.get(key)), None)
    if not isinstance(writer, str):
        return []
    judging = config.models if config.part("judge").prompts else ()
    return [model for model in judging if _bare(model) == _bare(writer)]


def _bare(model: str) -> str:
    """A model's name without its provider, in lower case."""
    return model.rsplit("/", 1)[-1].casefold()


LONGEST_STEM, DIGEST = 80, 12
"""Maximum characters of a file's name before its digest, and of the digest."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")
_RESERVED = re.compile(rf"(?i)^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|-[0-9a-f]{{{DIGEST}}}$")
"""Names reserved by Windows, and those that look like they end in a digest."""


def check_export(folder: Path, config: Config) -> None:
    """Raise, before a run, if its networks could not be written to `folder`.

    Raises:
        ConfigError: the assessor builds no network.
        RunError: the folder is a file, or can't be made.
    """
    if config.part("assessor").prompts:
        raise ConfigError(f"assessor {config.assessor!r} builds no networks to export")
    there = next(path for path in (folder, *folder.absolute().parents) if os.path.lexists(path))
    if not (there.is_dir() and os.access(there, os.W_OK)):
        why = "not writable" if there.is_dir() else "a file"
        raise RunError(f"{folder}: networks can't be written there: {there} is {why}; choose another folder")


def export_networks(assessments: Iterable[Assessment], config: Config, folder: Path) -> str:
    """Write networks to `folder`/NAME.uai, variables to NAME.uai.map.json; returns the counts as text.

    NAME is the record's id made safe, see `file_name`. The map has the record's id and, in variable order,
    their ids as `variables` and "atom" or "context" as `kinds`. Files of the same names are replaced.

    Raises RunError: the folder can't be made, or a file can't be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError(f"{folder}: networks can't be written there: {error.strerror}") from error
    names: set[str] = set()
    without = 0
    for assessment in assessments:
        graph = assessment.outcome.graph if assessment.outcome else None
        if graph is None:
            without += 1
            continue
        path = folder / f"{file_name(assessment.record_id, names)}.uai"
        variables = {
            "record": assessment.record_id,
            "variables": [node.id for node in graph.nodes],
            "kinds": [node.kind for node in graph.nodes],
        }
        replace_file(path, [uai_text(factor_graph(graph, config.factors)).rstrip("\n")])
        replace_file(Path(f"{path}.map.json"), [json.dumps(variables, ensure_ascii=False, indent=1)])
    rest = f"; {without} without one" if without else ""
    return f"{number_of(len(names), 'network')} written to {folder}{rest}"


def file_name(record_id: str, taken: set[str]) -> str:
    """A safe file name for any id: never a path, and none of those `taken`.

    An id of letters, digits and ". _ -" is its own name. Other characters become "_" and a digest of the id
    is added; so is one if the name differs from a taken one only by case.
    """
    name = _UNSAFE.sub("_", record_id).lstrip(".-").rstrip(".")[:LONGEST_STEM]
    if name != record_id or not name or _RESERVED.search(name) or name.lower() in taken:
        digest = hashlib.sha256(record_id.encode("utf-8", "surrogatepass")).hexdigest()
        name = f"{name or 'record'}-{digest[:DIGEST]}"
    taken.add(name.lower())
    return name
