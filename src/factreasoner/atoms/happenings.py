"""Nouns for what a sentence says that happened: "the decision" after "the Court held that ..."."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from factreasoner.atoms.mentions import Mention, inside
from factreasoner.text.abbreviations import words
from factreasoner.text.tree import Parse, Word

_NOUNS = {
    "decision": words("decide rule hold"),
    "ruling": words("rule hold"),
    "appointment": words("appoint"),
    "election": words("elect"),
    "production": words("produce"),
    "acquisition": words("acquire buy"),
    "purchase": words("purchase buy"),
    "sale": words("sell"),
    "invasion": words("invade"),
    "discovery": words("discover"),
    "invention": words("invent"),
    "construction": words("construct build"),
    "destruction": words("destroy"),
    "assassination": words("assassinate"),
    "publication": words("publish"),
    "translation": words("translate"),
    "closure": words("close"),
    "resignation": words("resign"),
    "explosion": words("explode"),
    "collapse": words("collapse"),
    "eruption": words("erupt"),
    "announcement": words("announce"),
    "refusal": words("refuse"),
    "rejection": words("reject"),
}
"""A noun, and the verbs of a sentence that it can sum up."""
_OF_A_CLAUSE = words("decide rule hold announce refuse")
"""Verbs whose noun belongs to whoever does it: "the decision of the Court"."""
_ONLY_WITH_CLAUSE = frozenset({"hold"})
_UNDERGONE = words("close resign explode collapse erupt")
"""Verbs without an object whose subject is what they happen to: "the collapse of the bridge"."""
_ALSO_A_WORK = frozenset({"publication", "translation"})
"""Nouns that as often name what was made: "the publication is based in London"."""


def happenings(parse: Parse, named: Sequence[Mention]) -> Iterator[tuple[str, str]]:
    """(noun, description) of what a sentence's main clauses say: ("decision", "the decision of the Court").

    A noun for which there are two such clauses comes with an empty description for each.
    """
    names = {mention.i: inside(mention) for mention in named}
    verbs = [parse.root, *parse.children(parse.root, "conj")]
    for noun, all_verbs in _NOUNS.items():
        said = [verb for verb in verbs if verb.lemma in all_verbs and parse.subject(verb) is not None]
        for verb in said:
            yield noun, _description(parse, verb, noun, names) if len(said) == 1 else ""


def _description(parse: Parse, verb: Word, noun: str, names: dict[int, str]) -> str:
    """Empty where the clause does not say to whom or what it happened: "the invasion of" whoever invaded
    would say the reverse.
    """
    subject = parse.subject(verb)
    doer = _only(parse, subject, names)
    if not doer or parse.child(verb, "neg") is not None or noun in _ALSO_A_WORK:
        return ""
    target = parse.child(verb, "dobj")
    if parse.children(verb, "auxpass"):
        undergone = target is None and verb.lemma not in _OF_A_CLAUSE - {"announce"}
        return f"the {noun} of {doer}" if undergone else ""
    if verb.lemma in _OF_A_CLAUSE:
        clause = parse.child(verb, "ccomp") is not None
        return f"the {noun} of {doer}" if clause or verb.lemma not in _ONLY_WITH_CLAUSE else ""
    if target is None:
        return f"the {noun} of {doer}" if verb.lemma in _UNDERGONE else ""
    done_to = _only(parse, target, names)
    return f"the {noun} of {done_to} by {doer}" if done_to else ""


def _only(parse: Parse, word: Word | None, names: dict[int, str]) -> str:
    """The name of a word that is no list."""
    return names.get(word.i, "") if word is not None and not parse.children(word, "conj") else ""
