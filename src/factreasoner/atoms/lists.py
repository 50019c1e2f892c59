"""A list inside a clause: "in Rome and Paris" says "in Rome" and "in Paris", where that keeps the meaning."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.atoms.wording import Line, Wording
from factreasoner.text.abbreviations import words
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
)
_REST = words("more others etc etc.")
_EXAMPLES = words("as including like include")
_NAMED = ("NOUN", "PROPN")
_LISTED = ("nsubj", "nsubjpass", "dobj", "attr", "pobj", "acomp", "xcomp", "pcomp")
_PATH = ("dobj", "attr", "pobj", "prep", "agent", "xcomp", "pcomp", "acl")
_JOINED = ("conj", "cc", "punct", "preconj", "appos")
_PLURAL = ("NNS", "NNPS")


def split_list(wording: Wording, verb: Word) -> list[Line]:
    """The ways to say a clause with one item of its longest list; the clause as it is where it has none."""
    parse = wording.parse
    kept = wording.kept(verb)
    conditional = any(parse.is_clause(word) for word in wording.children(verb, "advcl"))
    if conditional or verb.lemma in _COLLECTIVE or any(word.lower in _TOGETHER for word in kept):
        return [wording.line(verb)]
    chain = max((_chain(wording, first, verb) for first in kept), key=len)
    if len(chain) < 2:
        return [wording.line(verb)]
    _say_include(wording, chain, verb)
    first, last = parse.edges(chain[0])[0], parse.edges(chain[-1])[1]
    before = _said(wording, [w for w in kept if w.i < first])
    after = _said(wording, [w for w in kept if w.i > last])
    items = [head for head in chain if head.lower not in _REST]
    ends = all(isinstance(bit, Word) and bit.text == "." for bit in after)
    general = _without_examples(wording, chain, kept) if ends else []
    return [*general, *((*before, *_item(wording, chain[0], head), *after) for head in items)]


def _say_include(wording: Wording, chain: Sequence[Word], verb: Word) -> None:
    """Let "The winners are: A, B and C" be said as "The winners include A"."""
    subject = wording.parse.subject(verb)
    told = verb.lemma == "be" and verb.tag in ("VBP", "VBD") and chain[0].dep == "attr"
    if subject is None or not told or subject.tag not in _PLURAL or any(w.tag in _PLURAL for w in chain):
        return
    wording.say(verb, "include" if verb.tag == "VBP" else "included")
    for colon in wording.parse.children(verb, "punct"):
        if colon.text == ":":
            wording.say(colon)


def _without_examples(wording: Wording, chain: Sequence[Word], kept: Sequence[Word]) -> list[Line]:
    """ "He acted in several films" where the clause goes on with "such as A and B"."""
    parse = wording.parse
    head = parse[chain[0].head]
    noun = parse[head.head]
    if not _exemplifies(parse, head) or noun.tag not in _PLURAL:
        return []
    quantified = noun.dep == "pobj" and parse[noun.head].lower == "of"
    if not (quantified or parse.children(noun, "amod", "det", "poss")) or parse.children(
        noun, "conj", "nummod"
    ):
        return []
    gone = {word.i for word in parse.subtree(head)}
    begins = min(gone)
    gone |= {begins - 1} if parse[begins - 1].text == "," else set()
    return [_said(wording, [word for word in kept if word.i not in gone])]


def _said(wording: Wording, said: Sequence[Word]) -> Line:
    return tuple(bit for word in said for bit in wording.said(word))


def _chain(wording: Wording, first: Word, verb: Word) -> list[Word]:
    """The heads of the list that a word begins; the word alone where it begins none that may be split."""
    parse = wording.parse
    heads = [first]
    for head in heads:
        heads += wording.children(head, "conj")
        heads += [c for c in wording.children(head, "appos") if head.pos == "NOUN" and _is_item(parse, c)]
    heads.sort()
    if (
        first.dep not in ("dobj", "attr", "pobj", "acomp", "xcomp", "pcomp")
        or not 1 < len(heads) <= _MOST_ITEMS
    ):
        return [first]
    joints = {w.lower for head in heads for w in parse.children(head, "cc")}
    if any(w.dep == "cc" for w in parse.words[heads[0].i : heads[-2].i]):
        return [first]
    examples = _exemplifies(parse, parse[first.head])
    joined = joints == {"and"} or (examples and joints == {"or"})
    if first.dep in ("nsubj", "nsubjpass") and not _may_part_subject(parse, heads, verb):
        return [first]
    fits = joined and _are_alike(parse, heads) and _is_reachable(parse, heads, verb)
    return heads if fits and not _is_open(parse, heads) and not _is_parallel(parse, heads) else [first]


def _is_item(parse: Parse, noun: Word) -> bool:
    """Whether what a small parser takes for an apposition is an item of a list: "search, a view, and"."""
    start, end = parse.edges(noun)
    goes_on = [word.lower for word in parse.words[end + 1 : end + 3]] == [",", "and"]
    listed = goes_on or bool(parse.children(noun, "conj"))
    return noun.pos == "NOUN" and parse[start - 1].text == "," and listed


def _is_parallel(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "X on A and Y on B": the list is of more than the last noun before it; or a name goes on behind it."""
    last = parse.subtree(heads[-1])
    following = parse.words[last[-1].i + 1 : last[-1].i + 2]
    again = any(word.lower == parse[heads[0].head].lower for word in last)
    return again or any(word.pos in (*_NAMED, "VERB") for word in following)


def _may_part_subject(parse: Parse, heads: Sequence[Word], verb: Word) -> bool:
    """Whether each of several kinds of things does what a clause says: "Waves and tides erode the coast"."""
    plural = all(head.tag == "NNS" for head in heads)
    attribute = parse.child(verb, "attr", "nummod")
    return heads[0].head == verb.i and plural and attribute is None


def _are_alike(parse: Parse, heads: Sequence[Word]) -> bool:
    """Whether all items are adjectives, names, or things."""
    if heads[0].dep in ("xcomp", "pcomp"):
        return all(head.tag == "VBG" for head in heads)
    if heads[0].dep == "acomp":
        return all(head.pos == "ADJ" for head in heads)
    bare = [not parse.children(head, "det", "poss", "amod") and head.tag == "NN" for head in heads]
    named = [head.pos == "PROPN" for head in heads]
    return all(head.pos in _NAMED for head in heads) and not (any(named) and any(bare))


def _is_reachable(parse: Parse, heads: Sequence[Word], verb: Word) -> bool:
    """Whether a list hangs on the verb itself, or ends its clause and is plainly one list."""
    first = heads[0]
    if first.head == verb.i and first.tag != "VBG":
        return True
    path = [first, *parse.above(first, verb)]
    head = parse[first.head]
    if any(word.dep not in _PATH for word in path):
        return False
    if _exemplifies(parse, head):
        return True
    if head.head == verb.i and first.tag != "VBG":
        return True
    if first.tag == "VBG":
        return _ends_clause(parse, heads, verb)
    named = all(each.pos == "PROPN" for each in heads)
    bare = named or all(not parse.children(each, "amod", "det", "poss", "prep") for each in heads)
    return _ends_clause(parse, heads, verb) and (len(heads) > 2 or (bare and head.lower != "of"))


def _exemplifies(parse: Parse, head: Word) -> bool:
    """Whether a preposition begins examples: "such as", "including"."""
    if head.dep != "prep" or head.lower not in _EXAMPLES:
        return False
    return head.lower != "as" or (head.i > 0 and parse[head.i - 1].lower == "such")


def _ends_clause(parse: Parse, heads: Sequence[Word], verb: Word) -> bool:
    """Whether nothing follows a list in the clause of a verb."""
    last = parse.edges(heads[-1])[1]
    return all(word.pos == "PUNCT" for word in parse.subtree(verb) if word.i > last)


def _is_open(parse: Parse, heads: Sequence[Word]) -> bool:
    """Whether words around the items may belong to all of them, or to one alone."""
    if heads[0].tag == "VBG":
        return not all(parse.children(head, "dobj", "ccomp", "prep") for head in heads)
    articles = [parse.child(head, "det", "poss") for head in heads]
    kinds = {article.lower in ("a", "an") for article in articles if article is not None}
    articled = None not in articles and len(kinds) == 1
    if len(heads) == 2 and not parse.children(heads[0], "det", "poss") and _may_share_head(parse, heads):
        return True
    for position, head in enumerate(heads):
        before = [c for c in parse.children(head) if c.i < head.i]
        after = [c for c in parse.children(head) if c.i > head.i and c.dep not in _JOINED]
        if position == len(heads) - 1:
            after = [c for c in after if c.dep in ("relcl", "appos")]
        counted = any(c.dep in ("nummod", "quantmod") or c.tag in ("JJR", "JJS", "CD") for c in before)
        if not head.text[:1].isalpha():
            return True  # "zones d10, d12 and 13"
        begins = parse.edges(head)[0]
        own = parse.subtree(head, {c.i for c in parse.children(head, *_JOINED) if c.i > head.i})
        if own[-1].i - own[0].i + 1 != len(own):
            return True
        parted = not position or parse[begins - 1].lower in ("and", "or", ",")
        if (after and not articled) or counted or not parted or parse[begins].tag in ("IN", "TO"):
            return True
    return False


def _may_share_head(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "limited edition and collectible works", "suicidal thoughts and behaviors": a word may be of both."""
    described = [bool(parse.children(head, "amod", "compound")) for head in heads]
    return (heads[0].tag == "NN" and heads[1].tag == "NNS") or described == [True, False]


def _item(wording: Wording, first: Word, head: Word) -> Line:
    """One item alone, with the article of the first."""
    parse = wording.parse
    gone = {c.i for c in parse.children(head, *_JOINED) if c.i > head.i}
    return (*_shared(wording, first, head), *_said(wording, parse.subtree(head, gone)))


def _shared(wording: Wording, first: Word, item: Word) -> Line:
    """The article or "his" of the first item, for a later one without any."""
    parse = wording.parse
    before = parse.child(first, "det", "poss")
    own = parse.children(item, "det", "poss", "nummod")
    if before is None or item is first or item.pos == "PROPN" or own:
        return ()
    if before.dep == "poss":
        return wording.line(before)
    if before.lower in ("a", "an"):
        initial = parse[parse.edges(item)[0]].lower[0]
        return () if item.tag in _PLURAL else ("an" if initial in "aeiou" else "a",)
    return (before,)
