"""Validation of single values of settings.

Settings are written into every run folder, so none may hold a key.
"""

from __future__ import annotations

import re
from typing import Annotated
from urllib.parse import parse_qsl, urlsplit

from pydantic import AfterValidator

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_PARAMETER = re.compile(r"key|token|secret|sig|pass|auth|cred|code|sas", re.IGNORECASE)
_HOST = re.compile(r"[\w.-]+(:\d+|\.\w+)(/[\w./-]*)?")
_LETTER_BY_DIGIT = re.compile(r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")


def looks_like_a_key(text: str) -> bool:
    """Whether a text looks random: letters and digits mixed, or a very long part."""
    mixed = len(text) >= 16 and len(_LETTER_BY_DIGIT.findall(text)) >= 4
    return mixed or max(map(len, re.split(r"[\W_]", text))) >= 32


def checked_variable(name: str) -> str:
    """`name`, if it can name an environment variable.

    Raises ValueError: it can't, or it looks like a key. The message never repeats it.
    """
    if _NAME.fullmatch(name) is None or looks_like_a_key(name):
        raise ValueError(
            "not the name of an environment variable; it looks like the key itself, which would be written "
            "into results: put the key into the environment (export MY_KEY=...) and name the variable"
        )
    return name


def checked_url(url: str) -> str:
    """`url`, if it is a URL without user, password or key.

    Raises ValueError: it is not. The message never repeats a secret.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValueError("not a URL") from error
    if "@" in parts.netloc:
        raise ValueError("a URL with credentials would be written into results; remove them")
    parameters = [*parse_qsl(parts.query, keep_blank_values=True), ("", parts.fragment)]
    if any(_SECRET_PARAMETER.search(name) or looks_like_a_key(value) for name, value in parameters):
        raise ValueError(
            "its query seems to hold a key, which would be written into results; remove it, and name the "
            "environment variable that holds the key"
        )
    if parts.scheme not in ("http", "https") or not parts.netloc:
        shown = url if _HOST.fullmatch(url) and not looks_like_a_key(url) else "... or https://..."
        raise ValueError(f"not a URL; write http://{shown}")
    return url


def checked_service(url: str) -> str:
    """`url` of a search service, if it has neither credentials nor a query. Raises ValueError otherwise."""
    if re.search(r"[@?]", url):
        raise ValueError("a URL with credentials or a query would be written into results; remove them")
    return url


Url = Annotated[str, AfterValidator(checked_url)]
ServiceUrl = Annotated[str, AfterValidator(checked_service)]
Variable = Annotated[str, AfterValidator(checked_variable)]
