"""The manifest of a run: its settings, versions, and model capabilities."""

from __future__ import annotations

import functools
import json
import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any
from uuid import uuid4

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from factreasoner.errors import RunError
from factreasoner.files import describe_read_error, replace_file
from factreasoner.llm.capabilities import Capabilities
from factreasoner.models.journal import JOURNAL
from factreasoner.models.rows import grouped
from factreasoner.pipeline.config import CALL_SETTINGS, SCORE_SETTINGS, Config
from factreasoner.plugins.identity import UNKNOWN
from factreasoner.settings.removed import was_default
from factreasoner.text.parsing import describe_parser

FORMAT = 3
"""Version of a run folder's files; no other is read."""
MANIFEST = "manifest.json"
SCORED_AGAIN = "scored_again.json"
"""The name of the note in a folder of rescored results."""
TEMPORARY = "factreasoner-temporary-"
"""The start of the name of a folder that is deleted when nothing refers to it any more."""
Fingerprints = Mapping[str, Mapping[str, str]]
"""Fingerprints besides settings: `prompts`, `files` by setting, and values of custom `components`."""
LEARNT = ("parser", "searched", "models", "changing")
"""Keys of what is learned during the run."""
UNFINISHED = "@unfinished"
"""Part of the state of a collection whose writing is unfinished."""
_REMEDY = "put back a copy of it, or start the run over with `fresh=True`"
PACKAGES = ("litellm", "numpy", "pgmpy", "pydantic", "scipy")
_MODELS = TypeAdapter(dict[str, Capabilities])


class Manifest:
    """manifest.json of `folder`: task, settings without secrets, prompt fingerprints, versions, models."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / MANIFEST

    def content(self) -> dict[str, Any]:
        """The content of the file.

        Raises RunError: it is missing, unreadable, or of another format.
        """
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError) as error:
            if self.folder.is_file():
                why = "a file; name the folder that a run wrote"
            elif not self.folder.is_dir() and self.folder.name.startswith(TEMPORARY):
                why = "it was temporary and is deleted; to keep a run, give `assess_many` a folder as `out`"
            elif not self.folder.is_dir():
                why = "no such folder"
            elif (self.folder / SCORED_AGAIN).exists():
                why = "it holds scores of a run; name that run"
            else:
                why = f"it has no {MANIFEST}" + f"; {_REMEDY}" * (self.folder / JOURNAL).exists()
            raise RunError(f"{self.folder}: not a run folder: {why}") from error
        except OSError as error:
            raise RunError(f"{self.path}: {describe_read_error(error)}; {_REMEDY}") from error
        except (ValueError, RecursionError) as error:
            raise RunError(f"{self.path}: not a manifest: it is not valid JSON; {_REMEDY}") from error
        if not isinstance(data, dict) or not isinstance(data.get("config"), dict):
            raise RunError(f"{self.path}: not a manifest: it has no `config`; {_REMEDY}")
        if (made := data.get("format", 1)) != FORMAT:
            remedy = "run again" if made in range(FORMAT) else "install a later version"
            raise RunError(f"{self.path}: has format {made!r}, and this version reads {FORMAT}; {remedy}")
        return data

    @property
    def run_id(self) -> str:
        """The run's unique id, independent of its folder."""
        return str(self.content()["run"])

    @property
    def task(self) -> str:
        """Name of the run's task."""
        return str(self.content()["task"])

    def _learning(self) -> FileLock:
        """Lock for adding what was learned; threads and processes may do so at once."""
        return FileLock(self.folder / ".learning.lock")

    def models(self) -> dict[str, Capabilities]:
        """How each model is called, if learned. Raises RunError for a damaged file."""
        try:
            return _MODELS.validate_python(self.content().get("models", {}))
        except ValidationError as error:
            raise RunError(f"{self.path}: `models` is not what a run writes there; {_REMEDY}") from error

    def capabilities(self, model: str) -> Capabilities | None:
        """How that model is called; None if not yet learned."""
        return self.models().get(model)

    def keep_capabilities(self, model: str, capabilities: Capabilities) -> None:
        """Store how that model is called."""
        with self._learning():
            kept = self.models() | {model: capabilities}
            self._keep(models=_MODELS.dump_python(kept, mode="json"))

    @property
    def searched(self) -> list[str]:
        """The collections searched, as `name@state`."""
        return [str(state) for state in self.content().get("searched", [])]

    def keep_searched(self, states: Sequence[str]) -> None:
        """Add collections to `searched`."""
        with self._learning():
            self._keep(searched=list(dict.fromkeys([*self.searched, *states])))

    def keep_changing(self, changed: Iterable[tuple[str, str]]) -> None:
        """Store the names of components' values that a run changes, such as a counter; they don't count."""
        if (changing := {key for key, _ in changed}) and self.path.exists():
            with self._learning():
                self._keep(changing=sorted(changing.union(self.content().get("changing", []))))

    def refuse_other_run(self, config: Config, fingerprints: Fingerprints) -> None:
        """Raise RunError, naming the different keys, if the run has other settings."""
        manifest = self.content()
        there = {part: manifest.get(part, {}) for part in fingerprints}
        there["config"] = result_settings(manifest["config"])
        here = {**fingerprints, "config": result_settings(config.model_dump(mode="json"))}
        changing = manifest.get("changing", [])
        if here["config"].keys() - there["config"].keys():
            raise RunError(
                f"{self.folder} holds a run of an earlier version: it can be read and scored, not resumed. "
                "Use another `out`, or `fresh=True` to start over"
            )
        components = here.get("components", {})
        if unknown := [key for key in components if components[key] == UNKNOWN and key not in changing]:
            raise RunError(
                f"{self.folder} holds a run, and this {', '.join(unknown)} can't be compared with its own. "
                "Use another `out`, or `fresh=True` to start over; with a version of its own it can resume"
            )
        differences = [
            f"{key} differs"
            if part == "components"
            else f"{key}: was {there[part].get(key)!r}, now {here[part].get(key)!r}"
            for part in ("config", *fingerprints)
            for key in sorted(here[part].keys() | there[part].keys())
            if here[part].get(key) != there[part].get(key) and key not in changing
        ]
        if differences:
            raise RunError(
                f"{self.folder} holds a run with other settings ({'; '.join(differences)}). "
                "Use another `out`, or `fresh=True` to start over"
            )

    def settle_parser(self) -> None:
        """Record the parser in use. Raises RunError if the run began with another one."""
        here = describe_parser()
        with self._learning():
            if "parser" not in self.content():
                self._keep(parser=here)
            elif self.parser != here:
                raise RunError(
                    f"{self.folder} holds atoms made with another parser (was {self.parser or 'none'}, now "
                    f"{here or 'none'}). Install that parser, use another `out`, or `fresh=True` to start "
                    "over"
                )

    @property
    def parser(self) -> str | None:
        """Name and version of the parser for the run's atoms, None without one.

        If not recorded, the installed one.
        """
        content = self.content()
        if "parser" in content:
            return None if content["parser"] is None else str(content["parser"])
        return describe_parser()

    def write(self, task: str, config: Config, fingerprints: Fingerprints, *, going_on: bool = False) -> None:
        """Write the manifest. A run that is `going_on` keeps what it learned."""
        before = self.content() if going_on else {}
        versions = {"factreasoner": _version("factreasoner"), "python": platform.python_version()}
        manifest = {
            "format": FORMAT,
            "run": before.get("run") or uuid4().hex[:16],
            "task": task,
            "config": config.model_dump(mode="json"),
            **fingerprints,
            "versions": versions | {name: _version(name) for name in PACKAGES},
        }
        self._replace(manifest | {key: before[key] for key in LEARNT if key in before})

    def _keep(self, **learnt: object) -> None:
        self._replace(self.content() | learnt)

    def _replace(self, content: Mapping[str, Any]) -> None:
        replace_file(self.path, [json.dumps(content, indent=2, ensure_ascii=False)])


def result_settings(config: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that affect the assessments of a run."""
    left_out = CALL_SETTINGS | SCORE_SETTINGS
    return {
        key: value for key, value in config.items() if key not in left_out and not was_default(key, value)
    }


@functools.cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def unfinished_states(states: Iterable[str]) -> Iterator[str]:
    """A warning for each incomplete collection."""
    for state in states:
        name, unfinished, passages = state.partition(f"{UNFINISHED}-")
        if unfinished:
            yield (
                f"Collection {name!r} is incomplete: indexing is in progress or was interrupted at "
                f"{passages} passages. The missing ones can't be found; `factreasoner index` completes it."
            )


def mixed_states(states: Iterable[str]) -> Iterator[str]:
    """A warning for each collection with several states in `states`."""
    for name, several in grouped(dict.fromkeys(states), lambda state: state.partition("@")[0]).items():
        if len(several) > 1:
            yield (
                f"Collection {name!r} has changed since this run began ({', '.join(several)}): finished "
                "records are not searched for again; `fresh=True` searches for all of them in one state."
            )


def searched_rows(searched: Mapping[str, int]) -> Iterator[str]:
    """The number of records searched per state, unless all used one complete state."""
    mixed = any(mixed_states(searched))
    for state, count in searched.items():
        if mixed or UNFINISHED in state:
            records = "record" if count == 1 else "records"
            yield f"{count:,} {records} in {state}" + (" (not whole)" if UNFINISHED in state else "")
