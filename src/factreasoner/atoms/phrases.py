"""Parts of a clause that can be stated separately: modifiers of its nouns, and list items.

Relative clauses, participles and appositions modify a noun; "in Rome and Paris" gives "in Rome" and "in
Paris" where that keeps the meaning.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from factreasoner.text.language import is_person, word_set
from factreasoner.text.parsing import NOUNS, PLURAL, SUBJECTS, VERBS, Parse, Word

_JOINING = (",", ";", ":", "—", "–")
Line = tuple[Word | str, ...]
"""Words of the sentence, and inserted strings, in reading order."""
_DEFINITE = word_set("the this these his her its their")
_PATH = (*SUBJECTS, "dobj", "attr", "pobj", "prep", "agent")
_TOGETHER = word_set(
    "between among versus both either neither respectively together each same total combination mix mixture",
    "ratio difference relationship blend pair set series range",
)
"""Words that may apply only to all items of a list together."""
_COLLECTIVE = word_set(
    "combine mix merge join connect link compare separate divide consist comprise compose make match balance",
    "distinguish bind share tie meet differ react interact compete fight agree form produce create have",
    "depend",
)
_LIST_PATH = ("dobj", "attr", "pobj", "prep", "agent", "acl", "xcomp")
_JOINED = ("conj", "cc", "punct", "preconj")


class Draft(NamedTuple):
    """A statement, and the clause or phrase it comes from."""

    line: Line
    verb: Word


class PrunedParse:
    """A parse, without the parts that other statements cover."""

    def __init__(self, parse: Parse) -> None:
        self.parse = parse
        self.gone: set[int] = set()
        """The heads of parts that are left out, and what joined them."""

    def drop(self, word: Word) -> None:
        """Remove a word with its subtree, and the comma or conjunction that joins it."""
        self.gone |= {word.i, *self._joints(word)}

    def _joints(self, word: Word) -> list[int]:
        """The commas and conjunctions that join a word's subtree to its sentence."""
        all_words, first = self.parse.words, word.first
        while first and (all_words[first - 1].dep == "cc" or all_words[first - 1].text in _JOINING):
            first -= 1
        comma = word.last + 1 < len(all_words) and all_words[word.last + 1].text == ","
        return [*range(first, word.first), *([word.last + 1] if comma else ())]

    def children(self, word: Word, *deps: str) -> list[Word]:
        """The remaining children of these kinds."""
        return [child for child in word.children if child.dep in deps and child.i not in self.gone]

    def line(self, word: Word) -> list[Word]:
        """The remaining subtree of a word."""
        return word.subtree(self.gone)

    def less(self, line: Sequence[Word | str], *parts: Word) -> Line:
        """A line without some parts, their joints, and its final comma or full stop."""
        gone = {place for part in parts for place in (*self._joints(part), *(w.i for w in part.subtree()))}
        kept = tuple(bit for bit in line if isinstance(bit, str) or bit.i not in gone)
        last = kept[-1] if kept else ""
        return kept[:-1] if isinstance(last, Word) and last.text in ".!,;" else kept


class Aside(NamedTuple):
    """A clause or apposition, its subject, and the relative pronoun to remove."""

    word: Word
    subject: Line
    relative: Word | None = None


def asides_of(wording: PrunedParse, verb: Word, subject: Line) -> list[Aside]:
    """The unambiguous modifiers of a clause's nouns; `subject` is that of the clause."""
    found: list[Aside] = []
    for noun in wording.line(verb):
        if noun.pos not in NOUNS or noun.dep == "conj" or noun.dependent("conj", "cc"):
            continue
        if noun.head is not verb and any(word.dep not in _PATH for word in (noun, *noun.above(verb))):
            continue
        for child in wording.children(noun, "relcl", "appos", "acl"):
            aside = _definition(wording.parse, noun, child, verb, subject) or _set_off(wording, noun, child)
            if aside is not None:
                found.append(aside)
                break
    return found


def _definition(parse: Parse, noun: Word, child: Word, verb: Word, subject: Line) -> Aside | None:
    """ "Ada is a poet who lived in Rome", "X is a tool used in Y": true of the subject as well."""
    article = noun.dependent("det")
    if noun.dep != "attr" or verb.lemma != "be" or not subject:
        return None
    gone = {c.i for c in verb.dependents("conj", "cc") if c.dep == "cc" or c.pos in VERBS}
    if any(word.pos != "PUNCT" for word in verb.subtree(gone) if word.i > child.last):
        return None
    if article is None or article.lower not in ("a", "an") or verb.dependent("neg", "expl", "advcl"):
        return None
    if child.dep == "acl":
        light = child.lemma in ("make", "take", "give")  # support is not made, as "a payment made by" is
        return Aside(child, subject) if child.tag == "VBN" and not light else None
    relative = parse.words[child.first]
    is_subject = relative.head is child and relative.dep in SUBJECTS
    return (
        Aside(child, subject, relative) if is_subject and relative.lower in ("who", "that", "which") else None
    )


def _set_off(wording: PrunedParse, noun: Word, child: Word) -> Aside | None:
    """A modifier set off by commas after a name or a definite noun."""
    all_words, first = wording.parse.words, child.first
    if first < 2 or all_words[first - 1].text != "," or child.dep == "acl":
        return None
    behind = all_words[child.last + 1 : child.last + 2]
    if behind and behind[0].text not in (",", ".", ";") and behind[0].dep != "cc":
        return None
    own = noun.subtree({c.i for c in noun.dependents("relcl", "appos", "acl", "punct")})
    name = wording.less(wording.line(noun), *noun.dependents("relcl", "appos"))
    if own[-1].i != first - 2 or not name:
        return None
    above = noun.head.head
    if child.dep == "appos":
        described = child.pos == "NOUN" and all_words[first].lower in ("a", "an", "the")
        return Aside(child, name) if noun.pos == "PROPN" and described and above.pos not in NOUNS else None
    relative = all_words[first]
    if relative.lower not in ("which", "who") or relative.head is not child or relative.dep not in SUBJECTS:
        return None
    if relative.lower == "which" and noun.dep == "pobj" and noun.pos != "PROPN":
        return None
    is_definite = all_words[noun.first].lower in _DEFINITE or noun.pos == "PROPN" or noun.tag in PLURAL
    rival = above.pos in NOUNS and is_person(above.lemma.lower()) == (relative.lower == "who")
    return Aside(child, name, relative) if is_definite and not rival else None


def split_list(wording: PrunedParse, verb: Word) -> list[Line]:
    """A clause once per item of its longest list; unchanged if it has no list."""
    kept = wording.line(verb)
    whole: list[Line] = [tuple(kept)]
    limits = (c.dep == "neg" or c.is_clause for c in wording.children(verb, "advcl", "neg"))
    if verb.lemma in _COLLECTIVE or any(limits) or any(word.lower in _TOGETHER for word in kept):
        return whole
    begin = [word for word in kept if word.dependent("conj")]
    heads = max((_heads(wording, first, verb) for first in begin), key=len, default=[])
    if len(heads) < 2:
        return whole
    before = [word for word in kept if word.i < heads[0].first]
    return [(*before, *_item(wording, heads[0], head)) for head in heads]


def _heads(wording: PrunedParse, first: Word, verb: Word) -> list[Word]:
    """The heads of the list that a word begins; only the word if it can't be split."""
    parse = wording.parse
    heads = [first]
    for head in heads:
        heads += wording.children(head, "conj")
    heads.sort(key=attrgetter("i"))
    if len(heads) < 2 or not _is_reachable(parse, heads, verb):
        return [first]
    joints = {w.lower for head in heads for w in head.dependents("cc")}
    joined = joints == {"and"} or (_exemplifies(parse, first.head) and joints == {"or"})
    early = any(word.dep == "cc" for word in parse.words[heads[0].i : heads[-2].i])
    ends = all(w.pos == "PUNCT" for w in wording.line(verb) if w.i > heads[-1].last)
    return heads if joined and ends and not early and _are_alike(parse, heads) else [first]


def _is_reachable(parse: Parse, heads: Sequence[Word], verb: Word) -> bool:
    """Whether a list is the subject matter of its verb, gives examples, or follows a preposition but "of"."""
    first, head = heads[0], heads[0].head
    if first.dep in ("dobj", "attr", "acomp"):
        return head is verb
    above = first.above(verb)
    if first.dep != "pobj" or any(word.dep not in _LIST_PATH or word.dependent("conj") for word in above):
        return False
    bare = not any(each.dependent("amod", "det", "poss", "prep") for each in heads)
    near = head.head is verb or _exemplifies(parse, head)
    named = head.head.pos == first.pos == "PROPN"  # "Ministry for Science and Art"
    # "The parts in your house, your car and my boat": "your car" may be beside "the parts".
    beside = head.head.pos in NOUNS and any(each.dependent("det", "poss") for each in heads[1:])
    return near or (head.lower != "of" and not (named or beside) and (len(heads) > 2 or bare))


def _exemplifies(parse: Parse, head: Word) -> bool:
    """Whether a preposition introduces examples: "such as", "including"."""
    such = parse.words[head.i - 1].lower == "such"
    return head.dep == "prep" and (head.lower in ("including", "like") or such)


def _are_alike(parse: Parse, heads: Sequence[Word]) -> bool:
    """Whether all items are of one kind, and no word beside one may apply to others."""
    first = heads[0]
    if first.dep == "acomp":
        return not any(head.dependent("prep", "advmod") for head in heads)
    named = [head.pos == "PROPN" for head in heads]
    bare = [head.tag == "NN" and not head.dependent("det", "poss", "amod") for head in heads]
    if (any(named) and any(bare)) or any(h.pos not in NOUNS or not h.text[:1].isalpha() for h in heads):
        return False
    articles = {article.lower for head in heads if (article := head.dependent("det", "poss"))}
    each = articles <= {"a", "an"} and all(head.dependent("det") for head in heads)
    for head in heads:
        own = head.subtree(_joined(head))
        counted = any(c.dep in ("nummod", "quantmod") or c.tag in ("JJR", "JJS") for c in head.children)
        torn = own[-1].i - own[0].i + 1 != len(own)
        last = head is heads[-1] and _exemplifies(parse, first.head)
        behind = any(c.i > head.i and c.dep not in _JOINED for c in head.children)
        if counted or torn or (behind and not (each or last or all(named))):
            return False
    described = [head.dependent("amod", "compound") is not None for head in heads]
    shared = len(heads) == 2 and (described == [True, False] or (first.tag == "NN" and heads[1].tag == "NNS"))
    return all(named) or each or not shared


def _joined(head: Word) -> set[int]:
    """The branches of an item that are further items, or join them."""
    return {c.i for c in head.dependents(*_JOINED) if c.i > head.i}


def _item(wording: PrunedParse, first: Word, head: Word) -> Line:
    """One item alone, with the article or possessive of the first."""
    word = head.subtree(_joined(head))
    article = first.dependent("det", "poss")
    if article is None or head is first or head.pos == "PROPN" or head.dependent("det", "poss", "nummod"):
        return tuple(word)
    if article.lower in ("a", "an") and head.tag != "NNS":
        return ("an" if word[0].lower[0] in "aeiou" else "a", *word)
    return (*(wording.line(article) if article.dep == "poss" else ()), *word)
