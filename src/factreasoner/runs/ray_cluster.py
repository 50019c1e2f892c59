"""Workers on a Ray cluster, or on one that is started on this machine for the run.

One named actor, on the driver's machine, owns limits, money and cache (`SharedCalls`); it writes what is paid
and what is learnt about models. Every other actor is a worker with a core to itself. The driver writes
everything else in the run folder.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import threading
import time
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when ray is imported
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_agent_register_timeout_ms", "300000")  # a busy machine takes more than 30 s

import ray
from ray.exceptions import (
    ObjectLostError,
    OutOfMemoryError,
    RayActorError,
    RayTaskError,
    RuntimeEnvSetupError,
)
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from factreasoner import __version__
from factreasoner.errors import ConfigError, RunError
from factreasoner.llm.cache import cache_folder
from factreasoner.models import Record
from factreasoner.pipeline.assembly import Calls
from factreasoner.plugins.kinds import own_modules
from factreasoner.plugins.table import PLUGINS
from factreasoner.runs.executors import Pool, Portion, PortionWorker
from factreasoner.runs.processes import processes_at_once
from factreasoner.runs.shared_calls import Call, SharedCalls, remote_limits
from factreasoner.settings import Config
from factreasoner.tasks.task import task_named

LOOK_SECONDS = 5.0
"""Between two checks of how many cores the cluster has."""
SECONDS_FOR_ANSWERS = 1.5
SECONDS_TO_KEEP = 0.1
"""From a model's answer to its place in the cache."""
CONNECT_SECONDS = 10.0
OBJECT_STORE = 128 * 2**20
"""Bytes of shared memory on a cluster that is started here: records and results are small."""

GROUPS = {"turns": 32, "money": 32, "claims": 64, "files": 32, "swift": 4}
"""Threads of the owner by what they wait for, so that giving back never waits for taking."""
_GROUP_OF = {
    "enter": "turns",
    "reserve": "money",
    "claim": "claims",
    "paid": "files",
    "memory.keep_capabilities": "files",
    "cache.store": "files",
}


def calling(owner: Any) -> Call:
    """Calls methods of the actor that owns what workers share."""

    def call(name: str, *values: Any) -> Any:
        method = owner.call.options(concurrency_group=_GROUP_OF.get(name, "swift"))
        try:
            return ray.get(method.remote(name, *values))
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


class RayWorker:
    """The actor `name`: one process of the cluster with a worker of `task`.

    Paths of settings are relative to `folder`, where the driver works.
    """

    def __init__(self, name: str, task: str, config: Config, folder: str, owner: Any) -> None:
        if Path(folder).is_dir():
            os.chdir(folder)
        named, shared = task_named(task), remote_limits(calling(owner), name, config)
        self._worker = PortionWorker(named, lambda: named.worker(config, Calls(shared=shared)))

    def version(self) -> str:
        """The version of factreasoner on the worker's node."""
        return __version__

    def work(self, records: Sequence[Record]) -> Portion:
        """Work on records one after another."""
        return self._worker.work(records)


class _Actor:
    """A worker of the cluster, begun or not; `version` is that of its package."""

    def __init__(self, name: str, actor: Any) -> None:
        self.name = name
        self.actor = actor
        self.version: Future[str] = actor.version.remote().future()


class RayCluster(Pool[_Actor]):
    """As many workers as the cluster has cores, or as the settings say; see `Pool`. They end with the block.

    With a model, `config.concurrency` records are under way, however many workers share them.

    Raises:
        ConfigError: there is no such cluster, or a user's own code can't be sent to it.
        RunError: workers can't begin, or the cluster has another version of this package.
    """

    least_deaths = 2
    deadly = (RayActorError, ObjectLostError, OutOfMemoryError)
    cannot_begin = "no worker can start on the Ray cluster: {error}"

    def __init__(self, task: str, config: Config, calls: Calls, *, settled: bool) -> None:
        super().__init__()
        self.settled = settled
        self._task, self._config, self._calls = task, config, calls
        self._wanted = 0
        self._looked = float("-inf")
        if config.model is not None:
            self.largest = 1

    def __enter__(self) -> RayCluster:
        self._own = not ray.is_initialized()
        if self._own:
            _connect(self._config)
        try:
            self._begin()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def _begin(self) -> None:
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        own = self._config.model_copy(update={"cache_dir": cache_folder(self._config).resolve()})
        self._owner = (
            ray.remote(concurrency_groups=GROUPS)(Owner)
            .options(name=f"factreasoner-{uuid.uuid4().hex}", num_cpus=0, scheduling_strategy=here)
            .remote(str(Path.cwd()), own, self._calls.spent, self._calls.paid, self._calls.memory)
        )
        self._call = calling(self._owner)

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        if isinstance(error, KeyboardInterrupt):
            self._let_answers_in()
        for worker in self._workers:
            ray.kill(worker.actor)
        if hasattr(self, "_owner"):
            ray.kill(self._owner)
        if self._own:
            ray.shutdown()

    def _let_answers_in(self) -> None:
        """Stop new requests, and wait a moment for the answers of those under way to be kept."""
        with contextlib.suppress(Exception):
            self._call("stop")
            until = time.monotonic() + SECONDS_FOR_ANSWERS
            had_any = False
            while self._call("in_flight") and time.monotonic() < until:
                had_any = True
                time.sleep(0.02)
            if had_any:
                time.sleep(SECONDS_TO_KEEP)

    def hired(self) -> _Actor | None:
        """See `Pool`."""
        now = time.monotonic()
        if now - self._looked > LOOK_SECONDS:
            self._looked = now
            cores = int(ray.cluster_resources().get("CPU", 0))
            self._wanted = self._config.workers or max(cores, 1)
            if self._config.model is not None:
                self.room = -(-self._config.concurrency // self._wanted)
        if len(self._workers) >= self._wanted:
            return None
        name = uuid.uuid4().hex
        worker = name, self._task, self._config, str(Path.cwd()), self._owner
        at_once = 1 if self._config.model is None else self._config.concurrency
        options = {"num_cpus": 1, "max_restarts": 0, "max_concurrency": at_once}
        return _Actor(name, ray.remote(RayWorker).options(**options).remote(*worker))

    def begun(self, worker: _Actor) -> bool:
        """See `Pool`."""
        if not worker.version.done():
            return False
        try:
            version = worker.version.result()
        except RuntimeEnvSetupError as error:
            raise ConfigError(f"executor: your own code can't be sent to the cluster: {error}") from None
        if version != __version__:
            raise RunError(f"a worker of the cluster has factreasoner {version}, but this is {__version__}")
        return True

    def submit(self, worker: _Actor, records: Sequence[Record]) -> Future[Portion]:
        """See `Pool`."""
        future: Future[Portion] = worker.actor.work.remote(records).future()
        return future

    def died(self, worker: _Actor) -> None:
        """See `Pool`."""
        if worker in self._workers:
            ray.kill(worker.actor)
            self._call("forget", worker.name)
        super().died(worker)


def _connect(config: Config) -> None:
    """Join the cluster that is named, or start one here. Raises ConfigError if there is none."""
    address = config.ray_address or os.environ.get("RAY_ADDRESS") or "local"
    if address.startswith("ray://"):
        raise ConfigError(
            f"ray_address: {address} is for Ray's client; run the command on a machine of the cluster, with "
            "--ray-address auto, or send it there with `ray job submit`"
        )
    options: dict[str, Any] = {}
    if address == "local":
        cores = processes_at_once(config)
        options = {"num_cpus": cores, "include_dashboard": False, "object_store_memory": OBJECT_STORE}
    elif modules := own_modules(part for kind in PLUGINS for part in str(getattr(config, kind)).split(",")):
        options = {"runtime_env": {"py_modules": modules}}
    logging.getLogger("ray").setLevel(logging.ERROR)  # it warns about its own defaults
    token = _reached(address)
    with _own_signals():
        try:
            ray.init(
                address=address,
                log_to_driver=False,
                configure_logging=False,
                logging_level=logging.ERROR,
                **options,
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise ConfigError(f"ray_address: no Ray cluster at {address}: {error}{token}") from None
        except Exception as error:  # Ray's own are bare; one is that a busy machine took more than 30 s
            raise RunError(f"no Ray cluster has started or answered: {error}; try again") from error


def _reached(address: str) -> str:
    """What may be missing if Ray does not connect to an address that answers.

    If nothing answered, Ray would try for minutes. It shows a cluster named by its host a token only if told.
    """
    host, _, port = address.rpartition(":")
    if not host:
        return ""
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:
        raise ConfigError(f"ray_address: no Ray cluster at {address}: {error}") from None
    if "RAY_AUTH_MODE" in os.environ:
        return ""
    return "; if that cluster asks for a token, as it may by default, set RAY_AUTH_MODE=token"


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
    """Keep our signal handlers, which Ray replaces with its own."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    ours = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in ours.items():
                signal.signal(number, handler)
