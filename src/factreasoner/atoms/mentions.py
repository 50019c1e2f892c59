"""Whom and what a parsed sentence names."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from factreasoner.atoms.plain_text import STAND_IN, Plain
from factreasoner.text.abbreviations import words
from factreasoner.text.persons import Gender, gender_of_name, gender_of_noun, is_person
from factreasoner.text.tree import SUBJECTS, VERBS, Parse, Word

Kind = Literal["person", "name", "thing", "many"]
"""A name may be a person's or not, as far as the sentence tells."""

DEMONSTRATIVES = frozenset({"this", "these", "that", "those", "such"})
_PLACES = frozenset(
    {"GPE", "LOC", "FAC", "NORP", "DATE", "TIME", "EVENT", "LAW", "LANGUAGE", "MONEY", "QUANTITY"}
)
INSTITUTIONS = words(
    "university college school institute company corporation corp inc ltd court association museum party",
    "band league union war award prize city town river lake mountain island state states department",
    "ministry agency council committee project program programme series show film album song book novel",
    "games church battle foundation society club team airport bank press library act treaty language",
    "street house hospital academy theatre theater studio records science sciences research conference",
    "medal order empire kingdom",
)
_PARTICLES = words("van von der den de del della di da du la le bin ibn al")
TIMES = words("year day month week time century decade today moment morning evening night age period hour")
_CALLING = frozenset({"bear", "call", "name", "nickname", "rename"})
_TAKING_PART = frozenset({"to", "with", "by", "against", "into", "for", "from"})
_CONTENT = ("amod", "compound", "nummod", "nmod", "poss", "det", "quantmod", "advmod")
_DOERS = ("er", "or", "ist", "ian", "eer", "ess")
"""Endings of words for what somebody does, and of other words."""
_UNSAYABLE = re.compile(r"[\\\\$|{}!?]|[.][\"”’]$")
"""What stands in formulas and whole sentences, and in no name of something."""
_LONGEST_NAME = 8
"""Words that may stand for a pronoun."""


class Mention(NamedTuple):
    """Something named: its head's index in the sentence, and the text that can stand for a pronoun.

    `name` is empty where no such text can be given. `core` is false for what only says where, when or of
    what. `proper` is true for proper names.
    """

    i: int
    name: str
    lemma: str
    kind: Kind
    gender: Gender | None
    subject: bool
    core: bool
    proper: bool


def inside(mention: Mention) -> str:
    """A name as it is written after other words."""
    name = mention.name
    opened = name.startswith(("The ", "A ", "An ")) or (not mention.proper and name[1:].islower())
    return name[:1].lower() + name[1:] if opened else name


def mentions(parse: Parse, plain: Plain) -> list[Mention]:
    """The nouns of a sentence that can be pointed to, in order; predicates and parts of names left out."""
    return [_mention(parse, plain, word) for word in parse.words if _is_head(parse, word)]


def _is_head(parse: Parse, word: Word) -> bool:
    if word.pos not in ("NOUN", "PROPN") or word.dep in ("compound", "npadvmod", "nmod"):
        return False
    if word.lower in ("et", "al", "al.") or not (word.text.strip("-.") or parse.children(word, "compound")):
        return False
    role = _role(parse, word)
    head = parse[role.head]
    predicate = (role.dep == "attr" and word.pos != "PROPN") or (role.dep == "pobj" and head.lower == "as")
    if predicate or _named_by(parse, word) is not None or _is_same_as_another(parse, word):
        return False
    if role.dep == "appos" and parse[role.head].pos == "PROPN":
        return False
    if (
        word.pos == "PROPN"
        and role.dep == "pobj"
        and parse[head.head].pos == "PROPN"
        and word.entity != "PERSON"
    ):
        return False
    return word.lemma not in TIMES and word.entity not in ("DATE", "TIME", "MONEY", "QUANTITY", "PERCENT")


def _is_same_as_another(parse: Parse, word: Word) -> bool:
    """ "X" in "was born X", "woman" in "made her the first woman", "physicist" in "the physicist X".

    "Character" in "the character of X" is the same, too.
    """
    verb = parse[word.head]
    passive = bool(parse.children(verb, "auxpass"))
    called = passive and word.dep in ("attr", "dobj") and verb.lemma in _CALLING
    titled = word.pos == "NOUN" and any(c.pos == "PROPN" for c in parse.children(word, "appos"))
    said = word.dep in ("oprd", "ccomp") or parse.child(word, "nsubj") is not None
    of = parse.child(word, "prep")
    named = of is not None and of.lower == "of" and parse.children(of, "pobj")
    presented = word.lemma in ("character", "figure") and named and named[0].pos == "PROPN"
    return bool(called or titled or said or presented)


def _role(parse: Parse, word: Word) -> Word:
    """The first item of the list a word is in, which has the role of all."""
    while word.dep == "conj" and word.head != word.i:
        word = parse[word.head]
    return word


def _named_by(parse: Parse, word: Word) -> Word | None:
    """The name in "Her husband was Pierre Curie" for "husband"."""
    verb = parse[word.head]
    if word.pos != "NOUN" or word.dep != "nsubj" or verb.lemma != "be":
        return None
    name = parse.child(verb, "attr")
    return name if name is not None and name.pos == "PROPN" else None


def _mention(parse: Parse, plain: Plain, word: Word) -> Mention:
    name = _name(parse, plain, word)
    # "Cajal" may be tagged so
    plural = word.tag == "NNS" or (word.tag == "NNPS" and word.lower.endswith("s"))
    gender = _gender(parse, word, name)
    attribute = _attribute(parse, word)
    kind: Kind = "thing"
    if plural:
        kind = "many"
    elif word.pos == "PROPN" and _may_be_person(parse, plain, word, name):
        kind = "person" if word.entity == "PERSON" or gender else "name"
        if attribute is not None:
            kind = "person" if _is_said_of_person(word, name, attribute) else "thing"
    elif word.pos == "NOUN" and is_person(word.lemma):
        kind = "person"
    role = _role(parse, word)
    identified = role.dep == "attr" and any(
        _named_by(parse, s) is not None for s in parse.children(parse[role.head], "nsubj")
    )
    owner = role.dep == "poss" and parse[role.head].dep in ("nsubj", "nsubjpass") and word.pos == "PROPN"
    subject = _leads(parse, role) or identified or (owner and kind in ("person", "name"))
    return Mention(
        word.i, name, word.lemma, kind, gender, subject, _is_core(parse, role), word.pos == "PROPN"
    )


def _is_said_of_person(word: Word, name: str, attribute: Word) -> bool:
    """Whether what is said somebody is names a person: "Ada Roe is a botanist", which is a word like many."""
    taken = word.entity == "PERSON" and " " in name and attribute.lemma.endswith(_DOERS)
    return taken or is_person(attribute.lemma)


def _leads(parse: Parse, role: Word) -> bool:
    """Whether a word is the subject of a main clause."""
    verb = parse[role.head]
    while verb.dep == "conj":
        verb = parse[verb.head]
    return role.dep in ("nsubj", "nsubjpass") and verb.i == parse.root.i


def _attribute(parse: Parse, word: Word) -> Word | None:
    """The noun that says what a subject is."""
    verb = parse[word.head]
    found = parse.child(verb, "attr") if word.dep == "nsubj" and verb.lemma == "be" else None
    return found if found is not None and found.pos == "NOUN" else None


def _is_core(parse: Parse, role: Word) -> bool:
    """Whether a noun takes part in what happens, and does not only say where, when or of what."""
    if role.dep != "pobj":
        return role.dep != "poss"
    preposition = parse[role.head]
    verb = parse[preposition.head]
    active = verb.pos == "VERB" and not parse.children(verb, "auxpass")
    return preposition.dep == "agent" or (active and preposition.lower in _TAKING_PART)


def _may_be_person(parse: Parse, plain: Plain, word: Word, name: str) -> bool:
    parts = [part.strip(".,").lower() for part in name.split()]
    role = _role(parse, word)
    acting = role.dep in ("nsubj", "nsubjpass") and word.entity in ("GPE", "LOC", "NORP", "FAC")
    if role.dep == "pobj" and parse[role.head].lower in ("in", "at", "near", "across"):
        return False
    if role.dep == "appos" and is_person(parse[role.head].lemma):
        return True
    if (word.entity in _PLACES and not acting) or (word.text == STAND_IN and word.start in plain.names):
        return False
    if not parts or parts[0] == "the" or " of " in name or any(part.isdigit() for part in parts):
        return False
    return parts[-1] not in INSTITUTIONS


def _gender(parse: Parse, word: Word, name: str) -> Gender | None:
    """From the noun, the first name, a title, or what the sentence says the subject is."""
    if word.pos == "NOUN":
        return gender_of_noun(word.lemma)
    named = (
        [gender_of_noun(s.lemma) for s in parse.children(parse[word.head], "nsubj")]
        if word.dep == "attr"
        else []
    )
    beside = [
        *parse.children(word, "compound", "appos"),
        *([parse[word.head]] if word.dep == "appos" else []),
    ]
    titles = [gender_of_noun(w.lemma.lower()) for w in beside]
    verb = parse[word.head]
    attribute = parse.child(verb, "attr") if word.dep in SUBJECTS and verb.lemma == "be" else None
    said = [gender_of_noun(attribute.lemma)] if attribute is not None else []
    return next((gender for gender in (*named, *titles, *said, gender_of_name(name)) if gender), None)


def _name(parse: Parse, plain: Plain, word: Word) -> str:
    """The noun with what stands before it and its "of ..."; empty where that can't stand alone."""
    before = [w for w in parse.children(word) if w.i < word.i and w.dep in (*_CONTENT, "punct")]
    words_said = {word.i, *(w.i for child in before for w in parse.subtree(child))}
    if word.pos == "PROPN":
        words_said = _of_name(parse, word)
    # "version 3"
    words_said |= {w.i for w in parse.children(word, "nummod") if w.i == word.i + 1 and w.text.isdigit()}
    for child in parse.children(word, "prep"):
        if child.lower == "of" and child.i == word.i + 1:
            words_said |= {w.i for w in parse.subtree(child)}
    first, last = min(words_said), max(words_said)
    if last - first + 1 > _LONGEST_NAME or len(words_said) != last - first + 1:
        return ""
    said = parse.words[first : last + 1]
    text = plain.shown(said[0].start, said[-1].end)
    owns = any(w.tag == "POS" and w.i > word.i for w in said)  # "the Court of Appeal's opinion"
    if any(w.tag in ("PRP", "PRP$", "WDT", "WP") or w.lower in DEMONSTRATIVES for w in said) or _is_narrowed(
        parse, word
    ):
        return "" if word.pos != "PROPN" or _UNSAYABLE.search(text) or owns else text
    if _UNSAYABLE.search(text) or owns:
        return ""
    if said[0].lower in ("a", "an", "another", "any", "some", "each", "every", "no", "one"):
        return re.sub(r"^\S+", "the", text) if said[0].lower in ("a", "an", "one") else ""
    return text


def _of_name(parse: Parse, word: Word) -> set[int]:
    """The capitalised words around a name's head, some of which the parse may hang elsewhere: "SM U-30"."""
    start, end = word.i, word.i
    while start and _is_part(parse, start - 1):
        start -= 1
    following = parse.words[end + 1 : end + 5]
    until = next((w.i for w in following if w.pos in VERBS), end + 1)
    if word.dep in SUBJECTS and all(
        w.text[0].isupper() or w.text[0].isdigit() or w.text == "-" for w in parse.words[end + 1 : until]
    ):
        end = until - 1
    if start and parse[start - 1].lower == "the":
        start -= 1
    return set(range(start, end + 1))


def _is_part(parse: Parse, index: int) -> bool:
    """Whether the name of the next word may begin with, or before, the word at `index`."""
    word = parse[index]
    opening = index == 0 and word.pos in VERBS and gender_of_name(word.text) is None
    # "This Mortal Coil": a determiner that the name was recognised with
    article = word.tag == "DT" and not (word.lower == "this" and word.entity)
    capitalised = (
        word.text[0].isupper()
        and not opening
        and not article
        and word.pos not in ("PRON", "ADP", "SCONJ", "CCONJ")
    )
    after_name = index > 0 and parse[index - 1].text[0].isupper()
    return capitalised or (after_name and (word.lower in _PARTICLES or _joins(parse, word)))


def _joins(parse: Parse, hyphen: Word) -> bool:
    """Whether it is the hyphen of "Mittag-Leffler"."""
    around = parse.text[hyphen.start - 1 : hyphen.end + 1]
    return hyphen.text in ("-", "–", "‑") and len(around) == 3 and not any(c.isspace() for c in around)


def _is_narrowed(parse: Parse, word: Word) -> bool:
    """Whether a list, or a clause without a comma before it, belongs to the noun."""
    after = parse.children(word, "relcl", "acl")
    return bool(parse.children(word, "conj")) or any(parse[parse.edges(c)[0] - 1].text != "," for c in after)
