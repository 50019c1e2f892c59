"""Who may ask: by the name of the host, the origin of a page, and a token."""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers

from factreasoner.serve.replies import Reply, problem

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
OPEN = frozenset({"/livez", "/readyz"})
"""Paths that say nothing of anybody: what watches the service asks them by address and without a token."""


def is_loopback(host: str) -> bool:
    """Whether nothing but this machine reaches a service that listens there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Access(NamedTuple):
    """`hosts` are the names that the service goes by, in lower case, without ports; `token` may be None."""

    hosts: frozenset[str]
    token: str | None

    @classmethod
    def of(cls, host: str, allowed: Iterable[str], token: str | None) -> Access:
        """Access to a service that listens on `host` and is called by the names `allowed` as well."""
        return cls(frozenset(map(str.lower, (host, *LOOPBACK_NAMES, *allowed))), token)

    def refusal(self, path: str, headers: Headers) -> Reply | None:
        """Why a request is refused, or None."""
        if path in OPEN:
            return None
        host = headers.get("host", "")
        if _split(f"//{host}").hostname not in self.hosts:
            return problem(421, "the Host header names another service; --allow-host NAME adds a name")
        origin = headers.get("origin")
        if origin is not None and _split(origin).netloc.lower() != host.lower():
            return problem(403, "the Origin header names another place than this service")
        if self.token is not None and not self._knows(headers.get("authorization", "")):
            wrong = "another token than the service's was sent" if "authorization" in headers else ""
            return problem(401, wrong or "send it as: Authorization: Bearer TOKEN")
        return None

    def _knows(self, authorization: str) -> bool:
        scheme, _, token = authorization.partition(" ")
        same = hmac.compare_digest(token.strip().encode("latin-1"), (self.token or "").encode())
        return same and scheme.lower() == "bearer"


def _split(url: str) -> SplitResult:
    """The parts of a URL; none of one that is no URL."""
    try:
        return urlsplit(url)
    except ValueError:
        return urlsplit("")
