"""Relative clauses, participles and appositions that say something of a noun, and of which noun."""

from __future__ import annotations

from typing import NamedTuple

from factreasoner.atoms.wording import Line, Wording, without_stop
from factreasoner.text.lexicon import is_person, words
from factreasoner.text.parsing import SUBJECTS, VERBS, Parse, Word

_DEFINITE = words("the this these his her its their")
_PATH = (*SUBJECTS, "dobj", "attr", "pobj", "prep", "agent")
_PLURAL = ("NNS", "NNPS")
_NAMES = ("NOUN", "PROPN")
_NARROWING = words("first last only second third one most least best largest")


class Aside(NamedTuple):
    """A clause or apposition, the subject it is said of, and the relative pronoun to leave out."""

    said: Word
    subject: Line
    relative: Word | None = None


def asides_of(wording: Wording, verb: Word, subject: Line) -> list[Aside]:
    """What is plainly said of the nouns of a clause; `subject` is that of the clause."""
    found: list[Aside] = []
    for noun in wording.line(verb):
        if noun.pos not in _NAMES or not _is_of_clause(noun, verb):
            continue
        for child in wording.children(noun, "relcl", "appos", "acl"):
            aside = _definition(wording.parse, noun, child, verb, subject) or _set_off(wording, noun, child)
            if aside is not None:
                found.append(aside)
                break
    return found


def _is_of_clause(noun: Word, verb: Word) -> bool:
    """Whether a noun is in the clause itself, and not in a list."""
    if noun.dep == "conj" or noun.dependent("conj", "cc"):
        return False
    return noun.head is verb or all(word.dep in _PATH for word in (noun, *noun.above(verb)))


def _definition(parse: Parse, noun: Word, child: Word, verb: Word, subject: Line) -> Aside | None:
    """ "Ada is a poet who lived in Rome", "X is a tool used in Y": said of the subject as well."""
    article = noun.dependent("det")
    if noun.dep != "attr" or verb.lemma != "be" or not subject or verb.tag == "VBG":
        return None
    if article is None or article.lower not in ("a", "an") or verb.dependent("neg", "expl", "advcl"):
        return None
    if any(word.lower in _NARROWING for word in noun.children) or not _is_last(child, verb):
        return None
    if child.dep == "acl":
        begins = all(word.dep == "advmod" for word in child.subtree() if word.i < child.i)
        return Aside(child, subject) if child.tag == "VBN" and begins else None
    relative = parse.words[child.first]
    told = relative.head is child and relative.dep in SUBJECTS
    return Aside(child, subject, relative) if told and relative.lower in ("who", "that", "which") else None


def _is_last(child: Word, verb: Word) -> bool:
    """Whether a part of a clause ends it."""
    gone = {c.i for c in verb.dependents("conj", "cc") if c.dep == "cc" or c.pos in VERBS}
    return all(word.pos == "PUNCT" for word in verb.subtree(gone) if word.i > child.last)


def _set_off(wording: Wording, noun: Word, child: Word) -> Aside | None:
    """What commas set off behind a name or a definite noun."""
    all_words, first = wording.parse.words, child.first
    if first < 2 or all_words[first - 1].text != "," or child.dep == "acl":
        return None
    behind = all_words[child.last + 1 : child.last + 2]
    if behind and behind[0].text not in (",", ".", ";") and behind[0].dep != "cc":
        return None
    own = noun.subtree({c.i for c in noun.dependents("relcl", "appos", "acl", "punct")})
    name = without_stop(tuple(wording.line_without(noun, *noun.dependents("relcl", "appos"))))
    if own[-1].i != first - 2 or not name:
        return None
    if child.dep == "appos":
        described = child.pos == "NOUN" and all_words[first].lower in ("a", "an", "the")
        nested = noun.dep == "pobj" and noun.head.head.pos in _NAMES
        listed = child.dependent("conj", "cc", "appos") is not None
        return Aside(child, name) if noun.pos == "PROPN" and described and not listed and not nested else None
    relative = all_words[first]
    if relative.lower not in ("which", "who") or relative.head is not child or relative.dep not in SUBJECTS:
        return None
    if relative.lower == "which" and noun.dep == "pobj" and noun.pos != "PROPN":
        return None
    told = all_words[noun.first].lower in _DEFINITE or noun.pos == "PROPN" or noun.tag in _PLURAL
    return Aside(child, name, relative) if told and not _has_rival(noun, relative.lower == "who") else None


def _has_rival(noun: Word, who: bool) -> bool:
    """Whether the relative pronoun behind a noun may stand for a noun above it."""
    above = noun.head
    while above.dep == "prep" and above.head.pos in _NAMES:
        rival = above.head
        if is_person(rival.lemma.lower()) == who and (rival.tag in _PLURAL) == (noun.tag in _PLURAL):
            return True
        above = rival.head
    return False
