"""Data inside a page: JSON that no text in it can break out of, and the hashes a policy names scripts by."""

from __future__ import annotations

import base64
import hashlib
import json
from typing import Any

_ESCAPES = {character: f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029\x7f"}
"""Characters that mean something to HTML, or end a line of JavaScript; JSON can say each otherwise."""


def json_text(content: Any) -> str:  # noqa: ANN401 - whatever JSON can hold
    """`content` as JSON that may stand inside a script element.

    Raises:
        ValueError: a number in it is not finite.
    """
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character, escape in _ESCAPES.items():
        text = text.replace(character, escape)
    return text


def script_call(function: str, *arguments: Any) -> str:
    """A line of JavaScript that calls a function of the page with data."""
    return f"{function}({','.join(map(json_text, arguments))});\n"


def source_hash(text: str) -> str:
    """How a content security policy names an inline script or style."""
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"
