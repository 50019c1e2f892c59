"""Call a JSON service over HTTP, with limits, retries and a cache."""

from __future__ import annotations

import json
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, NamedTuple

import httpx

from factreasoner.calls.cache import CacheFile, InFlight, cache_folder, key_of
from factreasoner.calls.deadlines import run_within
from factreasoner.calls.retry import Passing, Retry, is_transient_status, sleep_while_wanted
from factreasoner.documents.page import plain
from factreasoner.errors import ConfigError, FetchError, ForbiddenUrlError, SearchError
from factreasoner.llm.faults import NO_MONEY, safe_excerpt
from factreasoner.retrieval.settings import RetrievalSettings
from factreasoner.text.retry_after import retry_after_of
from factreasoner.web.addresses import display, parse_url
from factreasoner.web.connection import ENCODING, Deadline, read_body, tls_context
from factreasoner.web.fetch import FETCH_BYTES, FETCH_SECONDS

CONCURRENCY = 4
"""Maximum simultaneous requests; the wikis' etiquette asks for few."""


class ServiceFault(NamedTuple):
    """Why an answer with status 200 is unusable; a `passing` fault may disappear."""

    problem: str
    passing: bool = False


class JsonService:
    """The service at `url`, thread-safe, with at most four simultaneous requests.

    `fault` says what is wrong with an answer: only valid ones are cached. Messages never show `secret`.
    Redirects are not followed, to protect the key. A requested wait applies to all threads. A proxy in the
    environment is used; cookies are not.

    Raises ConfigError: the proxy in the environment can't be used.
    """

    def __init__(
        self,
        url: str,
        config: RetrievalSettings,
        *,
        headers: Mapping[str, str],
        secret: str | None = None,
        fault: Callable[[Any], ServiceFault | None] = lambda answer: None,
    ) -> None:
        self.url = url
        self._config = config
        self._secret = secret
        self._fault = fault
        self._cache = RetrievalCache(config)
        self._slots = threading.BoundedSemaphore(CONCURRENCY)
        self.resume_at = 0.0
        """No request is sent before this time, of the monotonic clock."""
        self._client = _client({"Accept-Encoding": ENCODING, **headers}, FETCH_SECONDS)
        weakref.finalize(self, self._client.close)

    def get(self, params: Mapping[str, str | int]) -> Any:
        """The answer to a GET request with these parameters.

        Raises:
            SearchError: no usable answer after retries.
            ConfigError: the service refuses the key, or has no credit left.
        """
        return self._cached("GET", {"params": dict(params)})

    def post(self, payload: Mapping[str, Any]) -> Any:
        """The answer to a POST request with this JSON body. Raises as `get` does."""
        return self._cached("POST", {"json": dict(payload)})

    def _cached(self, method: str, content: dict[str, Any]) -> Any:
        question = {"method": method, "url": self.url, **content}
        return self._cache.value(question, lambda: self._ask(method, content))

    def _ask(self, method: str, content: dict[str, Any]) -> Any:
        retry = Retry(self._config.max_attempts, self._config.patience)
        return retry(lambda: self._tried(method, content))

    def _tried(self, method: str, content: dict[str, Any]) -> Any | Passing:
        """The answer to one request, or a transient failure. Raises a final failure."""
        if (left := self.resume_at - time.monotonic()) > self._config.patience:
            return Passing(self._error(f"asks to wait {left:.0f} s"), left)
        try:
            with self._slots:
                self.pause()
                response = run_within(FETCH_SECONDS, lambda: self._send(method, content))
        except (httpx.TransportError, FetchError, TimeoutError) as error:
            return Passing(self._error(str(error) or type(error).__name__))
        answer, problem = self._judged(response)
        if not problem:
            return answer
        wait = retry_after_of(response.headers)
        if wait is None:
            return Passing(self._error(problem))
        self.resume_at = max(self.resume_at, time.monotonic() + wait)
        return Passing(self._error(f"{problem}, and asks to wait {wait:.0f} s"), wait)

    def _send(self, method: str, content: dict[str, Any]) -> httpx.Response:
        deadline, limit = Deadline(FETCH_SECONDS), FETCH_BYTES
        with self._client.stream(method, self.url, **content) as response:
            encoding = response.headers.get("content-encoding", "")
            body = read_body(response.iter_raw(), encoding, limit=limit, deadline=deadline)
            headers = {k: v for k, v in response.headers.items() if k.lower() != "content-encoding"}
            return httpx.Response(response.status_code, headers=headers, content=body)

    def _judged(self, response: httpx.Response) -> tuple[Any, str]:
        """(answer, "") or (None, transient problem). Raises a final failure."""
        status = response.status_code
        words = response.content[:1000].decode("utf-8", "replace").strip()
        unpaid = status == HTTPStatus.TOO_MANY_REQUESTS and NO_MONEY.search(words)
        if is_transient_status(status) and not unpaid:
            return None, f"answers with status {status}"
        if 300 <= status < 400 and (place := response.headers.get("location", "")):
            raise self._error(f"redirects to {display(place)}, which is not followed; set that URL")
        if status != 200:
            problem = f"answers with status {status}: {words[:200]}"
            if self._secret and _refuses_key(status, words):
                raise ConfigError(f"{display(self.url)} refuses the key: {self._safe_text(problem)}")
            raise self._error(problem)
        try:
            answer = json.loads(response.content)
        except (ValueError, RecursionError):
            return None, "answers with something that is not JSON"
        fault = self._fault(answer)
        if fault is None:
            return answer, ""
        if fault.passing:
            return None, fault.problem
        raise self._error(fault.problem)

    def pause(self) -> None:
        """Wait until requests may be sent."""
        while (wait := self.resume_at - time.monotonic()) > 0:
            sleep_while_wanted(wait)

    def _error(self, problem: str) -> SearchError:
        return SearchError(f"{display(self.url)}: {self._safe_text(problem)}")

    def _safe_text(self, problem: str) -> str:
        return plain(safe_excerpt(problem, self._secret))


def _refuses_key(status: int, words: str) -> bool:
    """Whether every query would be refused; an HTML page with status 403 blocks only this one."""
    if status == 403:
        return not words.startswith("<")
    return status in (401, 402) or NO_MONEY.search(words) is not None


def service_url(setting: str, url: str) -> str:
    """The `url` of a service from the setting `setting`: only host and path.

    Raises ConfigError: it is not an http or https URL, or has credentials, a query or a fragment.
    """
    try:
        parsed = parse_url(url)
        reason = "query or fragment" if parsed.query or parsed.fragment else ""
    except ForbiddenUrlError as error:
        reason = error.reason
    if reason:
        wrong = f"{setting}: {display(url)} is not the URL of a service ({reason})"
        raise ConfigError(f"{wrong}; write it as https://host/path")
    return str(parsed)


def _client(headers: Mapping[str, str], seconds: float) -> httpx.Client:
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    try:
        return httpx.Client(headers=dict(headers), timeout=seconds, cookies=no_cookies, verify=tls_context())
    except (ImportError, ValueError, httpx.InvalidURL) as error:
        why = safe_excerpt(str(error))
        raise ConfigError(
            f"HTTP_PROXY, HTTPS_PROXY or ALL_PROXY of the environment can't be used: {why}"
        ) from error


FILE = "retrieval.sqlite"
DAYS = 30
_FORM = 1
"""Version of the storage format."""


class RetrievalCache:
    """JSON values by their request, in one file, see `CacheFile`; with `cache` off, a temporary one.

    Raises ConfigError: the file is damaged, or can't be created or written.
    """

    def __init__(self, config: RetrievalSettings) -> None:
        path = cache_folder(config) / FILE if config.cache else None
        setup = (
            "CREATE TABLE IF NOT EXISTS found"
            " (key TEXT PRIMARY KEY, value TEXT NOT NULL, saved REAL NOT NULL)",
            f"DELETE FROM found WHERE saved < {_oldest()}",
        )
        self._file = CacheFile(path, setup, remedy="use `cache=False`")
        self._in_flight = InFlight[str]()

    def value(self, question: dict[str, Any], ask: Callable[[], Any]) -> Any:
        """The stored answer to `question`, else the stored result of `ask`; both are JSON-like.

        Concurrent threads share one `ask` and its exception. Errors are not stored. `question` must hold
        everything that affects the answer, and no key.
        """
        key = key_of({"form": _FORM, **question})

        def ask_and_store() -> str:
            answer = json.dumps(ask())
            self._file.write("INSERT OR REPLACE INTO found VALUES (?, ?, ?)", [(key, answer, time.time())])
            return answer

        return json.loads(self._in_flight.get_or_ask(key, lambda: self._load(key), ask_and_store)[0])

    def _load(self, key: str) -> str | None:
        rows = self._file.rows("SELECT value FROM found WHERE key = ? AND saved > ?", (key, _oldest()))
        return str(rows[0][0]) if rows else None


def _oldest() -> float:
    """The oldest usable time of storage, in seconds since 1970."""
    return time.time() - DAYS * 86400
