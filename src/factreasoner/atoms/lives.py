"""When somebody was born and died, said in a parenthesis: "Ida Roe (14 March 1851 – 2 October 1919)"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factreasoner.atoms.leading_labels import DATE, DAY, MONTH
from factreasoner.atoms.plain_text import Plain
from factreasoner.text.persons import is_person
from factreasoner.text.sentences import Span
from factreasoner.text.tree import Parse, Word

_PARTED = re.compile(r"\s*[–—;]\s*|\s+-\s+|(?<=\d{4})-(?=\d{4})|,?\s+(?=died\b)")
_EVENT = re.compile(
    rf"(?:(?P<what>born|b\.|died|d\.)\s*)?(?:(?:on|in)\s+)?(?P<about>(?:c\.|ca\.|circa)\s*)?"
    rf"(?P<date>{DATE})(?:,? in (?P<place>[^\W\d_][^()\d;]*?))?"
)
_FORMER_NAME = re.compile(
    rf"(?:born|n[ée]e?) (?P<name>(?!{MONTH}(?!\w))[^\W\d_a-z][^\d,;–—()]*?)(?:\s*;\s*|\s*,\s*(?={DAY})|\Z)"
)
"""What somebody was called at birth: "born Ida Holm; 14 March 1851 – 2 October 1919"."""
_BORN, _DIED = "born", "died"
_SPELT = {"b.": _BORN, "d.": _DIED}


def lives(parse: Parse, sentence: Plain) -> tuple[Plain, list[tuple[str, Span]]]:
    """The sentence without the parentheses that say when somebody lived, and what they say, with its place.

    Dates alone are those of a life only in a sentence that says who a person was: others are of a reign.
    """
    found: list[tuple[str, Span]] = []
    kept = dict(sentence.asides)
    for end, aside in sentence.asides.items():
        name = _name_before(parse, end)
        if not name or end >= len(sentence.text):
            continue
        said = list(_events(aside.strip()[1:-1].strip(), told=_is_defined(parse, name[-1])))
        if not said or None in said:
            continue
        shown = sentence.shown(name[0].start, end)
        place = Span(sentence.places[end - 1] + 1, sentence.places[end])
        found += [(f"{shown} {event}.", place) for event in said]
        del kept[end]
    return sentence._replace(asides=kept), found


def _name_before(parse: Parse, end: int) -> tuple[Word, ...]:
    """The proper name of a person or thing that ends at a character."""
    last = next((word.i for word in parse.words if word.end == end), -1)
    first = last + 1
    while first > 0 and parse[first - 1].pos == "PROPN":
        first -= 1
    return parse.words[first : last + 1]


def _is_defined(parse: Parse, last: Word) -> bool:
    """Whether the sentence says which person its subject, a name with that last word, was."""
    attribute = parse.child(parse.root, "attr")
    if parse.root.lemma != "be" or attribute is None or last.entity != "PERSON":
        return False
    told = is_person(attribute.lemma) or attribute.lemma.endswith(("ist", "er", "or", "ian"))
    return told and parse.subject(parse.root) == last


def _events(inside: str, *, told: bool) -> Iterator[str | None]:
    """What each part says, None where that is something else."""
    if former := _FORMER_NAME.match(inside):
        yield f"was born {former['name']}"
        inside = inside[former.end() :]
    parts = _PARTED.split(inside) if inside else []
    for part, default in zip(parts, (_BORN, _DIED, ""), strict=False):
        found = _EVENT.fullmatch(part.strip(" ,"))
        what = _SPELT.get(found["what"], found["what"]) if found is not None and found["what"] else ""
        if found is None or len(parts) > 2 or not (what or (told and len(parts) == 2)):
            yield None
            continue
        be = "was born" if (what or default) == _BORN else "died"
        when = (
            f"around {found['date']}" if found["about"] else f"{_preposition(found['date'])} {found['date']}"
        )
        yield f"{be} {when}"
        if found["place"]:
            yield f"{be} in {found['place'].strip(' ,')}"


def _preposition(date: str) -> str:
    return "on" if re.match(DAY, date) else "in"
