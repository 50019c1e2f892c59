"""Lists whose items can't be said one by one, as far as their words tell."""

from __future__ import annotations

from collections.abc import Sequence

from factreasoner.text.abbreviations import words
from factreasoner.text.tree import NOUNS, VERBS, Parse, Word

JOINTS = ("conj", "cc", "preconj")
"""What joins the items of a list."""
POSSIBLE = ("can", "may", "might", "could")
"""Auxiliaries with which "A or B" says both."""
COLLECTIVE = words(
    "meet marry merge combine collaborate differ share divorce compete fight form unite separate clash",
    "agree cooperate constitute comprise collide react interact join mix total",
)
"""Verbs that say of two subjects what can't be said of one."""
TRANSITIVE = words(
    "design build write produce direct create develop found invent discover make publish compose record sell",
    "buy manufacture edit translate illustrate manage own construct establish find attract organize promote",
    "store view analyze collect monitor measure review support encrypt decrypt",
)
"""Verbs that have an object, if only the one of a verb beside them."""
_COMPLETING = ("with", "to", "against", "between")
"""Prepositions that rather complete the noun before them than say where or when all of a list was."""
_COMPARING = ("JJR", "RBR")
_RANKS = ("first", "last", "only", "second", "third")
_COUNTS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_CONTRASTS = (("rather", "than"), ("instead", "of"), ("opposed", "to"))
_REACH = 6
"""Words before a list in which "both" may stand."""
_NAMED = ("GPE", "LOC", "PERSON", "NORP", "ORG", "FAC")


def is_one_thing(parse: Parse, heads: Sequence[Word]) -> bool:
    """Whether the items of a list may belong together, or one of them to another."""
    return (
        _is_compared(parse, heads)
        or _is_counted(parse, heads)
        or _shares_aim(parse, heads)
        or _is_paired(parse, heads)
        or _goes_on_with_another(parse, heads)
        or _may_end_alike(parse, heads)
        or _may_be_of_clause(parse, heads)
        or _may_be_one_name(parse, heads)
        or _may_share_object(parse, heads)
        or _may_hang_lower(parse, heads)
        or _may_hang_higher(parse, heads)
        or _may_be_doing(parse, heads)
        or any(says_of_all(parse, clause) for head in heads for clause in parse.children(head, "relcl"))
    )


def is_set_against(parse: Parse, at: int) -> bool:
    """Whether a word is the first one behind "rather than", "instead of" or "not": what is not so."""
    before = [word.lower for word in parse.words[max(0, at - 2) : at]]
    return tuple(before) in _CONTRASTS or before[-1:] in (["not"], ["never"])


def says_of_all(parse: Parse, clause: Word) -> bool:
    """Whether a relative clause after the last item tells of all: "A and B, who met at work"."""
    return clause.lemma in COLLECTIVE and parse.child(clause, "dobj") is None


def _is_paired(parse: Parse, heads: Sequence[Word]) -> bool:
    """Whether "both" or "either" stands before a list: "to both the direction of A and B"."""
    before = [word.lower for word in parse.words[max(0, heads[0].i - _REACH) : heads[0].i]]
    at = max((i for i, word in enumerate(before) if word in ("both", "either", "neither")), default=None)
    return at is not None and not {"and", "or", "nor", ","} & set(before[at:])


def _may_be_of_clause(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "A service that offers tools, and support": the next item has no article, and may be offered."""
    between = [c for c in parse.children(heads[0], "relcl", "acl") if heads[0].i < c.i < heads[1].i]
    articles = [parse.child(head, "det") is not None for head in heads[:2]]
    return bool(between) and articles == [True, False]


def _may_end_alike(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "Effects and interactions with other drugs": what ends the list may be of the last item alone."""
    apposed = any(c.i > heads[-1].i for c in parse.children(heads[0], "appos"))
    after = [c for c in parse.children(heads[0], "prep") if c.i > heads[-1].i and c.lower in _COMPLETING]
    placed = heads[0].dep in ("dobj", "pobj", "nsubj") and heads[0].pos == "NOUN" == heads[-1].pos
    return apposed or (placed and bool(after))


def _is_compared(parse: Parse, heads: Sequence[Word]) -> bool:
    """Whether items share a "than": "larger than Hamburg and older", "less risk and effort than others"."""
    says = {_says_than(said) for head in heads if _compares(said := _own(parse, head))}
    if len(says) == 2:
        return True
    comparing = any(w.tag in _COMPARING for w in parse.children(heads[0], "amod", "advmod"))
    following = parse.words[heads[-1].i + 1 : heads[-1].i + 2]
    return comparing and _says_than(following)


def _is_counted(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "Two systems, LTE and 5G": the first item says how many others there are, and what."""
    counts = [number.lower for number in parse.children(heads[0], "nummod")]
    others = len(heads) - 1
    return bool({str(others), *_COUNTS[others : others + 1]} & set(counts)) and heads[0].tag == "NNS"


def shares_than(parse: Parse, one: Word, other: Word) -> bool:
    """Whether one of two compares, and only the other one says with what."""
    said, told = _own(parse, one), _own(parse, other)
    return _compares(said) and _compares(told) and not _says_than(said) and _says_than(told)


def _own(parse: Parse, head: Word) -> list[Word]:
    """The words of one item or clause, without those beside it."""
    return parse.subtree(head, {child.i for child in parse.children(head, "conj")})


def _compares(said: Sequence[Word]) -> bool:
    return any(word.tag in _COMPARING for word in said)


def _says_than(said: Sequence[Word]) -> bool:
    return any(word.lower == "than" for word in said)


def _shares_aim(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "The first woman and the youngest person to win": only the last item says in what she was first."""
    said, told = _own(parse, heads[0]), _own(parse, heads[-1])
    ranks = any(word.tag == "JJS" or word.lower in _RANKS for word in said)
    aims = [c for c in parse.children(heads[-1], "relcl", "acl") if c.tag == "VB"]
    return ranks and bool(aims) and not any(word.tag == "TO" for word in said) and len(told) > 1


def _may_be_one_name(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "The Summons and Complaint": capitalised nouns with one article, no places or persons."""
    article = parse.child(heads[0], "det")
    named = any(head.pos != "PROPN" or head.entity in _NAMED for head in heads)
    return article is not None and not named and not any(parse.children(h, "det") for h in heads[1:])


def _may_share_object(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "To operate and provide a haven": whether one operates a haven, the verb does not tell."""
    if heads[0].pos not in VERBS or not parse.children(heads[-1], "dobj"):
        return False
    bare = [
        head
        for head in heads[:-1]
        if not any(c.i > head.i and c.dep not in (*JOINTS, "punct") for c in parse.children(head))
    ]
    return any(head.lemma not in TRANSITIVE for head in bare)


def _may_hang_higher(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "The fight against decay and the loss": the article may begin another phrase."""
    above = parse[parse[heads[0].head].head]
    articles = [parse.child(head, "det") is not None for head in heads[:2]]
    return heads[0].dep == "pobj" and above.pos == "NOUN" and articles == [False, True] and len(heads) == 2


def _goes_on_with_another(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "The nature of functions and the property of exponents" is no "nature of the property of exponents".

    So it is with "at 600 by some and at 1,100 by others".
    """
    first = heads[0]
    own = {first.lower} if first.pos == "ADP" else set()
    if first.dep == "pobj":
        own = {w.lower for w in (parse[first.head], *parse.above(first)) if w.dep == "prep"}
    here = _followed_by(parse, first)
    return any(_followed_by(parse, head) & own - here for head in heads[1:])


def _followed_by(parse: Parse, head: Word) -> set[str]:
    """The prepositions of an item, and of what its own preposition has."""
    nouns = (head, *parse.children(head, "pobj"))
    return {w.lower for noun in nouns for w in parse.children(noun, "prep", "agent")}


def _may_be_doing(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "Loading tables" in "involves copying data from the disk and loading tables": it may be done, too."""
    first = parse[parse.edges(heads[-1])[0]]
    above = any(word.tag == "VBG" for word in parse.above(heads[0]))
    return heads[0].pos in NOUNS and above and first.tag == "VBG" and first.i < heads[-1].i


def _may_hang_lower(parse: Parse, heads: Sequence[Word]) -> bool:
    """ "The fight against decay and the loss of trees": the fight may be against the loss, too."""
    inner = [p for p in parse.children(heads[0], "prep") if heads[0].i < p.i < heads[1].i]
    named = any(c.pos == "PROPN" for p in inner for c in parse.children(p, "pobj"))
    if named and heads[0].pos == "NOUN" and heads[1].pos == "PROPN":
        return True  # "a member of the House of Lords and the House of Commons"
    again = {p.lower for p in parse.children(heads[1], "prep")}
    objects = [p for p in inner if parse.child(p, "pobj") is not None]
    joined = any(word.lower in ("and", "or") for word in parse.children(heads[0], "cc"))
    nouns = joined and len(heads) == 2 and heads[0].pos in NOUNS and heads[1].pos in NOUNS
    return nouns and bool(objects) and not again & {p.lower for p in inner}
