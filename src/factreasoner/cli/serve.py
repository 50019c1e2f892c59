"""`factreasoner serve`: check answers over HTTP."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ByteSize, TypeAdapter, ValidationError

from factreasoner.cli.flags import EVERY, PROFILE, Command, flag
from factreasoner.errors import ConfigError, UsageError
from factreasoner.models.formatting import number_of
from factreasoner.pipeline.config import Config, remote_service
from factreasoner.plugins.table import extras_named
from factreasoner.report.terminal import print_text

if TYPE_CHECKING:
    from factreasoner.analysis.rules import Rule
    from factreasoner.metrics.factuality import KSetting
    from factreasoner.serve.app import Access

SECONDS_OF_A_THREAD = 0.0005
"""Switch interval that keeps the event loop responsive; Python's default is ten times longer."""
UNUSED = ("executor", "workers", "batch", "timeout")
"""Settings of runs that the service replaces with its own threads and time limit."""


class ServeCommand(Command, panels=EVERY, without=UNUSED):
    """Serve assess, verify, rag and recall over HTTP; with --min, also a check that accepts or
    refuses answers.

    A request's body is one record; settings are flags of this command. After SIGTERM, every accepted
    record is still answered.
    """

    profile: Path | None = PROFILE
    host: str = flag("Address to listen on; other machines need a token.", default="127.0.0.1")
    port: int = flag("Port to listen on; 0: a free port.", default=8070, min=0, max=65535)
    queue: int = flag("Maximum waiting records; further ones get 503.", default=64, min=0)
    timeout: float = flag(
        "Maximum seconds per request, model calls included; then 504.", default=60.0, min=0.1
    )
    max_body: str = flag("Maximum size of a body, such as 500KB or 1MiB.", default="1MiB")
    max_pairs: int = flag("Maximum pairs of claim and context per record.", default=150, min=1)
    token_env: str | None = flag("Environment variable that holds the token clients must send.")
    allow_host: list[str] | None = flag("Host name that requests may use; repeatable.")
    at_least: list[str] | None = flag(
        "NAME=NUMBER, such as precision=0.8: a rule of /v1/check; repeatable.", "--min"
    )
    drain_delay: float = flag("Seconds to keep accepting records after SIGTERM.", default=0.0, min=0.0)

    def _execute(self) -> int:
        from factreasoner.judges.encoder.runtime import use_one_thread

        config = self.config
        with extras_named():
            from factreasoner.serve.app import RequestLimits, Service
            from factreasoner.serve.server import listening, serve_until, until_signal
        from factreasoner.serve.answers import ServiceSettings
        from factreasoner.serve.queue import Queue

        threads = threads_for(config)
        in_time = {
            "timeout": min(config.timeout, self.timeout),
            "patience": min(config.patience, self.timeout / 2),  # a server that is down is told of in time
        }
        kept = config.model_copy(update={**in_time, "executor": "threads"})
        terms = ServiceSettings(kept, rules_of(self.at_least or (), config.k), self.max_pairs)
        access, limits = self._access(), RequestLimits(self.timeout, bytes_of(self.max_body))
        queue = Queue(terms, threads, self.queue)
        service = Service(terms, queue, access, limits, partial(print_text, err=True))
        listener = listening(self.host, self.port)
        host, port = listener.getsockname()[:2]
        where = f"http://{f'[{host}]' if ':' in host else host}:{port}"

        def ready() -> None:
            gc.freeze()  # what was made stays: to go over it takes 3 % of a small record's time
            print_text(f"Serving on {where} with {number_of(threads, 'thread')}.", err=True)

        sys.setswitchinterval(SECONDS_OF_A_THREAD)
        use_one_thread()
        run = partial(serve_until, service=service, listener=listener, ready=ready)
        return until_signal(run, service.drain, self.drain_delay)

    def _access(self) -> Access:
        """Access rules. Raises ConfigError: a token is required and missing."""
        from factreasoner.serve.app import Access, is_loopback

        token = os.environ.get(self.token_env, "").strip() if self.token_env else None
        if token == "":
            raise ConfigError(f"--token-env {self.token_env}: the variable is not set, or empty")
        if token is None and not is_loopback(self.host):
            raise ConfigError(f"--host {self.host}: other machines can reach it there: add --token-env NAME")
        return Access.of(self.host, self.allow_host or (), token)


def threads_for(config: Config) -> int:
    """Number of answering threads: one per core, or `concurrency` if waiting for a model or search.

    Raises ConfigError: settings for the execution of runs are given.
    """
    from factreasoner.runs.processes import processes_at_once

    if config.executor == "ray" or config.batch != "none":
        raise ConfigError("executor, batch: a service answers at once; remove Ray and batches")
    return config.concurrency if remote_service(config) else processes_at_once(config)


def rules_of(texts: list[str] | tuple[()], k: KSetting) -> tuple[Rule, ...]:
    """The rules of `/v1/check`.

    Raises:
        UsageError: wrong form, or a metric that one record does not have.
        ConfigError: K is the median of a run.
    """
    if not texts:
        return ()
    from factreasoner.analysis.rules import parse_rules
    from factreasoner.tasks.factuality import TASK

    rules = parse_rules(texts, (), TASK)
    for rule in rules:
        metric = TASK.table.metrics.get(rule.measure)
        if metric is None or "line" not in metric.places:
            raise UsageError(f"--min {rule.measure}: it belongs to a run, and a single record has none")
        if k == "median" and "{k}" in metric.shown:
            raise ConfigError(
                f"--min {rule.measure}: K is a run's median, and a single record has none: add --k NUMBER"
            )
    return tuple(rules)


def bytes_of(text: str) -> int:
    """A number of bytes, as "1MiB" or "500 kB".

    Raises UsageError: it is not a number of bytes.
    """
    with contextlib.suppress(ValidationError):
        if (found := TypeAdapter(ByteSize).validate_python(text)) > 0:
            return found
    raise UsageError(f"--max-body {text!r}: write a number of bytes, such as 500KB or 1MiB")
