"""What the service counts, as Prometheus reads it: the text format 0.0.4."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
"""Upper edges in seconds."""


class Counts:
    """Requests by route and status, and how long they took by route."""

    def __init__(self) -> None:
        self._requests: Counter[tuple[str, str]] = Counter()
        self._seconds: Counter[str] = Counter()
        self._buckets: dict[str, list[int]] = {}

    def add(self, route: str, status: str, seconds: float) -> None:
        """Count one request. `status` is the reply's, or "gone" where the client did not wait for it."""
        self._requests[route, status] += 1
        self._seconds[route] += seconds  # type: ignore[assignment]
        buckets = self._buckets.setdefault(route, [0] * (len(BUCKETS) + 1))
        buckets[bisect_left(BUCKETS, seconds)] += 1

    def text(self, gauges: Mapping[str, float]) -> str:
        """All of it, and `gauges` as they are now."""
        lines = ["# TYPE factreasoner_requests_total counter"]
        for (route, status), count in sorted(self._requests.items()):
            lines.append(f'factreasoner_requests_total{{route="{route}",status="{status}"}} {count}')
        lines.append("# TYPE factreasoner_request_seconds histogram")
        for route, buckets in sorted(self._buckets.items()):
            name, total = f'factreasoner_request_seconds_bucket{{route="{route}",le=', 0
            for edge, count in zip((*map(str, BUCKETS), "+Inf"), buckets, strict=True):
                total += count
                lines.append(f'{name}"{edge}"}} {total}')
            lines.append(f'factreasoner_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'factreasoner_request_seconds_count{{route="{route}"}} {total}')
        for name, value in gauges.items():
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# TYPE factreasoner_{name} {kind}", f"factreasoner_{name} {value:g}"]
        return "\n".join([*lines, ""])
