"""What the pronouns of a response stand for, where only one thing named before them can be meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from factreasoner.atoms.anaphors import PRONOUNS, Anaphor, Pointed, anaphors
from factreasoner.atoms.bearers import Bearers, co_arguments
from factreasoner.atoms.candidates import (
    ReadSentence,
    defined,
    is_inquiry,
    is_listed,
    is_oblique,
    may_be,
    may_be_thing,
    named_before,
    owner_of_alike,
    practised,
    takes_part,
    the_one,
    the_subject,
)
from factreasoner.atoms.known_names import KnownNames
from factreasoner.atoms.labels import heading_ends
from factreasoner.atoms.mentions import Mention, inside, mentions
from factreasoner.atoms.moments import moment, years
from factreasoner.atoms.nonclaims import opening
from factreasoner.atoms.plain_text import Plain, plain
from factreasoner.atoms.plurals import Plurals
from factreasoner.atoms.pointed_nouns import PointedNouns
from factreasoner.text.parsing import Parser
from factreasoner.text.sentences import Span, block_sentences, blocks, sentences
from factreasoner.text.tree import SUBJECTS, Parse, Word

_REACH = 3
"""Sentences back that a person may have been named in."""
_ESTABLISHED = 2
"""Sentences with one subject that make it what a response is about."""


class Coreference(NamedTuple):
    """A pointing word, where it stands in the response, and the name it stands for, where that is clear.

    `others` are the nouns named before it in its sentence that it might stand for, too.
    """

    word: str
    place: int
    name: str | None
    many: bool
    others: frozenset[str] = frozenset()


class Coreferences(NamedTuple):
    """The pointing words of each sentence, and the whole names of persons by their last ones."""

    sentences: list[tuple[Span, list[Coreference]]]
    whole_names: dict[str, str]


def coreferences(response: str, topic: str, question: str, parser: Parser) -> Coreferences:
    """What the pointing words of `response` mean.

    `topic` is the name of what it is about, `question` what it answers; either may be empty.
    """
    found: list[tuple[Span, list[Coreference]]] = []
    reader = _AntecedentFinder(topic, response)
    for span in sentences(question):
        asked = plain(question, span)
        parse = parser.parse([asked.text])[0]
        if parse is not None:
            reader.read_question(asked, parse)
    read = [(block, span) for block in blocks(response) for span in block_sentences(response, block)]
    texts = [
        plain(response, Span(span.start + opening(response[span.start : span.end]), span.end))
        for _, span in read
    ]
    parses = parser.parse([text.text for text in texts])
    for (block, span), text, parse in zip(read, texts, parses, strict=True):
        if span.start == block.start:
            reader.begin()
        listed = block.kind == "item"
        found.append((span, reader.read(text, parse, listed=listed) if parse is not None else []))
    return Coreferences(found, reader.names.by_last())


class _AntecedentFinder:
    def __init__(self, topic: str, response: str) -> None:
        self._response = response
        self.names = KnownNames(topic)
        self._before: list[ReadSentence] = []
        self._lead: dict[str, Mention] = {}
        self._listed: dict[str, Mention] = {}
        self._years: set[str] = set()
        self._led: Counter[str] = Counter()
        self._plurals = Plurals(self.names)
        self._bearers = Bearers(self.names)
        self._things: set[str] = set()
        self._nouns = PointedNouns()

    def read_question(self, text: Plain, parse: Parse) -> None:
        """What the question describes may be pointed to."""
        self._nouns.learn_question(parse, text, mentions(parse, text))

    def begin(self) -> None:
        """A paragraph or an item of a list begins."""
        self._bearers.begin()

    def read(self, text: Plain, parse: Parse, *, listed: bool) -> list[Coreference]:
        """What the sentence's pointing words mean; the sentence is remembered for those that follow.

        `listed` if it is from an item of a list.
        """
        heading = heading_ends(text)
        told = [mention for mention in mentions(parse, text) if parse[mention.i].end != heading]
        named = [self.names.known(mention) for mention in told]
        here = ReadSentence(parse, named)
        found: list[Coreference] = []
        understood: dict[str, Mention] = {}
        self._listed = self._listed if listed else {}
        for anaphor in anaphors(parse):
            kind = PRONOUNS.get(anaphor.word.lower)
            before = named_before(anaphor.word, parse, here.named) if kind is not None else []
            others = frozenset(
                m.lemma
                for m in before
                if kind is not None and may_be(kind, m) and not is_listed(parse, parse[m.i])
            )
            meant = self._nouns.labelled(text, anaphor, parse) or self._meant(anaphor, here, text)
            if meant is not None and kind is not None:
                understood[kind] = meant
            if meant is not None:
                self._understood(anaphor, meant, here)
            elif anaphor.is_definite and not self._nouns.points_back(anaphor, parse):
                continue
            name = inside(meant) if meant is not None and meant.name else None
            found.append(
                Coreference(
                    anaphor.said.lower(),
                    text.places[anaphor.word.start],
                    name,
                    meant is not None and meant.kind == "many",
                    others,
                )
            )
        if text.text.endswith(":"):
            self._listed = understood
        self._years = years(self._response[text.places[0] : text.places[-1] + 1])
        self._before = [*self._before[1 - _REACH :], here]
        self._lead = self._leads(here)
        self._led.update(
            {mention.name.casefold() for mention in here.named if mention.subject and mention.name}
        )
        self._things |= {mention.name for mention in here.named if mention.kind == "thing"}
        self._nouns.learn(parse, text, here.named)
        self._bearers.learn(here)
        return found

    def _leads(self, here: ReadSentence) -> dict[str, Mention]:
        """What the pronoun that is the subject of a sentence stands for: the next one goes on with it."""
        subject = here.parse.subject(here.parse.root)
        kind = PRONOUNS.get(subject.lower) if subject is not None else None
        same = [m for m in here.named if subject is not None and m.i == subject.i]
        rivals = {
            m.name for m in here.named if m.kind == "person" and m.name != (same[0].name if same else "")
        }
        return {kind: same[0]} if kind is not None and same and not rivals else {}

    def _understood(self, anaphor: Anaphor, meant: Mention, here: ReadSentence) -> None:
        """A pronoun that is understood names its antecedent again."""
        kind = PRONOUNS.get(anaphor.word.lower)
        if kind in ("male", "female"):
            self.names.genders[meant.name] = kind
            self._bearers.understood(meant.name)
            meant = meant._replace(gender=kind, kind="person")
        subject = anaphor.word.dep in ("nsubj", "nsubjpass")
        owner = here.parse[anaphor.word.head].dep in ("nsubj", "nsubjpass") and anaphor.word.dep == "poss"
        subject = subject or (owner and meant.kind == "person")
        core = anaphor.word.dep != "poss"
        if kind == "many" and meant.kind != "many":
            self._plurals.add(meant.name)
        if anaphor.noun is not None:
            here.named[:] = [m._replace(name=meant.name) if m.i == anaphor.noun.i else m for m in here.named]
            return
        here.named.append(meant._replace(i=anaphor.word.i, subject=subject, core=core))
        here.named.sort()

    # Candidates

    def _meant(self, anaphor: Anaphor, here: ReadSentence, text: Plain) -> Mention | None:
        kind = PRONOUNS.get(anaphor.word.lower)
        if kind is None or anaphor.is_resulting or anaphor.is_moment:
            return self._pointed_at(anaphor, here, text)
        before = named_before(anaphor.word, here.parse, here.named)
        apart = co_arguments(anaphor.word, here.parse)
        if kind in ("thing", "many") and any(m.i in apart and may_be(kind, m) for m in before):
            return None  # "the glue dries, and sand hardens it": one of two things is not meant
        leading = anaphor.word.i == min(
            w.i for w in here.parse.subtree(here.parse.root) if w.tag in ("PRP", "PRP$")
        )
        if leading and kind in self._lead and not any(m.subject or m.kind == "person" for m in before):
            return self._lead[kind]
        if not any(may_be(kind, mention) for mention in before):
            carried = self._listed.get(kind) or owner_of_alike(anaphor.word, here.parse, self._before)
            if carried is not None:
                return carried
        if kind == "male" or kind == "female":
            return self._bearers.meant(anaphor.word, kind, here, self._before)
        if kind == "thing":
            return self._thing(anaphor.word, before, here) or self._theme(anaphor.word, kind, before, here)
        return self._several(anaphor.word, kind, here._replace(named=before), here)

    def _several(self, word: Word, kind: Pointed, before: ReadSentence, here: ReadSentence) -> Mention | None:
        """What "they" stands for."""
        earlier = [w for w in here.parse.words[: word.i] if PRONOUNS.get(w.lower) == kind]
        if any(all(m.i != w.i for m in here.named) for w in earlier):
            return None
        several = self._plurals.meant(word, before, self._before)
        apart = co_arguments(word, here.parse)
        doers = [m.name for m in here.named if m.i in apart and m.kind in ("person", "name")]
        if several is not None and any(name and name in several.name for name in doers):
            return None  # "Lee accused them": Lee is none of them
        return several or self._theme(word, kind, before.named, here)

    def _pointed_at(self, anaphor: Anaphor, here: ReadSentence, text: Plain) -> Mention | None:
        """What a noun behind "this" or "the" stands for, or "that year"."""
        if anaphor.is_resulting:
            return None
        if anaphor.is_moment:
            said = self._response[text.places[0] : text.places[anaphor.word.start]]
            return moment(anaphor, years(said) or self._years)
        return (
            self._nouns.meant(anaphor, here)
            or defined(anaphor, here, self._before)
            or practised(anaphor, here, self._before)
        )

    def _theme(self, word: Word, kind: Pointed, before: list[Mention], here: ReadSentence) -> Mention | None:
        """What two sentences or more were about, where the last one names it and no rival takes its part."""
        if not self._before or word.dep not in ("nsubj", "nsubjpass", "poss"):
            return None
        if before:
            return self._theme_beside(kind, before) if word.dep == "poss" else None
        last = self._before[-1]
        alike = [m for m in last.named if (m.kind == "many") == (kind == "many")]
        themes = [m for m in alike if self._led[m.name.casefold()] >= _ESTABLISHED]
        theme = the_one(themes)
        if theme is None or (theme.kind in ("person", "name") and theme.name not in self._things):
            return None
        subject = last.parse.subject(last.parse.root)
        if subject is None or (subject.tag != "DT" and all(m.i != subject.i for m in last.named)):
            return None
        rivals = [m for m in alike if m.core and m.name != theme.name and takes_part(m, last.parse)]
        if theme.subject:
            rivals = [m for m in rivals if not is_oblique(m, last.parse)]
        return None if rivals else theme

    def _theme_beside(self, kind: Pointed, before: Sequence[Mention]) -> Mention | None:
        """ "The existence of X is debated, and more research is needed to show its extent", about X."""
        kinds = ("many",) if kind == "many" else ("thing", "name")
        alike = [m for m in before if m.kind in kinds]
        theme = the_one([m for m in alike if self._led[m.name.casefold()] >= _ESTABLISHED])
        if theme is None:
            return None
        rivals = [m for m in alike if m.core and theme.name not in m.name and not is_inquiry(m)]
        return None if rivals else theme

    def _thing(self, word: Word, before: list[Mention], here: ReadSentence) -> Mention | None:
        """The subject before, where nothing else that was named beside it could be meant."""
        owned = here.parse[word.head].lemma if word.dep == "poss" else ""
        before = [mention for mention in before if mention.lemma != owned]
        things = [mention for mention in before if mention.kind in ("thing", "name") and mention.core]
        if things:
            return the_subject(things, here.parse)
        if word.lower == "it" and word.dep not in ("nsubj", "nsubjpass"):
            return None
        others = [w for w in here.parse.words[: word.i] if w.dep in SUBJECTS and w.lower != "it"]
        if others and here.parse.is_clause(here.parse[word.head]):
            return None  # "you may need ten years, while it could be longer elsewhere"
        for read in self._before[-1:]:
            things = [m for m in read.named if m.kind in ("thing", "name") or may_be_thing(m)]
            leading = the_subject(things, read.parse)
            part = leading is not None and word.tag == "PRP$" and " of " in leading.name
            return leading if leading is not None and (leading.proper or not part) else None
        return None
