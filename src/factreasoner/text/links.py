"""Whether links lead to one page, judged by the links alone."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

_PORTS = {"http": ":80", "https": ":443"}
_HOST_FORM = re.compile(r"^(?:www|m|mobile|amp|touch)\.(?=[^.]+\.)|(?<=\.)(?:m|mobile)\.(?=[^.]+\.)")
_AMP_END = re.compile(r"(?:/amp|\.amp|\.amp\.html?)$", re.IGNORECASE)
_DEFAULT_PAGE = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?)$", re.IGNORECASE)
_TRACKING = re.compile(
    r"utm_\w+|[a-z]{1,3}clid|gbraid|wbraid|gclsrc|mc_[ce]id|igsh(?:id)?|_g[al]|_hs(?:enc|mi)|mkt_tok|vero_\w+"
    r"|s_kwcid|ref_(?:src|url)|cmpid|ncid|spm|at_(?:medium|campaign|custom\d)|ocid|srsltid|sharesource"
    r"|amp|outputtype",
    re.IGNORECASE,
)
"""Query parameters for tracking or display, which do not identify the page."""


def page_of(link: str) -> str:
    """A normal form of all links to one page; "" if it is not a link.

    Ignores fragment, scheme and default port, a final slash or `index.html`, `www.` or `m.`, AMP forms,
    tracking parameters, case of the host, and order of parameters.
    """
    try:
        parts = urlsplit(link.strip())
        host = parts.netloc.rpartition("@")[2].lower().removesuffix(_PORTS.get(parts.scheme, ":"))
        host = _HOST_FORM.sub("", host, count=1)
        path = _DEFAULT_PAGE.sub("", _AMP_END.sub("", parts.path.rstrip("/"))).rstrip("/")
        pairs = parse_qsl(parts.query, keep_blank_values=True)
        query = urlencode(sorted((name, value) for name, value in pairs if not _TRACKING.fullmatch(name)))
    except ValueError:
        return link
    return f"{host}{path}?{query}" if host or path or query else ""


def same_site(one: str, other: str) -> bool:
    """Whether both links lead to one host, in any of its forms."""
    return len({re.split("[/?]", page_of(link), maxsplit=1)[0] for link in (one, other)}) == 1
