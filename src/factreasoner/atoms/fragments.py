"""What has no verb of its own: labels, list items with their lead-in, names listed behind a colon."""

from __future__ import annotations

import re
from collections.abc import Iterator

from factreasoner.atoms.plain_text import Plain
from factreasoner.atoms.wording import capitalised
from factreasoner.text.sentences import Span
from factreasoner.text.tree import NOUNS, Parse

LONGEST_LABEL = 10
"""Most words of a label before a colon."""
FINITE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|will|would|may|does|did|includes?)\b")
_LABEL = re.compile(
    r"""(?P<label>["“*`\w][^.:;!?\n]{0,80}?(?:\([^()\n]{1,40}\))?["”*`]*)
        (?:\s*:[*_\u2060]*|\s+[-–—])\s+(?=["“*\u2060\w])""",
    re.VERBOSE,
)
_ENUMERATION = re.compile(
    r"(?P<before>[^.,:;]{3,80} )(?P<verb>are|were|include|included): (?=[^\W\d_a-z][^.;:]*,)"
)
_ITEM = re.compile(r"(?P<name>[^\W\d_a-z][^,.;]*?)(?:, and |, |\.?\Z)")
_PRESENT = {"are": "include", "were": "included"}
_INCLUDING = re.compile(r"(?P<before>.*\binclude[sd]?)(?: the following)?\s*:\Z", re.DOTALL)


def leading_label(text: str, start: int, end: int, *, item: bool) -> re.Match[str] | None:
    """The words, with the colon or dash behind them, that text[start:end] begins with.

    A dash ends a label in a list item and behind bold type alone ("The flight London - Paris" has none), and
    never within brackets or a formula.
    """
    found = _LABEL.match(text, start, end)
    if found is None or _is_cut(found["label"]):
        return None
    return found if item or ":" in found[0] or "*" in found[0] else None


def _is_cut(label: str) -> bool:
    within = label.count("(") > label.count(")") or label.count("[") > label.count("]")
    return within or label.count("$") % 2 == 1


def enumerated(text: str, read: Plain) -> Iterator[tuple[str, Span]]:
    """ "The winners are: A, B and C" as "The winners include A" and so on, where every item is a name."""
    found = _ENUMERATION.match(text)
    items = list(_ITEM.finditer(text, found.end())) if found else []
    if found is None or len(items) < 3 or any(len(item[0].split()) > LONGEST_LABEL for item in items):
        return
    if items[0].start() != found.end() or items[-1].end() < len(text):
        return
    verb = _PRESENT.get(found["verb"], found["verb"])
    for item in items:
        said = read.shown(*item.span("name"))
        yield _as_sentence(f"{read.shown(*found.span('before'))}{verb} {said}"), read.span(*item.span("name"))


def is_name(said: Parse | None) -> bool:
    """Whether a lead-in or label is a noun with what belongs to it: "Common symptoms of flu:"."""
    if said is None or said.root.pos not in NOUNS or said.root.pos == "PRON":
        return False
    return not any(said.is_finite(word) for word in said.words if word.dep not in ("relcl", "acl"))


def below(lead: str, whole: str) -> str:
    """An item with the lead-in of its list: "Symptoms include fever.", "Causes of cough: Smoking"."""
    naming = _INCLUDING.match(lead)
    return _as_sentence(f"{naming['before']} {whole}") if naming else f"{lead} {whole}".strip(" ;,")


def stands_alone(whole: str, parse: Parse | None, lead: Parse | None) -> bool:
    """Whether an item says all: it is a clause whose lead-in does not say when, where or whether it holds."""
    if parse is None:
        return FINITE.search(whole) is not None
    if not parse.is_clause(parse.root):
        return False
    asks = any(mark.lower in ("whether", "if") for mark in parse.children(parse.root, "mark"))
    return lead is None or not (asks or (lead.root.pos == "ADP" and not lead.is_finite(lead.root)))


def _as_sentence(text: str) -> str:
    return capitalised(text).rstrip(" ,;") + ("" if text.endswith((".", "!", "?")) else ".")
