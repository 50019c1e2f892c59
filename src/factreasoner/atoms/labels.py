"""What stands before a colon: "Yang Liu: He served"; and "these scholars" after "here are some scholars:"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factreasoner.atoms.anaphors import PRONOUNS, Anaphor
from factreasoner.atoms.mentions import Mention
from factreasoner.atoms.plain_text import Plain
from factreasoner.text.abbreviations import words
from factreasoner.text.persons import Gender, gender_of_name
from factreasoner.text.tree import Parse, Word

_MOST_ITEMS = 6
_LABEL = re.compile(
    r"([^\W\d_][^.:;!?\n]{1,60}?)(?:\s*:|\s+[-–—])\s+(?P<pronoun>(?:He|She|It|They|His|Her|Its|Their|This|These)\b)?"
)
_HEADINGS = words(
    "note notes answer answers question response pro pros con cons advantage advantages disadvantage",
    "disadvantages benefit benefits drawback drawbacks feature features summary conclusion overview",
    "introduction background history description definition example examples tip tips warning caution",
    "disclaimer important result results reason reasons explanation purpose use uses usage origin origins",
    "life career legacy education childhood death family award awards work works plot reception point",
    "points step steps fact facts solution correction update source sources detail details impact",
    "significance importance context cause causes effect effects symptoms treatment years service war",
    "battles marriage retirement politics business research recognition honors honours achievements",
    "contributions influence beginnings training upbringing activism presidency philosophy writing",
)
"""Last words of labels that say what follows, and name nothing: "Early life", "Key points", "Step 1"."""


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
        if noun.tag not in ("NNS", "NNPS"):
            return None
        names = all(part[0].isupper() for name in self._names for part in name.split())
        if noun.lemma != self._announced or not 2 <= len(self._names) <= _MOST_ITEMS or not names:
            return None
        return f"{', '.join(self._names[:-1])} and {self._names[-1]}"

    def named(self, text: Plain, anaphor: Anaphor, parse: Parse) -> Mention | None:
        """ "Yang Liu: He served": he is Yang Liu; but nobody is "Early life" in "Early life: He was born"."""
        label = _LABEL.match(text.text)
        if label is None or anaphor.word.start != label.start("pronoun"):
            return None
        name, said = _name(label, text), [word for word in parse.words if word.end <= label.end(1)]
        if anaphor.noun is not None and not self._is_one(anaphor.noun, said):
            return None
        if not names(name, said, anaphor.word.lower):
            return None
        sure = _gender(anaphor.word.lower)
        return Mention(0, name, "", "person" if sure else "thing", sure, True, True, True)

    def _is_one(self, noun: Word, said: Sequence[Word]) -> bool:
        """Whether a label is "this approach": it is called so, or one of the approaches announced.

        "Cost: This approach is cheap" is in no list of approaches.
        """
        called = bool(said) and said[-1].lemma.lower() == noun.lemma.lower()
        return called or (bool(self._announced) and self._announced not in _HEADINGS)


def names(label: str, said: Sequence[Word], pronoun: str) -> bool:
    """Whether a label, of the words `said`, names what a pronoun behind it stands for.

    For "he" and "she" it must be the name of a person who may be of that gender.
    """
    gender = _gender(pronoun)
    if _is_heading(label) or _asks(said):
        return False
    if gender is None:
        return pronoun not in ("they", "their") or not said or said[-1].tag != "NN"
    told = gender_of_name(label)
    if told is not None:
        return told == gender and " " in label and label.split()[-1][0].isupper()
    return bool(said) and all(word.entity == "PERSON" for word in said)


def heading_ends(text: Plain) -> int | None:
    """The character behind a heading that a sentence begins with, "Pros" in "Pros: They are small"."""
    label = _LABEL.match(text.text)
    return label.end(1) if label is not None and _is_heading(_name(label, text)) else None


def _is_heading(label: str) -> bool:
    """Whether a label says what follows, and is no name of it."""
    said = re.findall(r"[^\W\d_]+", label.lower())
    return bool(said) and said[-1] in _HEADINGS


def _asks(said: Sequence[Word]) -> bool:
    """ "File a report: It takes a day", of an action."""
    return len(said) > 1 and said[0].tag in ("VB", "VBP") and said[1].pos in ("DET", "ADP", "PRON")


def _gender(pronoun: str) -> Gender | None:
    kind = PRONOUNS.get(pronoun)
    return kind if kind in ("male", "female") else None


def _name(label: re.Match[str], text: Plain) -> str:
    return text.shown(*label.span(1)).strip()
