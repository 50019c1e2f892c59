"""Settings of tasks and runs. They are here because `config` composes all settings."""

from __future__ import annotations

from functools import partial
from typing import Literal

from factreasoner.settings.setting import Settings, setting

PremiseMode = Literal["each", "joint"]
Uncited = Literal["flag", "check"]
Executor = Literal["threads", "processes", "ray"]
_claims = partial(setting, "Claims", common=True)
_run = partial(setting, "Model", affects="calls")


class TaskSettings(Settings):
    """Settings of tasks on claims."""

    premise: PremiseMode = _claims(
        "each", "each: judge contexts one by one (an exact matrix); joint: in one call (cheaper)."
    )
    uncited: Uncited = _claims(
        "flag", "What to do with claims that cite nothing: flag them, or check them against all sources."
    )
    rounds: int = _claims(2, "Maximum rounds of correcting and verifying an answer; 0: none.", ge=0, le=2)


class RunSettings(Settings):
    """Settings of how records are processed."""

    executor: Executor = _run(
        "threads",
        "Where records are processed: in threads, in processes (all cores, for local judges) or on a "
        "Ray cluster.",
    )
    workers: int | None = _run(None, "Number of processes. (default: one per core)", ge=1)
