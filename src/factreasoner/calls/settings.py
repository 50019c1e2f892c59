"""Settings of calls."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from factreasoner.settings.setting import Settings, setting
from factreasoner.settings.values import Url

_call = partial(setting, "Model", affects="calls")


class CallSettings(Settings):
    """How requests are sent, limited, paid for and kept."""

    api_base: Url | None = setting(
        "Model", None, "URL of an OpenAI-compatible server, such as http://localhost:8000/v1.", common=True
    )
    timeout: float = _call(120.0, "Maximum seconds per request.", gt=0.0)
    max_attempts: int = _call(5, "Maximum attempts per claim, including bad replies and timeouts.", ge=1)
    patience: float = _call(
        120.0,
        "Seconds a call waits for a server that is down or busy before it fails.",
        ge=0.0,
        allow_inf_nan=False,
    )
    concurrency: int = _call(16, "Maximum simultaneous requests.", common=True, ge=1)
    requests_per_minute: int | None = _call(
        None, "Maximum requests per minute; others wait. (default: no limit)", ge=1
    )
    tokens_per_minute: int | None = _call(
        None, "Maximum tokens per minute; others wait. (default: no limit)", ge=1
    )
    max_cost: float | None = _call(
        None, "Stop before spending more US dollars than this. (default: no limit)", common=True, ge=0.0
    )
    cache: bool = _call(True, "Keep model replies on disk and reuse them.")
    cache_dir: Path | None = _call(None, "Folder of the cache. (default: the user's cache folder)")
