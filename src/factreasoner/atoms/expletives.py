"""The "it" that stands for nothing: "it is believed that", "it took years to"."""

from __future__ import annotations

from factreasoner.text.lexicon import words
from factreasoner.text.tree import Parse, Word

_FINDING = words("make find consider think deem keep")
_CLAUSES = ("ccomp", "xcomp", "advcl", "csubj", "acl")
_OPENERS = words("that how whether why when where what who to for if")


def is_expletive(parse: Parse, word: Word) -> bool:
    """Whether "it" stands for nothing: "it is believed that", "it took years to", "makes it hard to"."""
    verb = parse[word.head]
    if word.lower != "it" or word.tag == "PRP$":
        return False
    if word.dep == "expl" or verb.lemma in ("rain", "snow"):
        return True
    if verb.pos == "ADJ" and parse[verb.head].lemma in _FINDING:
        return True
    if word.dep not in ("nsubj", "nsubjpass"):
        return False
    told = parse.children(verb, "acomp", "attr", "oprd")
    late = [c for each in (verb, *told) for c in parse.children(each) if c.i > word.i and c.dep in _CLAUSES]
    opens = [{w.lower for w in parse.subtree(clause)[:2]} & _OPENERS for clause in late]
    if verb.lemma in ("be", "take", "seem", "appear", "happen", "turn"):
        return any(opens)
    return bool(parse.children(verb, "auxpass")) and any(each - {"to", "for"} for each in opens)
