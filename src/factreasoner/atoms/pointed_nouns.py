"""What "the fellowship", "these topics" and "these scholars" point to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from factreasoner.atoms.anaphors import Anaphor, definite, is_incomplete, is_told_of, measured_by
from factreasoner.atoms.candidates import ReadSentence
from factreasoner.atoms.described import Descriptions
from factreasoner.atoms.labels import Labels
from factreasoner.atoms.mentions import Mention
from factreasoner.atoms.plain_text import Plain
from factreasoner.text.abbreviations import words
from factreasoner.text.tree import Parse, Word

_KIND_ASKED = re.compile(
    r"wh(?:at|ich) (?:kind|type|sort|class) of (?:\w+-)?(?P<noun>\w+) (?:is|was) (?P<name>[^?]+?)\s*\??\Z",
    re.IGNORECASE,
)
_PROPOSING = words("propose introduce present suggest recommend advocate outline develop describe")
_PLANS = words(
    "approach method technique strategy plan system process procedure policy program programme framework"
)
_INVOLVING = words("involve include entail combine")
_MATTERS = words("topic issue subject matter question theme")


class PointedNouns:
    """What a response has described, announced and listed so far; else what its question describes."""

    def __init__(self) -> None:
        self._described = Descriptions()
        self._labels = Labels()
        self._asked = Descriptions()
        self._asked_names = Descriptions()
        self._proposed = ""

    def learn(self, parse: Parse, text: Plain, named: Sequence[Mention]) -> None:
        """Add what a sentence of the response describes, or the label it begins with."""
        self._described.learn(parse, text, named)
        self._labels.learn(text, parse)
        plan = parse.child(parse.root, "dobj")
        proposed = parse.root.lemma in _PROPOSING and plan is not None and plan.lemma in _PLANS
        self._proposed = (self._described.meant(plan) if proposed and plan is not None else None) or ""

    def learn_question(self, parse: Parse, text: Plain, named: Sequence[Mention]) -> None:
        """Add what a sentence of the question describes."""
        self._asked.learn(parse, text, named)
        self._asked_names.learn(parse, text, [mention for mention in named if mention.proper])
        kind = _KIND_ASKED.match(text.text)
        if kind is not None and kind["name"].lower() != kind["name"]:
            self._asked_names.add(kind["noun"].lower(), text.shown(*kind.span("name")))

    def labelled(self, text: Plain, anaphor: Anaphor, parse: Parse) -> Mention | None:
        """The label that a pronoun, or "this" with its noun, stands behind, where it means that."""
        return self._labels.named(text, anaphor, parse)

    def points_back(self, anaphor: Anaphor, parse: Parse) -> bool:
        """Whether "the" surely does: its noun needs something named before, or there was such a thing.

        There was one, and the noun is a subject; or there were several that have names.
        """
        noun = anaphor.noun
        if noun is None or is_incomplete(parse, anaphor.word) is not None:
            return noun is not None
        known = parse.subject(parse.root) is noun and self._described.knows(noun)
        return known or is_told_of(parse, noun) or self._described.parts_no_names(noun)

    def meant(self, anaphor: Anaphor, here: ReadSentence) -> Mention | None:
        """The one thing a noun with "the" or "this" stands for, where nothing before it is called so.

        "This" and a noun may stand for all that the question describes, "the" and a noun only for its names.
        """
        noun = anaphor.noun
        if noun is None:
            return self._plan(anaphor, here.parse)
        if anaphor.is_definite and definite(here.parse, anaphor.word) is None:
            return None
        if any(m.lemma.lower() == noun.lemma.lower() and m.i < noun.i for m in here.named):
            return None
        if _goes_on(here.parse, noun):
            return None
        near = anaphor.word.lower in ("this", "these")
        name = self._labels.all(noun) or self._described.meant(noun, near=near)
        if name is None and not self._described.knows(noun):
            name = (self._asked_names if anaphor.is_definite else self._asked).meant(noun)
            name = name or self._amount(noun, here.parse) or self._subject_matter(anaphor)
        if name is None or not _repeats(here.parse, noun, name):
            return None
        if anaphor.is_definite and self._described.only_qualifies(name):
            return None
        plural = noun.tag in ("NNS", "NNPS")
        return Mention(noun.i, name, noun.lemma, "many" if plural else "thing", None, False, True, True)

    def _plan(self, anaphor: Anaphor, parse: Parse) -> Mention | None:
        """ "This involves ..." after "She proposed a new method for ..."."""
        opens = anaphor.word.lower == "this" and anaphor.word.i == 0 and anaphor.word.head == parse.root.i
        if not opens or parse.root.lemma not in _INVOLVING or not self._proposed:
            return None
        return Mention(0, self._proposed, "", "thing", None, True, True, False)

    def _amount(self, noun: Word, parse: Parse) -> str | None:
        """ "The yearly salt production quantity" for "the production quantity"."""
        measured = measured_by(parse, noun)
        name = self._described.meant(measured) if measured is not None else None
        return f"{name} {noun.text}" if name and name.lower().startswith("the ") else None

    def _subject_matter(self, anaphor: Anaphor) -> str | None:
        """What "these issues" are where topics were named, and none of the other words for such."""
        noun = anaphor.noun
        if noun is None or anaphor.word.lower != "these" or noun.lemma not in _MATTERS:
            return None
        named = {self._described.meant(noun, other) for other in _MATTERS} - {None}
        return next(iter(named)) if len(named) == 1 else None


def _goes_on(parse: Parse, noun: Word) -> bool:
    """ "This increase in income", which says itself which one is meant."""
    return any(
        child.lower != "in" or child.dep != "prep" or not _in_question(parse, child)
        for child in parse.children(noun, "prep", "acl", "relcl")
    )


def _in_question(parse: Parse, preposition: Word) -> bool:
    return any(word.lower == "question" for word in parse.children(preposition, "pobj"))


def _repeats(parse: Parse, noun: Word, name: str) -> bool:
    """Whether what "these unwritten rules" stand for is said to be so, too."""
    said = re.findall(r"\w+", name.lower())
    return all(word.lower in said for word in parse.children(noun, "amod", "compound", "nummod"))
