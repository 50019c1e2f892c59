"""Markdown as HTML."""

from __future__ import annotations

import html
import re

from markdown_it import MarkdownIt

_NOTE = re.compile(r"^\[\^(?=[^\]\n]+\]:)", re.MULTILINE)
"""The start of a note's text, which CommonMark may take for the address of a link."""
_FRONT_MATTER = re.compile(r"---\n(\w[\w -]*:.*\n(?:.+\n)*?)---(?:\n|\Z)")
"""Lines of YAML at the start of a Markdown text, none of them blank: other text may stand between rules."""


def html_of_markdown(text: str) -> str:
    """A Markdown text (CommonMark, tables, struck text) as HTML, its title from the front matter.

    Notes stay where they are, as they stand.
    """
    title = ""
    if front := _FRONT_MATTER.match(text):
        text = text[front.end() :]
        if named := re.search(r"^title:\s*(.+)$", front[1], re.MULTILINE):
            title = html.escape(named[1].strip().strip("\"'"))
    body = MarkdownIt("commonmark").enable(["table", "strikethrough"]).render(_NOTE.sub(r"\\[^", text))
    return f"<title>{title}</title>{body}"
