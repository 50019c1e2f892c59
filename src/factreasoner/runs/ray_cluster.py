"""Workers on a Ray cluster, or on a local one started for the run.

Every actor is a worker with its own core. Only the driver writes to the run folder. `RAY_ADDRESS` names the
cluster, as for `ray` itself.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when ray is imported
os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
os.environ.setdefault("RAY_agent_register_timeout_ms", "300000")  # a busy machine takes more than 30 s

import ray
from ray.exceptions import ObjectLostError, OutOfMemoryError, RayActorError, RuntimeEnvSetupError

from factreasoner import __version__
from factreasoner.errors import ConfigError, RunError
from factreasoner.models import Record
from factreasoner.pipeline.config import Config
from factreasoner.plugins.kinds import own_modules
from factreasoner.plugins.table import PLUGINS
from factreasoner.runs.executors import Portion, WorkerPool
from factreasoner.runs.processes import processes_at_once, worker_alone

LOOK_SECONDS = 5.0
"""Seconds between checks of the cluster's number of cores."""
CONNECT_SECONDS = 10.0
OBJECT_STORE = 128 * 2**20
"""Bytes of shared memory of a local cluster: records and results are small."""


class RayWorker:
    """An actor: one process of the cluster with a worker of `task`.

    Paths in settings are relative to `folder`, the driver's working folder.
    """

    def __init__(self, task: str, config: Config, folder: str) -> None:
        if Path(folder).is_dir():
            os.chdir(folder)
        self._worker = worker_alone(task, config)

    def version(self) -> str:
        """The version of factreasoner on the worker's node."""
        return __version__

    def work(self, records: Sequence[Record]) -> Portion:
        """Process records in turn."""
        return self._worker.work(records)


class _Actor:
    """A worker of the cluster; `version` is that of its package."""

    def __init__(self, actor: Any) -> None:
        self.actor = actor
        self.version: Future[str] = actor.version.remote().future()


class RayCluster(WorkerPool[_Actor]):
    """As many workers as configured, or as the cluster has cores, until the block ends.

    Raises:
        ConfigError: there is no such cluster, or custom code can't be sent to it.
        RunError: workers can't begin, or the cluster has another version of this package.
    """

    least_deaths = 2
    deadly = (RayActorError, ObjectLostError, OutOfMemoryError)
    cannot_begin = "no worker can start on the Ray cluster: {error}"

    def __init__(self, task: str, config: Config) -> None:
        super().__init__()
        self._task, self._config = task, config
        self._wanted = 0
        self._looked = float("-inf")

    def __enter__(self) -> RayCluster:
        self._own = not ray.is_initialized()
        if self._own:
            _connect(self._config)
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        for worker in self._workers:
            ray.kill(worker.actor)
        if self._own:
            ray.shutdown()

    def hired(self) -> _Actor | None:
        """See `WorkerPool`."""
        now = time.monotonic()
        if now - self._looked > LOOK_SECONDS:
            self._looked = now
            cores = int(ray.cluster_resources().get("CPU", 0))
            self._wanted = self._config.workers or max(cores, 1)
        if len(self._workers) >= self._wanted:
            return None
        actor = ray.remote(RayWorker).options(num_cpus=1, max_restarts=0)
        return _Actor(actor.remote(self._task, self._config, str(Path.cwd())))

    def begun(self, worker: _Actor) -> bool:
        """See `WorkerPool`."""
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
        """See `WorkerPool`."""
        future: Future[Portion] = worker.actor.work.remote(records).future()
        return future

    def died(self, worker: _Actor) -> None:
        """See `WorkerPool`."""
        if worker in self._workers:
            ray.kill(worker.actor)
        super().died(worker)


def _connect(config: Config) -> None:
    """Join the named cluster, or start a local one. Raises ConfigError if there is none."""
    address = os.environ.get("RAY_ADDRESS") or "local"
    if address.startswith("ray://"):
        raise ConfigError(
            f"RAY_ADDRESS: {address} is for Ray's client; run the command on a machine of the cluster, with "
            "RAY_ADDRESS=auto, or send it there with `ray job submit`"
        )
    options: dict[str, Any] = {}
    if address == "local":
        cores = processes_at_once(config)
        options = {"num_cpus": cores, "include_dashboard": False, "object_store_memory": OBJECT_STORE}
    elif modules := own_modules(part for kind in PLUGINS for part in str(getattr(config, kind)).split(",")):
        options = {"runtime_env": {"py_modules": modules}}
    logging.getLogger("ray").setLevel(logging.ERROR)  # it warns about its own defaults
    token = _reached(address)
    with _keep_signal_handlers():
        try:
            ray.init(
                address=address,
                log_to_driver=False,
                configure_logging=False,
                logging_level=logging.ERROR,
                **options,
            )
        except (OSError, ValueError, RuntimeError) as error:
            raise ConfigError(f"RAY_ADDRESS: no Ray cluster at {address}: {error}{token}") from None
        except Exception as error:  # Ray's own are bare; one is that a busy machine took more than 30 s
            raise RunError(f"no Ray cluster has started or answered: {error}; try again") from error


def _reached(address: str) -> str:
    """What may be missing if Ray does not connect to an address that answers.

    Without an answer, Ray would retry for minutes. It sends a token to a cluster named by host only if
    configured.
    """
    host, _, port = address.rpartition(":")
    if not host:
        return ""
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:
        raise ConfigError(f"RAY_ADDRESS: no Ray cluster at {address}: {error}") from None
    if "RAY_AUTH_MODE" in os.environ:
        return ""
    return "; if that cluster asks for a token, as it may by default, set RAY_AUTH_MODE=token"


@contextlib.contextmanager
def _keep_signal_handlers() -> Iterator[None]:
    """Keep our signal handlers, which Ray replaces."""
    numbers = (signal.SIGINT, signal.SIGTERM)
    ours = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            for number, handler in ours.items():
                signal.signal(number, handler)
