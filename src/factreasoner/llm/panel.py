"""Several models where one is expected."""

from __future__ import annotations

from collections.abc import Mapping

from factreasoner.models.messages import FunctionSchema, Prompt, Reply
from factreasoner.protocols import LLM


class Panel:
    """Models that judge together, by name; the first of them is asked for everything else, too."""

    def __init__(self, members: Mapping[str, LLM]) -> None:
        self.members = dict(members)
        self._first = next(iter(self.members.values()))

    def call(
        self, prompt: Prompt, schema: FunctionSchema, *, sample: int = 0, logprobs: bool = False
    ) -> Reply:
        """What the first model answers; see `LLM`."""
        return self._first.call(prompt, schema, sample=sample, logprobs=logprobs)

    @property
    def facts_per_call(self) -> int:
        """How many facts the first model bears at once."""
        return int(getattr(self._first, "facts_per_call", 32))

    @property
    def settled(self) -> bool:
        """Whether it is known of all of them how they are to be asked."""
        return all(bool(getattr(member, "settled", True)) for member in self.members.values())
