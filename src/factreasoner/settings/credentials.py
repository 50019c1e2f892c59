"""Keys where they don't belong: settings are shown, and written into every run folder."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl, urlsplit

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_PARAMETER = re.compile(r"key|token|secret|sig|pass|auth|cred|code|sas", re.IGNORECASE)
_HOST = re.compile(r"[\w.-]+(:\d+|\.\w+)(/[\w./-]*)?")
_LETTER_BY_DIGIT = re.compile(r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")


def looks_like_a_key(text: str) -> bool:
    """Whether a text is of the kind that no person makes up: letters and digits mixed, or very long parts."""
    mixed = len(text) >= 16 and len(_LETTER_BY_DIGIT.findall(text)) >= 4
    return mixed or max(map(len, re.split(r"[\W_]", text))) >= 32


def checked_variable(name: str) -> str:
    """`name` as that of an environment variable. The message never holds what was given.

    Raises:
        ValueError: it is no such name, or looks like a key.
    """
    if _NAME.fullmatch(name) is None or looks_like_a_key(name):
        raise ValueError(
            "is no name of an environment variable; it seems to be a key itself, which would be written into "
            "results: put the key into the environment (export MY_KEY=...) and give the variable's name"
        )
    return name


def checked_url(url: str) -> str:
    """`url` without a user, a password or a key in it. The message never holds what was given.

    Raises:
        ValueError: there is one, or it is no URL.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValueError("is no URL") from error
    if "@" in parts.netloc:
        raise ValueError("a URL with credentials would be written into results; leave them out")
    parameters = [*parse_qsl(parts.query, keep_blank_values=True), ("", parts.fragment)]
    if any(_SECRET_PARAMETER.search(name) or looks_like_a_key(value) for name, value in parameters):
        raise ValueError(
            "its query seems to hold a key, which would be written into results; leave it out, and name the "
            "environment variable of the key instead"
        )
    if parts.scheme not in ("http", "https") or not parts.netloc:
        shown = url if _HOST.fullmatch(url) and not looks_like_a_key(url) else "... or https://..."
        raise ValueError(f"is no URL; write http://{shown}")
    return url


def checked_service(url: str) -> str:
    """`url` of a search service, which takes neither credentials nor a query.

    Raises:
        ValueError: there is one.
    """
    if re.search(r"[@?]", url):
        raise ValueError("a URL with credentials or a query would be written into results; leave them out")
    return url
