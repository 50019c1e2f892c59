"""What a clause says of its end with "with": ", with a population of 5,000", ", with sales rising"."""

from __future__ import annotations

from factreasoner.atoms.expletives import is_expletive
from factreasoner.atoms.wording import Wording
from factreasoner.text.abbreviations import words
from factreasoner.text.tree import AUXILIARIES, Parse, Word

_SHARES = words("majority minority rest remainder half part share bulk number exception")
"""Nouns that tell how many of the subject are meant, and not what it has."""
_HAVING = {"VBZ": "has", "VBP": "have", "VBD": "had"}


def companion(wording: Wording, verb: Word) -> Word | None:
    """The "with" that ends a clause behind a comma, and says something by itself."""
    parse = wording.parse
    heads = (verb, *wording.children(verb, "attr", "acomp"))
    end = max(word.i for word in wording.kept(verb) if word.pos != "PUNCT")
    for word in (w for head in heads for w in wording.children(head, "prep")):
        last = word.lower == "with" and parse.edges(word)[1] >= end and parse[word.i - 1].text == ","
        if last and (happening(parse, word) is not None or having(parse, verb, word)):
            return word
    return None


def happening(parse: Parse, preposition: Word) -> Word | None:
    """ "Rising" in "with sales rising"."""
    verb = parse.child(preposition, "pcomp")
    told = verb is not None and verb.tag == "VBG" and parse.subject(verb) is not None
    return verb if verb is not None and told and not parse.children(verb, *AUXILIARIES) else None


def having(parse: Parse, verb: Word, preposition: Word) -> str:
    """ "Has" where a clause says what its subject is: "X is a town, with a large port"; else empty."""
    target, subject = parse.child(preposition, "pobj"), parse.subject(verb)
    aim = parse.child(verb, "xcomp")
    says = verb.lemma == "be" or (aim is not None and aim.lemma == "be")
    if target is None or subject is None or not says or is_expletive(parse, subject):
        return ""
    named = target.pos != "NOUN" or target.entity == "PERSON" or target.lemma in _SHARES
    return "" if named else _HAVING.get(parse.finite(verb).tag, "")
