"""Which lead-in or heading an item of a list goes on with; lists may stand in lists."""

from __future__ import annotations

import re
from typing import NamedTuple

from factreasoner.atoms.nonclaims import is_filler
from factreasoner.atoms.wording import capitalised
from factreasoner.text.sentences import Block
from factreasoner.text.tags import UNSEEN

_LONGEST = 200
_PRESENTING = re.compile(
    r"\b(?:(?:here|below) (?:are|is)|(?:the )?following (?:are|is)) "
    r"(?=.* (?:of|for|in|to|that|who|why|which)\b)",
    re.IGNORECASE,
)
_OF_ANSWER = re.compile(
    r"(?:(?:an?|the|some|few) )*(?:\w+ )?"
    r"(?:list|summary|overview|biography|bio|answer|example|examples|steps?|tips|facts|things|details)\b",
    re.IGNORECASE,
)
_EMPTY = re.compile(
    r"(?:they|these|those|this|it|there|here|below|following|the following)"
    r"(?: (?:can|may|might|would|will|could))?(?: (?:be|are|is|were|was|includes?|included))?"
    r"(?: [^,:]{0,12}(?:following|follows?|this))?\s*:\Z|here\b",
    re.IGNORECASE,
)
"""Lead-ins that say nothing of their items: "These include:", "It works like this:"."""

_TO_VERB = re.compile(
    r"\b(?:to|can|may|might|could|will|(?:helps?|lets?) (?:you|users|people|us|them|\w+s))\s*:\Z"
)
"""What ends a lead-in whose items go on with a verb: "Kubernetes helps you:", "He had to:"."""


class _Lead(NamedTuple):
    """A lead-in, and the first of its items: items further out, or as far out with another marker, end it."""

    text: str
    indent: int
    marker: str


class Leads:
    """The lead-ins that are open while the blocks of a text are read in order."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[_Lead] = []

    def of(self, item: Block) -> str:
        """The lead-in an item goes on with, ended by a colon; empty for none."""
        indent, marker = self._place(item)
        while self._open and not self._holds(self._open[-1], indent, marker):
            self._open.pop()
        return self._open[-1].text if self._open else ""

    def _holds(self, lead: _Lead, indent: int, marker: str) -> bool:
        return indent > lead.indent or (indent == lead.indent and marker == lead.marker)

    def is_above(self, item: Block, following: Block) -> bool:
        """Whether an item stands above the next one: further in, or a sign behind a number."""
        here, after = self._place(item), self._place(following)
        return after[0] > here[0] or (after[0] == here[0] and here[1] == "number" != after[1])

    def close(self) -> None:
        """End all lists: what follows is no item."""
        self._open = []

    def add(self, said: str, item: Block) -> None:
        """Let `said`, which ends with a colon, lead in to the list that `item` begins."""
        self._open.append(_Lead(useful_part(said), *self._place(item)))

    def _place(self, item: Block) -> tuple[int, str]:
        """How far in an item's line begins, and whether a number or a sign marks it."""
        line = self._text.rfind("\n", 0, item.start) + 1
        before = self._text[line : item.start].replace(UNSEEN, " ")
        marker = before.strip()
        kind = "number" if any(c.isalnum() for c in marker) else marker
        return len(before) - len(before.lstrip()), kind


def useful_part(lead: str) -> str:
    """ "Common causes of cough:" of "Here are common causes of cough:"; empty where it says nothing."""
    said = _PRESENTING.sub("", lead)
    presented = said != lead and _OF_ANSWER.match(said) is not None
    says = len(said) <= _LONGEST and not _EMPTY.match(said) and not is_filler(said)
    return capitalised(said) if says and not presented else ""


def takes_verb(lead: str) -> bool:
    """Whether a lead-in goes on with the plain form of a verb, so that an item is no instruction."""
    return _TO_VERB.search(lead) is not None
