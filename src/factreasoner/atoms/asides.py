"""Relative clauses, participles and appositions that say something of a noun, and of which one."""

from __future__ import annotations

from typing import NamedTuple

from factreasoner.atoms.wording import Line, Wording, without_stop
from factreasoner.text.lexicon import is_person, words
from factreasoner.text.tree import SUBJECTS, VERBS, Parse, Word

_DEFINITE = words("the this these his her its their")
_PATH = (*SUBJECTS, "dobj", "attr", "pobj", "prep", "agent")
_PLURAL = ("NNS", "NNPS")
_NAMES = ("NOUN", "PROPN")
_NARROWING = words("first last only second third one most least best largest")


class Aside(NamedTuple):
    """What is said of a noun: a clause or apposition, its subject, and the relative pronoun to leave out."""

    said: Word
    subject: Line
    relative: Word | None = None


def asides_of(wording: Wording, verb: Word, subject: Line) -> list[Aside]:
    """What is said of the nouns of a clause, where it is plain of which; `subject` is that of the clause."""
    found: list[Aside] = []
    parse = wording.parse
    for noun in wording.kept(verb):
        if noun.pos not in _NAMES or not _is_of_clause(parse, noun, verb):
            continue
        for child in wording.children(noun, "relcl", "appos", "acl"):
            aside = _definition(parse, noun, child, verb, subject) or _set_off(wording, noun, child)
            if aside is not None:
                found.append(aside)
                break
    return found


def _is_of_clause(parse: Parse, noun: Word, verb: Word) -> bool:
    """Whether a noun stands in the clause itself, and in no list."""
    if noun.dep == "conj" or parse.children(noun, "conj", "cc"):
        return False
    return noun.head == verb.i or all(word.dep in _PATH for word in (noun, *parse.above(noun, verb)))


def _definition(parse: Parse, noun: Word, child: Word, verb: Word, subject: Line) -> Aside | None:
    """ "Ada is a poet who lived in Rome", "X is a tool used in Y": said of the subject as well."""
    article = parse.child(noun, "det")
    if noun.dep != "attr" or verb.lemma != "be" or not subject or verb.tag == "VBG":
        return None
    if article is None or article.lower not in ("a", "an") or parse.children(verb, "neg", "expl", "advcl"):
        return None
    if any(word.lower in _NARROWING for word in parse.children(noun)) or not _is_last(parse, child, verb):
        return None
    if child.dep == "acl":
        begins = all(word.dep == "advmod" for word in parse.subtree(child) if word.i < child.i)
        return Aside(child, subject) if child.tag == "VBN" and begins else None
    relative = parse[parse.edges(child)[0]]
    told = relative.head == child.i and relative.dep in SUBJECTS
    return Aside(child, subject, relative) if told and relative.lower in ("who", "that", "which") else None


def _is_last(parse: Parse, child: Word, verb: Word) -> bool:
    """Whether nothing of a clause stands behind a part of it."""
    last = parse.edges(child)[1]
    gone = {c.i for c in parse.children(verb, "conj", "cc") if c.dep == "cc" or c.pos in VERBS}
    return all(word.pos == "PUNCT" for word in parse.subtree(verb, gone) if word.i > last)


def _set_off(wording: Wording, noun: Word, child: Word) -> Aside | None:
    """What commas set off behind a name or a definite noun."""
    parse = wording.parse
    first, last = parse.edges(child)
    if first < 2 or parse[first - 1].text != "," or child.dep == "acl":
        return None
    if last + 1 < len(parse) and parse[last + 1].text not in (",", ".", ";") and parse[last + 1].dep != "cc":
        return None
    own = parse.subtree(noun, {c.i for c in parse.children(noun, "relcl", "appos", "acl", "punct")})
    name = without_stop(wording.line_without(noun, *parse.children(noun, "relcl", "appos")))
    if own[-1].i != first - 2 or not name:
        return None
    if child.dep == "appos":
        described = child.pos == "NOUN" and parse[first].lower in ("a", "an", "the")
        listed = parse.children(child, "conj", "cc", "appos")
        nested = noun.dep == "pobj" and parse[parse[noun.head].head].pos in _NAMES
        plain = noun.pos == "PROPN" and described and not listed and not nested
        return Aside(child, name) if plain else None
    relative = parse[first]
    if relative.lower not in ("which", "who") or relative.head != child.i or relative.dep not in SUBJECTS:
        return None
    told = parse[parse.edges(noun)[0]].lower in _DEFINITE or noun.pos == "PROPN" or noun.tag in _PLURAL
    if relative.lower == "which" and noun.dep == "pobj" and noun.pos != "PROPN":
        return None
    return Aside(child, name, relative) if told and not _has_rival(parse, noun, child) else None


def _has_rival(parse: Parse, noun: Word, clause: Word) -> bool:
    """Whether the relative pronoun may stand for a noun above the one it is attached to."""
    who = parse[parse.edges(clause)[0]].lower == "who"
    above = parse[noun.head]
    while above.dep == "prep" and parse[above.head].pos in _NAMES:
        rival = parse[above.head]
        if is_person(rival.lemma.lower()) == who and (rival.tag in _PLURAL) == (noun.tag in _PLURAL):
            return True
        above = parse[rival.head]
    return False
