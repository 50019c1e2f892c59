"""What "the fellowship", "these topics" and "these scholars" point to."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.language.tree import Parse, Word
from factreasoner.stages.anaphors import Anaphor
from factreasoner.stages.described import Descriptions
from factreasoner.stages.labels import Labels
from factreasoner.stages.mentions import Mention
from factreasoner.stages.plain_text import Plain


class PointedNouns:
    """What a response has described, announced and listed so far; else what its question describes."""

    def __init__(self) -> None:
        self._described = Descriptions()
        self._labels = Labels()
        self._asked = Descriptions()
        self._asked_names = Descriptions()

    def learn(self, parse: Parse, text: Plain, named: Sequence[Mention]) -> None:
        """Add what a sentence of the response describes, or the label it begins with."""
        self._described.learn(parse, text, named)
        self._labels.learn(text, parse)

    def learn_question(self, parse: Parse, text: Plain, named: Sequence[Mention]) -> None:
        """Add what a sentence of the question describes."""
        self._asked.learn(parse, text, named)
        self._asked_names.learn(parse, text, [mention for mention in named if mention.proper])

    def knows(self, noun: Word) -> bool:
        """Whether the response spoke of such a thing before, so that "the" surely points back."""
        return self._described.knows(noun)

    def meant(self, anaphor: Anaphor, named: Sequence[Mention]) -> Mention | None:
        """The one thing a noun with "the" or "this" stands for, where nothing before it is called so.

        "This" and a noun may stand for all that the question describes, "the" and a noun only for its names.
        """
        noun = anaphor.noun
        if noun is None or any(m.lemma == noun.lemma and m.i < noun.i for m in named):
            return None
        name = self._labels.all(noun) or self._described.meant(noun)
        if name is None and not self._described.knows(noun):
            name = (self._asked_names if anaphor.is_definite else self._asked).meant(noun)
        if name is None:
            return None
        plural = noun.tag in ("NNS", "NNPS")
        return Mention(noun.i, name, noun.lemma, "many" if plural else "thing", None, False, True, True)
