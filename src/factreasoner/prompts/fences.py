"""Fences around foreign text: material for a model to read, which cannot end its own fence."""

from __future__ import annotations

import hashlib
import re

_INVISIBLE = (
    # White space, control characters, what Unicode calls default ignorable, and marks that join a letter.
    r"[\s\x00-\x1f\x7f-\x9f\u00ad\u0300-\u036f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    r"\u2028-\u202f\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    r"\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*+"
)
_BRACKETS = "<\u2039\u2329\u27e8\u3008\ufe64\uff1c"
_SLASHES = "/\u2044\u2215\u29f8\uff0f"
_OUR_TAG = re.compile(
    rf"[{_BRACKETS}]({_INVISIBLE}[{_SLASHES}]?{_INVISIBLE}{_INVISIBLE.join('given')}{_INVISIBLE}[_\uff3f])",
    re.IGNORECASE,
)
_CONTROL = re.compile(
    r"<(?=[|\uff5c][^<>\n]{1,40}[|\uff5c]>|/?(?:s|bos|eos|pad|think|start_of_turn|end_of_turn|tool_call)>|<\s*/?SYS>>)"
    r"|\[(?=/?(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_CALLS|TOOL_RESULTS)\])",
    re.IGNORECASE,
)
"""Start of a chat template's control token, which servers would interpret."""
_QUOTED = re.compile(r'"([^"\n]*)"')
_LINE_BREAKS = re.compile(r"[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")


def delimit(text: str, label: str) -> str:
    """Put foreign `text` between `<given_LABEL_MARK>` tags that nothing in it can close or open.

    The mark is a digest of the text and does not occur in it. The text is also made `harmless`. The result is
    deterministic, for stable cache keys. `label` is lower-case letters.
    """
    if not re.fullmatch("[a-z]+", label):
        raise ValueError(f"a label is lower-case letters, not {label!r}")
    mark = _mark(text)
    while mark in text:
        mark = _mark(mark + text)
    return f"<given_{label}_{mark}>\n{harmless(text)}\n</given_{label}_{mark}>"


def harmless(text: str) -> str:
    """`text` without anything that a reader or server could take for its end.

    The opening bracket of anything like our tags, with any label, case, spacing or invisible characters,
    becomes `&lt;`; a control token of a chat template, as `<|im_end|>`, gets a space after its bracket.
    Nothing else changes.
    """
    return _CONTROL.sub(lambda found: f"{found[0]} ", _OUR_TAG.sub(r"&lt;\1", text))


def repeatable(text: str) -> str:
    """`text` with typographic quotation marks for straight ones.

    A weak model that repeats a straight one in JSON ends its string there.
    """
    return _QUOTED.sub(r"“\1”", text).replace('"', "”")


def requoted(text: str, source: str) -> str:
    """Output made from `repeatable` words of `source`, with the quotation marks of the source."""
    return text if "“" in source or "”" in source else text.replace("“", '"').replace("”", '"')


def one_line(text: str) -> str:
    """`text` with a space for each line break, so that list entries can't be forged."""
    first, *rest = _LINE_BREAKS.split(text)
    if not rest:
        return text
    *inner, last = rest
    return " ".join([first.rstrip(), *filter(None, map(str.strip, inner)), last.lstrip()])


def _mark(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:8]
