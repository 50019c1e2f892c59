"""Whom "he" and "she" stand for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from factreasoner.atoms.anaphors import PRONOUNS
from factreasoner.atoms.candidates import ReadSentence, named_before, names_beside, the_one
from factreasoner.atoms.known_names import KnownNames
from factreasoner.atoms.mentions import Mention
from factreasoner.text.persons import Gender, is_person
from factreasoner.text.tree import SUBJECTS, Parse, Word

_LINGERS = 2
"""Sentences back that somebody of the same gender may still be meant by "she", once a "she" stayed open."""


class Bearers:
    """Finds the person that a pronoun stands for, and remembers whose life a response tells.

    That is the topic, or the person it begins with if it says who that is or goes on with a pronoun for
    them. They may be called "she" at any distance, where nobody else who may be a woman was named last in the
    paragraph.
    """

    def __init__(self, names: KnownNames) -> None:
        self._names = names
        self._told_of = names.topic
        self._first: str | None = None
        self._sentences = 0

    def begin(self) -> None:
        """A paragraph begins."""
        self._sentences = 0

    def learn(self, here: ReadSentence) -> None:
        """Whom the first sentence with a subject tells of."""
        self._sentences += 1
        subjects = [mention for mention in here.named if mention.subject]
        if self._first is not None or not subjects:
            return
        subject = the_one(subjects)
        self._first = subject.name if subject is not None and subject.proper else ""
        attribute = here.parse.child(here.parse.root, "attr")
        if self._first and attribute is not None and is_person(attribute.lemma):
            self._told_of = self._told_of or self._first

    def understood(self, name: str) -> None:
        """A pronoun stands for that person."""
        if name == self._first:
            self._told_of = self._told_of or name

    def meant(
        self, word: Word, gender: Gender, here: ReadSentence, before: Sequence[ReadSentence]
    ) -> Mention | None:
        """The one person of that gender named here, else in the nearest sentence that names any."""
        apart = co_arguments(word, here.parse)
        named = [m for m in named_before(word, here.parse, here.named) if m.i not in apart]
        earlier = [w for w in here.parse.words[: word.i] if _is_pronoun(w, gender)]
        if earlier:
            return self._again(earlier[-1], gender, named, here)
        fitting = self._fitting(named, gender)
        hero = self._hero(gender)
        if fitting:
            only = the_one(fitting)
            sure = only is not None and (self._gender(only) == gender and word.dep != "poss")
            return only if sure or hero is None or (only is not None and only.name == hero.name) else None
        beside = names_beside(word, here) | {m.name for m in here.named if m.i in apart}
        if hero is not None and hero.name in beside:
            return None
        if hero is not None:
            return self._goes_on(hero, beside, before)
        found = self._nearest(gender, beside, before)
        rival = self._told_of and self._told_of not in self._names.genders and self._told_of not in beside
        return found if found is None or not rival or found.name == self._told_of else None

    def _again(
        self, earlier: Word, gender: Gender, named: Sequence[Mention], here: ReadSentence
    ) -> Mention | None:
        """The second "she" of a sentence is the first one, unless another woman stands between them."""
        same = next((mention for mention in here.named if mention.i == earlier.i), None)
        if same is None:
            return None
        told_of = same.name == self._told_of
        others = [m for m in self._fitting(named, gender) if m.name != same.name]
        return None if any(self._gender(m) == gender or not told_of for m in others) else same

    def _goes_on(self, hero: Mention, beside: set[str], before: Sequence[ReadSentence]) -> Mention | None:
        """Whose life it is; nobody for sure where somebody else of that gender was named last."""
        assert hero.gender is not None
        near = before[-self._sentences :] if self._sentences else []
        opened = any(_is_open(word, hero.gender, read) for read in near[-1:] for word in read.parse.words)
        for read in reversed(near[-_LINGERS:] if opened else near[-1:]):
            called = any(_is_pronoun(word, hero.gender) for word in read.parse.words)
            others = [m for m in self._fitting(read.named, hero.gender) if m.name != hero.name]
            if any(m.name not in beside and (self._gender(m) == hero.gender or not called) for m in others):
                return None
        return hero

    def _nearest(self, gender: Gender, beside: set[str], before: Sequence[ReadSentence]) -> Mention | None:
        """The one person in the nearest sentence that names any; whoever is named `beside` is not meant."""
        steps = [
            [mention for mention in self._fitting(read.named, gender) if mention.name not in beside]
            for read in reversed(before)
        ]
        for position, found in enumerate(steps):
            if not found:
                continue
            only = the_one(found)
            if only is None or any(mention.subject for mention in found):
                return only
            return the_one([mention for step in steps[position : position + 2] for mention in step])
        fits = self._names.topic and self._names.genders.get(self._names.topic, gender) == gender
        if fits and not any(read.named for read in before):
            return _person(self._names.topic, gender)
        return None

    def _hero(self, gender: Gender) -> Mention | None:
        fits = self._told_of and self._names.genders.get(self._told_of) == gender
        return _person(self._told_of, gender) if fits else None

    def _gender(self, mention: Mention) -> Gender | None:
        return self._names.genders.get(mention.name) or mention.gender

    def _fitting(self, named: Iterable[Mention], gender: Gender) -> list[Mention]:
        return [m for m in named if m.kind in ("person", "name") and self._gender(m) in (None, gender)]


def _person(name: str, gender: Gender) -> Mention:
    return Mention(0, name, name.split()[-1], "person", gender, True, True, True)


def _is_pronoun(word: Word, gender: Gender) -> bool:
    return word.tag in ("PRP", "PRP$") and PRONOUNS.get(word.lower) == gender


def _is_open(word: Word, gender: Gender, here: ReadSentence) -> bool:
    """Whether a word is such a pronoun, and was not understood."""
    return _is_pronoun(word, gender) and all(mention.i != word.i for mention in here.named)


def co_arguments(word: Word, parse: Parse) -> set[int]:
    """Whoever has another part in what a pronoun has a part in: in "A brought her", she is not A.

    "A lost her keys" and "A hurt herself" may be of A alone.
    """
    if word.dep == "poss" or word.lower.endswith("self"):
        return set()
    verb = parse[word.head]
    while verb.head != verb.i and (verb.dep in ("prep", "agent", "dative") or verb.pos == "ADP"):
        verb = parse[verb.head]
    objects = [o for p in parse.children(verb, "prep", "agent") for o in parse.children(p, "pobj")]
    doing = verb
    while doing.dep in ("xcomp", "ccomp", "conj", "advcl", "pcomp", "prep") and not parse.subject(doing):
        doing = parse[doing.head]
    doers = list(parse.children(doing, *SUBJECTS))
    if doing.dep == "relcl" and any(doer.tag in ("WP", "WDT") for doer in doers):
        doers.append(parse[doing.head])
    listed = [part for part in (*doers, *parse.children(verb, "dobj", "attr"), *objects) if part.i != word.i]
    for part in listed:
        listed += parse.children(part, "conj", "appos")
    return {part.i for part in listed}
