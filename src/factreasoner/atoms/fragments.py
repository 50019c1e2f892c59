"""Sentences of what has no verb of its own: list items with their lead-in, labels, table cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from factreasoner.atoms.plain_text import Plain
from factreasoner.atoms.wording import capitalised
from factreasoner.text.abbreviations import words
from factreasoner.text.lexicon import MONTHS
from factreasoner.text.sentences import Span
from factreasoner.text.tree import NOUNS, Parse

LONGEST_LABEL = 10
"""Most words of a label before a colon, and of an item of an enumeration."""
FINITE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|will|would|may|does|did|includes?)\b")
_PRESENT = {"are": "include", "were": "included"}
_NAMING = re.compile(
    r"(?P<before>.*\b)(?P<verb>are|were|is|was|include[sd]?)(?: the following)?\s*:\Z", re.DOTALL
)
_EXEMPLIFYING = re.compile(
    r"(?P<before>.*?),? (?P<joint>including|such as|like|namely)(?: the following)?\s*:\Z", re.DOTALL
)
_TO_VERB = re.compile(
    r"\b(?:to|can|may|might|could|will|(?:helps?|lets?) (?:you|users|people|us|them|\w+s))\s*:\Z"
)
"""What ends a lead-in whose items go on with a verb: "Kubernetes helps you:", "He had to:"."""
_TO_NOUN = re.compile(r"\b(?:about|at|by|for|from|in|into|of|on|through|under|with)\s*:\Z")
"""What ends a lead-in whose items go on with a noun: "The fuel is used for:"."""
_DAYS = words("monday tuesday wednesday thursday friday saturday sunday")
_ENUMERATION = re.compile(
    r"(?P<before>[^.,:;]{3,80} )(?P<verb>are|were|include|included): (?=[^,.;]*,)(?!.*[;:])"
)
_ITEM = re.compile(r"(?P<name>[^\W_a-z][^,.;]*?)(?:, and |, |\.?\Z)")
_DONE_TO = re.compile(r"[a-z]+(?:ed|en|ing|wn|ht|ld|de|nt|rn)\b")
PLURAL = ("NNS", "NNPS")
_FEATURES = words(
    "feature aspect property attribute criterion characteristic parameter factor metric measure "
    "specification key field"
)
_VALUES = words("value values detail details description data information specification specifications")
_EMPTY = ("", "they", "these", "there", "those", "this", "it", "the following")


def listed(text: str, read: Plain) -> Iterator[tuple[str, Span]]:
    """ "The winners are: A, B and C" as "The winners include A" and so on, where every item is a name."""
    found = _ENUMERATION.match(text)
    items = list(_ITEM.finditer(text, found.end())) if found else []
    if found is None or len(items) < 3 or any(len(item[0].split()) > LONGEST_LABEL for item in items):
        return
    verb = _PRESENT.get(found["verb"], found["verb"])
    for item in items:
        said = read.names.get(item.start("name"), item["name"])
        yield as_sentence(f"{found['before']}{verb} {said}"), read.span(*item.span("name"))


def takes_verb(lead: str) -> bool:
    """Whether a lead-in goes on with the plain form of a verb, so that an item is no instruction."""
    return _TO_VERB.search(lead) is not None


def exemplifies(lead: str) -> bool:
    """Whether the items of a lead-in are examples: "Many species live there, including:"."""
    return _EXEMPLIFYING.match(lead) is not None


def goes_on(parse: Parse, begins: int) -> bool:
    """Whether an item that begins there goes on with a verb of its own for the one that was put before it."""
    verb = parse.root
    conjuncts = parse.children(verb, "conj")
    return verb.start < begins and any(parse.is_finite(c) and parse.subject(c) is None for c in conjuncts)


def is_name(said: Parse | None) -> bool:
    """Whether a lead-in or label is a noun with what belongs to it: "Common symptoms of flu:"."""
    if said is None or said.root.pos not in NOUNS or said.root.pos == "PRON":
        return False
    if any(word.text == ":" for word in said.words[:-1]):
        return False
    return not any(said.is_finite(word) for word in said.words if word.dep not in ("relcl", "acl"))


_SAID_OF_IT = ("dobj", "xcomp", "ccomp", "attr", "acomp")
_JOINED_BY = words(
    "allow act consist depend belong refer relate lead serve contribute rely apply differ vary occur exist"
)
"""Verbs that no noun is spelt like, and that need no object."""


def beginning(item: str, *, labelled: bool) -> str:
    """What may make a sentence of an item: "It " of "Uses operators", "It is " of "A tool that ..."."""
    first = item.split(" ")[0].lower()
    if labelled and first in ("a", "an"):
        return "It is "
    return "It " if first.endswith("s") or first in ("can", "may", "will", "must", "cannot") else ""


def is_predicate(parse: Parse) -> bool:
    """Whether "It uses operators" reads as a sentence of which "uses" is the verb: no list of uses."""
    verb = parse.root
    finite, between = parse.finite(verb), parse.words[1 : verb.i]
    return (
        finite.tag in ("VBZ", "MD")
        and parse.subject(verb) == parse[0]
        and all(word.dep in ("advmod", "aux", "neg") for word in between)
        and (bool(parse.children(verb, *_SAID_OF_IT)) or finite.tag == "MD" or verb.lemma in _JOINED_BY)
    )


def is_phrase(lead: Parse | None) -> bool:
    """Whether a lead-in says when or where: "Within three years:"."""
    return lead is not None and lead.root.dep == "ROOT" and lead.root.pos == "ADP"


def _begins_with_verb(item: Parse | None) -> bool:
    """Whether an item is "Founded in 1850", so that it is none of the things its lead-in names."""
    return item is not None and item.root.i == 0 and item.root.tag in ("VB", "VBD", "VBN", "VBP", "VBZ")


def sentence_of_item(whole: str, lead: str, parse: Parse | None, lead_parse: Parse | None) -> str:
    """An item without a verb, joined with the lead-in of its list."""
    if parse is None and FINITE.search(whole):
        return whole
    naming = _NAMING.match(lead)
    if naming and naming["before"].strip().lower() not in _EMPTY:
        return as_sentence(f"{naming['before']}{_PRESENT.get(naming['verb'], naming['verb'])} {whole}")
    examples = _EXEMPLIFYING.match(lead)
    if examples:
        clause = lead_parse is None or lead_parse.is_finite(lead_parse.root)
        joint = f", {examples['joint']}" if clause else " include"
        return as_sentence(f"{examples['before']}{joint} {whole}")
    if takes_verb(lead):
        return as_sentence(f"{lead.rstrip(' :')} {whole[:1].lower()}{whole[1:]}")
    if _TO_NOUN.search(lead) or (_is_thing(parse) and _lacks_object(lead_parse)):
        return as_sentence(f"{lead.rstrip(' :')} {_amid(whole, parse)}")
    if (
        lead_parse is not None
        and is_name(lead_parse)
        and lead_parse.root.tag in PLURAL
        and not _begins_with_verb(parse)
    ):
        return as_sentence(f"{lead.rstrip(' :')} include {whole}")
    return f"{lead} {whole}".strip()


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
    first = whole.split(" ")[0].rstrip(".,").lower()
    named = parse is None or parse[0].pos == "PROPN" or whole[1:2].isupper()
    return whole if named or first.removesuffix("s") in _DAYS | MONTHS else whole[:1].lower() + whole[1:]


def sentence_of_label(label: str, whole: str, parse: Parse | None, label_parse: Parse | None) -> str:
    """What stands behind a label and has no verb: "Ada: born in 1815", "Osmosis: the movement of water"."""
    root = parse.root if parse is not None else None
    if root is not None and root.tag in ("VBN", "VBD") and _DONE_TO.match(whole):
        return as_sentence(f"{label} was {whole}")
    if root is not None and root.tag == "VBG" and whole[:1].isupper() and label_parse is not None:
        return as_sentence(f"{label} involves {whole[:1].lower()}{whole[1:]}")
    if root is None or not is_name(parse) or not is_name(label_parse) or label_parse is None:
        return f"{label}: {whole}"
    if re.match(r"(?:an?|the) ", whole, re.IGNORECASE):
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
    if (
        read is None
        or said is None
        or not is_name(read)
        or said.is_finite(said.root)
        or said.root.tag == "VBN"
    ):
        return ""
    be = "are" if read.root.tag in PLURAL else "is"
    of = "" if turned and column.lower() in _VALUES else f" of {thing}"
    return as_sentence(f"The {feature}{of} {be} {cell}")


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return capitalised(text).rstrip(" ,;") + ("" if text.endswith((".", "!", "?")) else ".")
