"""The "it" that stands for nothing: "it is believed that", "it took years to"."""

from __future__ import annotations

from factreasoner.text.abbreviations import words
from factreasoner.text.tree import Parse, Word

_FINITE_OPENERS = ("that", "how", "whether", "why", "when", "where", "what", "who")
_SEEMING = words("seem appear happen turn follow")
_OF_ACTIONS = words(
    "difficult easy hard important possible impossible necessary unnecessary best better good essential",
    "vital crucial common rare usual unusual helpful useful advisable wise interesting worth customary",
    "reasonable fair true safe dangerous legal illegal time tempting tough practice tradition custom",
    "mistake responsibility duty job task goal idea shame luck form",
)
_ADVISING = words("recommend advise consider deem suggest think permit forbid")
_FINDING = words("make find consider think deem keep")


def is_expletive(parse: Parse, word: Word) -> bool:
    """Whether "it" stands for nothing: "it is believed that", "it took years to", "makes it hard to"."""
    verb = parse[word.head]
    if verb.pos == "ADJ" and verb.dep in ("ccomp", "oprd", "xcomp") and parse[verb.head].lemma in _FINDING:
        return any(_opens_with(parse, clause, ("to", "for", "that")) for clause in parse.children(verb))
    if word.dep == "expl" or verb.lemma in ("rain", "snow"):
        return True
    if word.dep not in ("nsubj", "nsubjpass"):
        return False
    holders = [verb, *parse.children(verb, "acomp", "attr", "oprd")]
    clauses = [
        c
        for holder in holders
        for c in parse.children(holder, "ccomp", "xcomp", "advcl", "csubj", "relcl", "acl")
    ]
    late = [clause for clause in clauses if clause.i > verb.i and not _is_of_a_kind(parse, clause)]
    finite = any(_opens_with(parse, clause, _FINITE_OPENERS) for clause in late)
    to = any(_opens_with(parse, clause, ("to", "for")) for clause in late)
    said = [w.lemma for w in parse.children(verb, "acomp", "attr")]
    if verb.lemma == "be":
        return finite or (to and bool(said) and said[0] in _OF_ACTIONS)
    passive = bool(parse.children(verb, "auxpass"))
    if passive and to and verb.lemma in _ADVISING:
        return True
    taken = any(clause.lemma == "take" and parse.children(clause, "advcl", "xcomp") for clause in late)
    return taken or (finite and (passive or verb.lemma in _SEEMING)) or (to and verb.lemma == "take")


def _is_of_a_kind(parse: Parse, clause: Word) -> bool:
    """ "That lies in Norway" in "It is a city that lies in Norway", which says what it is."""
    article = parse.child(parse[clause.head], "det")
    return clause.dep == "relcl" and article is not None and article.lower in ("a", "an", "another", "one")


def _opens_with(parse: Parse, clause: Word, openers: tuple[str, ...]) -> bool:
    begins = [word.lower for word in parse.subtree(clause)[:2]]
    infinitive = "to" in openers and any(w.lower == "to" for w in parse.children(clause, "aux"))
    return infinitive or any(word in openers for word in begins)
