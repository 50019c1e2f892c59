"""When and where something happened, said apart: "born on 5 May in Rome"."""

from __future__ import annotations

from factreasoner.atoms.lists import EXAMPLES
from factreasoner.atoms.wording import Line, Wording
from factreasoner.text.abbreviations import words
from factreasoner.text.tree import Parse, Word

_HAPPENING_ONCE = words("bear die found establish release launch bury commission inaugurate")
"""Verbs that need no object to say what happened."""


def apart(wording: Wording, verb: Word, line: Line) -> list[Line]:
    """ "Born on 5 May in Rome" as "born on 5 May" and "born in Rome"; a line of anything else as it is."""
    parse = wording.parse
    after = [w for w in wording.children(verb, "prep") if w.i > verb.i and w in line]
    dates = [w for w in after if _is_date(parse, w)]
    others = [w for w in after if w not in dates]
    if any(w.lower in EXAMPLES and w.dep == "prep" for w in wording.kept(verb)):
        return [line]
    identified = verb.lemma in _HAPPENING_ONCE or parse.child(verb, "dobj") is not None
    if not identified or len(dates) != 1 or not others or parse.child(verb, "neg") is not None:
        return [line]
    return [_less(parse, line, *others), _less(parse, line, *dates)]


def _less(parse: Parse, line: Line, *dropped: Word) -> Line:
    gone = {each.i for word in dropped for each in parse.subtree(word)}
    return tuple(bit for bit in line if isinstance(bit, str) or bit.i not in gone)


def _is_date(parse: Parse, preposition: Word) -> bool:
    """ "In 1990", but not "from 1990 until his death"."""
    target = parse.child(preposition, "pobj")
    return target is not None and target.entity == "DATE" and preposition.lower in ("in", "on")
