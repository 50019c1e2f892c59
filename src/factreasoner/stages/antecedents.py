"""What the pronouns of a response stand for, where only one thing named before them can be meant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from factreasoner.language.parsing import Parser
from factreasoner.language.persons import Gender
from factreasoner.language.sentences import Span, sentences
from factreasoner.language.tree import Parse, Word
from factreasoner.stages.lists import QUANTIFIERS
from factreasoner.stages.mentions import INSTITUTIONS, PRONOUNS, Anaphor, Mention, anaphors, mentions
from factreasoner.stages.nonclaims import opening
from factreasoner.stages.plain_text import Plain, plain

_REACH = 3
"""Sentences back that a person may have been named in."""
_DEFINING = frozenset({"be", "refer", "mean", "denote", "become", "remain"})
"""Verbs that say of a subject what it is, so that their object is no rival to it."""
_LABEL = re.compile(
    r"([^\W\d_][^.:;!?\n]{1,60}?)(?:\s*:|\s+[-–—])\s+(?=(?:He|She|It|They|His|Her|Its|Their|This)\b)"
)


class Coreference(NamedTuple):
    """A pointing word, where it stands in the response, and the name it stands for, where that is clear."""

    word: str
    place: int
    name: str | None
    many: bool


class Coreferences(NamedTuple):
    """The pointing words of each sentence, and the whole names of persons by their last ones."""

    sentences: list[tuple[Span, list[Coreference]]]
    whole_names: dict[str, str]


class _ReadSentence(NamedTuple):
    """A sentence of the response with what it names, pronouns that were understood included."""

    parse: Parse
    named: list[Mention]


def coreferences(response: str, topic: str, parser: Parser) -> Coreferences:
    """What the pointing words of `response` mean. `topic` is the name of what it is about, or empty."""
    found: list[tuple[Span, list[Coreference]]] = []
    reader = _AntecedentFinder(topic)
    for span in sentences(response):
        text = plain(response, Span(span.start + opening(response[span.start : span.end]), span.end))
        parse = parser.parse([text.text])[0]
        found.append((span, reader.read(text, parse) if parse is not None else []))
    return Coreferences(found, reader.whole_names())


class _AntecedentFinder:
    def __init__(self, topic: str) -> None:
        self._topic = topic
        self._genders: dict[str, Gender] = {}
        self._wholes: dict[str, str] = {}
        self._before: list[_ReadSentence] = []
        self._lead: dict[str, Mention] = {}
        if topic:
            self._learn_name(topic)

    def read(self, text: Plain, parse: Parse) -> list[Coreference]:
        """What the sentence's pointing words mean; the sentence is remembered for those that follow."""
        named = [self._known(mention) for mention in mentions(parse, text)]
        label = _LABEL.match(text.text)
        here = _ReadSentence(parse, named)
        found: list[Coreference] = []
        for anaphor in anaphors(parse):
            meant = self._label(label, anaphor) or self._meant(anaphor, here)
            if meant is not None:
                self._understood(anaphor, meant, here)
            name = meant.name if meant is not None and meant.name else None
            found.append(
                Coreference(
                    anaphor.word.lower,
                    text.places[anaphor.word.start],
                    name,
                    meant is not None and meant.kind == "many",
                )
            )
        self._before = [*self._before[1 - _REACH :], here]
        self._lead = self._leads(here)
        return found

    def _leads(self, here: _ReadSentence) -> dict[str, Mention]:
        """What the pronoun that is the subject of a sentence stands for: the next one goes on with it."""
        subject = here.parse.subject(here.parse.root)
        kind = PRONOUNS.get(subject.lower) if subject is not None else None
        same = [m for m in here.named if subject is not None and m.i == subject.i]
        rivals = {
            m.name for m in here.named if m.kind == "person" and m.name != (same[0].name if same else "")
        }
        return {kind: same[0]} if kind is not None and same and not rivals else {}

    # Names

    def whole_names(self) -> dict[str, str]:
        """Last name -> the one whole name of a person that ends with it."""
        persons = {*self._genders, self._topic}
        return {
            last: whole
            for last, whole in self._wholes.items()
            if whole in persons and whole.endswith(" " + last)
        }

    def _learn_name(self, name: str) -> None:
        parts = name.split()
        if 2 <= len(parts) <= 4 and all(part[0].isupper() for part in parts):
            for part in (parts[-1], parts[0]):
                known = self._wholes.get(part, name)
                self._wholes[part] = name if known == name else ""

    def _known(self, mention: Mention) -> Mention:
        """The mention under its whole name, with what is known of its gender."""
        if not mention.proper or mention.kind not in ("person", "name"):
            return mention
        if " " in mention.name:
            self._learn_name(mention.name)
        whole = self._wholes.get(mention.name) or mention.name
        gender = self._genders.get(whole) or mention.gender
        if gender:
            self._genders[whole] = gender
        return mention._replace(
            name=whole, gender=gender, kind="person" if gender or whole == self._topic else mention.kind
        )

    def _understood(self, anaphor: Anaphor, meant: Mention, here: _ReadSentence) -> None:
        """A pronoun that is understood names its antecedent again."""
        kind = PRONOUNS.get(anaphor.word.lower)
        if kind in ("male", "female"):
            self._genders[meant.name] = kind
            meant = meant._replace(gender=kind, kind="person")
        subject = anaphor.word.dep in ("nsubj", "nsubjpass")
        owner = here.parse[anaphor.word.head].dep in ("nsubj", "nsubjpass") and anaphor.word.dep == "poss"
        subject = subject or (owner and meant.kind == "person")
        core = anaphor.word.dep != "poss"
        here.named.append(meant._replace(i=anaphor.word.i, subject=subject, core=core))
        here.named.sort()

    def _label(self, label: re.Match[str] | None, anaphor: Anaphor) -> Mention | None:
        """ "Yang Liu: He served": he is Yang Liu."""
        if label is None or anaphor.noun is not None or anaphor.word.start != label.end():
            return None
        gender = PRONOUNS.get(anaphor.word.lower)
        sure: Gender | None = gender if gender in ("male", "female") else None
        return Mention(0, label[1].strip('"“” '), "", "person" if sure else "thing", sure, True, True, True)

    # Candidates

    def _meant(self, anaphor: Anaphor, here: _ReadSentence) -> Mention | None:
        if anaphor.noun is not None:
            return self._same_noun(anaphor.noun)
        kind = PRONOUNS.get(anaphor.word.lower)
        if kind is None:
            return None
        before = [mention for mention in here.named if mention.i < anaphor.word.i]
        leading = anaphor.word.i == min(
            w.i for w in here.parse.subtree(here.parse.root) if w.tag in ("PRP", "PRP$")
        )
        if leading and kind in self._lead and not any(m.subject or m.kind == "person" for m in before):
            return self._lead[kind]
        if kind == "male" or kind == "female":
            return self._person(kind, before)
        if kind == "thing":
            return self._thing(anaphor.word, before, here)
        return self._many(before, here)

    def _person(self, gender: Gender, before: list[Mention]) -> Mention | None:
        """The one person of that gender named here, else in the nearest sentence that names any."""
        here = self._persons(before, gender)
        if here:
            return _only(here)
        steps = [self._persons(read.named, gender) for read in reversed(self._before)]
        for position, found in enumerate(steps):
            if not found:
                continue
            only = _only(found)
            if only is None or any(mention.subject for mention in found):
                return only
            return _only([mention for step in steps[position : position + 2] for mention in step])
        if (
            self._topic
            and self._genders.get(self._topic, gender) == gender
            and not any(r.named for r in self._before)
        ):
            return Mention(0, self._topic, "", "person", gender, True, True, True)
        return None

    def _persons(self, named: Iterable[Mention], gender: Gender) -> list[Mention]:
        found = []
        for mention in named:
            known = self._genders.get(mention.name) or mention.gender
            if mention.kind in ("person", "name") and known in (None, gender):
                found.append(mention)
        return found

    def _thing(self, word: Word, before: list[Mention], here: _ReadSentence) -> Mention | None:
        """The subject before, where nothing else that was named beside it could be meant."""
        things = [mention for mention in before if mention.kind in ("thing", "name") and mention.core]
        if things:
            return self._leading(things, here.parse)
        if word.lower == "it" and word.dep not in ("nsubj", "nsubjpass"):
            return None
        for read in self._before[-1:]:
            things = [m for m in read.named if m.kind in ("thing", "name") or self._may_be_thing(m)]
            leading = self._leading(things, read.parse)
            part = leading is not None and word.tag == "PRP$" and " of " in leading.name
            return leading if leading is not None and (leading.proper or not part) else None
        return None

    def _may_be_thing(self, mention: Mention) -> bool:
        """A name of one word that was taken for a person's without a sign of it: "Instagram"."""
        sure = mention.gender or " " in mention.name or not mention.proper
        return mention.core and not mention.subject and not sure

    def _leading(self, found: Sequence[Mention], parse: Parse) -> Mention | None:
        """The one subject of a sentence; in "X is a Y" whatever Y names is no rival."""
        subjects = [mention for mention in found if mention.subject]
        only = _only(subjects)
        if only is None:
            return None
        if parse.root.lemma in _DEFINING:
            return only
        rivals = [m for m in found if m.core and not m.subject and m.name != only.name]
        return None if rivals else only

    def _many(self, before: list[Mention], here: _ReadSentence) -> Mention | None:
        """The plural named before, or two persons named together."""
        for found, parse in [(before, here.parse), *((read.named, read.parse) for read in self._before[-1:])]:
            plurals = [mention for mention in found if mention.kind == "many"]
            if found is before and len(plurals) == 1 and plurals[0].core and plurals[0].name:
                return plurals[0]
            persons = list(dict.fromkeys(m.name for m in found if m.kind in ("person", "name") and m.name))
            if plurals:
                return self._leading(plurals, parse) if not persons else None
            if len(persons) == 2 and found is before:
                return Mention(0, " and ".join(persons), "", "many", None, True, True, True)
            if found is not before:
                return self._organisation(found, parse)
        return None

    def _organisation(self, found: Sequence[Mention], parse: Parse) -> Mention | None:
        """ "The Press is small. They print books.": what has a name and is no person."""
        persons = [m for m in found if m.kind == "person" or m.name in self._genders]
        leading = None if persons else self._leading([m for m in found if m.core], parse)
        named = leading is not None and leading.proper and parse.root.lemma == "be"
        return (
            leading
            if leading is not None and named and set(leading.name.lower().split()) & INSTITUTIONS
            else None
        )

    def _same_noun(self, noun: Word) -> Mention | None:
        """ "these waves" for "gravitational waves", where the sentence before names waves once."""
        for read in self._before[-1:]:
            same = [m for m in read.named if m.lemma == noun.lemma]
            return _only(same) if all(_tells_apart(m.name) for m in same) else None
        return None


def _tells_apart(name: str) -> bool:
    """Whether a noun has a word beside it that says which."""
    return len([word for word in name.split() if word.lower() not in QUANTIFIERS | {"the"}]) > 1


def _only(found: Sequence[Mention]) -> Mention | None:
    """The mention, when all are of one thing."""
    names = {mention.name for mention in found}
    return found[0] if len(names) == 1 and found[0].name else None
