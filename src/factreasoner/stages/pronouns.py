"""What the subject pronouns of a text mean, by rules: English, one sentence or clause after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from factreasoner.language.abbreviations import STARTERS, words
from factreasoner.language.sentences import Span
from factreasoner.models import Atom, Record
from factreasoner.stages.english import (
    BE,
    CONNECTIVES,
    NOMINATIVES,
    Token,
    describe,
    skip_adverbs,
    third_person,
    tokenize,
    verb_form,
)
from factreasoner.stages.subjects import Subject, find_subject

Kind = Literal["male", "female", "thing", "many"]
_KIND: dict[str, Kind] = {
    "he": "male",
    "his": "male",
    "she": "female",
    "her": "female",
    "it": "thing",
    "its": "thing",
    "they": "many",
    "their": "many",
}
_POSSESSIVE = words("his her its their")
_INDEFINITE = words(
    "a an some many several most all both one another other any each every this these that those",
)
_NO_PERSONS = words(
    "university college school institute company corporation corp inc ltd court association museum party",
    "band league union war award prize city town river lake mountain island state states department",
    "ministry agency council committee project program programme series show film album song book novel",
    "games church battle foundation society club team airport bank press library act treaty language",
)
_TITLES = words(
    "president justice dr prof professor mr mrs ms sir lady king queen judge senator governor",
)
_LABEL = re.compile(
    r"(?P<name>[\"“]?[^\W\d_][^.:;!?\n]{0,70}?)\s*(?::| [-–—])\s+"
    r"(?=(?:He|She|It|They|His|Her|Its|Their|This|These)\b)"
)
_DEMONSTRATIVE = re.compile(r"(?:This|These)(?= (?:is|was|are|were|includes?|has|have)\b)")
_EXPLETIVE_BEFORE = words(
    "likely unlikely clear unclear certain uncertain unusual necessary unnecessary possible impossible",
    "important unfortunate difficult easy hard true false worth essential vital crucial common best",
    "better good advisable recommended obvious interesting noteworthy notable time due because through",
    "estimated rumored rumoured assumed generally",
)
"""After "it is" these make "it" mean nothing."""
_REPORTED = words(
    "known believed thought reported expected understood considered suggested claimed argued said agreed",
)
_SEEMING = words("seems seemed appears appeared turns turned happens happened")
_NAME_PARTICLES = words("of the and de da di la van von der den del du al bin ibn")
_CAPITALISED = r"(?:[^\W\d_a-z]\.|[^\W\d_a-z][\w’'-]*)"
_NAME_RUN = re.compile(rf"(?<!\w){_CAPITALISED}(?: {_CAPITALISED}){{1,4}}")
_RECENT = 3
"""Sentences back that "they" looks for more than one."""


class _Named(NamedTuple):
    """Something that was a subject: its name, where it was last met, and what is known of its kind."""

    name: str
    at: int
    kind: Kind | None
    proper: bool
    rival: bool = False  # Its verb had another name as object, which "it" might mean as well.


def resolve(atoms: Sequence[Atom], record: Record) -> list[str]:
    """The atoms' texts with subject pronouns replaced where their meaning is clear.

    "He", "his" and so on at the beginning, or after an introducing phrase, become the last subject that may
    be meant, else the topic when it reads as a name. "It is clear that", "there" and everything ambiguous
    stay. A last name as subject becomes the whole name the response used before.
    """
    resolver = _Resolver(record)
    return [resolver.resolve(atom) for atom in atoms]


class _Resolver:
    def __init__(self, record: Record) -> None:
        topic = " ".join((record.topic or "").split())
        self._topic = topic if _is_name(topic) else ""
        self._response = " ".join(record.response.split())
        self._of_person = re.search(r"\b(?:he|she|his|her)\b", self._response, re.IGNORECASE) is not None
        self._whole_names = _whole_names(self._response, self._topic) if self._of_person else {}
        self._known = [_Named(self._topic, 0, None, proper=True)] if self._topic else []
        self._position = 0

    def resolve(self, atom: Atom) -> str:
        self._position += 1
        text = self._without_label(atom.text)
        text, tokens = _without_connective(text)
        place = _pronoun(tokens)
        if place is None:
            return self._with_whole_name(atom, text, tokens)
        if _is_expletive(tokens, place):
            return text
        kind = _KIND[tokens[place].lower]
        named = self._meant(kind)
        possessive = tokens[place].lower in _POSSESSIVE
        if named is None or (possessive and not named.proper and " of " in named.name):
            # "The surface of the lake ... Its largest island": of the lake, not of the surface.
            return text
        self._meet(named.name, named.kind if kind == "many" else kind, named.proper)
        return _replace(text, tokens, place, named)

    def _without_label(self, text: str) -> str:
        """ "Yang Liu: He served" as "He served", with the label as what was last named."""
        label = _LABEL.match(text)
        if label is None or len(label["name"].split()) > 8:
            return text
        self._meet(label["name"].strip(' *"“”'), None, proper=True)
        return _DEMONSTRATIVE.sub(label["name"], text[label.end() :], count=1)

    def _meant(self, kind: Kind) -> _Named | None:
        """The latest subject that a pronoun of this kind may mean."""
        latest = list(reversed(self._known))
        if kind == "many":
            return next((named for named in latest if self._may_be_they(named)), None)
        if kind == "thing":
            last = next((named for named in latest if named.kind != "many"), None)
            # What "it" means when the last subject was a person is a guess.
            if last is None or last.kind in ("male", "female") or self._is_the_person(last):
                return None
            stale = not last.proper and self._position - last.at > _RECENT
            return None if stale or (last.rival and last.name != self._topic) else last
        persons = [named for named in latest if named.kind in (None, kind) and self._may_be_person(named)]
        # "Polonium was named after her country. She ...": a single word is seldom a person not met as one.
        sure = [named for named in persons if named.kind == kind or " " in named.name]
        return next(iter(sure or persons), None)

    def _may_be_they(self, named: _Named) -> bool:
        if named.kind == "many":
            return self._position - named.at <= _RECENT
        return not self._of_person and named.proper and named.kind in (None, "thing")

    def _is_the_person(self, named: _Named) -> bool:
        return self._of_person and named.name == self._topic

    def _may_be_person(self, named: _Named) -> bool:
        parts = [part.strip('"“”.,').lower() for part in named.name.split()]
        institution = parts[-1] in _NO_PERSONS or (parts[0] in _NO_PERSONS and "of" in parts)
        things = parts[0] == "the" or institution or any(part.isdigit() for part in parts)
        return named.name == self._topic or (named.proper and not things)

    def _meet(self, name: str, kind: Kind | None, proper: bool, *, rival: bool = False) -> None:
        before = next((named.kind for named in self._known if named.name == name), None)
        self._known = [named for named in self._known if named.name != name]
        self._known.append(_Named(name, self._position, kind or before, proper, rival))

    def _with_whole_name(self, atom: Atom, text: str, tokens: Sequence[Token]) -> str:
        subject = find_subject(tokens)
        if subject is None or tokens[subject.start].lower in NOMINATIVES:
            return text
        name = describe(tokens, text, subject.start, subject.end)
        at = tokens[subject.start].start
        whole = self._whole_names.get(name)
        if whole:
            self._meet(whole, None, proper=True)
            return text[:at] + whole + text[at + len(name) :]
        said = describe(tokens, text, subject.start, subject.verb + 1)
        if atom.original is None or said.casefold() in self._response.casefold():
            # Else it is put together from a relative clause, whose subject the next sentence seldom means.
            self._meet_subject(tokens, subject, name)
            self._meet_predicate(text, tokens, subject)
        return text

    def _meet_subject(self, tokens: Sequence[Token], subject: Subject, name: str) -> None:
        inner = tokens[subject.start + 1 : subject.end]
        titled = bool(inner) and all(token.named for token in inner)
        first = tokens[subject.start]
        if len(name) > 80 or (first.lower in _INDEFINITE | _POSSESSIVE and not titled):
            return
        plural = tokens[subject.verb].text in ("are", "were", "have") or " and " in name
        proper = first.named and all(
            token.named or token.text in ("of", "de", "van", "von") for token in inner
        )
        following = tokens[subject.verb + 1 : subject.verb + 2]
        rival = subject.form not in ("be", "have", "modal") and any(token.named for token in following)
        kind: Kind | None = "many" if plural else None
        self._meet(name, kind, proper and (titled or first.lower != "the"), rival=rival)

    def _meet_predicate(self, text: str, tokens: Sequence[Token], subject: Subject) -> None:
        """In "The general chair was Jane Roe." the name comes last."""
        start = skip_adverbs(tokens, subject.verb + 1)
        end = len(tokens) - 1 if tokens[-1].text == "." else len(tokens)
        if (
            subject.form == "be"
            and end > start
            and all(token.text[0].isupper() for token in tokens[start:end])
        ):
            self._meet(describe(tokens, text, start, end), None, proper=True)


def _whole_names(text: str, topic: str) -> dict[str, str]:
    """Last name -> the topic, or the one whole name of two to four words, that ends with it."""
    wholes: dict[str, set[str]] = {}
    for run in _NAME_RUN.finditer(text):
        parts = run[0].removesuffix("'s").removesuffix("’s").split()
        while parts and (parts[0] in STARTERS or parts[0].lower().strip(".") in _TITLES):
            parts = parts[1:]
        # "Visit Paris" begins a sentence too, but no verb follows it.
        begins = text[: run.start()].rstrip()[-1:] in ("", ".", "!", "?")
        following = re.match(r"[ ,(]*([^\W\d_]*)", text[run.end() :])
        verb = following is not None and verb_form(Token(following[1], 0, 0)) is not None
        if 2 <= len(parts) <= 4 and (verb or not begins):
            wholes.setdefault(parts[-1], set()).add(" ".join(parts))
    unique = {last: names.pop() for last, names in wholes.items() if len(names) == 1}
    return unique | ({topic.split()[-1]: topic} if " " in topic else {})


def _is_name(topic: str) -> bool:
    parts = tokenize(topic, Span(0, len(topic)))
    if not 1 <= len(parts) <= 8 or len(topic) > 80 or not topic[0].isupper():
        return False
    return all(part.named or part.text[0] in "(-'.&," or part.text in _NAME_PARTICLES for part in parts)


def _is_expletive(tokens: Sequence[Token], place: int) -> bool:
    """Whether "it" stands for nothing said before: "it is clear that", "it took years to"."""
    rest = [token.lower for token in tokens[place + 1 :]]
    if tokens[place].lower != "it" or not rest:
        return False
    if rest[0] in ("takes", "took"):
        return "to" in rest[:10]
    if rest[0] in _SEEMING:
        return any(word in ("that", "as", "like") for word in rest[1:4])
    verb = next((i for i, word in enumerate(rest[:4]) if word in BE | {"be", "been"}), None)
    if verb is None:
        return rest[0] in ("rains", "rained", "snows", "snowed", "depends")
    said = [token.lower for token in tokens[skip_adverbs(tokens, place + 2 + verb) :]]
    if not said or said[0] in ("a", "an"):
        return False
    reported = said[0] in _REPORTED and said[1:2] and said[1] in ("that", "whether", "how")
    cleft = any(word in ("that", "who", "whom") for word in _up_to_comma(said)[1:14])
    return said[0] in _EXPLETIVE_BEFORE or bool(reported) or cleft or said[1:3] == ["to", "take"]


def _up_to_comma(words_said: list[str]) -> list[str]:
    return words_said[: words_said.index(",")] if "," in words_said else words_said


def _without_connective(text: str) -> tuple[str, list[Token]]:
    """The text without "However, " or the like in front, and its tokens."""
    tokens = tokenize(text, Span(0, len(text)))
    if len(tokens) > 3 and tokens[0].lower in CONNECTIVES and tokens[1].text == ",":
        rest = text[tokens[2].start :]
        text = rest[0].upper() + rest[1:]
        tokens = tokenize(text, Span(0, len(text)))
    return text, tokens


def _pronoun(tokens: Sequence[Token]) -> int | None:
    """Index of a pronoun or possessive that begins the sentence or is its subject."""
    if len(tokens) > 1 and tokens[0].lower in _KIND:
        return 0
    if len(tokens) > 3 and tokens[1].text == "of" and tokens[2].text in _POSSESSIVE:
        # "Some of his films".
        return 2
    subject = find_subject(tokens)
    return subject.start if subject and tokens[subject.start].lower in _KIND else None


def _replace(text: str, tokens: Sequence[Token], place: int, named: _Named) -> str:
    token = tokens[place]
    name = named.name
    if place > 0 and name.startswith("The "):
        name = "the " + name[4:]
    elif place == 0:
        name = name[0].upper() + name[1:]
    if token.lower in _POSSESSIVE:
        name += "'" if named.kind == "many" and name.endswith("s") else "'s"
    rest = text[token.end :]
    if token.lower == "they" and named.kind != "many":
        rest = _agreeing(text, tokens, place)
    return text[: token.start] + name + rest


def _agreeing(text: str, tokens: Sequence[Token], place: int) -> str:
    """What follows "they", with its verb made to agree with one subject."""
    index = skip_adverbs(tokens, place + 1)
    after = tokens[place].end
    if index >= len(tokens):
        return text[after:]
    verb = tokens[index]
    return text[after : verb.start] + third_person(verb) + text[verb.end :]
