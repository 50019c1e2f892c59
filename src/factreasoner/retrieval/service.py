"""Asking a JSON service over HTTP: politely, patiently, and never the same thing twice."""

from __future__ import annotations

import json
import random
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from factreasoner.config import Config
from factreasoner.errors import ConfigError, SearchError
from factreasoner.llm.deadline import within
from factreasoner.llm.faults import retry_after_of, shown
from factreasoner.retrieval.addresses import display
from factreasoner.retrieval.cache import RetrievalCache

CONCURRENCY = 4
"""Requests a service gets at once; the wikis' etiquette asks for few."""
FIRST_WAIT = 0.5
LONGEST_WAIT = 60.0
"""Seconds a service may ask to wait before its refusal is taken as final."""
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


class JsonService:
    """One service, for any number of threads; at most four of them ask at once.

    `busy` tells from an answer with status 200 whether the service asks to come again later. `secret` is
    blotted out of every message. Redirects are not followed, so that no key goes where it was not meant to.
    When the service asks one thread to wait, all of them do.

    Raises:
        ConfigError: `url` is no http or https URL.
    """

    def __init__(
        self,
        url: str,
        config: Config,
        *,
        headers: Mapping[str, str],
        secret: str | None = None,
        busy: Callable[[Any], bool] = lambda answer: False,
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ConfigError(f"{url!r} is not the URL of a service; it begins with https:// or http://")
        self.url = url
        self._seconds = config.fetch_timeout
        self._max_bytes = config.fetch_bytes
        self._attempts = config.max_attempts
        self._secret = secret
        self._busy = busy
        self._cache = RetrievalCache(config)
        self._slots = threading.BoundedSemaphore(CONCURRENCY)
        self._resume_at = 0.0
        self._client = httpx.Client(headers=dict(headers), timeout=config.fetch_timeout)
        self.close = weakref.finalize(self, self._client.close)

    def get(self, params: Mapping[str, str | int]) -> Any:
        """The answer to a GET request with these parameters.

        Raises:
            SearchError: no usable answer came, retries included.
            ConfigError: the service refuses the key, or it has no credit left.
        """
        return self._cached("GET", {"params": dict(params)})

    def post(self, payload: Mapping[str, Any]) -> Any:
        """The answer to a POST request with this JSON body. Raises as `get` does."""
        return self._cached("POST", {"json": dict(payload)})

    def _cached(self, method: str, content: dict[str, Any]) -> Any:
        question = {"method": method, "url": self.url, **content}
        return self._cache.value(question, lambda: self._ask(method, content))

    def _ask(self, method: str, content: dict[str, Any]) -> Any:
        for attempt in range(1, self._attempts + 1):
            wait: float | None = None
            try:
                with self._slots:
                    self._pause()
                    response = within(self._seconds, lambda: self._send(method, content))
                answer, problem = self._judged(response)
                if not problem:
                    return answer
                wait = retry_after_of({k.lower(): v for k, v in response.headers.items()})
            except (httpx.TransportError, TimeoutError) as error:
                problem = str(error) or type(error).__name__
            if wait is not None and wait > LONGEST_WAIT:
                raise self._error(f"{problem}, and asks to wait {wait:.0f} s", attempt)
            if attempt == self._attempts:
                raise self._error(problem, attempt)
            if wait is None:
                time.sleep(FIRST_WAIT * 2 ** (attempt - 1) * random.uniform(0.5, 1.5))
            else:
                self._resume_at = max(self._resume_at, time.monotonic() + wait)
        raise AssertionError("max_attempts is at least 1")

    def _send(self, method: str, content: dict[str, Any]) -> httpx.Response:
        with self._client.stream(method, self.url, **content) as response:
            body = b""
            for chunk in response.iter_bytes():
                body += chunk
                if len(body) > self._max_bytes:
                    raise httpx.ReadError(f"the answer has more than {self._max_bytes} bytes")
            headers = {k: v for k, v in response.headers.items() if k.lower() != "content-encoding"}
            return httpx.Response(response.status_code, headers=headers, content=body)

    def _judged(self, response: httpx.Response) -> tuple[Any, str]:
        """(answer, "") or (None, what is wrong, for now). Raises what no later request can mend."""
        status = response.status_code
        if status in _RETRIED:
            return None, f"answers with status {status}"
        if status != 200:
            problem = f"answers with status {status}: {response.text[:200]}"
            if self._secret and (status in (401, 402, 403) or "credit" in response.text[:1000]):
                raise ConfigError(f"{display(self.url)} refuses the key: it {shown(problem, self._secret)}")
            raise self._error(problem)
        try:
            answer = json.loads(response.content)
        except ValueError as error:
            raise self._error("answers with something that is not JSON") from error
        return (None, "is busy") if self._busy(answer) else (answer, "")

    def _pause(self) -> None:
        while (wait := self._resume_at - time.monotonic()) > 0:
            time.sleep(wait)

    def _error(self, problem: str, attempts: int = 1) -> SearchError:
        return SearchError(f"{display(self.url)} {shown(problem, self._secret)}", attempts=attempts)
