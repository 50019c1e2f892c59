"""Prompts as files, and the loader that renders and fingerprints them.

A prompt is a Markdown file in this folder: the system part, a line `---user---`, the user part; then, if it
has any, a line `---examples---` and a JSON list of example calls: the values of its placeholders as plain
text (or a list of headings with texts), the items asked about, and the answer's arguments. Placeholders are
those of `string.Template` (`$name`; a literal dollar sign is `$$`). A JSON file beside it has the
function that the model is to call.
"""

from __future__ import annotations

import hashlib
import json
import string
from collections.abc import Iterable
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NamedTuple

from factreasoner.errors import ConfigError
from factreasoner.models.messages import Example, FunctionSchema, Prompt
from factreasoner.prompts.fences import delimit, one_line, repeatable, requoted

__all__ = ["delimit", "one_line", "repeatable", "requoted"]

USER_MARK, EXAMPLES_MARK = "---user---", "---examples---"


class PromptTemplate(NamedTuple):
    """A prompt with placeholders. `fingerprint` is a short digest of its file."""

    name: str
    system: str
    user: str
    fingerprint: str
    examples: tuple[dict[str, Any], ...] = ()

    @property
    def placeholders(self) -> frozenset[str]:
        """Names of the values for `fill`."""
        return frozenset(string.Template(f"{self.system}\n{self.user}").get_identifiers())

    def fill(self, **values: str) -> Prompt:
        """Render with `values`, inserted unchanged: pass foreign text through :func:`delimit`.

        Raises KeyError: a placeholder has no value.
        """
        return Prompt(
            name=self.name,
            system=string.Template(self.system).substitute(values),
            user=string.Template(self.user).substitute(values),
            fingerprint=self.fingerprint,
            examples=tuple(self._example(**example) for example in self.examples),
        )

    def _example(
        self, values: dict[str, Any], arguments: dict[str, Any], items: dict[str, str] | None = None
    ) -> Example:
        shown = {name: _format_value(value, name) for name, value in values.items()}
        user = string.Template(self.user).substitute(shown)
        return Example(user=user, items=items or {}, arguments=arguments)


def _format_value(value: str | list[list[str]], name: str) -> str:
    """An example's value in the format of a call: a text, or texts with headings."""
    if isinstance(value, str):
        return delimit(value, name)
    return "\n\n".join(f"{heading}:\n{delimit(text, name.removesuffix('s'))}" for heading, text in value)


def parse(name: str, text: str) -> PromptTemplate:
    """Parse a template file's content."""
    text, _, shown = text.partition(f"\n{EXAMPLES_MARK}\n")
    system, user = (part.strip() for part in text.split(f"\n{USER_MARK}\n"))
    digest = hashlib.sha256(f"{text}{shown}".encode()).hexdigest()[:16]
    return PromptTemplate(name, system, user, digest, tuple(json.loads(shown or "[]")))


@lru_cache
def load(name: str) -> PromptTemplate:
    """The packaged prompt `name`. Raises ConfigError if it does not exist."""
    file = resources.files(__name__) / f"{name}.md"
    try:
        # Universal newlines keep the fingerprint the same on a checkout with CRLF.
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(f"no prompt named {name!r}") from error
    return parse(name, text)


@cache
def function(name: str) -> FunctionSchema:
    """The packaged function for the prompt `name`."""
    text = (resources.files(__name__) / f"{name}.json").read_text(encoding="utf-8")
    return FunctionSchema.model_validate_json(text)


def fingerprints(names: Iterable[str]) -> dict[str, str]:
    """Fingerprint of each named prompt, for a manifest."""
    return {name: load(name).fingerprint for name in names}
