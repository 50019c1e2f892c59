"""Whether an atom itself tells what a pointing word of it stands for."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.atoms.anaphors import KINDS, PRONOUNS, Anaphor, Pointed, is_incomplete
from factreasoner.atoms.bearers import co_arguments
from factreasoner.atoms.candidates import is_group, is_inquiry, named_before
from factreasoner.atoms.mentions import INSTITUTIONS, Mention
from factreasoner.atoms.moments import years
from factreasoner.text.tree import SUBJECTS, VERBS, Parse, Word


def is_bound(anaphor: Anaphor, name: str | None, named: Sequence[Mention], parse: Parse) -> bool:
    """Whether the atom itself names before the word what it may stand for, or `name`, if that is known."""
    apart = co_arguments(anaphor.word, parse) if anaphor.noun is None else set()
    before = [m for m in named_before(anaphor.word, parse, named) if m.i not in apart]
    if anaphor.is_moment:
        return bool(years(parse.text[: anaphor.word.start]))
    if anaphor.is_resulting:
        return any(word.pos in VERBS for word in parse.words[: anaphor.word.i])
    if anaphor.belongs:
        return bool(before)
    if anaphor.is_one_of_those:
        return any(m.kind == "many" or parse.children(parse[m.i], "conj") for m in before)
    if anaphor.noun is not None:
        return (name is None and _completes(anaphor, before, parse)) or any(
            mention.lemma.lower() == anaphor.noun.lemma.lower() for mention in before
        )
    kind = PRONOUNS.get(anaphor.word.lower)
    owned = parse[anaphor.word.head]
    if anaphor.word.dep == "poss" and owned.dep == "conj" and parse[owned.head].text[0].isupper():
        return True  # "Roe and his wife"
    if kind in ("male", "female"):
        return _names_bearer(anaphor.word, kind, name, before, parse)
    if kind == "thing":
        things = [m for m in before if m.kind in ("thing", "name") and not is_inquiry(m)]
        return any(_is_doer(m, parse) or not _is_subject(anaphor, parse) for m in things)
    if kind == "many":
        return _names_several(anaphor, before, parse)
    own = {anaphor.word.i, *(word.i for word in parse.above(anaphor.word))}
    told = any(w.pos == "VERB" and w.i not in own for w in parse.words[: anaphor.word.i])
    return told or (anaphor.word.dep in SUBJECTS and any(m.subject for m in before))


def _names_several(anaphor: Anaphor, before: Sequence[Mention], parse: Parse) -> bool:
    """Whether something named before may be called "they"."""
    subject = _is_subject(anaphor, parse)
    persons = [m for m in before if m.kind in ("person", "name")]
    owner = anaphor.word.tag == "PRP$" and any(m.subject for m in before)
    return (
        owner
        or len(persons) > 1
        or any(is_group(mention) for mention in before)
        or any(m.kind == "many" and (_is_doer(m, parse) or not subject) for m in before)
        or any(not m.proper and not m.subject and _is_doer(m, parse) for m in before)
    )


def _is_subject(anaphor: Anaphor, parse: Parse) -> bool:
    """Whether it is the subject of the whole atom."""
    return anaphor.word.dep in ("nsubj", "nsubjpass") and anaphor.word.head == parse.root.i


def _is_doer(mention: Mention, parse: Parse) -> bool:
    """Whether it is the subject of any clause."""
    return mention.subject or parse[mention.i].dep in SUBJECTS


def _completes(anaphor: Anaphor, before: Sequence[Mention], parse: Parse) -> bool:
    """Whether the atom names what "the part" is of, or one that "the river" may stand for."""
    noun = is_incomplete(parse, anaphor.word)
    if noun is None or noun.lemma not in KINDS:
        return noun is not None and any(m.core for m in before)
    return any(m.core and m.proper and m.lemma.lower() not in INSTITUTIONS for m in before)


def _names_bearer(
    word: Word, gender: Pointed, name: str | None, before: Sequence[Mention], parse: Parse
) -> bool:
    """Whether somebody named before may be called "she"; whose name it is where that is known."""
    if name is not None:
        last = name.split()[-1]
        return any(w.text == last and w.pos == "PROPN" for w in parse.words[: word.i])
    return any(m.kind in ("person", "name") and m.gender in (None, gender) for m in before)
