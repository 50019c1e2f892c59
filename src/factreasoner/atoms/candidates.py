"""What a pronoun may stand for among the things that a sentence names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from factreasoner.atoms.anaphors import Anaphor, Pointed
from factreasoner.atoms.mentions import Mention
from factreasoner.text.abbreviations import words
from factreasoner.text.tree import Parse, Word

_DEFINING = frozenset({"be", "refer", "mean", "denote", "become", "remain"})
"""Verbs that say of a subject what it is, so that their object is no rival to it."""
_NAMING = frozenset({"refer", "denote"})
_GENERAL = words("idea concept term notion phenomenon approach technique strategy practice method")
"""Nouns for whatever a definition defines."""


_PRACTICES = words("technology technique practice method process craft activity skill art")
"""Nouns for what a word in -ing names."""
_INQUIRIES = words("research study evidence investigation analysis work data inquiry")
_GROUPS = words(
    "university college school institute company corporation association party band league team club agency",
    "council committee department ministry government group family firm army crew choir orchestra army board",
)
"""Nouns in the singular for several people, who may be called "they"."""


class ReadSentence(NamedTuple):
    """A sentence of the response with what it names, pronouns that were understood included."""

    parse: Parse
    named: list[Mention]


def named_before(word: Word, parse: Parse, named: Sequence[Mention]) -> list[Mention]:
    """What is named before a word and may own it: "X is their album" does not say that X has one.

    "X is their own boss" does. "Places to see them" are not what is seen.
    """
    owned = parse[word.head]
    own = any(w.lower == "own" for w in parse.children(owned, "amod"))
    of_predicate = word.dep == "poss" and owned.dep == "attr" and not own
    subject = parse.subject(parse[owned.head]) if of_predicate else None
    said = {w.i for w in parse.subtree(subject)} if subject is not None else set()
    aims = [w for w in parse.above(word) if w.dep in ("acl", "relcl") and w.tag == "VB"]
    said |= {aim.head for aim in aims if word.dep in ("dobj", "pobj")}
    return [mention for mention in named if mention.i < word.i and mention.i not in said]


def names_beside(word: Word, here: ReadSentence) -> set[str]:
    """The names in the clause of which a pronoun is the subject."""
    if word.dep not in ("nsubj", "nsubjpass"):
        return set()
    clause = {w.i for w in here.parse.subtree(here.parse[word.head])}
    return {mention.name for mention in here.named if mention.i in clause}


def takes_part(mention: Mention, parse: Parse) -> bool:
    """Whether a mention belongs to the main clause."""
    above = parse.above(parse[mention.i])
    return not any(word.dep in ("advcl", "relcl", "acl", "xcomp") for word in above)


def the_one(found: Sequence[Mention]) -> Mention | None:
    """The mention, when all are of one thing."""
    names = {mention.name for mention in found}
    return found[0] if len(names) == 1 and found[0].name else None


def may_be_thing(mention: Mention) -> bool:
    """A name of one word that was taken for a person's without a sign of it: "Instagram"."""
    sure = mention.gender or " " in mention.name or not mention.proper
    return mention.core and not mention.subject and not sure


def may_be_group(subject: Mention, found: Sequence[Mention]) -> bool:
    """Whether a name that tells no gender may be called "they", and nothing else beside it may."""
    return subject.gender is None and not any(is_group(m) for m in found)


def is_group(mention: Mention) -> bool:
    """ "Crew" or "council", which may be called "they"."""
    return mention.kind != "many" and mention.lemma.lower() in _GROUPS


def may_be(kind: Pointed, mention: Mention) -> bool:
    """Whether a pronoun of that kind might stand for what is mentioned."""
    if kind == "thing":
        return mention.kind in ("thing", "name")
    if kind == "many":
        return mention.kind == "many" or (mention.subject and mention.kind != "thing")
    return mention.kind in ("person", "name")


def practised(anaphor: Anaphor, here: ReadSentence, before: Sequence[ReadSentence]) -> Mention | None:
    """ "The technology" after "Ironworking was introduced", which names nothing else."""
    if anaphor.noun is None or anaphor.noun.lemma not in _PRACTICES:
        return None
    named = [mention for mention in here.named if mention.i < anaphor.word.i and mention.kind != "many"]
    read = here._replace(named=named) if named else next(iter(before[-1:]), None)
    subject = the_subject([m for m in read.named if m.kind == "thing"], read.parse) if read else None
    activity = subject is not None and subject.name.endswith("ing") and " " not in subject.name
    return subject if activity else None


def is_listed(parse: Parse, word: Word) -> bool:
    """Whether a word is an item of a list."""
    return word.dep == "conj" or bool(parse.children(word, "conj"))


def is_oblique(mention: Mention, parse: Parse) -> bool:
    """Whether a preposition joins a mention to its verb: less likely to be gone on with than the subject."""
    return any(word.dep in ("pobj", "prep") for word in parse.above(parse[mention.i]))


def owner_of_alike(word: Word, parse: Parse, before: Sequence[ReadSentence]) -> Mention | None:
    """ "Their second album" after "the group's first album": whoever alone had one before."""
    if word.tag != "PRP$" or word.lower not in ("their", "its"):
        return None
    owned = parse[word.head].lemma
    owners = [
        mention
        for read in before
        for mention in read.named
        if read.parse[mention.i].dep == "poss" and read.parse[read.parse[mention.i].head].lemma == owned
    ]
    owner = the_one(owners)
    return owner if owner is not None and owner.proper and owner.gender is None else None


def is_inquiry(mention: Mention) -> bool:
    """ "Research" in "more research is needed to show its extent", which is not the extent of research."""
    return mention.lemma in _INQUIRIES


def the_subject(found: Sequence[Mention], parse: Parse) -> Mention | None:
    """The one subject of a sentence; in "X is a Y" whatever Y names is no rival."""
    subjects = [mention for mention in found if mention.subject]
    subject = the_one(subjects)
    if subject is None:
        return None
    if parse.root.lemma in _DEFINING:
        return subject
    rivals = [
        m for m in found if m.core and not m.subject and m.name != subject.name and takes_part(m, parse)
    ]
    return None if rivals else subject


def defined(anaphor: Anaphor, here: ReadSentence, before: Sequence[ReadSentence]) -> Mention | None:
    """ "This", or "this idea", after "X refers to Y", which says nothing else that it could be, is X."""
    word, noun = anaphor.word, anaphor.noun
    opens = word.lower == "this" and word.i == 0 and (noun or word).head == here.parse.root.i
    if not opens or not before or before[-1].parse.root.lemma not in _NAMING:
        return None
    subject = the_subject([m for m in before[-1].named if m.kind != "many"], before[-1].parse)
    if noun is None or subject is None:
        return subject
    # "the treaty refers to Norway" defines nothing: what is defined has no article
    general = noun.lemma in _GENERAL and not subject.proper and not subject.name.lower().startswith("the ")
    return subject if general else None
