"""Atoms without a model: a dependency parse of English sentences, if a parser is installed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, TypeAlias

from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.atoms.plain_text import Plain, plain
from factreasoner.atoms.statements import Statement, statements
from factreasoner.models import Atom, Record
from factreasoner.protocols import Atomized
from factreasoner.text.language import gender_of_name, is_english, is_person, word_set
from factreasoner.text.parsing import NOMINAL_SUBJECTS, NOUNS, PLURAL, Parse, Parser, Word, find_parser
from factreasoner.text.sentences import Span, block_sentences, blocks
from factreasoner.text.wraps import displayed

_POINTING = re.compile(r"(?:he|she|it|they|his|her|its|their|this|these|that|those)\b")
_LEADING = re.compile(
    r"(?P<pronoun>he|she|it|they)\b(?: ?['’](?P<verb>s been|s|re|ve|ll|d)\b)?"
    r"|(?P<owner>his|her|its|their)\b",
    re.IGNORECASE,
)
_WRITTEN_OUT = {"s been": "has been", "s": "is", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_PERSONAL = word_set("he she his her hers him himself herself")
_KINDS = {
    **dict.fromkeys(_PERSONAL, "person"),
    **dict.fromkeys(word_set("it its itself"), "thing"),
    **dict.fromkeys(word_set("they them their theirs themselves"), "many"),
}
_NO_NAME = word_set(
    "some many several most other another each every no one both all any few various certain this that these",
    "those such it its they their them he she his her",
)
_ASPECTS = word_set(
    "entry entrance admission access parking price cost fee charge fare rent ticket height length width",
    "depth size weight age population capacity weather climate name address location view construction",
)
"""Nouns that a following "it" does not refer to: "Entry is free. It has a café." """
_TIMES = word_set("DATE TIME CARDINAL ORDINAL QUANTITY MONEY PERCENT")
_LONGEST_NAME = 8


class RuleAtomizer:
    """Splits a response into simple statements by dependency parsing; English only.

    In other languages, or without spaCy and a pipeline, each sentence is an atom. An instruction is an atom:
    it claims that the evidence gives it.
    """

    def atomize(self, record: Record) -> Atomized:
        """The statements of the response, without questions, remarks, sources and lead-ins."""
        if is_abstention(record.response):
            return Atomized(())
        parser = find_parser() if is_english(record.response) else None
        return Atomized(as_atoms(statements(record.response, parser)))


def as_atoms(found: Sequence[Statement]) -> tuple[Atom, ...]:
    """Statements as atoms a0, a1, ...; duplicates once, unless a pronoun may mean two things."""
    unique: dict[tuple[str, Span | None], Statement] = {}
    for statement in found:
        text = " ".join(statement.text.casefold().split()).rstrip(".")
        unique.setdefault((text, statement.span if _POINTING.match(text) else None), statement)
    return tuple(
        Atom(id=f"a{position}", text=statement.text, original=statement.original, span=statement.span)
        for position, statement in enumerate(unique.values())
    )


class _Subject(NamedTuple):
    """What a sentence is about, and its kind of pronoun; an empty name means no pronoun."""

    name: str = ""
    kind: str = ""


_Named: TypeAlias = tuple[int, str, _Subject, Parse | None]


class RuleReviser:
    """Replaces a pronoun by the subject of its sentence or of the one before; English only.

    The pronoun must be the subject of a clause or its possessor, and neither sentence may name another
    possible referent. If a response is about one person, "he", "she", "his" and "her" mean that person. All
    other pronouns stay.
    """

    def revise(self, atoms: Sequence[Atom], record: Record) -> Atomized:
        """The same atoms, ids and order; `original` holds the text before a replacement."""
        parser = find_parser() if is_english(record.response) else None
        if parser is None:
            return Atomized(tuple(atoms))
        names = list(_about_one_person([*_names(displayed(record.response), parser)]))
        starts = [start for start, *_ in names]
        revised = []
        for atom in atoms:
            at = bisect_right(starts, atom.span[0]) - 1 if atom.span is not None else -1
            revised.append(_renamed(atom, *names[at][1:3]) if at >= 0 else atom)
        return Atomized(tuple(revised))


class RuleFactGenerator:
    """Makes each statement of the reference a fact, without a model; English only."""

    def generate(self, record: Record) -> Atomized:
        """The facts, in the order of the reference."""
        reference = reference_record(record)
        return RuleReviser().revise(RuleAtomizer().atomize(reference).atoms, reference)


def reference_record(record: Record) -> Record:
    """The record with the reference as its response."""
    return Record(id=record.id, response=record.reference or "", prompt=record.prompt, topic=record.topic)


def _renamed(atom: Atom, pronoun: str, about: _Subject) -> Atom:
    """An atom with a name for `pronoun`, or else for the pronoun it begins with."""
    anywhere = re.compile(rf"\b(?:{_LEADING.pattern})", re.IGNORECASE)
    found = anywhere.search(atom.text) if pronoun else _LEADING.match(atom.text)
    wording = (found["pronoun"] or found["owner"]).lower() if found else ""
    if found is None or wording != (pronoun or wording) or not _fits(about, wording):
        return atom
    name = about.name
    if found["owner"] and " of " in name:
        return atom
    verb = f" {_WRITTEN_OUT[found['verb'].lower()]}" if found["verb"] else ""
    owner = ("'" if name.endswith("s") else "'s") if found["owner"] else ""
    text = f"{atom.text[: found.start()]}{name}{owner}{verb}{atom.text[found.end() :]}"
    text = text[:1].upper() + text[1:]
    return atom.model_copy(update={"text": text, "original": atom.original or atom.text})


def _names(text: str, parser: Parser) -> Iterator[_Named]:
    """For each sentence: its start, its leading pronoun if any, the referent of its pronouns, its parse."""
    known: dict[str, set[str]] = {}
    for block in blocks(text):
        spans = list(block_sentences(text, block))
        read = [plain(text, span) for span in spans]
        about = _Subject()
        for span, wording, parse in zip(spans, read, parser.parse([one.text for one in read]), strict=True):
            if parse is None:
                about = _Subject()
                yield span.start, "", about, None
                continue
            for full in _persons(parse):
                known.setdefault(full.split()[-1], set()).add(full)
            pronoun = _leading_pronoun(parse)
            if pronoun is None:
                own = _subject(wording, parse, known)
                own = _Subject() if _has_rival(own, parse, parse.root.subject) else own
                fitting = [word for word in parse.words if _fits(own, word.lower)]
                other = about.name != own.name and any(_fits(about, word.lower) for word in fitting)
                unclear = other or any(word.is_expletive for word in fitting)
                yield span.start, "", _Subject() if unclear else own, parse
                lost = not about.name and span is not spans[0]
                about = _Subject() if fitting and (other or lost) else own
                continue
            fits = _fits(about, pronoun.lower) and not pronoun.is_expletive
            yield span.start, pronoun.lower, about if fits else _Subject(), parse
            owned = pronoun.dep == "poss" and (about.kind != "person" or _is_somebody(pronoun.head))
            if owned or not fits or _has_rival(about, parse, parse.root.subject):
                about = _Subject()


def _about_one_person(names: Sequence[_Named]) -> Iterator[_Named]:
    """The same, with the only person named in the response for pronouns of persons without a referent.

    Not before the name, nor if the response has pronouns of both genders, or another person without a name
    ("his father") stands in the sentence before or earlier in the same one.
    """
    parses = [parse for *_, parse in names if parse is not None]
    words = [word for parse in parses for word in parse.words]
    only = _Subject(
        min({name for parse in parses for name in _persons(parse)}, key=len, default=""), "person"
    )
    parts = set(only.name.split())
    named = {word.text for word in words if word.entity == "PERSON" and word.pos == "PROPN"}
    genders = {word.lower.startswith(("she", "her")) for word in words if word.lower in _PERSONAL}
    if not parts or not named <= parts or len(genders) != 1:
        yield from names
        return
    seen, before = False, False
    for start, pronoun, about, parse in names:
        words = list(parse.words) if parse is not None else []
        somebody = [w for w in words if w.pos == "NOUN" and w.dep != "attr" and _is_somebody(w)]
        leading = [w for w in words if _LEADING.fullmatch(w.text) and _fits(only, w.lower)]
        fitting = [w for w in leading if w.dep in ("poss", *NOMINAL_SUBJECTS)][:1]
        names_it = not parts.isdisjoint(word.text for word in words)
        open_ = seen and not before and not names_it and not about.name
        replaced = open_ and fitting and all(word.i > fitting[0].i for word in somebody)
        yield (start, fitting[0].lower, only, parse) if replaced else (start, pronoun, about, parse)
        seen = seen or names_it
        near = [w for w in words if w.pos == "PROPN" and w.dep in ("dobj", *NOMINAL_SUBJECTS)]
        bare = [w for w in near if w.text not in parts and not w.dependent("det")]
        before = bool(somebody) or any(not w.entity or w.dependent("compound") for w in bare)


def _persons(parse: Parse) -> Iterator[str]:
    """The personal names of two or more words in a sentence."""
    for is_person_name, run in groupby(parse.words, lambda w: w.entity == "PERSON" and w.pos == "PROPN"):
        name = " ".join(word.text for word in run)
        if is_person_name and " " in name:
            yield name


def _leading_pronoun(parse: Parse) -> Word | None:
    """The leading or subject pronoun of a sentence, if nothing before it can be its referent."""
    subject = parse.root.subject if parse.root.is_clause else None
    first = parse.words[subject.first] if subject is not None else None
    if first is None or _LEADING.fullmatch(first.text) is None:
        return None
    before = [word for word in parse.words[: first.i] if word.pos in NOUNS]
    if any(first.lower not in _PERSONAL or _is_somebody(word) for word in before):
        return None
    return first if subject is first or (first.dep == "poss" and first.head is subject) else None


def _fits(about: _Subject, pronoun: str) -> bool:
    """Whether a pronoun can refer to something of that kind and, for a person, that name."""
    if about.kind != _KINDS.get(pronoun):
        return False
    gender = gender_of_name(about.name) if pronoun in _PERSONAL else None
    return gender is None or (gender == "female") == pronoun.startswith(("she", "her"))


def _subject(wording: Plain, parse: Parse, known: Mapping[str, set[str]]) -> _Subject:
    """The named subject of a sentence, if a pronoun elsewhere can refer to it."""
    grammatical = parse.root.subject if parse.root.is_clause else None
    label, colon, _ = wording.text.partition(": ")
    kinds = [[word.lower] for word in parse.root.dependents("attr")] if colon else []
    is_kind = label.lower().split()[-1:] in kinds  # "Saco River: It is a long river"
    if is_kind and any(word.lower == "it" for word in parse.root.dependents(*NOMINAL_SUBJECTS)):
        return _Subject(wording.shown(0, len(label)), "thing")
    attribute = parse.root.dependent("attr") if parse.root.lemma == "be" else None
    is_named = grammatical and attribute and attribute.entity == "PERSON" != grammatical.entity
    subject = attribute if is_named else grammatical
    if subject is None or subject.pos not in NOUNS or subject.dependent("conj") or subject.lower in _ASPECTS:
        return _Subject()
    apart = [
        c
        for c in subject.dependents("relcl", "appos", "acl", "punct")
        if c.i > subject.i and (c.dep != "appos" or parse.words[c.first - 1].text in (",", "("))
    ]
    named = [
        word for word in subject.subtree({c.i for c in apart}) if word.pos != "PUNCT" or word.text == "-"
    ]
    first, last = named[0], named[-1]
    if last.i - first.i + 1 != len(named) or len(named) > _LONGEST_NAME:
        return _Subject()
    is_be, behind = parse.root.lemma == "be", parse.words[last.i + 1 : last.i + 2]
    stranger = any(word.text[:1].isupper() or word.pos in (*NOUNS, "NUM") for word in behind)
    if stranger or ":" in wording.text or any(word.lower in _NO_NAME for word in named):
        return _Subject()
    if first.lower in ("a", "an") and not is_be:
        return _Subject()
    name = wording._replace(asides={}).shown(first.start, last.end)
    name = name if first.pos == "PROPN" or wording.names else name[:1].lower() + name[1:]
    full = known.get(name, ())
    if len(full) == 1:
        return _Subject(next(iter(full)), "person")
    return _Subject(name, _kind(parse, subject))


def _kind(parse: Parse, noun: Word) -> str:
    if noun.tag in PLURAL and parse.root.finite.tag != "VBZ":
        return "many"
    attribute = parse.root.dependent("attr") if parse.root.lemma == "be" else None
    thing = attribute is not None and attribute.pos == "NOUN" and not is_person(attribute.lemma.lower())
    return "person" if _is_somebody(noun) and not (thing and noun.pos == "PROPN") else "thing"


def _is_somebody(word: Word) -> bool:
    return word.entity == "PERSON" or (word.pos == "NOUN" and is_person(word.lemma.lower()))


def _has_rival(about: _Subject, parse: Parse, subject: Word | None) -> bool:
    """Whether a sentence names another possible referent of a pronoun for `about`."""
    rivals = _rivals(parse, subject)
    if about.kind != "person":
        return about.kind in rivals
    gender = gender_of_name(about.name)
    return not rivals.isdisjoint({"person", gender} if gender else {"person", "male", "female"})


def _rivals(parse: Parse, subject: Word | None) -> set[str]:
    """The kinds of pronoun with another possible referent in a sentence."""
    about = {word.i for word in subject.subtree()} if subject is not None else set()
    attributes = parse.root.dependents("attr")
    for attribute in attributes:
        attributes += attribute.dependents("conj")
    described = {word.i for each in attributes for word in each.subtree()}
    found: set[str] = set()
    for word in parse.words:
        if word.pos not in NOUNS or word.i in about or word.entity in _TIMES or word.dep == "compound":
            continue
        near = (word.dep in ("dobj", *NOMINAL_SUBJECTS) and word.head.dep != "relcl") or word.head.lower in (
            "with",
            "by",
        )
        unknown = word.pos == "PROPN" and (not word.entity or (near and word.entity != "GPE"))
        is_attribute = word in attributes
        if (_is_somebody(word) or unknown) and not is_attribute and word.head.lower != "as":
            found.add("many" if word.tag in PLURAL else gender_of_name(word.text) or "person")
        if near and word.i not in described and (word.pos == "PROPN" or not _is_somebody(word)):
            found.add("many" if word.tag in PLURAL else "thing")
    return found
