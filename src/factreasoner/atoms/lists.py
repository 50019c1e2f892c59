"""A list inside a clause: "in Rome and Paris" says "in Rome" and "in Paris", where that keeps the meaning."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.atoms.wording import Line, Wording
from factreasoner.text.lexicon import words
from factreasoner.text.tree import Parse, Word

_MOST_ITEMS = 12
_TOGETHER = words(
    "between among versus both either neither respectively together each same total combination mix mixture",
    "ratio difference relationship blend pair set series range",
)
"""Words beside a list that may hold of its items taken together only."""
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
    """The ways to say a clause with one item of its longest list; the clause as it is where it has none."""
    kept = wording.kept(verb)
    clauses = [
        c for c in wording.children(verb, "advcl", "neg") if c.dep == "neg" or wording.parse.is_clause(c)
    ]
    if clauses or verb.lemma in _COLLECTIVE or any(word.lower in _TOGETHER for word in kept):
        return [wording.line(verb)]
    heads = max((_heads(wording, first, verb) for first in kept), key=len)
    if len(heads) < 2:
        return [wording.line(verb)]
    first = wording.parse.edges(heads[0])[0]
    before = [bit for word in kept if word.i < first for bit in wording.said(word)]
    items = [head for head in heads if head.lower not in _REST]
    return [(*before, *_item(wording, heads[0], head)) for head in items]


def _heads(wording: Wording, first: Word, verb: Word) -> list[Word]:
    """The heads of the list that a word begins; the word alone where it begins none that may be split."""
    parse = wording.parse
    heads = [first]
    for head in heads:
        heads += wording.children(head, "conj")
        heads += [c for c in wording.children(head, "appos") if _is_item(parse, head, c)]
    heads.sort()
    if not 1 < len(heads) <= _MOST_ITEMS or not _is_reachable(parse, heads, verb):
        return [first]
    joints = {w.lower for head in heads for w in parse.children(head, "cc")}
    joined = joints == {"and"} or (_exemplifies(parse, parse[first.head]) and joints == {"or"})
    early = any(word.dep == "cc" for word in parse.words[heads[0].i : heads[-2].i])
    ends = all(w.pos == "PUNCT" for w in wording.kept(verb) if w.i > parse.edges(heads[-1])[1])
    return heads if joined and ends and not early and _are_alike(parse, heads) else [first]


def _is_item(parse: Parse, head: Word, noun: Word) -> bool:
    """Whether what a small parser takes for an apposition is an item of a list: "search, a view, and"."""
    start, end = parse.edges(noun)
    goes_on = [word.lower for word in parse.words[end + 1 : end + 3]] == [",", "and"]
    listed = goes_on or bool(parse.children(noun, "conj"))
    return head.pos == noun.pos == "NOUN" and parse[start - 1].text == "," and listed


def _is_reachable(parse: Parse, heads: Sequence[Word], verb: Word) -> bool:
    """Whether a list is what its verb is about, gives examples, or stands behind another word than "of"."""
    first, head = heads[0], parse[heads[0].head]
    above = list(parse.above(first, verb))
    if first.dep in ("dobj", "attr", "acomp"):
        return head == verb
    if first.dep != "pobj" or any(word.dep not in _PATH or parse.children(word, "conj") for word in above):
        return False
    bare = not any(parse.children(each, "amod", "det", "poss", "prep") for each in heads)
    near = head.head == verb.i or _exemplifies(parse, head)
    return near or (head.lower != "of" and (len(heads) > 2 or bare))


def _exemplifies(parse: Parse, head: Word) -> bool:
    """Whether a preposition begins examples: "such as", "including"."""
    such = head.i > 0 and parse[head.i - 1].lower == "such"
    return head.dep == "prep" and (head.lower in ("including", "like") or (head.lower == "as" and such))


def _are_alike(parse: Parse, heads: Sequence[Word]) -> bool:
    """Whether all items are of one kind, and nothing before or behind one may belong to others as well."""
    first = heads[0]
    if first.dep == "acomp":
        return all(head.pos == "ADJ" and not parse.children(head, "prep", "advmod") for head in heads)
    named = [head.pos == "PROPN" for head in heads]
    bare = [head.tag == "NN" and not parse.children(head, "det", "poss", "amod") for head in heads]
    if (any(named) and any(bare)) or any(
        head.pos not in _NAMED or not head.text[:1].isalpha() for head in heads
    ):
        return False
    articles = {article.lower for head in heads if (article := parse.child(head, "det", "poss"))}
    each = articles <= {"a", "an"} and all(parse.child(head, "det") for head in heads)
    for position, head in enumerate(heads):
        own = parse.subtree(head, {c.i for c in parse.children(head, *_JOINED) if c.i > head.i})
        counted = any(
            c.dep in ("nummod", "quantmod") or c.tag in ("JJR", "JJS") for c in parse.children(head)
        )
        parted = not position or parse[own[0].i - 1].lower in ("and", "or", ",")
        torn = own[-1].i - own[0].i + 1 != len(own)
        last = position == len(heads) - 1 and _exemplifies(parse, parse[first.head])
        behind = [c for c in parse.children(head) if c.i > head.i and c.dep not in _JOINED]
        if counted or torn or not parted or (behind and not (each or last or all(named))):
            return False
    described = [bool(parse.children(head, "amod", "compound")) for head in heads]
    shared = len(heads) == 2 and (described == [True, False] or (first.tag == "NN" and heads[1].tag == "NNS"))
    return all(named) or each or not shared


def _item(wording: Wording, first: Word, head: Word) -> Line:
    """One item alone, with the "a" or "his" of the first."""
    parse = wording.parse
    gone = {c.i for c in parse.children(head, *_JOINED) if c.i > head.i}
    said = tuple(bit for word in parse.subtree(head, gone) for bit in wording.said(word))
    article = parse.child(first, "det", "poss")
    if (
        article is None
        or head is first
        or head.pos == "PROPN"
        or parse.children(head, "det", "poss", "nummod")
    ):
        return said
    if article.dep == "poss":
        return (*wording.line(article), *said)
    if article.lower not in ("a", "an") or head.tag == "NNS":
        return said
    initial = parse[parse.edges(head)[0]].lower[0]
    return ("an" if initial in "aeiou" else "a", *said)
