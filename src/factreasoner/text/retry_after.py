"""How long a service asks to wait, from the headers and the words of its answer."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

_WAIT = re.compile(r"(?:retry|try again) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s)\b")


def retry_after_of(headers: Mapping[str, str], message: str = "") -> float | None:
    """Seconds a provider asks to wait: `retry-after-ms`, `retry-after` (seconds or a date), or its words."""
    milliseconds = headers.get("retry-after-ms", "")
    if re.fullmatch(r"\d+(\.\d+)?", milliseconds):
        return float(milliseconds) / 1000
    value = headers.get("retry-after", "").strip()
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return float(value)
    if value:
        with contextlib.suppress(ValueError):
            return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    said = _WAIT.search(message)
    return None if said is None else float(said[1]) / (1000 if said[2] == "ms" else 1)
