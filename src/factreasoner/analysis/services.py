"""Langfuse and Phoenix, asked over their HTTP interfaces. Both replace a score that they know by its key."""

from __future__ import annotations

import json
import os
import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import httpx

from factreasoner.analysis.publishing import NAMES, Score, Taken
from factreasoner.errors import ConfigError, PublishError

MOST_BYTES = 900_000
"""Of a request: Langfuse takes 1 MB."""
WAITS = (1.0, 2.0, 4.0)
"""Seconds between tries, unless Retry-After says more."""
MOST_WAIT = 30.0
PASSING = (429, 500, 502, 503, 504)
"""Statuses after which the same request may be taken."""
LACKING = "their records have no id of a {} (keys traceparent, trace_id, span_id; --trace-key names another)"
ERROR = f"{NAMES}error"
"""The name under which failures stand where a score has to have a value or a label."""


class Service(ABC):
    """A backend that takes JSON."""

    path: str
    keys: str
    """The variables that hold its keys."""
    needs: Literal["trace", "span"]
    """The id without which a score can't be sent here."""

    def __init__(self, url: str, **client: Any) -> None:
        if not url.startswith(("http://", "https://")):
            raise ConfigError(
                f"--url: {url!r} is not an address; write one that begins with http:// or https://"
            )
        self.url = url.rstrip("/") + self.path
        self._client = httpx.Client(timeout=30.0, **client)

    def lacks(self, score: Score) -> str | None:
        """See `Backend`."""
        return None if getattr(score.place, self.needs) else LACKING.format(self.needs)

    @abstractmethod
    def content(self, scores: Sequence[Score]) -> object:
        """The body of a request."""

    @abstractmethod
    def taken(self, response: httpx.Response, scores: Sequence[Score]) -> Taken:
        """What a reply says of the scores. Raises PublishError where they were not taken."""

    def send(self, scores: Sequence[Score]) -> Taken:
        """See `Backend`."""
        body = json.dumps(self.content(scores), ensure_ascii=False, allow_nan=False).encode()
        if len(body) > MOST_BYTES and len(scores) > 1:
            half = len(scores) // 2
            first, second = self.send(scores[:half]), self.send(scores[half:])
            return Taken(first.number + second.number, first.refused + second.refused)
        return self.taken(self._posted(body), scores)

    def close(self) -> None:
        """See `Backend`."""
        self._client.close()

    def _posted(self, body: bytes) -> httpx.Response:
        reason = ""
        for wait in (*WAITS, None):
            try:
                response = self._client.post(
                    self.url, content=body, headers={"content-type": "application/json"}
                )
            except httpx.TransportError as error:
                reason, asked = str(error) or type(error).__name__, "0"
            else:
                if response.status_code not in PASSING:
                    return response
                reason, asked = f"HTTP {response.status_code}", response.headers.get("retry-after", "0")
            if wait is not None:
                time.sleep(min(MOST_WAIT, max(wait, float(asked) if asked.isdecimal() else 0.0)))
        raise PublishError(
            f"{self.url}: {reason} (tried {len(WAITS) + 1} times); is it running? --url names another address"
        )

    def refused(self, response: httpx.Response) -> PublishError:
        """What a reply that takes nothing says."""
        remedy = f"; check {self.keys}" if response.status_code in (401, 403) else ""
        return PublishError(f"{self.url}: HTTP {response.status_code}: {response.text[:300]}{remedy}")

    def said(self, response: httpx.Response) -> dict[str, Any]:
        """A reply's JSON object. Raises PublishError for anything else, as a page to log in at."""
        try:
            found = response.json()
        except ValueError:
            found = None
        if not isinstance(found, dict):
            text = " ".join(response.text[:100].split())
            raise PublishError(
                f"{self.url}: HTTP {response.status_code}, but the reply did not come from "
                f"{type(self).__name__}: {text!r}; does --url name another server?"
            )
        return found


class Langfuse(Service):
    """POST /api/public/scores with an array: 202 takes all, 207 some; the `id` of a score replaces."""

    path = "/api/public/scores"
    keys = "LANGFUSE_PUBLIC_KEY and LANGFUSE_SECRET_KEY"
    needs = "trace"

    def __init__(self, url: str | None = None) -> None:
        names = self.keys.split(" and ")
        if missing := [name for name in names if not os.environ.get(name)]:
            raise ConfigError(f"Langfuse needs its keys: {' and '.join(missing)} in the environment")
        host = url or os.environ.get("LANGFUSE_BASE_URL") or os.environ.get("LANGFUSE_HOST")
        if not host:
            raise ConfigError(
                "Langfuse: no address is given: set LANGFUSE_BASE_URL, or add --url "
                "(https://cloud.langfuse.com is the hosted one)"
            )
        super().__init__(host, auth=tuple(os.environ[name] for name in names))

    def content(self, scores: Sequence[Score]) -> object:
        """See `Service`."""
        return [_present(self._body(score)) for score in scores]

    def _body(self, score: Score) -> dict[str, Any]:
        told = {"record": score.record, "label": score.label, "failed": score.error and score.name}
        what = {"name": score.name, "value": score.value, "dataType": "NUMERIC"}
        if score.error:
            what = {"name": ERROR, "value": score.error, "dataType": "CATEGORICAL"}
        place = {"traceId": score.place.trace, "observationId": score.place.span}
        return {"id": score.key, **place, **what, "comment": score.explanation, "metadata": _present(told)}

    def taken(self, response: httpx.Response, scores: Sequence[Score]) -> Taken:
        """See `Service`. A 207 is not sent again: what it took, it took."""
        if not response.is_success:
            raise self.refused(response)
        found = self.said(response)
        if response.status_code != 207:
            return Taken(len(scores))
        accepted, errors = found.get("accepted"), found.get("errors")
        if not isinstance(accepted, int) or not isinstance(errors, list):
            raise self.refused(response)
        return Taken(accepted, tuple(json.dumps(error) for error in errors))


class Phoenix(Service):
    """POST /v1/span_annotations: name, span and `identifier` of an annotation replace."""

    path = "/v1/span_annotations?sync=true"
    keys = "PHOENIX_API_KEY"
    needs = "span"

    def __init__(self, url: str | None = None, *, by_model: bool = False) -> None:
        self._kind = "LLM" if by_model else "CODE"
        key = os.environ.get("PHOENIX_API_KEY")
        host = url or os.environ.get("PHOENIX_COLLECTOR_ENDPOINT") or "http://localhost:6006"
        super().__init__(host, headers={"authorization": f"Bearer {key}"} if key else {})

    def content(self, scores: Sequence[Score]) -> object:
        """See `Service`."""
        return {"data": [self._body(score) for score in scores]}

    def _body(self, score: Score) -> dict[str, Any]:
        told = {"record": score.record, "failed": score.error and score.name}
        result = {"score": score.value, "label": score.error or score.label, "explanation": score.explanation}
        return {
            "span_id": score.place.span,
            "name": ERROR if score.error else score.name,
            "annotator_kind": self._kind,
            "identifier": score.key,
            "result": _present(result),
            "metadata": _present(told),
        }

    def taken(self, response: httpx.Response, scores: Sequence[Score]) -> Taken:
        """See `Service`. A 404 names spans that it does not know, and takes nothing: the others go again."""
        if response.is_success:
            self.said(response)
            return Taken(len(scores))
        known = [score for score in scores if str(score.place.span) not in response.text]
        if response.status_code != 404 or len(known) == len(scores):
            raise self.refused(response)
        unknown = [f"no span {score.place.span}" for score in scores if score not in known]
        rest = self.send(known) if known else Taken(0)
        return Taken(rest.number, (*unknown, *rest.refused))


def _present(content: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in content.items() if value is not None}
