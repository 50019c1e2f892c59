"""Which links lead to one page, as far as the links tell."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

_PORTS = {"http": ":80", "https": ":443"}
_HOST_FORM = re.compile(r"^(?:www|m|mobile|amp|touch)\.(?=[^.]+\.)|(?<=\.)(?:m|mobile)\.(?=[^.]+\.)")
_AMP_END = re.compile(r"(?:/amp|\.amp|\.amp\.html?)$", re.IGNORECASE)
_AMP_CACHE = re.compile(r"^/(?:amp/|[acv]/)(?:s/)?(?=[\w-]+(?:\.[\w-]+)+)")
"""How the path begins where a search engine serves a copy of the page that the rest names."""
_AMP_CACHES = re.compile(r"(?:^|\.)(?:google\.[a-z.]+|cdn\.ampproject\.org|bing-amp\.com)$")
_DEFAULT_PAGE = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?)$", re.IGNORECASE)
_TRACKING = re.compile(
    r"utm_\w+|[a-z]{1,3}clid|gbraid|wbraid|gclsrc|mc_[ce]id|igsh(?:id)?|_g[al]|_hs(?:enc|mi)|mkt_tok|vero_\w+"
    r"|s_kwcid|ref_(?:src|url)|cmpid|ncid|spm|at_(?:medium|campaign|custom\d)|ocid|srsltid|sharesource"
    r"|amp|outputtype",
    re.IGNORECASE,
)
"""Parameters that say how a reader came, or in which form the page is sent, and never which page it is."""


def page_of(link: str) -> str:
    """What `link` has in common with every other link to the same page; "" for no link.

    No difference is made by the fragment, the scheme and its own port, a slash or `index.html` at the end,
    the case of the host's name, a host for phones (`m.`) or `www.`, AMP's forms and caches, the order of the
    parameters, and those that track readers.
    """
    try:
        parts = urlsplit(link.strip())
        host = parts.netloc.rpartition("@")[2].lower().removesuffix(_PORTS.get(parts.scheme, ":"))
        cached = _AMP_CACHE.match(parts.path) if _AMP_CACHES.search(host) else None
        if cached:
            return page_of(f"https://{parts.path[cached.end() :]}?{parts.query}")
        host = _HOST_FORM.sub("", host, count=1)
        path = _DEFAULT_PAGE.sub("", _AMP_END.sub("", parts.path.rstrip("/"))).rstrip("/")
        wanted = [
            (name, value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
            if not _TRACKING.fullmatch(name)
        ]
    except ValueError:
        return link
    query = urlencode(sorted(wanted))
    return f"{host}{path}?{query}" if host or path or query else ""


def same_site(one: str, other: str) -> bool:
    """Whether both links lead to one host, in whatever form of it."""
    return _host(one) == _host(other)


def _host(link: str) -> str:
    return re.split("[/?]", page_of(link), maxsplit=1)[0]
