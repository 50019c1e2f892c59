"""Sentences of what has no verb of its own: list items with their lead-in, what stands behind a label."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from factreasoner.atoms.expletives import is_expletive
from factreasoner.atoms.leads import EXEMPLIFYING, NAMING, PRESENT, TO_NOUN, is_empty, takes_verb
from factreasoner.atoms.plain_text import Plain
from factreasoner.atoms.wording import capitalised
from factreasoner.text.abbreviations import words
from factreasoner.text.sentences import Span
from factreasoner.text.tree import NOUNS, Parse

LONGEST_LABEL = 10
"""Most words of a label before a colon."""
FINITE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|will|would|may|does|did|includes?)\b")
PLURAL = ("NNS", "NNPS")
_FEATURES = words(
    "feature aspect property attribute criterion characteristic parameter factor metric measure "
    "specification key field"
)
_VALUES = words("value values detail details description data information specification specifications")
_LABEL = re.compile(
    r"""(?P<label>["“*`\w][^.:;!?\n]{0,80}?(?:\([^()\n]{1,40}\))?["”*`]*)
        (?:\s*:[*_\u2060]*|\s+[-–—])\s+(?=["“*\u2060\w])""",
    re.VERBOSE,
)
_ENUMERATION = re.compile(
    r"(?P<before>[^.,:;]{3,80} )(?P<verb>are|were|include|included): (?=[^\W\d_a-z][^.;:]*,)"
)
_ITEM = re.compile(r"(?P<name>[^\W\d_a-z][^,.;]*?)(?:, and |, |\.?\Z)")
_POINTING = ("he", "she", "it", "they", "this", "these")


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
    verb = PRESENT.get(found["verb"], found["verb"])
    for item in items:
        said = read.shown(*item.span("name"))
        yield as_sentence(f"{read.shown(*found.span('before'))}{verb} {said}"), read.span(*item.span("name"))


def is_name(said: Parse | None) -> bool:
    """Whether a lead-in or label is a noun with what belongs to it: "Common symptoms of flu:"."""
    if said is None or said.root.pos not in NOUNS or said.root.pos == "PRON":
        return False
    return not any(said.is_finite(word) for word in said.words if word.dep not in ("relcl", "acl"))


def names_subject(label: Parse | None, parse: Parse) -> bool:
    """Whether a label is what the pronoun is that its sentence begins with: "Ada Roe: She was born"."""
    if label is None or not is_name(label) or not is_pointing(parse) or is_expletive(parse, parse[0]):
        return False
    plural = label.root.tag in PLURAL
    fits = parse[0].lower in (("they", "these") if plural else ("it", "this", "he", "she"))
    defined = parse.root.lemma == "be" and parse.child(parse.root, "attr") is not None
    return fits and (defined or label.root.pos == "PROPN")


def is_pointing(parse: Parse) -> bool:
    """Whether a sentence begins with a pronoun for its subject."""
    return parse[0].lower in _POINTING and parse[0].dep in ("nsubj", "nsubjpass")


def sentence_of_item(whole: str, lead: str, parse: Parse | None, lead_parse: Parse | None) -> str:
    """An item without a verb, joined with the lead-in of its list."""
    if lead.endswith("?"):
        return f"{lead} {whole}"
    if parse is None and FINITE.search(whole):
        return whole
    naming = NAMING.match(lead)
    if naming and not is_empty(naming["before"]):
        return as_sentence(f"{naming['before']}{PRESENT.get(naming['verb'], naming['verb'])} {whole}")
    examples = EXEMPLIFYING.match(lead)
    if examples:
        clause = lead_parse is None or lead_parse.is_finite(lead_parse.root)
        joint = f", {examples['joint']}" if clause else " include"
        return as_sentence(f"{examples['before']}{joint} {whole}")
    if takes_verb(lead) or TO_NOUN.search(lead) or (_is_thing(parse) and _lacks_object(lead_parse)):
        return as_sentence(f"{lead.rstrip(' :')} {_amid(whole, parse)}")
    plural = lead_parse is not None and is_name(lead_parse) and lead_parse.root.tag in PLURAL
    if plural and not _begins_with_verb(parse):
        return as_sentence(f"{lead.rstrip(' :')} include {whole}")
    return f"{lead} {whole}".strip()


def sentence_under(lead: str, whole: str, parse: Parse, lead_parse: Parse | None) -> str:
    """An item that is a clause, with a lead-in that says when or where; or where it asks "whether"."""
    if lead_parse is None:
        return whole
    if any(mark.lower in ("whether", "if") for mark in parse.children(parse.root, "mark")):
        return f"{lead} {whole}"
    if lead_parse.root.pos == "ADP" and not lead_parse.is_finite(lead_parse.root):
        return as_sentence(f"{lead.rstrip(' :')}, {_amid(whole, parse)}".rstrip(";,"))
    return whole


def _begins_with_verb(item: Parse | None) -> bool:
    """Whether an item is "Founded in 1850", so that it is none of the things its lead-in names."""
    return item is not None and item.root.i == 0 and item.root.pos == "VERB" and item.root.tag != "VBG"


def _is_thing(item: Parse | None) -> bool:
    return is_name(item) or (item is not None and item[0].dep == "det")


def _lacks_object(lead: Parse | None) -> bool:
    """Whether a lead-in ends with its verb: "The kit provides:"; "as the table shows:" needs no object."""
    if lead is None or any(word.lower == "as" for word in lead.words):
        return False
    last = [word for word in lead.words if word.text != ":"][-1:]
    return any(verb.pos == "VERB" and verb.tag in ("VB", "VBZ", "VBP", "VBD") for verb in last)


def _amid(whole: str, parse: Parse | None) -> str:
    """An item as it is written within a sentence."""
    first = whole.split(" ")[0].rstrip(".,s").lower()
    named = parse is None or parse[0].pos == "PROPN" or whole[1:2].isupper() or whole.startswith("I ")
    return whole if named or first.endswith("day") else whole[:1].lower() + whole[1:]


def sentence_of_label(label: str, whole: str, parse: Parse | None, label_parse: Parse | None) -> str:
    """What stands behind a label: "Ada: born in 1815", "Osmosis: the movement of water", "Ada: She wrote"."""
    if parse is None or label_parse is None:
        return f"{label}: {whole}"
    if parse.is_clause(parse.root):
        if names_subject(label_parse, parse):
            return f"{label}{whole[len(parse[0].text) :]}"
        return f"{label}: {whole}" if parse[0].lower in _POINTING else whole
    if parse.root.i == 0 and parse.root.tag == "VBZ":
        return as_sentence(f"{label} {whole[:1].lower()}{whole[1:]}")
    if parse.root.i == 0 and parse.root.tag == "VBG":
        return as_sentence(f"{label} involves {whole[:1].lower()}{whole[1:]}")
    if parse.root.i == 0 and parse.root.tag == "VBN":
        return as_sentence(f"{label} was {whole[:1].lower()}{whole[1:]}")
    if is_name(parse) and is_name(label_parse) and re.match(r"(?:an?|the) ", whole, re.IGNORECASE):
        be = "are" if label_parse.root.tag in PLURAL else "is"
        return as_sentence(f"{label} {be} {whole[:1].lower()}{whole[1:]}")
    return f"{label}: {whole}"


def sentence_of_cell(
    corner: str, row: str, column: str, cell: str, parse: Callable[[str], Parse | None]
) -> str:
    """ "The Capital of France is Paris"; empty where it is not clear which says what the other one has.

    `corner` heads the column of the rows' names: rows are things, unless it says that they are features.
    These are of what `column` names, unless it says that there stand their values: "The Height is 38 m".
    """
    turned = corner.lower() in _FEATURES
    if not turned and not is_name(parse(corner)):
        return ""
    feature, thing = (row, column) if turned else (column, row)
    read, said = parse(feature), parse(cell)
    if read is None or said is None or not is_name(read):
        return ""
    if said.is_finite(said.root) or said.root.tag == "VBN":
        return ""
    be = "are" if read.root.tag in PLURAL else "is"
    of = "" if turned and column.lower() in _VALUES else f" of {thing}"
    return as_sentence(f"The {feature}{of} {be} {cell}")


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return capitalised(text).rstrip(" ,;") + ("" if text.endswith((".", "!", "?")) else ".")
