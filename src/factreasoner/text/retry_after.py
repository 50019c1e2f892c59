"""How long a service asks to wait, from headers or message."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_WAIT = re.compile(r"(?:retry|try again) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s)\b")


def retry_after_of(headers: Mapping[str, str], message: str = "") -> float | None:
    """Seconds from `retry-after-ms`, `retry-after` (seconds or a date) or `message`; None if not given."""
    for name, per_second in (("retry-after-ms", 1000), ("retry-after", 1)):
        value = headers.get(name, "").strip()
        if re.fullmatch(r"\d+(\.\d+)?", value):
            return float(value) / per_second
    with contextlib.suppress(ValueError):
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    words = _WAIT.search(message)
    return None if words is None else float(words[1]) / (1000 if words[2] == "ms" else 1)
