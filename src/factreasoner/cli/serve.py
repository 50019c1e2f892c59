"""`factreasoner serve`: answers are checked while they are asked for, over HTTP."""

from __future__ import annotations

import contextlib
import os
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from factreasoner.cli.flags import Profile, takes_flags
from factreasoner.errors import ConfigError
from factreasoner.report.terminal import say

if TYPE_CHECKING:
    from factreasoner.analysis.rules import Rule
    from factreasoner.metrics.factuality import KSetting
    from factreasoner.serve.app import Access
    from factreasoner.settings import Config

UNUSED = ("executor", "workers", "ray_address", "batch", "timeout")
"""Settings of runs: the service has workers and a time limit of its own."""


class Served(NamedTuple):
    """Where and how it is served."""

    host: Annotated[str, typer.Option(help="Where to listen; beyond this machine only with a token.")] = (
        "127.0.0.1"
    )
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: a free port.")] = 8070
    workers: Annotated[
        int | None,
        typer.Option(
            min=1, help="Processes, for judges that compute. (default: one a core; threads with a model)"
        ),
    ] = None
    queue: Annotated[int, typer.Option(min=0, help="Records that may wait; more get 503.")] = 64
    timeout: Annotated[
        float, typer.Option(min=0.1, help="Seconds a request may take, model calls included; then 504.")
    ] = 30.0
    max_body: Annotated[str, typer.Option(help="Largest body, as 500KB or 1MiB.")] = "1MiB"
    max_pairs: Annotated[
        int, typer.Option(min=1, help="Most pairs of claim and passage that a record may make.")
    ] = 20_000
    token_env: Annotated[
        str | None, typer.Option(help="Environment variable that holds the token to ask for.")
    ] = None
    allow_host: Annotated[list[str] | None, typer.Option(help="A host name of the service; repeatable.")] = (
        None
    )
    at_least: Annotated[
        list[str] | None,
        typer.Option("--min", help="NAME=NUMBER, as precision=0.8: a rule of /v1/check; repeatable."),
    ] = None
    drain_delay: Annotated[
        float, typer.Option(min=0.0, help="Seconds to keep accepting records after SIGTERM.")
    ] = 0.0


@takes_flags(without=UNUSED)
def serve(
    profile: Profile = None,
    *,
    served: Served,
    settings: dict[str, Any],
) -> None:
    """Serve assess, verify, rag and recall over HTTP, and with --min a check that allows or refuses answers.

    A body is one record; all settings are given here. SIGTERM drains: every accepted record is answered.
    """
    from factreasoner.plugins.table import extras_named
    from factreasoner.settings import load_settings

    config = load_settings(profile, settings)
    with extras_named():
        from factreasoner.serve.app import Limits, Service
        from factreasoner.serve.server import listening, serve_until, until_signal
    from factreasoner.serve.answers import Terms
    from factreasoner.serve.pool import Pool

    processes = processes_for(served.workers, config)
    in_time = {
        "timeout": min(config.timeout, served.timeout),
        "patience": min(config.patience, served.timeout / 2),  # a server that is down is told of in time
    }
    kept = config.model_copy(update={**in_time, "executor": "threads"})
    terms = Terms(kept, rules_of(served.at_least or (), config.k), served.max_pairs)
    access, limits = access_of(served), Limits(served.timeout, bytes_of(served.max_body))
    service = Service(terms, Pool(terms, processes, served.queue), access, limits, partial(say, err=True))
    listener = listening(served.host, served.port)
    host, port = listener.getsockname()[:2]
    who = f"{processes} processes" if processes else f"{config.concurrency} threads"
    say(f"Serving on http://{f'[{host}]' if ':' in host else host}:{port} with {who}.", err=True)
    run = partial(serve_until, service=service, listener=listener)
    raise typer.Exit(until_signal(run, service.drain, served.drain_delay))


def processes_for(workers: int | None, config: Config) -> int | None:
    """How many processes answer; None: threads, since a model or a search is waited for.

    Raises:
        ConfigError: processes are asked for where threads wait, or runs' ways of working are.
    """
    from factreasoner.runs.pools import processes_at_once

    if config.executor == "ray" or config.batch != "none":
        raise ConfigError("executor, batch: a service answers at once; leave out Ray and batches")
    searched = {"wikipedia", "web"} & set(config.retriever.split(","))
    if config.model is None and not searched:
        return workers or processes_at_once(config)
    if workers is not None:
        waits = f"model {config.model!r}" if config.model else f"retriever {min(searched)!r}"
        raise ConfigError(
            f"--workers: processes are for judges that compute; for {waits} threads wait, as many as "
            "--concurrency: leave it out"
        )
    return None


def rules_of(texts: list[str] | tuple[()], k: KSetting) -> tuple[Rule, ...]:
    """The rules of `/v1/check`.

    Raises:
        ConfigError: not of the form, or about what one record has no value of, as F1@K of a run's median.
    """
    if not texts:
        return ()
    from factreasoner.analysis.rules import parse_rules
    from factreasoner.tasks.factuality import TASK

    rules = parse_rules(texts, (), TASK)
    for rule in rules:
        metric = TASK.table.metrics.get(rule.measure)
        if metric is None or "line" not in metric.places:
            raise ConfigError(f"--min {rule.measure}: it is of a run, and no record alone has it")
        if k == "median" and "{k}" in metric.shown:
            raise ConfigError(
                f"--min {rule.measure}: K is a run's median, which no record alone has: add --k NUMBER"
            )
    return tuple(rules)


def access_of(served: Served) -> Access:
    """Who may ask.

    Raises:
        ConfigError: a token is required and missing.
    """
    from factreasoner.serve.app import Access, is_loopback

    token = os.environ.get(served.token_env, "").strip() if served.token_env else None
    if token == "":
        raise ConfigError(f"--token-env {served.token_env}: the variable is not set, or empty")
    if token is None and not is_loopback(served.host):
        raise ConfigError(f"--host {served.host}: others reach it there: add --token-env NAME")
    return Access.of(served.host, served.allow_host or (), token)


def bytes_of(text: str) -> int:
    """A number of bytes, as "1MiB" or "500 kB".

    Raises:
        ConfigError: it is not a number of bytes.
    """
    from pydantic import ByteSize, TypeAdapter, ValidationError

    with contextlib.suppress(ValidationError):
        if (found := TypeAdapter(ByteSize).validate_python(text)) > 0:
            return found
    raise ConfigError(f"--max-body {text!r}: write a number of bytes, as 500KB or 1MiB")
