"""Fetch one page from an untrusted host: checked addresses, limited bytes, time and redirects."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpcore
import httpx

from factreasoner.calls.retry import is_transient_status
from factreasoner.documents.page import MEDIA_TYPES, Page
from factreasoner.errors import FetchLimitError, ForbiddenUrlError, UnreadablePageError
from factreasoner.text.retry_after import retry_after_of
from factreasoner.web.addresses import display, in_domains, normal_domain, parse_url
from factreasoner.web.connection import (
    ENCODING,
    CheckedBackend,
    Deadline,
    Resolver,
    read_body,
    system_resolver,
    tls_context,
)
from factreasoner.web.settings import WebSettings

USER_AGENT = "Mozilla/5.0 (compatible; factreasoner)"
FETCH_BYTES = 10_000_000
"""Maximum page size, compressed and uncompressed."""
FETCH_SECONDS, MAX_REDIRECTS = 20.0, 5
"""Limits to fetch a page."""
READABLE = frozenset(
    {"", "text/html", "text/markdown", "text/plain", "application/xhtml+xml", "application/octet-stream"}
    | {"application/pdf", "application/x-pdf", *MEDIA_TYPES}
)
"""Accepted media types; the real type is told from the bytes."""
REFUSED = "refused"
"""The reason if the connection is refused."""
Permit = Callable[[httpx.URL], None]


class Fetcher:
    """Fetches pages over http and https; thread-safe.

    Pages come straight from their host: a proxy in the environment is not used, because it would connect to
    unchecked addresses. `resolver` replaces DNS.

    Raises ConfigError: an entry of `allow_domains` or `deny_domains` is not a domain.
    """

    def __init__(self, config: WebSettings | None = None, *, resolver: Resolver = system_resolver) -> None:
        self._config = config or WebSettings()
        self._allowed = tuple(map(normal_domain, self._config.allow_domains))
        self._denied = tuple(map(normal_domain, self._config.deny_domains))
        self._resolver = resolver
        self._tls = tls_context()

    def fetch(self, url: str, *, permit: Permit = lambda url: None) -> Page:
        """The page at `url`, with redirects followed and its bytes unpacked.

        `permit` is called before every request, redirects included, and raises a FetchError to prevent it.

        Raises:
            ForbiddenUrlError: the URL, a redirect or an address behind them is not allowed.
            FetchLimitError: too many bytes (packed or unpacked), seconds or redirects.
            UnreadablePageError: an error status, a broken reply, or a media type without text.
        """
        deadline = Deadline(FETCH_SECONDS)
        seen: set[str] = set()
        target = self.allowed(url)
        while True:
            seen.add(str(target))
            permit(target)
            answer = self._request(target, deadline)
            if isinstance(answer, Page):
                return answer
            target = self.allowed(answer, target)
            if str(target) in seen:
                raise FetchLimitError("redirect loop", f"{display(target)} redirects to itself")
            if len(seen) > MAX_REDIRECTS:
                raise FetchLimitError("redirects", f"{display(target)}: more than {MAX_REDIRECTS} redirects")

    def allowed(self, url: str, base: httpx.URL | None = None) -> httpx.URL:
        """`url`, seen from `base`, without its fragment. Raises ForbiddenUrlError if not allowed."""
        parsed = parse_url(url, base).copy_with(fragment=None)
        host = parsed.raw_host.decode("ascii")
        if in_domains(host, self._denied) or (self._allowed and not in_domains(host, self._allowed)):
            raise ForbiddenUrlError("domain list", f"{display(parsed)} was not fetched")
        return parsed

    def _request(self, url: httpx.URL, deadline: Deadline) -> Page | str:
        """One request: the page, or where it redirects to."""
        private = self._config.allow_private_hosts
        backend = CheckedBackend(deadline, resolver=self._resolver, allow_private=private)
        headers: dict[bytes | str, bytes | str] = {
            "Host": url.netloc,
            "User-Agent": USER_AGENT,
            "Accept": "text/html,application/xhtml+xml,application/pdf,text/plain;q=0.9,*/*;q=0.1",
            "Accept-Encoding": ENCODING,
            "Connection": "close",
        }
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        try:
            with (
                httpcore.ConnectionPool(ssl_context=self._tls, network_backend=backend) as pool,
                pool.stream("GET", target, headers=headers) as response,
            ):
                return self._read(url, response, deadline)
        except httpcore.TimeoutException as error:
            raise deadline.passed() from error
        except (httpcore.NetworkError, httpcore.ProtocolError) as error:
            if any(isinstance(argument, ConnectionRefusedError) for argument in error.args):
                message = f"{url.netloc.decode('ascii')} refuses the connection"
                raise UnreadablePageError(REFUSED, message, passing=True) from error
            reason = "protocol" if isinstance(error, httpcore.ProtocolError) else "connection"
            raise UnreadablePageError(reason, f"{display(url)}: {error}", passing=True) from error

    def _read(self, url: httpx.URL, response: httpcore.Response, deadline: Deadline) -> Page | str:
        headers = dict(httpx.Headers(response.headers).multi_items())
        if response.status in (301, 302, 303, 307, 308):
            if not headers.get("location"):
                raise UnreadablePageError("redirect", f"{display(url)} redirects to nowhere")
            return headers["location"]
        if not 200 <= response.status < 300:
            raise UnreadablePageError(
                f"status {response.status}",
                f"{display(url)} was not served",
                passing=is_transient_status(response.status),
                retry_after=retry_after_of(headers),
            )
        media_type, charset = content_type(headers.get("content-type", ""))
        if media_type not in READABLE:
            raise UnreadablePageError("content type", f"{display(url)} is {media_type[:80]!r}")
        length, limit = headers.get("content-length", ""), FETCH_BYTES
        if length.isdecimal() and int(length) > limit:
            raise FetchLimitError("bytes", f"{display(url)} has more than {limit} bytes")
        encoding = headers.get("content-encoding", "")
        data = read_body(response.iter_stream(), encoding, limit=limit, deadline=deadline)
        return Page(str(url), media_type, charset, data)


def content_type(header: str) -> tuple[str, str]:
    """(media type, charset) of a Content-Type header, in lower case; empty if missing."""
    media_type, _, parameters = header.lower().partition(";")
    charset = re.search(r"\bcharset\s*=[\s\"']*([^\"';\s]*)", parameters)
    return media_type.strip(), charset[1] if charset else ""
