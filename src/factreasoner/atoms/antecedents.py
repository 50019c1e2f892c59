"""What the pronouns of a text stand for, where the sentences before leave no doubt.

A pronoun stands for the subject that the sentences before it keep to. One that has a rival stands for
nothing: a wrong name is worse than none.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from typing import Literal, NamedTuple, get_args

from factreasoner.atoms.fragments import is_name, leading_label
from factreasoner.atoms.plain_text import Plain, plain
from factreasoner.models import Atom, Record
from factreasoner.text.lexicon import gender_of_name, gender_of_noun, is_person, words
from factreasoner.text.parsing import Parser
from factreasoner.text.sentences import Span, block_sentences, blocks
from factreasoner.text.tags import without_tags
from factreasoner.text.tree import SUBJECTS, Parse, Word

Kind = Literal["male", "female", "thing", "many"]
Meant = Mapping[str, str]
"""What a kind of pronoun, or "these" with a noun of that lemma, stands for."""
_FORMS: dict[str, str] = {
    "male": "he him his himself",
    "female": "she her hers herself",
    "thing": "it its itself",
    "many": "they them their theirs themselves",
}
KINDS: dict[str, Kind] = {word: kind for kind in get_args(Kind) for word in _FORMS[kind].split()}
POINTING = words("this that these those such")
_QUANTIFIERS = words("some many several most other another each every no one both all any few")
_VARIOUS = words("various certain different numerous")
_LONGEST_NAME = 8
"""Words of what may be put for a pronoun."""
_LONGEST_QUESTION = 1000
_PLURAL = ("NNS", "NNPS")
_MAYBE_PERSON = ("PERSON", "ORG", "NORP", "PRODUCT", "WORK_OF_ART")
_TIMES = ("DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "MONEY", "PERCENT")


class Named(NamedTuple):
    """What a subject names, its noun and tag, and the kinds of pronoun that may stand for something else.

    `name` is empty where it can't stand for a pronoun.
    """

    name: str
    kind: Kind | Literal["person"]
    noun: tuple[str, str] = ("", "")
    rivals: frozenset[Kind] = frozenset()

    def fits(self, kind: Kind) -> bool:
        """Whether a pronoun of that kind may stand for it."""
        return self.kind == kind or (self.kind == "person" and kind in ("male", "female"))


_NOTHING = Named("", "thing")


class Antecedents:
    """The sentences of a response, and what a pronoun of each kind means in them."""

    def __init__(self, record: Record, parser: Parser) -> None:
        response = without_tags(record.response)
        self._spans: list[Span] = []
        self._meant: list[Meant] = []
        question = record.prompt[:_LONGEST_QUESTION]
        read: list[Plain] = []
        begins: list[str | None] = []
        for block in blocks(response):
            for n, span in enumerate(block_sentences(response, block)):
                found = leading_label(response, *span, item=block.kind == "item")
                label = plain(response, Span(*found.span("label"))).whole().strip("*_") if found else None
                self._spans.append(span)
                read.append(plain(response, Span(found.end(), span.end) if found else span))
                begins.append(label or ("" if n == 0 and block.kind != "prose" else None))
        parses = parser.parse([text.text for text in read])
        labels = parser.parse([name or "" for name in begins])
        asked = [parse for parse in parser.parse([question, record.topic or ""]) if parse is not None]
        self.persons: set[str] = set()
        for question_parse in asked:
            self.persons |= _persons(question_parse)
        focus = _NOTHING
        if len(self.persons) == 1:
            name = next(iter(self.persons))
            focus = Named(name, gender_of_name(name) or "person")
        for text, parse, label_parse, begun in zip(read, parses, labels, begins, strict=True):
            if begun is not None:
                focus = _of_label(begun, label_parse)
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
        pronoun = _leading_pronoun(parse, subject)
        if pronoun is None:
            return self._read_own(text, parse, subject, focus)
        kind = KINDS[pronoun.lower]
        meant: dict[str, str] = {kind: focus.name} if self._is_sure(kind, parse, pronoun, focus) else {}
        owned = pronoun != subject and (kind == "thing" or _is_somebody(subject))
        if not focus.fits(kind) or owned:
            return meant, _NOTHING
        rivals = focus.rivals - {kind} if meant else focus.rivals
        return meant, focus._replace(rivals=_rivals(parse, subject) | rivals)

    def _read_own(
        self, text: Plain, parse: Parse, subject: Word, focus: Named
    ) -> tuple[dict[str, str], Named]:
        """The same for a sentence whose subject is no pronoun."""
        if parse.words[0].lower in POINTING and subject.i == 1 and (subject.lemma, subject.tag) == focus.noun:
            return {subject.lemma: focus.name}, focus
        own = self._named(text, parse, subject)
        own = own._replace(rivals=_rivals(parse, subject))
        meant: dict[str, str] = {}
        for word in parse.words:
            kind = KINDS.get(word.lower)
            if kind is None or not own.fits(kind):
                continue
            if focus.name and focus.fits(kind) and focus.name != own.name:
                own = own._replace(rivals=own.rivals | {kind})
            elif own.name and kind not in own.rivals and not _is_nearer(parse, subject, word, kind):
                meant[kind] = own.name
        return meant, own

    def _named(self, text: Plain, parse: Parse, subject: Word) -> Named:
        """What a sentence is about: its subject, or whom "The first king was X" names."""
        attribute = parse.root.dependent("attr")
        if (
            parse.root.lemma == "be"
            and attribute is not None
            and attribute.entity == "PERSON" != subject.entity
        ):
            subject = attribute
        named = _named(text, parse, subject)
        known = [name for name in self.persons if " " in name and name.split()[-1] == subject.text]
        if len(known) == 1 and named.name == subject.text:
            return Named(known[0], gender_of_name(known[0]) or "person")
        return named

    def _is_sure(self, kind: Kind, parse: Parse, pronoun: Word, focus: Named) -> bool:
        """Whether what the sentences before were about is what a pronoun that leads its sentence means."""
        if pronoun.tag == "PRP$" and kind == "thing" and " of " in focus.name:
            return False
        if not focus.name or not focus.fits(kind) or kind in focus.rivals or pronoun.is_expletive:
            return False
        before = [word for word in parse.words[: pronoun.i] if word.pos in ("NOUN", "PROPN")]
        if kind in ("male", "female"):
            persons = any(w.entity == "PERSON" or is_person(w.lemma.lower()) for w in before)
            return not persons and gender_of_name(focus.name) in (None, kind)
        return all(word.entity in ("DATE", "GPE", "TIME", "LOC") for word in before)


def _rivals(parse: Parse, subject: Word) -> frozenset[Kind]:
    """The kinds of pronoun that may stand for something else that a sentence names beside its subject."""
    attributes = parse.root.dependents("attr")
    about = {subject.i, *(c.i for c in subject.dependents("compound", "appos"))}
    described = {word.i for each in attributes for word in each.subtree()}
    found: set[Kind] = set()
    for word in parse.words:
        if word.pos not in ("NOUN", "PROPN") or word.i in about or word.entity in _TIMES:
            continue
        if word.dep == "compound":
            continue
        governor = word.head
        near = word.dep == "dobj" or (word.dep in SUBJECTS and governor.dep != "relcl")
        near = near or governor.lower in ("with", "by")
        unknown = word.pos == "PROPN" and (not word.entity or (near and word.entity in _MAYBE_PERSON))
        if (_is_somebody(word) or unknown or (governor.lower == "of" and word.entity == "PERSON")) and not (
            word in attributes or (governor in attributes and word.dep == "conj") or governor.lower == "as"
        ):
            gender = gender_of_name(word.text) or gender_of_noun(word.lemma.lower())
            found |= {"many"} if word.tag in _PLURAL else {gender} if gender else {"male", "female"}
        if near and word.i not in described and (word.pos == "PROPN" or not _is_somebody(word)):
            found.add("many" if word.tag in _PLURAL else "thing")
    return frozenset(found)


def _is_nearer(parse: Parse, subject: Word, pronoun: Word, kind: Kind) -> bool:
    """Whether an object ("the first of them") may be a plural nearer than its sentence's subject."""
    between = parse.words[subject.i + 1 : pronoun.i]
    return kind == "many" and pronoun.tag == "PRP" and any(word.tag in _PLURAL for word in between)


def _is_somebody(word: Word) -> bool:
    return word.entity == "PERSON" or (word.pos == "NOUN" and is_person(word.lemma.lower()))


def _leading_pronoun(parse: Parse, subject: Word) -> Word | None:
    """The pronoun that is the subject of a sentence, or stands before it: "his" of "His work"."""
    if subject.lower in KINDS:
        return subject
    said = subject.subtree()
    owner = next((word for word in said if word.lower in KINDS or word.pos in ("NOUN", "PROPN")), subject)
    return owner if owner.lower in KINDS else None


def _of_label(label: str, parse: Parse | None) -> Named:
    """What a sentence behind a label is about: "Ada Roe: She was born"."""
    if parse is None or not is_name(parse) or len(parse.words) > _LONGEST_NAME:
        return _NOTHING
    if all(word.entity == "PERSON" for word in parse.words):
        return Named(label, gender_of_name(label) or "person")
    if parse.root.pos != "PROPN":
        return _NOTHING
    return Named(label, "thing")


def _persons(parse: Parse) -> set[str]:
    """The names of persons in a sentence."""
    found: list[list[Word]] = []
    for word in parse.words:
        if word.entity == "PERSON" and word.pos == "PROPN":
            if found and found[-1][-1].i == word.i - 1:
                found[-1].append(word)
            else:
                found.append([word])
    return {" ".join(word.text for word in name) for name in found}


def _named(text: Plain, parse: Parse, subject: Word) -> Named:
    """What a subject names, in the words that can stand for it elsewhere."""
    if subject.pos not in ("NOUN", "PROPN") or subject.dependents("conj"):
        return _NOTHING
    cut = {
        c.i
        for c in subject.dependents("relcl", "appos", "acl", "punct")
        if c.i > subject.i and (c.dep != "appos" or parse.words[c.first - 1].text in (",", "("))
    }
    said = [word for word in subject.subtree(cut) if word.pos != "PUNCT" or word.text == "-"]
    if len(said) > _LONGEST_NAME or any(word.lower in KINDS or word.lower in POINTING for word in said):
        return _NOTHING
    first, last = said[0], said[-1]
    if last.i - first.i + 1 != len(said):
        return _NOTHING
    if any(word.pos in ("PROPN", "NUM", "NOUN", "X") for word in parse.words[last.i + 1 : last.i + 2]):
        return _NOTHING
    name = text.shown(first.start, last.end)
    if first.lower in ("a", "an") and parse.root.finite.tag == "VBD":
        return _NOTHING
    if first.lower in _QUANTIFIERS:
        return _NOTHING
    if first.lower in ("a", "an") and parse.root.lemma != "be":
        name = f"the{name[len(first.text) :]}"
    elif first.dep == "det" and first.pos != "PROPN":
        name = name[:1].lower() + name[1:]
    attribute = parse.root.dependent("attr") if parse.root.lemma == "be" else None
    thing = attribute is not None and attribute.pos == "NOUN" and not is_person(attribute.lemma.lower())
    noun = ("", "") if first.lower in _VARIOUS else (subject.lemma, subject.tag)
    return Named(name, _kind(subject, name, thing=thing), noun)


def _kind(subject: Word, name: str, *, thing: bool) -> Kind | Literal["person"]:
    """What kind of pronoun stands for a subject, which may be said to be a `thing`."""
    if subject.entity == "PERSON" and not thing:
        return gender_of_name(name) or "person"
    if subject.tag in _PLURAL:
        return "many"
    return (
        (gender_of_noun(subject.lemma.lower()) or "person") if is_person(subject.lemma.lower()) else "thing"
    )
