"""The files of one batch: writing, reading, and the format of result lines."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from factreasoner.errors import RunError
from factreasoner.files import lines_of, replace_file
from factreasoner.llm.responses import field_of
from factreasoner.models.formatting import number_of

URL: Final = "/v1/chat/completions"
_CUSTOM_ID = re.compile(rb'\{"custom_id": "([^"]+)"')


class ResultLine(NamedTuple):
    """One result: a chat completion as JSON, or the HTTP status (if given) and message of an error."""

    custom_id: str
    completion: dict[str, Any] | None = None
    status: int | None = None
    problem: str = ""


def parse_result(line: bytes) -> ResultLine:
    """The result in a line. Raises ValueError if it is not a JSON object with a custom_id."""
    line = line.removeprefix(codecs.BOM_UTF8)
    try:
        data = from_json(line)
    except ValueError:
        data = json.loads(line.decode("utf-8", "replace"))  # it reads halves of surrogate pairs, too
    custom_id = field_of(data, "custom_id")
    if not isinstance(custom_id, str):
        raise ValueError("it has no custom_id")
    body, status = field_of(data, "response", "body"), field_of(data, "response", "status_code")
    error = field_of(data, "error") or field_of(body, "error")
    error = field_of(error, "error") or error  # as later versions of vLLM have it
    if isinstance(body, dict) and "choices" in body and not error and status in (None, 200):
        return ResultLine(custom_id, body)
    code = field_of(error, "code")
    if not isinstance(status, int) or status == 200:  # vLLM has a status in the error, OpenAI a word
        status = code if isinstance(code, int) else None
    message = (
        field_of(error, "message") or error or body or "the line holds neither a completion nor an error"
    )
    return ResultLine(
        custom_id, None, status, f"{code}: {message}" if isinstance(code, str) else str(message)
    )


def request_line(custom_id: str, body: Mapping[str, Any]) -> bytes:
    """One request as a line."""
    line = {"custom_id": custom_id, "method": "POST", "url": URL, "body": body}
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


def _lines(path: Path) -> Iterator[tuple[int, int, bytes]]:
    """See `lines_of`."""
    with path.open("rb") as file:
        yield from lines_of(file)


def line_at(start: int, path: Path) -> bytes:
    """The line that starts at a byte of a file."""
    with path.open("rb") as file:
        file.seek(start)
        return file.readline()


class Batch(NamedTuple):
    """One numbered batch with its files, one request or result per line."""

    folder: Path
    number: int

    @property
    def requests_path(self) -> Path:
        """The request file."""
        return self.folder / f"{self.number}.requests.jsonl"

    @property
    def results_path(self) -> Path:
        """The result file, which may not exist yet."""
        return self.folder / f"{self.number}.results.jsonl"

    @property
    def state_path(self) -> Path:
        """The file of `state`."""
        return self.folder / f"{self.number}.batch.json"

    @property
    def state(self) -> dict[str, Any]:
        """`model`, `requests`, `most_cost`; `usage` once its results are read; the provider's ids.

        Raises RunError if the file is damaged.
        """
        try:
            found = json.loads(self.state_path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            raise RunError(f"{self.state_path}: can't be read: {error}") from error
        if not isinstance(found, dict):
            raise RunError(f"{self.state_path}: not a JSON object")
        return found

    def note(self, **values: object) -> None:
        """Set values of the state, or remove those that are None; written to disk."""
        state = {**(self.state if self.state_path.exists() else {}), **values}
        kept = {name: value for name, value in state.items() if value is not None}
        replace_file(self.state_path, [json.dumps(kept, indent=2)])

    def requests(self) -> dict[str, int]:
        """The byte offset of each request, by id. Raises RunError if the file was changed."""
        starts = {}
        for number, start, line in _lines(self.requests_path):
            found = _CUSTOM_ID.match(line)
            if found is None:
                raise RunError(
                    f"{self.requests_path}:{number}: not as it was written; put the file back as it was, "
                    "or start over with `fresh=True`"
                )
            starts[found[1].decode()] = start
        return starts


class Results:
    """The results for the requests in `own`.

    `starts` has the byte offset of each result; `answered` the requests with a completion. Of several results
    the first completion counts, else the first. `lines` counts all lines.
    """

    def __init__(self, path: Path, own: Container[str]) -> None:
        self.starts: dict[str, int] = {}
        self.answered: set[str] = set()
        self.lines = 0
        left_out: Counter[str] = Counter()
        for _, start, line in _lines(path):
            self.lines += 1
            try:
                result = parse_result(line)
            except (ValueError, RecursionError):
                left_out["not a result, ignored"] += 1
                continue
            custom_id, completed = result.custom_id, result.completion is not None
            if custom_id not in own:
                left_out["without a request, ignored"] += 1
                continue
            repeated = custom_id in self.starts
            left_out["repeated, ignored"] += repeated
            if not repeated or (completed and custom_id not in self.answered):
                self.starts[custom_id] = start
            if completed:
                self.answered.add(custom_id)
        self._left_out = dict(sorted(left_out.items()))

    def summary(self, requests: int) -> str:
        """A text summary of the results for that number of requests."""
        parts = [f"{len(self.answered):,} of {requests:,} requests answered"]
        if errors := len(self.starts) - len(self.answered):
            parts.append(number_of(errors, "error"))
        if unanswered := requests - len(self.starts):
            parts.append(f"{unanswered:,} without a result")
        parts += [f"{number_of(count, 'line')} {why}" for why, count in self._left_out.items() if count]
        return "; ".join(parts)
