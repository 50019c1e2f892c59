"""What stands before a colon: "Yang Liu: He served"; and "these scholars" after "here are some scholars:"."""

from __future__ import annotations

import re

from factreasoner.language.persons import Gender
from factreasoner.language.tree import Parse, Word
from factreasoner.stages.anaphors import PRONOUNS, Anaphor
from factreasoner.stages.mentions import Mention
from factreasoner.stages.plain_text import Plain

_MOST_ITEMS = 6
_LABEL = re.compile(
    r"([^\W\d_][^.:;!?\n]{1,60}?)(?:\s*:|\s+[-–—])\s+(?P<pronoun>(?:He|She|It|They|His|Her|Its|Their|This)\b)?"
)


class Labels:
    """The labels of a response's list items, and the noun its lead-in announced them by."""

    def __init__(self) -> None:
        self._announced = ""
        self._names: list[str] = []

    def learn(self, text: Plain, parse: Parse) -> None:
        """Remember a lead-in ("here are some scholars:") or a label; the next lead-in begins anew."""
        if text.text.endswith(":"):
            subject = parse.subject(parse.root)
            plural = subject is not None and subject.tag == "NNS"
            self._announced = subject.lemma if subject is not None and plural else ""
            self._names = []
        elif (label := _LABEL.match(text.text)) is not None:
            self._names.append(_name(label, text))

    def all(self, noun: Word) -> str | None:
        """ "A, B and C" for "these scholars", where they were announced and names followed as labels."""
        names = all(part[0].isupper() for name in self._names for part in name.split())
        if noun.lemma != self._announced or not 2 <= len(self._names) <= _MOST_ITEMS or not names:
            return None
        return f"{', '.join(self._names[:-1])} and {self._names[-1]}"


def labelled(text: Plain, anaphor: Anaphor) -> Mention | None:
    """ "Yang Liu: He served": he is Yang Liu."""
    label = _LABEL.match(text.text)
    if label is None or anaphor.noun is not None or anaphor.word.start != label.start("pronoun"):
        return None
    gender = PRONOUNS.get(anaphor.word.lower)
    sure: Gender | None = gender if gender in ("male", "female") else None
    return Mention(0, _name(label, text), "", "person" if sure else "thing", sure, True, True, True)


def _name(label: re.Match[str], text: Plain) -> str:
    return text.shown(*label.span(1)).strip()
