"""Which URLs and IP addresses a page may be fetched from.

The tables are the special-purpose registries of IANA (RFC 6890 and later), written out because
`ipaddress.is_private` differs between Python versions. An address that contains an IPv4 address (mapped,
NAT64) counts as that one; tunnels (6to4, Teredo) are always refused.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path

import httpx

from factreasoner.errors import ConfigError, ForbiddenUrlError

_TABLES = tomllib.loads(Path(__file__).with_name("special_addresses.toml").read_text(encoding="utf-8"))
_NETWORKS = [(ip_network(one), why) for why, ones in _TABLES["special"].items() for one in ones.split()]
_GLOBAL_IPV6 = ip_network("2000::/3")
_NAT64 = ip_network("64:ff9b::/96")
_METADATA = frozenset(map(ip_address, " ".join(_TABLES["metadata"].values()).split()))
INTRANET = frozenset({"private address", "loopback address", "carrier-grade NAT address"})
"""Reasons ignored with `allow_private_hosts`."""

_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")


def address_refusal(address: str, *, allow_private: bool = False) -> str | None:
    """Why `address` (IPv4 or IPv6 text, scope allowed) is not allowed; None if it is."""
    ip = ip_address(address.partition("%")[0])
    if isinstance(ip, IPv6Address):
        ip = (IPv4Address(int(ip) & 0xFFFFFFFF) if ip in _NAT64 else ip.ipv4_mapped) or ip
    if ip in _METADATA:
        return "cloud metadata address"
    other = "reserved address" if ip.version == 6 and ip not in _GLOBAL_IPV6 else None
    reason = next((why for network, why in _NETWORKS if ip in network), other)
    return None if allow_private and reason in INTRANET else reason


def parse_url(url: str, base: httpx.URL | None = None) -> httpx.URL:
    """`url`, seen from `base`, if allowed as far as known without DNS; a final dot is dropped.

    Refused: schemes other than http and https, credentials, a missing or invalid host, and IPv4 addresses
    other than in dotted decimal.

    Raises ForbiddenUrlError: with the reason; credentials and the query are not repeated in it.
    """
    try:
        parsed = base.join(url.strip()) if base else httpx.URL(url.strip())
    except (httpx.InvalidURL, ValueError) as error:
        what = f"{display(base)} redirects to no URL" if base else "a URL can't be parsed"
        raise ForbiddenUrlError("malformed URL", what) from error
    if parsed.scheme not in ("http", "https"):
        raise ForbiddenUrlError("scheme", f"{parsed.scheme or 'no'!r} URLs are not fetched")
    if parsed.userinfo:
        raise ForbiddenUrlError("credentials in URL", f"{display(parsed)} was not fetched")
    host = parsed.raw_host.decode("ascii")
    reason = host_refusal(host) if parsed.port is None or 0 < parsed.port < 65536 else "port"
    if reason:
        raise ForbiddenUrlError(reason, f"{display(parsed)} was not fetched")
    return parsed.copy_with(host=host[:-1]) if host.endswith(".") else parsed


def host_refusal(host: str) -> str | None:
    """Why the ASCII `host` of a URL (no brackets) is not a plain host name or address; else None."""
    if ":" in host:
        # A scope names an interface of this machine, and an unknown one would be looked up as a name.
        return None if is_address(host) and "%" not in host else "malformed address"
    labels = host.removesuffix(".").split(".")
    if not host or len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
        return "malformed host"
    if _NUMBER.fullmatch(labels[-1]) and not is_address(host.removesuffix(".")):
        return "disguised address"
    return None


def is_address(host: str) -> bool:
    """Whether `host` is an IP address (a scope allowed) rather than a name."""
    try:
        ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def display(url: httpx.URL | str) -> str:
    """`url` as shown in messages: no credentials, no query, no fragment, at most 120 characters."""
    try:
        parsed = httpx.URL(url)
    except (httpx.InvalidURL, ValueError):
        return "a malformed URL"
    text = f"{parsed.scheme}://{parsed.netloc.decode('ascii')}{parsed.path}"
    return text if len(text) <= 120 else text[:117] + "..."


def normal_domain(domain: str) -> str:
    """A normalised domain of an allow or deny list: ASCII, lower case, no dots at the ends.

    Raises ConfigError: it is not a domain (a URL, a path, a wildcard inside).
    """
    bare = domain.strip().removeprefix("*.").strip(".")
    host = host_of(bare)
    if not host or host_refusal(host) or re.search(r"[/:@?#\s]", bare):
        raise ConfigError(
            f"allow_domains, deny_domains: {domain!r} is not a domain; write it as 'example.org'"
        )
    return host


def in_domains(host: str, domains: Iterable[str]) -> bool:
    """Whether the ASCII `host` is one of the normal `domains` or below one."""
    name = host.lower().rstrip(".")
    return any(name == domain or name.endswith(f".{domain}") for domain in domains)


def host_of(link: str) -> str:
    """The normalised host of a link, with or without a scheme; empty without one."""
    bare = link.strip()
    try:
        host = httpx.URL(bare if "://" in bare else f"http://{bare}").raw_host.decode("ascii")
    except (httpx.InvalidURL, ValueError):
        return ""
    return host.lower().strip(".")
