"""Results of a batch, line by line, as OpenAI's Batch API and `vllm run-batch` have them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pydantic_core import from_json

from factreasoner.errors import RunError
from factreasoner.llm.batches.files import Batch, Place
from factreasoner.llm.logprobs import field_of


class ResultLine(NamedTuple):
    """One result: a chat completion as JSON, or the HTTP status (where one is told) and words of an error."""

    custom_id: str
    completion: dict[str, Any] | None = None
    status: int | None = None
    problem: str = ""


def parse_result(line: bytes) -> ResultLine:
    """The result that a line holds.

    Raises:
        ValueError: it is no JSON object with a custom_id.
    """
    data = _json(line.removeprefix(codecs.BOM_UTF8))
    custom_id = field_of(data, "custom_id")
    if not isinstance(custom_id, str):
        raise ValueError("it has no custom_id")
    response, error = field_of(data, "response"), field_of(data, "error")
    body, status = field_of(response, "body"), field_of(response, "status_code")
    error = error or field_of(body, "error")
    error = field_of(error, "error") or error  # vLLM's, of later versions
    answered = isinstance(body, dict) and "choices" in body
    if answered and not error and status in (None, 200):
        return ResultLine(custom_id, body)
    code = field_of(error, "code")
    if not isinstance(status, int) or status == 200:  # vLLM tells a status in the error, OpenAI a word
        status = code if isinstance(code, int) else None
    told = field_of(error, "message") or error or body or "the line holds neither a completion nor an error"
    return ResultLine(custom_id, None, status, f"{code}: {told}" if isinstance(code, str) else str(told))


def _json(line: bytes) -> Any:  # noqa: ANN401 - JSON
    try:
        return from_json(line)
    except ValueError:
        return json.loads(line.decode("utf-8", "replace"))  # it reads halves of surrogate pairs, too


class ResultCounts:
    """What the lines of one file of results are, and which of them count."""

    def __init__(self, batch: Batch) -> None:
        self._batch = batch
        self._seen: dict[str, bool] = {}
        self._lines = 0
        self._unknown = self._repeated = 0
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
                f"{self._batch.results_path}: holds no result of a request of "
                f"{self._batch.requests_path.name}; put the right file there, or delete it"
            )

    def told(self, requests: int) -> str:
        """One line on what was found."""
        counts = {
            "errors": len(self._seen) - self.answered,
            "without a result": requests - len(self._seen),
            "lines of no request left out": self._unknown,
            "repeated lines left out": self._repeated,
        }
        parts = [f"{count:,} {words}" for words, count in counts.items() if count]
        if self._broken:
            broken = f"{len(self._broken):,} lines that are no result"
            parts.append(f"{broken}, the first is line {self._broken[0]}")
        head = f"{self._batch.results_path}: {self.answered:,} of {requests:,} requests answered"
        return "; ".join([head, *parts])
