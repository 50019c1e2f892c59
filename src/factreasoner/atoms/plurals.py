"""What "they" and "their" may stand for."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.atoms.candidates import (
    ReadSentence,
    is_group,
    may_be_group,
    takes_part,
    the_one,
    the_subject,
)
from factreasoner.atoms.known_names import KnownNames
from factreasoner.atoms.mentions import INSTITUTIONS, Mention
from factreasoner.text.tree import Parse, Word


class Plurals:
    """Finds what a plural pronoun means, and remembers which names were called "they"."""

    def __init__(self, names: KnownNames) -> None:
        self._names = names
        self._called: set[str] = set()

    def add(self, name: str) -> None:
        """Remember who was called "they"."""
        self._called.add(name)

    def meant(self, word: Word, here: ReadSentence, before: Sequence[ReadSentence]) -> Mention | None:
        """The plural named in the sentence `here`, or two persons named together; else in the last one.

        What is owned is no owner: "They made four albums. Their albums are short."
        """
        owned = here.parse[word.head].lemma if word.tag == "PRP$" else ""
        for read in (here, *before[-1:]):
            near = read is here
            found = [mention for mention in read.named if mention.lemma != owned]
            plurals = [mention for mention in found if mention.kind == "many"]
            if near and len(plurals) == 1 and plurals[0].core and plurals[0].name:
                return plurals[0]
            persons = list(dict.fromkeys(m.name for m in found if m.kind in ("person", "name") and m.name))
            called = self._called_they(found, read.parse) if not near else None
            if plurals:
                return called or (the_subject(plurals, read.parse) if not persons else None)
            named = [m for m in found if m.kind in ("name", "person") and m.subject and m.name in persons]
            if len(persons) == 1 and named and word.tag == "PRP$" and (near or may_be_group(named[0], found)):
                return named[0]
            if near and any(is_group(mention) for mention in found):
                return None
            if len(persons) == 2 and near:
                return Mention(0, " and ".join(persons), "", "many", None, True, True, True)
            if not near:
                return called or self._organisation(found, read.parse)
        return None

    def _called_they(self, found: Sequence[Mention], parse: Parse) -> Mention | None:
        """The subject that was called "they" before, where no plural takes part beside it."""
        plural = the_one([m for m in found if m.name in self._called])
        rivals = [m for m in found if m.kind == "many" and m.core and takes_part(m, parse)]
        return plural if plural is not None and plural.subject and not rivals else None

    def _organisation(self, found: Sequence[Mention], parse: Parse) -> Mention | None:
        """ "The Press is small. They print books.": what has a name and is no person."""
        persons = [m for m in found if m.kind == "person" or m.name in self._names.genders]
        plural = the_one([m for m in found if m.name in self._called])
        leading = None if persons else the_subject([m for m in found if m.core], parse)
        if plural or leading is None or not leading.proper or parse.root.lemma != "be":
            return plural
        return leading if set(leading.name.lower().split()) & INSTITUTIONS else None
