"""What the pronouns of a text mean, if the sentences before leave no doubt.

A pronoun stands for the subject that the sentences before it keep to. One that has a rival stands for
nothing: a wrong name is worse than none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from itertools import groupby
from typing import Literal, NamedTuple, get_args

from factreasoner.atoms.fragments import leading_label
from factreasoner.atoms.plain_text import Plain, plain
from factreasoner.models import Atom, Record
from factreasoner.text.language import gender_of_name, is_person, words
from factreasoner.text.parsing import NOUNS, PLURAL, SUBJECTS, Parse, Parser, Word
from factreasoner.text.sentences import Span, block_sentences, blocks
from factreasoner.text.wraps import shown

Kind = Literal["male", "female", "thing", "many"]
Meant = Mapping[str, str]
"""The name for each kind of pronoun, and for "these" with a noun of that lemma."""
_FORMS: dict[str, str] = {
    "male": "he him his himself",
    "female": "she her hers herself",
    "thing": "it its itself",
    "many": "they them their theirs themselves",
}
KINDS: dict[str, Kind] = {word: kind for kind in get_args(Kind) for word in _FORMS[kind].split()}
POINTING = words("this that these those such")
_QUANTIFIERS = words(
    "some many several most other another each every no one both all any few",
    "various certain different numerous",
)
_ASPECTS = words(
    "entry entrance admission access parking price cost fee charge fare rent ticket height length width",
    "depth size weight age population capacity weather climate name address location view construction",
    "opening closure restoration renovation",
)
"""What is said of a thing, which "it" behind them may mean: "Entry is free. It has a café." """
_LONGEST_NAME = 8
"""Words of what may replace a pronoun."""
_LONGEST_QUESTION = 1000
_MAYBE_PERSON = ("PERSON", "ORG", "NORP", "PRODUCT", "WORK_OF_ART")
_TIMES = ("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT")


class Named(NamedTuple):
    """What a subject names, its noun and tag, and the kinds of pronoun that may mean something else.

    `name` is empty if it can't stand for a pronoun.
    """

    name: str
    kind: Kind | Literal["person"]
    noun: tuple[str, str] = ("", "")
    rivals: frozenset[Kind] = frozenset()

    def fits(self, kind: Kind) -> bool:
        """Whether a pronoun of that kind may stand for it."""
        return self.kind == kind or (self.kind == "person" and kind in ("male", "female"))


_NOTHING = Named("", "thing")


def _person(name: str) -> Named:
    return Named(name, gender_of_name(name) or "person")


class Antecedents:
    """The sentences of a response, what each kind of pronoun means in them, and the persons they name."""

    def __init__(self, record: Record, parser: Parser) -> None:
        response = shown(record.response)
        self._spans: list[Span] = []
        self._meant: list[Meant] = []
        read: list[Plain] = []
        labels: list[str | None] = []  # empty where a block begins anew without one
        for block in blocks(response):
            for n, span in enumerate(block_sentences(response, block)):
                found = leading_label(response, *span, item=block.kind == "item")
                label = plain(response, Span(*found.span("label"))).whole().strip("*_") if found else None
                self._spans.append(span)
                read.append(plain(response, Span(found.end(), span.end) if found else span))
                labels.append(label or ("" if n == 0 and block.kind != "prose" else None))
        self.persons: set[str] = set()
        for asked in parser.parse([record.prompt[:_LONGEST_QUESTION], record.topic or ""]):
            self.persons |= _persons(asked) if asked else set()
        focus = _person(next(iter(self.persons))) if len(self.persons) == 1 else _NOTHING
        parses = parser.parse([text.text for text in read])
        label_parses = parser.parse([label or "" for label in labels])
        for text, parse, label, label_parse in zip(read, parses, labels, label_parses, strict=True):
            if label is not None:
                focus = _of_label(label, label_parse)
            meant: dict[str, str] = {}
            if parse is not None:
                meant, focus = self._read(text, parse, focus)
                self.persons |= _persons(parse)
            self._meant.append(meant)

    def meant(self, atom: Atom) -> Meant:
        """What each kind of pronoun means in the sentence an atom is from."""
        if atom.span is None or not self._spans:
            return {}
        place = bisect_right(self._spans, atom.span[0], key=lambda span: span.start) - 1
        return self._meant[max(0, place)]

    def _read(self, text: Plain, parse: Parse, focus: Named) -> tuple[dict[str, str], Named]:
        """What pronouns mean in a sentence, by the subject of those before it; then its own subject."""
        subject = parse.root.subject if parse.root.is_clause else None
        if subject is None:
            return {}, _NOTHING
        pronoun = next((w for w in subject.subtree() if w.lower in KINDS or w.pos in NOUNS), subject)
        if pronoun.lower not in KINDS:
            return self._read_own(text, parse, subject, focus)
        kind = KINDS[pronoun.lower]
        meant: dict[str, str] = {kind: focus.name} if _is_sure(kind, parse, pronoun, focus) else {}
        owned = pronoun is not subject and (kind == "thing" or _is_somebody(subject))
        if not focus.fits(kind) or owned:
            return meant, _NOTHING
        rivals = focus.rivals - {kind} if meant else focus.rivals
        return meant, focus._replace(rivals=_rivals(parse, subject) | rivals)

    def _read_own(
        self, text: Plain, parse: Parse, subject: Word, focus: Named
    ) -> tuple[dict[str, str], Named]:
        """The same for a sentence whose subject is not a pronoun."""
        if parse.words[0].lower in POINTING and subject.i == 1 and (subject.lemma, subject.tag) == focus.noun:
            return {subject.lemma: focus.name}, focus
        own = self._named(text, parse, subject)._replace(rivals=_rivals(parse, subject))
        meant: dict[str, str] = {}
        for word in parse.words:
            kind = KINDS.get(word.lower)
            if kind is None or not own.fits(kind):
                continue
            if focus.name and focus.fits(kind) and focus.name != own.name:
                own = own._replace(rivals=own.rivals | {kind})
            elif own.name and kind not in own.rivals:
                # An object ("the first of them") may mean a plural nearer than its sentence's subject.
                nearer = kind == "many" and word.tag == "PRP" and parse.words[subject.i + 1 : word.i]
                if not any(between.tag in PLURAL for between in nearer or ()):
                    meant[kind] = own.name
        return meant, own

    def _named(self, text: Plain, parse: Parse, subject: Word) -> Named:
        """What a sentence is about: its subject, or the person that "The first king was X" names."""
        attribute = parse.root.dependent("attr") if parse.root.lemma == "be" else None
        if attribute is not None and attribute.entity == "PERSON" != subject.entity:
            subject = attribute
        named = _named(text, parse, subject)
        known = [name for name in self.persons if " " in name and name.split()[-1] == subject.text]
        return _person(known[0]) if len(known) == 1 and named.name == subject.text else named


def _is_sure(kind: Kind, parse: Parse, pronoun: Word, focus: Named) -> bool:
    """Whether a pronoun that leads its sentence means what the sentences before were about."""
    if pronoun.tag == "PRP$" and kind == "thing" and " of " in focus.name:
        return False
    if not focus.name or not focus.fits(kind) or kind in focus.rivals or pronoun.is_expletive:
        return False
    before = (word for word in parse.words[: pronoun.i] if word.pos in NOUNS)
    return not any(kind in ("thing", "many") or word.entity == "PERSON" for word in before)


def _rivals(parse: Parse, subject: Word) -> frozenset[Kind]:
    """The kinds of pronoun that may mean something else that a sentence names beside its subject."""
    attributes = parse.root.dependents("attr")
    about = {subject.i, *(c.i for c in subject.dependents("compound", "appos"))}
    described = {word.i for each in attributes for word in each.subtree()}
    found: set[Kind] = set()
    for word in parse.words:
        if word.pos not in NOUNS or word.i in about or word.entity in _TIMES or word.dep == "compound":
            continue
        governor = word.head
        near = word.dep == "dobj" or (word.dep in SUBJECTS and governor.dep != "relcl")
        near = near or governor.lower in ("with", "by")
        unknown = word.pos == "PROPN" and (not word.entity or (near and word.entity in _MAYBE_PERSON))
        told = word in attributes or (governor in attributes and word.dep == "conj") or governor.lower == "as"
        if not told and (_is_somebody(word) or unknown):
            gender = gender_of_name(word.text)
            found |= {"many"} if word.tag in PLURAL else {gender} if gender else {"male", "female"}
        if near and word.i not in described and (word.pos == "PROPN" or not _is_somebody(word)):
            found.add("many" if word.tag in PLURAL else "thing")
    return frozenset(found)


def _is_somebody(word: Word) -> bool:
    return word.entity == "PERSON" or (word.pos == "NOUN" and is_person(word.lemma.lower()))


def _of_label(label: str, parse: Parse | None) -> Named:
    """What a sentence behind a label is about, if that is a name: "Ada Roe: She was born"."""
    if parse is None or len(parse.words) > _LONGEST_NAME or any(word.is_finite for word in parse.words):
        return _NOTHING
    if all(word.entity == "PERSON" for word in parse.words):
        return _person(label)
    return Named(label, "thing") if parse.root.pos == "PROPN" else _NOTHING


def _persons(parse: Parse) -> set[str]:
    """The names of persons in a sentence."""
    runs = groupby(parse.words, lambda word: word.entity == "PERSON" and word.pos == "PROPN")
    return {" ".join(word.text for word in run) for is_name, run in runs if is_name}


def _named(text: Plain, parse: Parse, subject: Word) -> Named:
    """What a subject names, in words that can stand for it elsewhere."""
    if subject.pos not in NOUNS or subject.dependent("conj"):
        return _NOTHING
    cut = {
        c.i
        for c in subject.dependents("relcl", "appos", "acl", "punct")
        if c.i > subject.i and (c.dep != "appos" or parse.words[c.first - 1].text in (",", "("))
    }
    said = [word for word in subject.subtree(cut) if word.pos != "PUNCT" or word.text == "-"]
    first, last = said[0], said[-1]
    behind = parse.words[last.i + 1 : last.i + 2]
    if len(said) > _LONGEST_NAME or any(word.lower in KINDS or word.lower in POINTING for word in said):
        return _NOTHING
    if last.i - first.i + 1 != len(said) or any(w.pos in ("PROPN", "NUM", "NOUN", "X") for w in behind):
        return _NOTHING
    one = first.lower in ("a", "an")
    if subject.lemma.lower() in _ASPECTS and subject.pos != "PROPN":
        return _NOTHING
    if first.lower in _QUANTIFIERS or (one and parse.root.finite.tag == "VBD"):
        return _NOTHING
    name = text._replace(asides={}).shown(first.start, last.end)
    if one and parse.root.lemma != "be":
        name = f"the{name[len(first.text) :]}"
    elif first.dep == "det" and first.pos != "PROPN":
        name = name[:1].lower() + name[1:]
    return Named(name, _kind(parse, subject, name), (subject.lemma, subject.tag))


def _kind(parse: Parse, subject: Word, name: str) -> Kind | Literal["person"]:
    """What kind of pronoun stands for a subject; "is a film" makes a name that of a thing."""
    attribute = parse.root.dependent("attr") if parse.root.lemma == "be" else None
    thing = attribute is not None and attribute.pos == "NOUN" and not is_person(attribute.lemma.lower())
    if subject.entity == "PERSON" and not thing:
        return gender_of_name(name) or "person"
    if subject.tag in PLURAL:
        return "many"
    noun = subject.lemma.lower()
    return (gender_of_name(noun) or "person") if is_person(noun) else "thing"
