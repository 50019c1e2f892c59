"""Agreement of judges beyond chance.

Source: Krippendorff, "Computing Krippendorff's Alpha-Reliability" (2011), nominal data, any number of judges,
missing values.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence


class Agreement:
    """Adds up units, each with the values that some of the judges gave it, into Krippendorff's alpha."""

    def __init__(self) -> None:
        self.units = 0
        self._coincidences: Counter[tuple[str, str]] = Counter()

    def add(self, values: Sequence[str]) -> None:
        """Count one unit; one that fewer than two judges gave a value says nothing of agreement."""
        if len(values) < 2:
            return
        self.units += 1
        counts = Counter(values)
        for one, count in counts.items():
            for other, others in counts.items():
                pairs = count * (others - (one == other))
                self._coincidences[one, other] += pairs / (len(values) - 1)  # type: ignore[assignment]

    @property
    def alpha(self) -> float | None:
        """1 for full agreement, 0 for that of chance; None where no two values differ, or there are none."""
        totals: Counter[str] = Counter()
        for (one, _), count in self._coincidences.items():
            totals[one] += count
        whole = sum(totals.values())
        expected = sum(totals[one] * totals[other] for one in totals for other in totals if one != other)
        if not expected:
            return None
        observed = sum(count for (one, other), count in self._coincidences.items() if one != other)
        return 1.0 - (whole - 1) * observed / expected
