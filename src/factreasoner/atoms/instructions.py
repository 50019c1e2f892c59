"""Sentences that tell the reader what to do: "Preheat the oven", "If it persists, see a doctor"."""

from __future__ import annotations

from factreasoner.atoms.nonclaims import is_filler
from factreasoner.text.lexicon import words
from factreasoner.text.tree import AUXILIARIES, VERBS, Parse

_BEFORE = words("advcl advmod prep npadvmod punct intj neg aux cc dep mark")
"""What may stand before an imperative."""
_STATES = words("have contain consist belong lack tend vary differ")
"""Verbs of which "Have four legs" in a list rather goes on with what it is about."""
_CHANGES = words("increase decrease change rise fall decline drop shift")
"""Nouns that are read as verbs in "Increase in heart rate"."""
_REMINDING = words("remember note recall know notice realize see")
_REQUIRED = ("must", "need", "have", "ought")


def is_instruction(parse: Parse) -> bool:
    """Whether the main clause is an imperative, or advice behind a condition or an aim."""
    return _is_imperative(parse) or _is_advice_behind(parse)


def is_aim(parse: Parse) -> bool:
    """Whether a lead-in says what for, so that its items tell how: "To make bread:", "How to make bread:"."""
    verb = parse.root
    before = [word.lower for word in parse.words[: verb.i]]
    what = parse.child(verb, "dobj") is not None or before[:1] == ["how"]
    return verb.tag == "VB" and before in (["to"], ["how", "to"]) and what


def _is_imperative(parse: Parse) -> bool:
    verb = parse.root
    if verb.pos not in VERBS or verb.tag not in ("VB", "VBP") or parse.subject(verb) is not None:
        return False
    following = "".join(word.lower for word in parse.words[verb.i + 1 : verb.i + 2])
    changes = verb.i == 0 and verb.lemma in _CHANGES and following in ("in", "of", "to")
    states = verb.lemma in _STATES or (verb.lemma == "be" and verb.lower != "be")
    reminds = verb.lemma in _REMINDING and any(parse.is_clause(c) for c in parse.children(verb, "ccomp"))
    helped = any(word.lemma != "do" for word in parse.children(verb, *AUXILIARIES))
    before = all(word.dep in _BEFORE for word in parse.children(verb) if word.i < verb.i)
    return before and not (changes or states or reminds or helped)


def _is_advice_behind(parse: Parse) -> bool:
    """ "If it persists, it is recommended to ...": what stands behind the first comma is mere advice."""
    root = parse.root
    before = [w for w in parse.children(root, "advcl", "prep") if w.i < root.i]
    required = any(word.lower in _REQUIRED for word in (root, *parse.children(root, "aux")))
    if not before or required or not parse.is_clause(root):
        return False
    end = max(parse.edges(word)[1] for word in before) + 1
    rest = [word for word in parse.words[end:] if word.pos != "PUNCT"]
    return bool(rest) and parse[end].text == "," and is_filler(parse.text[rest[0].start :])
