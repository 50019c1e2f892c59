"""A list inside a clause: "in Rome and Paris" says "in Rome" and "in Paris", where that keeps the meaning."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from factreasoner.atoms.wording import Line, Wording
from factreasoner.text.lexicon import words
from factreasoner.text.parsing import Parse, Word

_MOST_ITEMS = 12
_TOGETHER = words(
    "between among versus both either neither respectively together each same total combination mix mixture",
    "ratio difference relationship blend pair set series range",
)
"""Words beside a list that may hold only of its items taken together."""
_COLLECTIVE = words(
    "combine mix merge join connect link compare separate divide consist comprise compose make match balance",
    "distinguish bind share tie meet differ react interact compete fight agree form produce create have",
    "depend",
)
_REST = words("more others etc etc.")
_NAMED = ("NOUN", "PROPN")
_PATH = ("dobj", "attr", "pobj", "prep", "agent", "acl", "xcomp")
_JOINED = ("conj", "cc", "punct", "preconj", "appos")


def split_list(wording: Wording, verb: Word) -> list[Line]:
    """A clause with each item of its longest list in turn; the clause as it is if it has no list."""
    kept = wording.line(verb)
    whole: list[Line] = [tuple(kept)]
    limits = (c.dep == "neg" or c.is_clause for c in wording.children(verb, "advcl", "neg"))
    if verb.lemma in _COLLECTIVE or any(limits) or any(word.lower in _TOGETHER for word in kept):
        return whole
    begin = [word for word in kept if any(child.dep in ("conj", "appos") for child in word.children)]
    heads = max((_heads(wording, first, verb) for first in begin), key=len, default=[])
    if len(heads) < 2:
        return whole
    before = [word for word in kept if word.i < heads[0].first]
    items = [head for head in heads if head.lower not in _REST]
    return [(*before, *_item(wording, heads[0], head)) for head in items]


def _heads(wording: Wording, first: Word, verb: Word) -> list[Word]:
    """The heads of the list that a word begins; the word alone if it begins none that may be split."""
    parse = wording.parse
    heads = [first]
    for head in heads:
        heads += wording.children(head, "conj")
        heads += [c for c in wording.children(head, "appos") if _is_item(parse, head, c)]
    heads.sort(key=attrgetter("i"))
    if not 1 < len(heads) <= _MOST_ITEMS or not _is_reachable(parse, heads, verb):
        return [first]
    joints = {w.lower for head in heads for w in head.dependents("cc")}
    joined = joints == {"and"} or (_exemplifies(parse, first.head) and joints == {"or"})
    early = any(word.dep == "cc" for word in parse.words[heads[0].i : heads[-2].i])
    ends = all(w.pos == "PUNCT" for w in wording.line(verb) if w.i > heads[-1].last)
    return heads if joined and ends and not early and _are_alike(parse, heads) else [first]


def _is_item(parse: Parse, head: Word, noun: Word) -> bool:
    """Whether what a small parser takes for an apposition is an item of a list: "search, a view, and"."""
    goes_on = [word.lower for word in parse.words[noun.last + 1 : noun.last + 3]] == [",", "and"]
    listed = goes_on or noun.dependent("conj") is not None
    return head.pos == noun.pos == "NOUN" and parse.words[noun.first - 1].text == "," and listed


def _is_reachable(parse: Parse, heads: Sequence[Word], verb: Word) -> bool:
    """Whether a list is what its verb is about, gives examples, or follows a preposition other than "of"."""
    first, head = heads[0], heads[0].head
    if first.dep in ("dobj", "attr", "acomp"):
        return head is verb
    above = first.above(verb)
    if first.dep != "pobj" or any(word.dep not in _PATH or word.dependent("conj") for word in above):
        return False
    bare = not any(each.dependent("amod", "det", "poss", "prep") for each in heads)
    near = head.head is verb or _exemplifies(parse, head)
    named = head.head.pos == first.pos == "PROPN"  # "Ministry for Science and Art"
    return near or (head.lower != "of" and not named and (len(heads) > 2 or bare))


def _exemplifies(parse: Parse, head: Word) -> bool:
    """Whether a preposition begins examples: "such as", "including"."""
    such = head.i > 0 and parse.words[head.i - 1].lower == "such"
    return head.dep == "prep" and (head.lower in ("including", "like") or (head.lower == "as" and such))


def _are_alike(parse: Parse, heads: Sequence[Word]) -> bool:
    """Whether all items are of one kind, and no word before or behind one may belong to others as well."""
    first = heads[0]
    if first.dep == "acomp":
        return all(head.pos == "ADJ" and not head.dependent("prep", "advmod") for head in heads)
    named = [head.pos == "PROPN" for head in heads]
    bare = [head.tag == "NN" and not head.dependent("det", "poss", "amod") for head in heads]
    if (any(named) and any(bare)) or any(h.pos not in _NAMED or not h.text[:1].isalpha() for h in heads):
        return False
    articles = {article.lower for head in heads if (article := head.dependent("det", "poss"))}
    each = articles <= {"a", "an"} and all(head.dependent("det") for head in heads)
    for position, head in enumerate(heads):
        own = head.subtree(_joined(head))
        counted = any(c.dep in ("nummod", "quantmod") or c.tag in ("JJR", "JJS") for c in head.children)
        parted = not position or parse.words[own[0].i - 1].lower in ("and", "or", ",")
        torn = own[-1].i - own[0].i + 1 != len(own)
        last = position == len(heads) - 1 and _exemplifies(parse, first.head)
        behind = any(c.i > head.i and c.dep not in _JOINED for c in head.children)
        if counted or torn or not parted or (behind and not (each or last or all(named))):
            return False
    described = [head.dependent("amod", "compound") is not None for head in heads]
    shared = len(heads) == 2 and (described == [True, False] or (first.tag == "NN" and heads[1].tag == "NNS"))
    return all(named) or each or not shared


def _joined(head: Word) -> set[int]:
    """The branches behind an item that are other items, or join them."""
    return {c.i for c in head.dependents(*_JOINED) if c.i > head.i}


def _item(wording: Wording, first: Word, head: Word) -> Line:
    """One item alone, with the "a" or "his" of the first."""
    said = head.subtree(_joined(head))
    article = first.dependent("det", "poss")
    own = head is first or head.pos == "PROPN" or head.dependent("det", "poss", "nummod")
    if article is None or own:
        return tuple(said)
    if article.dep == "poss":
        return (*wording.line(article), *said)
    if article.lower not in ("a", "an") or head.tag == "NNS":
        return tuple(said)
    initial = wording.parse.words[head.first].lower[0]
    return ("an" if initial in "aeiou" else "a", *said)
