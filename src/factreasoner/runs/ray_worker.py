"""What runs in the processes of a Ray cluster: workers, and how they reach the owner of what they share."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import ray
from ray.exceptions import RayActorError, RayTaskError

from factreasoner import __version__
from factreasoner.errors import RunError
from factreasoner.models import Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.runs.pools import Portion, PortionWorker
from factreasoner.runs.shared_calls import Call, SharedCalls, remote_limits
from factreasoner.settings import Config
from factreasoner.tasks.registry import task_named

GROUPS = {"turns": 32, "money": 32, "claims": 64, "files": 32, "swift": 4}
"""Threads of the owner by what they wait for, so that who gives something back never waits for who takes."""
_GROUP_OF = {
    "enter": "turns",
    "reserve": "money",
    "claim": "claims",
    "paid": "files",
    "keep_capabilities": "files",
}


def calling(owner: Any) -> Call:
    """Calls methods of the actor that owns what workers share, as if it were here."""

    def call(name: str, *args: Any, **options: Any) -> Any:
        method = getattr(owner, name).options(concurrency_group=_GROUP_OF.get(name, "swift"))
        try:
            return ray.get(method.remote(*args, **options))
        except RayTaskError as error:
            raise error.cause from None
        except RayActorError:
            raise RunError("the driver of this run is gone") from None

    return call


class Owner(SharedCalls):
    """The actor that owns what workers share; paths of the run are relative to the driver's `folder`."""

    def __init__(self, folder: str, *owned: Any) -> None:
        os.chdir(folder)
        super().__init__(*owned)


class Assignment(NamedTuple):
    """What a worker is to do: a task under settings, as if from the driver's folder, called by a name."""

    name: str
    task: str
    config: Config
    folder: str


class RayWorker:
    """The actor: one process of the cluster with a task's worker of its own."""

    def __init__(self, assignment: Assignment, owner: Any) -> None:
        name, task, config, folder = assignment
        if Path(folder).is_dir():  # paths of settings are relative to it
            os.chdir(folder)
        named, shared = task_named(task), remote_limits(calling(owner), name, config)
        self._worker = PortionWorker(named, lambda: named.worker(config, Calls(shared=shared)))

    def version(self) -> str:
        """The version of factreasoner that the worker's node runs."""
        return __version__

    def work(self, records: Sequence[Record]) -> Portion:
        """Work on records one after the other."""
        return self._worker.work(records)
