"""Atoms with names in the place of their pronouns, where it is clear which."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from factreasoner.atoms.anaphors import PRONOUNS, Anaphor, anaphors
from factreasoner.atoms.antecedents import Coreference, Coreferences, coreferences
from factreasoner.atoms.bound import is_bound
from factreasoner.atoms.headings import open_label
from factreasoner.atoms.mentions import Mention, mentions
from factreasoner.atoms.plain_text import Plain, plain
from factreasoner.models import Atom, Record
from factreasoner.text.abbreviations import words
from factreasoner.text.inflection import third_person
from factreasoner.text.parsing import Parser
from factreasoner.text.sentences import Span
from factreasoner.text.tags import without_tags
from factreasoner.text.tree import VERBS, Parse, Word

_LONGEST_QUESTION = 1000
_ARGUMENTS = ("nsubj", "nsubjpass", "dobj", "attr")
_ASKING = ("question", "riddle", "puzzle", "query")
_PARTICLES = words("of the and de da di la van von der den del du al bin ibn")
_CONTRACTED = {"s": "is", "re": "are", "ve": "have", "ll": "will", "d": "would"}
_FIRST = re.compile(
    r"(?:(?:In|On|At|By|Since|From|After|Before|During|Until)\b[^,.]{0,40},? )?"
    r"(?P<word>he|she|it|they|his|her|its|their|this|these|those)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"it(?:'s| is| was| has been| takes| took| seems| appears)\b.{0,40}\b(?:that|to|how|whether)\b", re.I
)
_NAMES = re.compile(r"(?<![.!?]\s)(?<!^)\b[^\W\d_a-z][\w’'-]+(?: [^\W\d_a-z][\w.’'-]*)+")


class Resolved(NamedTuple):
    """The text of an atom, and the pointing words in it that stayed."""

    text: str
    unresolved: tuple[str, ...] = ()


def resolve(atoms: Sequence[Atom], record: Record, parser: Parser | None = None) -> list[Resolved]:
    """The atoms' texts with pronouns replaced where only one thing named before can be meant."""
    topic = " ".join((record.topic or "").split())
    topic = topic if _is_name(topic) else ""
    response = without_tags(record.response)
    if parser is None:
        return [_by_topic(atom.text, topic, response) for atom in atoms]
    question = record.prompt if len(record.prompt) <= _LONGEST_QUESTION else ""
    known = coreferences(response, topic, question, parser)
    leads = [n for n, (span, _) in enumerate(known.sentences) if response[span.end - 1] == ":"]
    answer = _Answer(question, known, leads)
    texts = [plain(atom.text, Span(0, len(atom.text))) for atom in atoms]
    parses = parser.parse([text.text for text in texts])
    found = [
        _resolved(atom, text, parse, answer) if parse is not None else Resolved(atom.text)
        for atom, text, parse in zip(atoms, texts, parses, strict=True)
    ]
    labels = [open_label(atom.text, lambda said: parser.parse([said])[0]) for atom in atoms]
    return [
        Resolved(each.text, (*each.unresolved, label)) if label else each
        for each, label in zip(found, labels, strict=True)
    ]


class _Answer(NamedTuple):
    """What the pointing words of a response mean, and the question it answers."""

    question: str
    known: Coreferences
    leads: Sequence[int]
    """Which of its sentences end with a colon."""

    def nearby(self, atom: Atom) -> list[Coreference]:
        """The pointing words of the sentence an atom comes from; then those of the lead-in of its list."""
        found = self.known.sentences
        if atom.span is None or not found:
            return []
        place = max(0, bisect_right(found, atom.span[0], key=lambda sentence: sentence[0].start) - 1)
        lead = bisect_left(self.leads, place) - 1
        return [*found[place][1], *(found[self.leads[lead]][1] if lead >= 0 else [])]

    def asked(self, anaphor: Anaphor, atom: Atom) -> str | None:
        """The question itself, for "this question" in the first sentence of its answer."""
        begins = atom.span is not None and atom.span[0] < self.known.sentences[0][0].end
        if anaphor.noun is None or anaphor.noun.lemma not in _ASKING or anaphor.word.lower != "this":
            return None
        whole = self.question.strip()
        said = f"the {anaphor.noun.lower} “{whole}”"
        return (
            said if begins and whole.endswith("?") and whole.count("?") == 1 and "\n" not in whole else None
        )


class _Change(NamedTuple):
    start: int
    end: int
    text: str


def _resolved(atom: Atom, text: Plain, parse: Parse, answer: _Answer) -> Resolved:
    named = mentions(parse, text)
    nearby = answer.nearby(atom)
    changes: list[_Change] = []
    unresolved: list[str] = []
    seen: set[str | None] = set()
    for anaphor in anaphors(parse):
        kind = PRONOUNS.get(anaphor.word.lower) if anaphor.noun is None else f"noun {anaphor.noun.lemma}"
        coreference = _coreference(anaphor, nearby, atom)
        meant = coreference.name if coreference is not None else None
        bound = is_bound(anaphor, meant, named, parse) and not _has_more(coreference, named, parse)
        if kind in seen or bound or _is_later_item(anaphor):
            continue
        seen.add(kind)
        if coreference is None and anaphor.is_definite:
            continue
        if coreference is not None and _begins_list(anaphor, parse):
            coreference = coreference._replace(name=None)
        if (coreference is None or coreference.name is None) and (asked := answer.asked(anaphor, atom)):
            coreference = Coreference(anaphor.said.lower(), anaphor.word.start, asked, False)
        if coreference is None or coreference.name is None or _is_argument(anaphor):
            unresolved.append(anaphor.said)
        else:
            changes += _changes(anaphor, coreference, text, parse)
    if not changes and not unresolved:
        changes = _whole_name(named, text, parse, answer.known.whole_names)
    said = atom.text
    for start, end, name in reversed(changes):
        said = said[:start] + name + said[end:]
    return Resolved(said, tuple(unresolved))


def _coreference(anaphor: Anaphor, nearby: Sequence[Coreference], atom: Atom) -> Coreference | None:
    """The coreference of the same word in the atom's place, else of its first one in the sentence."""
    same = [coreference for coreference in nearby if coreference.word == anaphor.said.lower()]
    start, end = atom.span or (0, 0)
    return next(
        (coreference for coreference in same if start <= coreference.place < end), next(iter(same), None)
    )


def _begins_list(anaphor: Anaphor, parse: Parse) -> bool:
    """Whether it is of "these elements and processes", which have no one name."""
    return any(other.word == anaphor.word and other.noun != anaphor.noun for other in anaphors(parse))


def _is_argument(anaphor: Anaphor) -> bool:
    """Whether it is "that year" as a subject or object, in whose place "in 1980" would not fit."""
    return anaphor.is_moment and anaphor.noun is not None and anaphor.noun.dep in _ARGUMENTS


def _is_later_item(anaphor: Anaphor) -> bool:
    """Whether it is "these processes" of "these elements and processes"."""
    return anaphor.noun is not None and anaphor.noun.i != anaphor.word.head


def _has_more(coreference: Coreference | None, named: Sequence[Mention], parse: Parse) -> bool:
    """Whether the sentence of an atom has more that a pronoun may stand for, and it is not clear which."""
    if coreference is None or coreference.name is not None or any(m.subject and m.proper for m in named):
        return False
    return not coreference.others <= {word.lemma for word in parse.words}


def _changes(anaphor: Anaphor, coreference: Coreference, text: Plain, parse: Parse) -> list[_Change]:
    """The name in the pointing word's place; a noun after "this" goes with it, and a verb agrees with it."""
    word, name = anaphor.word, coreference.name or ""
    last = anaphor.noun or word
    if anaphor.is_moment:
        return [_in_year(anaphor, name, text, parse)]
    if anaphor.is_definite:
        last = [w for w in parse.subtree(last) if w.dep not in ("case", "punct")][-1]
    if word.tag == "PRP$" and anaphor.noun is None:
        name += "'" if coreference.many and name.endswith("s") else "'s"
    if word.i == 0:
        name = name[:1].upper() + name[1:]
    elif name.startswith("The "):
        name = "the" + name[3:]
    following = parse.words[last.i + 1 : last.i + 2]
    if following and following[0].pos in VERBS and following[0].lower[0] in "'’":
        # "It's cold": written out, lest the name seem to own what follows.
        last = following[0]
        name += " " + _written_out(following[0], parse)
    found = [_Change(*text.span(word.start, last.end), name)]
    verb = parse.finite(parse[word.head])
    if word.lower == "they" and not coreference.many and (verb.tag == "VBP" or verb.lower == "were"):
        singular = "was" if verb.lower == "were" else third_person(verb.lemma)
        found.append(_Change(*text.span(verb.start, verb.end), singular))
    return found


def _in_year(anaphor: Anaphor, year: str, text: Plain, parse: Parse) -> _Change:
    """ "In 1980" for "at that time" and "that year", "since 1980" for "since that time"."""
    noun = anaphor.noun or anaphor.word
    preposition = parse[noun.head] if noun.dep == "pobj" else anaphor.word
    at = preposition.lower in ("at", "in", "during", "that")
    start = preposition if at else anaphor.word
    said = f"in {year}" if at else year
    return _Change(*text.span(start.start, noun.end), said[:1].upper() + said[1:] if start.i == 0 else said)


def _written_out(verb: Word, parse: Parse) -> str:
    """ "is" for "'s", "has" before "been"."""
    ending = verb.lower[1:]
    perfect = any(word.lower in ("been", "had") for word in parse.words[verb.i + 1 : verb.i + 3])
    if ending in ("s", "d") and (perfect or (verb.dep == "aux" and parse[verb.head].tag == "VBN")):
        return "has" if ending == "s" else "had"
    return _CONTRACTED.get(ending, verb.lemma)


def _whole_name(
    named: Sequence[Mention], text: Plain, parse: Parse, whole_names: dict[str, str]
) -> list[_Change]:
    """ "Sheehan" as subject becomes "Doug Sheehan", where he is called so elsewhere."""
    first = named[0] if named else None
    if first is None or first.i != 0 or not first.subject or first.name not in whole_names:
        return []
    word = parse[0]
    return [_Change(*text.span(word.start, word.end), whole_names[first.name])]


def _by_topic(text: str, topic: str, response: str) -> Resolved:
    """Without a parse: "he" and "she" are the topic where the response has no other name of several words."""
    found = _FIRST.match(text)
    if found is None or _EXPLETIVE.match(text, found.start("word")):
        return Resolved(text)
    word = found["word"]
    others = {name for name in _NAMES.findall(response) if topic not in name and name not in topic}
    if " " not in topic or others or PRONOUNS.get(word.lower()) not in ("male", "female"):
        return Resolved(text, (word,))
    name = topic + ("'s" if word.lower() in ("his", "her") else "")
    return Resolved(text[: found.start("word")] + name + text[found.end("word") :])


def _is_name(topic: str) -> bool:
    """Whether a topic reads as a name and not as a question or a phrase."""
    parts = topic.split()
    if not 1 <= len(parts) <= 8 or len(topic) > 80 or topic.endswith(("?", ".", "!")):
        return False
    return parts[0][0].isupper() and all(p[0].isupper() or p[0].isdigit() or p in _PARTICLES for p in parts)
