"""What a file of results holds beside the results that are wanted, and in what order."""

from __future__ import annotations

from collections.abc import Mapping

from factreasoner.errors import RunError
from factreasoner.llm.batches.files import Batch, Place
from factreasoner.llm.batches.lines import ResultLine, parse_result


class Reading:
    """What the lines of one file of results are."""

    def __init__(self, batch: Batch) -> None:
        self.batch = batch
        self._seen: dict[str, bool] = {}
        self._lines = 0
        self._unknown = 0
        self._repeated = 0
        self._broken: list[int] = []

    def take(self, line: bytes, own: Mapping[str, Place]) -> ResultLine | None:
        """The result of a line, None where it counts for nothing; of several the first completion counts."""
        self._lines += 1
        try:
            result = parse_result(line)
        except (ValueError, RecursionError):
            self._broken.append(self._lines)
            return None
        if result.custom_id not in own:
            self._unknown += 1
            return None
        if result.custom_id in self._seen:
            self._repeated += 1
            if self._seen[result.custom_id] or result.completion is None:
                return None
        self._seen[result.custom_id] = result.completion is not None
        return result

    @property
    def answered(self) -> int:
        """How many requests have a completion so far."""
        return sum(self._seen.values())

    def refuse_strange(self, own: Mapping[str, Place], *, ended: str | None) -> None:
        """Raise RunError where not one line is about a request of the batch.

        A service that `ended` it may have answered none: the file is empty then, or tells of what is left.
        """
        partial = ended in ("expired", "cancelled") or (ended is not None and not self._lines)
        if own and not self._seen and not partial:
            raise RunError(
                f"{self.batch.results_path}: holds no result of a request of "
                f"{self.batch.requests_path.name}; put the right file there, or delete it"
            )

    def told(self, requests: int) -> str:
        """One line on what was found."""
        errors, missing = len(self._seen) - self.answered, requests - len(self._seen)
        counts = [(errors, "errors"), (missing, "without a result")]
        parts = [f"{count:,} {words}" for count, words in counts if count]
        strange = [(self._unknown, "lines of no request"), (self._repeated, "repeated lines")]
        parts += [f"{count:,} {words} left out" for count, words in strange if count]
        if self._broken:
            parts.append(
                f"{len(self._broken):,} lines that are no result, the first is line {self._broken[0]}"
            )
        head = f"{self.batch.results_path}: {self.answered:,} of {requests:,} requests answered"
        return "; ".join([head, *parts])
