"""What the subject pronouns of a text mean, by rules: English, one sentence or clause after the other."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

from factreasoner.stages.abbreviations import words
from factreasoner.stages.english import (
    CONNECTIVES,
    Subject,
    Token,
    describe,
    find_subject,
    skip_adverbs,
    tokenize,
    verb_form,
)
from factreasoner.stages.sentences import Span

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
    "a an some many several most all both one another other any each every this these that those"
)
_NOT_A_PERSON = words(
    "university college school institute company corporation corp inc ltd court association museum party band",
    "league union war award prize city town river lake mountain island state states department ministry agency",
    "council committee project program programme series show film album song book novel games museum church",
    "foundation society club team airport bank press library act treaty battle language",
)
_LABEL = re.compile(
    r"(?P<name>[\"“]?[^\W\d_][^.:;!?\n]{0,70}?)\s*(?::| [-–—])\s+(?=(?:He|She|It|They|His|Her|Its|Their|This|These)\b)"
)
_EXPLETIVE = re.compile(
    r"""it\ (?:(?:is|was|has\ been|had\ been|will\ be|would\ be|may\ be|might\ be|can\ be|could\ be|should\ be)\ (?:\w+ly\ |also\ |not\ |still\ |very\ |often\ |now\ |then\ ){0,3}
          (?: (?:un)?(?:likely|clear|certain|usual|necessary|fortunate) | (?:im)?(?:possible|portant) | difficult | easy | hard
            | true | false | worth | essential | vital | crucial | common | best | better | good | advisable | necessary | recommended
            | obvious | interesting | noteworthy | notable | time | said\ that | due\ to | because | through | estimated | rumou?red
            | assumed | generally | (?:known|believed|thought|reported|expected|understood|considered|suggested|claimed|argued|agreed)\ (?:that|whether|how)
          )\b
        | (?:is|was)\ [^,;]{1,80}\ (?:that|who|whom)\b
        | (?:seems?|seemed|appears?|appeared|turns?\ out|turned\ out|happens|happened)\ (?:that|as|to\ be\ that|like)\b
        | (?:takes?|took)\ [^,;]{1,60}\ to\b | (?:rains?|rained|snows?|snowed|depends)\b
      )""",
    re.IGNORECASE | re.VERBOSE,
)
_SINGULAR = {
    "are": "is", "were": "was", "have": "has", "do": "does", "aren't": "isn't", "weren't": "wasn't",
    "haven't": "hasn't", "don't": "doesn't", "aren’t": "isn’t", "weren’t": "wasn’t", "haven’t": "hasn’t",
    "don’t": "doesn’t",
}  # fmt: skip
_RECENT = 3


class _Named(NamedTuple):
    """Something that was a subject: its name, where it was last met, and what is known of its kind."""

    name: str
    at: int
    kind: Kind | None
    proper: bool


def resolve(texts: Sequence[str], *, topic: str = "", response: str = "") -> list[str]:
    """The texts, in order, with subject pronouns replaced where their meaning is clear.

    "He", "his" and so on at the beginning, or after an introducing phrase, become the last subject that may
    be meant, else `topic` when it reads as a name. "It is clear that", "there" and everything ambiguous stay.
    A topic's last name as subject becomes the whole name.
    """
    resolver = _Resolver(topic if _is_name(topic) else "", response or " ".join(texts))
    return [resolver.resolve(text) for text in texts]


class _Resolver:
    def __init__(self, topic: str, response: str) -> None:
        pronouns = {word.lower() for word in re.findall(r"\b(?:[Hh]e|[Ss]he|[Hh]is|[Hh]er)\b", response)}
        self._of_person = bool(pronouns)
        self._topic = " ".join(topic.split())
        self._known: list[_Named] = []
        self._position = 0
        if topic:
            self._known.append(_Named(self._topic, 0, None, proper=True))

    def resolve(self, text: str) -> str:
        self._position += 1
        label = _LABEL.match(text)
        if label and len(label["name"].split()) <= 8:
            self._meet(label["name"].strip(' *"“”'), None, proper=True)
            text = text[label.end() :]
            text = re.sub(
                r"^(?:This|These)(?= (?:is|was|are|were|includes?|has|have)\b)", label["name"], text
            )
        text, tokens = _without_connective(text)
        place = _pronoun(tokens)
        if place is None:
            return self._with_whole_name(text, tokens)
        if _EXPLETIVE.match(text, tokens[place].start):
            return text
        kind = _KIND[tokens[place].lower]
        named = self._meant(kind)
        if named is None:
            return text
        self._meet(named.name, kind if kind != "many" or named.kind == "many" else named.kind, named.proper)
        return _replace(text, tokens, place, named)

    def _meant(self, kind: Kind) -> _Named | None:
        """The latest subject that a pronoun of this kind may mean."""
        for named in reversed(self._known):
            if kind == "many":
                plural = named.kind == "many" and self._position - named.at <= _RECENT
                if plural or (not self._of_person and named.proper and named.kind in (None, "thing")):
                    return named
            elif kind == "thing":
                if named.kind in ("male", "female") or (self._of_person and named.name == self._topic):
                    # What "it" means when the last subject was a person is a guess.
                    return None
                if named.kind in (None, "thing"):
                    return named
            elif named.kind in (None, kind) and named.proper and _may_be_person(named.name):
                return named
        return None

    def _meet(self, name: str, kind: Kind | None, proper: bool) -> None:
        before = next((named.kind for named in self._known if named.name == name), None)
        self._known = [named for named in self._known if named.name != name]
        self._known.append(_Named(name, self._position, kind or before, proper))

    def _with_whole_name(self, text: str, tokens: Sequence[Token]) -> str:
        subject = find_subject(tokens)
        if subject is None or tokens[subject.start].lower in _KIND or tokens[subject.start].lower == "there":
            return text
        name = describe(tokens, text, subject.start, subject.end)
        first = tokens[subject.start]
        if self._of_person and self._topic.endswith(f" {name}"):
            self._meet(self._topic, None, proper=True)
            return text[: first.start] + self._topic + text[first.start + len(name) :]
        if first.lower not in _INDEFINITE | _POSSESSIVE and len(name) <= 80:
            proper = first.named and first.lower != "the" and (first.start > 0 or _is_proper(tokens, subject))
            plural = tokens[subject.verb].text in ("are", "were", "have") or " and " in name
            self._meet(name, "many" if plural else None, proper)
        return text


def _is_name(topic: str) -> bool:
    parts = tokenize(topic, Span(0, len(topic)))
    if not 1 <= len(parts) <= 8 or len(topic) > 80 or "?" in topic or not topic[:1].isupper():
        return False
    return all(
        part.named
        or part.lower in ("of", "the", "and", "de", "da", "von", "van", "-", "'", ".", "&", ",")
        or part.text[0] == "("
        for part in parts
    )


def _is_proper(tokens: Sequence[Token], subject: Subject) -> bool:
    """Whether a subject at the start of a sentence is a name, not a noun that is capitalised for its place."""
    inner = tokens[subject.start + 1 : subject.end]
    return all(token.named or token.lower in ("of", "de", "van", "von") for token in inner)


def _may_be_person(name: str) -> bool:
    parts = [part.strip('"“”.,').lower() for part in name.split()]
    return parts[0] != "the" and not any(part in _NOT_A_PERSON or part.isdigit() for part in parts)


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
        rest = _singular(text, tokens, place)
    return text[: token.start] + name + rest


def _singular(text: str, tokens: Sequence[Token], place: int) -> str:
    """What follows "they", with its verb made to agree with one subject."""
    after = text[tokens[place].end :]
    index = skip_adverbs(tokens, place + 1)
    if index >= len(tokens):
        return after
    verb = tokens[index]
    word = verb.text
    form = verb_form(verb)
    if word in _SINGULAR:
        word = _SINGULAR[word]
    elif form in (None, "present") and word.isalpha() and word.islower():
        word = _third_person(word)
    offset = verb.start - tokens[place].end
    return after[:offset] + word + after[offset + len(verb.text) :]


def _third_person(verb: str) -> str:
    if re.search(r"[^aeiou]y$", verb):
        return verb[:-1] + "ies"
    return verb + ("es" if re.search(r"(?:s|x|z|ch|sh|o)$", verb) else "s")
