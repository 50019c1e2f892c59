"""A line of a batch's requests and of its results, as OpenAI's Batch API and `vllm run-batch` have them."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from pydantic_core import from_json

from factreasoner.llm.logprobs import field_of

URL: Final = "/v1/chat/completions"


def request_line(custom_id: str, body: Mapping[str, Any]) -> bytes:
    """One request, with its line's end."""
    line = {"custom_id": custom_id, "method": "POST", "url": URL, "body": body}
    return json.dumps(line, ensure_ascii=False).encode() + b"\n"


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
