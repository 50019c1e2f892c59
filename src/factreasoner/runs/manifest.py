"""The manifest of a run: what it was made with, and what was learnt on the way."""

from __future__ import annotations

import functools
import json
import platform
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from filelock import FileLock
from pydantic import ValidationError

from factreasoner.errors import RunError
from factreasoner.files import replace_file
from factreasoner.llm.capabilities import Capabilities
from factreasoner.settings import CALL_SETTINGS, SCORE_SETTINGS, Config
from factreasoner.tasks.registry import FACTUALITY
from factreasoner.text.parsing import describe_model

FORMAT = 2
"""Version of a run folder's files; it grows where an earlier reader would misread them."""
MANIFEST, RESULTS = "manifest.json", "results.jsonl"
SCORED_AGAIN = "scored_again.json"
"""Marks a folder in which `score` put the scores of a run."""
LEARNT = ("parser", "searched", "models")
"""Keys of what is learnt while the run goes on."""
UNFINISHED = "@unfinished"
"""Part of the state of a collection that is being written, or whose writing was cut off."""
PACKAGES = ("litellm", "numpy", "pgmpy", "pydantic", "scipy")


class Manifest:
    """manifest.json of `folder`: task, settings without secrets, prompt fingerprints, versions, models."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.path = folder / MANIFEST

    def content(self) -> dict[str, Any]:
        """What the file holds. Raises RunError when there is none or it can't be read."""
        try:
            data = json.loads(self.path.read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError) as error:
            raise RunError(_not_a_run(self.folder)) from error
        except (OSError, ValueError, RecursionError) as error:
            raise RunError(f"{self.path}: can't be read: {error}") from error
        if not isinstance(data, dict) or not isinstance(data.get("config"), dict):
            raise RunError(f"{self.path}: not a manifest: it has no `config`")
        return data

    @property
    def task(self) -> str:
        """Name of the run's task."""
        return str(self.content().get("task", FACTUALITY))

    def _learning(self) -> FileLock:
        """Held while what was learnt is added; threads and processes may do so at once."""
        return FileLock(self.folder / ".learning.lock")

    def models(self) -> dict[str, Capabilities]:
        """How each model is asked, where that is learnt. Raises RunError for a damaged file."""
        manifest = self.content()
        kept = manifest.get("models", {})
        if "model" in manifest:  # of versions that kept it for one model
            kept = {str(manifest["config"]["model"]): manifest["model"]} | kept
        try:
            return {name: Capabilities.model_validate(capabilities) for name, capabilities in kept.items()}
        except ValidationError as error:
            raise RunError(f"{self.path}: `models` can't be read: {error}") from error

    def capabilities(self, model: str) -> Capabilities | None:
        """How that model is asked; None where that is not learnt yet."""
        return self.models().get(model)

    def keep_capabilities(self, model: str, capabilities: Capabilities) -> None:
        """Write how that model is asked."""
        with self._learning():
            kept = self.content().get("models", {})
            self._keep(models=kept | {model: capabilities.model_dump(mode="json")})

    def keep_searched(self, states: Sequence[str]) -> list[str]:
        """Add the collections searched from now on, as `name@state`; returns those noted before."""
        with self._learning():
            before = [str(state) for state in self.content().get("searched", [])]
            if states:
                self._keep(searched=list(dict.fromkeys([*before, *states])))
            return before

    def refuse_other_run(self, wanted: Mapping[str, Mapping[str, Any]]) -> None:
        """Raise RunError, with the keys that differ, if the run was made with other settings."""
        manifest = self.content()
        if wanted["config"].keys() - manifest["config"].keys():
            raise RunError(
                f"{self.folder}: the run in this folder was made by an earlier version, whose results are "
                "not mixed with this version's; it can be read and scored. To run it, use another --out, or "
                "start over with --fresh"
            )
        differences = [
            f"{key}: {there.get(key)!r} there, {here.get(key)!r} now"
            for part, here in wanted.items()
            for there in [result_part(part, manifest.get(part, {}))]
            for key in sorted(here.keys() | there.keys())
            if here.get(key) != there.get(key)
        ]
        if differences:
            raise RunError(
                f"{self.folder}: the run in this folder was made with other settings "
                f"({'; '.join(differences)}); use another --out, or start over with --fresh"
            )

    def settle_parser(self, config: Config) -> None:
        """Note the parser that makes atoms from now on. Raises RunError if the run began with another one."""
        here = describe_model(config.spacy_model)
        with self._learning():
            if "parser" not in self.content():
                self._keep(parser=here)
            elif self.parser != here:
                raise RunError(
                    f"{self.folder}: the atoms in this folder were made with another parser "
                    f"({self.parser or 'none'} there, {here or 'none'} now), and those of the rest would "
                    "differ; go on where that parser is installed, use another --out, or start over with "
                    "--fresh"
                )

    @property
    def parser(self) -> str | None:
        """Name and version of the parser that made the run's atoms, None for none.

        Where it was not noted, this is the parser installed now.
        """
        content = self.content()
        if "parser" in content:
            return None if content["parser"] is None else str(content["parser"])
        return describe_model(content["config"].get("spacy_model"))

    def write(
        self,
        task: str,
        config: Config,
        prompts: Mapping[str, str],
        files: Mapping[str, str],
        *,
        going_on: bool = False,
    ) -> None:
        """Write the manifest anew; `prompts` and `files` are fingerprints of what else decides results.

        A run that is `going_on` keeps what it has learnt.
        """
        versions = {"factreasoner": _version("factreasoner"), "python": platform.python_version()}
        before = self.content() if going_on else {}
        if models := self.models() if going_on else {}:
            before["models"] = {name: known.model_dump(mode="json") for name, known in models.items()}
        manifest = {
            "format": FORMAT,
            "task": task,
            "config": config.model_dump(mode="json"),
            "prompts": dict(prompts),
            "files": dict(files),
            "versions": versions | {name: _version(name) for name in PACKAGES},
        }
        self._replace(manifest | {key: before[key] for key in LEARNT if key in before})

    def _keep(self, **learnt: object) -> None:
        self._replace(self.content() | learnt)

    def _replace(self, content: Mapping[str, Any]) -> None:
        replace_file(self.path, [json.dumps(content, indent=2, ensure_ascii=False)])


def result_settings(config: Config) -> dict[str, Any]:
    """The settings that decide what the assessments of a run are."""
    return result_part("config", config.model_dump(mode="json"))


def result_part(part: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """`values` less the keys that change no assessment."""
    left_out = CALL_SETTINGS | SCORE_SETTINGS if part == "config" else frozenset[str]()
    return {key: value for key, value in values.items() if key not in left_out}


@functools.cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "unknown"


def _not_a_run(folder: Path) -> str:
    """Why a folder without a manifest is not a run, and what to do about it."""
    if not folder.is_dir():
        return f"{folder}: not a run folder: {'a file' if folder.exists() else 'there is no such folder'}"
    if not (folder / RESULTS).exists():
        return f"{folder}: not a run folder: it has no {MANIFEST}"
    if (folder / SCORED_AGAIN).exists():
        return f"{folder}: not a run folder: it holds scores of a run; name that run"
    beside = folder.parent if (folder.parent / MANIFEST).exists() else "RUN_DIR"
    return (
        f"{folder}: holds scores of a version that did not note the run or its settings; "
        f"score that run again: factreasoner score {beside} --out {folder}, with the same settings"
    )


def unfinished_states(states: Sequence[str]) -> Iterator[str]:
    """A warning for each collection that is not whole."""
    for state in states:
        name, unfinished, passages = state.partition(f"{UNFINISHED}-")
        if unfinished:
            yield (
                f"Collection {name!r} is not whole: indexing is under way or was cut off at {passages} "
                "passages. What is missing can't be found; `factreasoner index` completes it."
            )


def mixed_states(states: Sequence[str]) -> Iterator[str]:
    """A warning for each collection that is among `states` in more than one state."""
    by_name: dict[str, dict[str, None]] = {}
    for state in states:
        by_name.setdefault(state.partition("@")[0], {})[state] = None
    for name, several in by_name.items():
        if len(several) > 1:
            yield (
                f"Collection {name!r} has changed since this run began: it mixes records searched for in "
                f"{', '.join(several)}; --fresh searches for all of them in one state."
            )


def searched_rows(searched: Mapping[str, int]) -> Iterator[str]:
    """How many records were searched for in which state, unless all were in one whole state."""
    mixed = any(mixed_states(list(searched)))
    for state, count in searched.items():
        if mixed or UNFINISHED in state:
            records = "record" if count == 1 else "records"
            yield f"{count:,} {records} in {state}" + (" (not whole)" if UNFINISHED in state else "")
