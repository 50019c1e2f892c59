"""Lead-ins of lists and the goals in them ("To create a table, do this:"), labels, and table rows."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from typing import NamedTuple

from factreasoner.atoms.nonclaims import is_filler, opening
from factreasoner.atoms.plain_text import Plain, plain
from factreasoner.text.language import FUNCTION_WORDS, word_set
from factreasoner.text.parsing import Parse
from factreasoner.text.sentences import Block, Span
from factreasoner.text.tags import UNSEEN

LONGEST_LABEL = 10
"""Maximum words of a label before a colon, of a heading, and of an item's name."""
FINITE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|will|would|may|does|did|includes?)\b")
_LABEL = re.compile(
    r"""(?P<label>["“*`\w](?:[^.:;!?()\n]|\([^()\n]{1,40}\)){0,80}?["”*`]*)
        (?:\s*:(?![^\[\]\n]*\])[*_\u2060]*|\s+[-–—])\s+(?=["“(*\u2060\w])""",
    re.VERBOSE,
)
_ENUMERATION = re.compile(
    r"(?P<before>[^.,:;]{3,80} )(?P<verb>are|were|include|included): (?=[^\W\d_a-z][^.;:]*,)"
)
_ITEM = re.compile(r"(?P<name>[^\W\d_a-z][^,.;]*?)(?:, and |, |\.?\Z)")
_CELL = re.compile(r"(?:\|(?!\Z)|\A(?!\|))((?:[^|]|(?<=\\)\|)*)")
"""A cell behind a bar, unless that ends its row, or at the start of a row without outer bars."""
_LONGEST_LEAD, _LONG = 200, 3
_WORDS = tomllib.loads((resources.files(__package__) / "leads.toml").read_text(encoding="utf-8"))
_VERBS, _NOUNS, GENERIC = (word_set(_WORDS[name]) for name in ("verbs", "nouns", "generic"))
_DETERMINERS = word_set(_WORDS["determiners"])
_BEFORE = re.compile(rf"(?:{'|'.join(_WORDS['before'].strip().splitlines())})*", re.IGNORECASE)
_ANNOUNCING = _WORDS["announcing"].strip()
_GOALS = [re.compile(goal, re.I) for goal in _WORDS["goals"].replace("ANNOUNCING", _ANNOUNCING).splitlines()]
GOES_ON, NAMED, _POINTING = (re.compile(_WORDS[name], re.DOTALL) for name in ("goes_on", "named", "pointing"))
_FIRST = re.compile(r"(?P<verb>[^\W\d_][\w-]+)\s+(?P<next>[^\s,.;:]+)")
_NO_VERB = re.compile(r"(?:ing|ed|ly|[^s]s)\Z")


def is_instruction(text: str, parse: Parse | None = None, *, title: bool = False) -> bool:
    """Whether an English text says what to do: "If it hurts, stop."; not a title "Exercise routine"."""
    if parse is not None and parse.root.tag == "VB" and parse.root.i == 0 and len(parse.words) > 1:
        return parse.root.subject is None
    before = _BEFORE.match(text)
    found = _FIRST.match(text, before.end() if before else 0)
    if found is None or found["next"] == "of":
        return False
    verb, following = found["verb"].lower(), found["next"].lower()
    if following in _DETERMINERS:
        return verb in _VERBS or not (verb in FUNCTION_WORDS["english"] or _NO_VERB.search(verb))
    return verb in _VERBS and not (verb in _NOUNS and (title or following in ("in", "and", "or")))


def goal_of(lead: str) -> str:
    """What the steps below a lead-in are for, as a sentence begins: "To create a table"; empty for none."""
    tried = () if GOES_ON.match(lead) or len(lead) > _LONGEST_LEAD else _GOALS
    found = next((match.groupdict() for goal in tried if (match := goal.match(lead))), None)
    return "" if found is None else found.get("goal") or f"To {lowered(found['verb'])}"


class Lead(NamedTuple):
    """A lead-in with its goal and the place of its items; an outer item or another marker ends it."""

    text: str = ""
    goal: str = ""
    indent: int = 0
    marker: str = ""


NO_LEAD = Lead()


class Leads:
    """The lead-ins and headings that are open while the blocks of a text are read; lists may be nested."""

    def __init__(self, text: str, parse: Callable[[str], Parse | None]) -> None:
        self._text = text
        self._parse = parse
        self.known = frozenset(re.findall(r"(?<![\w./-])[a-z]+(?![\w./-]*\w)", text))
        self.open: list[Lead] = []

    def of(self, block: Block) -> Lead:
        """The lead-in of a block; a heading, and what is no item and not below one, ends all lists."""
        indent, marker = self._place(block)
        if block.kind == "heading" or (block.kind != "item" and not indent):
            self.open = []
        while self.open and (indent, marker) != self.open[-1][2:] and indent <= self.open[-1].indent:
            self.open.pop()
        return self.open[-1] if self.open else NO_LEAD

    def is_above(self, item: Block, following: Block) -> bool:
        """Whether an item is above the next block: further out, or a number before a sign."""
        here, after = self._place(item), self._place(following)
        return after[0] > here[0] or (after[0] == here[0] and here[1] == "number" != after[1])

    def add(self, words: str, block: Block) -> None:
        """Open the list that `block` begins; `words` is its lead-in."""
        words = re.sub(r"\A.{1,60}: (?!To )", "", words)
        useful = words[opening(words) :]
        announces = re.fullmatch(rf"{_ANNOUNCING}\s*:", useful, re.IGNORECASE) is not None
        goal = goal_of(capitalised(useful))
        if not (goal or announces or useful.startswith("To ")) and self.is_goal(useful[:-1]):
            goal = f"To {useful[:-1]}"
        says = not (announces or _POINTING.match(useful)) and (GOES_ON.match(useful) or not is_filler(useful))
        kept = capitalised(useful) if says and len(useful) <= _LONGEST_LEAD else ""
        if block.kind == "item" or goal:
            goal = f"To {self.plain(goal[3:])}" if goal[:3] in ("To ", "to ") else goal
            self.open.append(Lead(kept, goal, *self._place(block)))

    def is_goal(self, title: str) -> bool:
        """Whether a heading says what to do."""
        return is_instruction(title, self._parse(title), title=True)

    def plain(self, title: str) -> str:
        """A title without its capitals, if the text has its words without, or its small words have them."""
        longer = [word for word in title.split()[1:] if len(word) > _LONG or word[0].isupper()]
        known = all(word[0].isupper() and word.lower() in self.known for word in longer)
        small = any(
            word.istitle() and word.lower() in FUNCTION_WORDS["english"] for word in title.split()[1:]
        )
        words = [word.lower() if word.istitle() else word for word in title.split()]
        return " ".join(words) if (known and longer) or small else lowered(title)

    def _place(self, item: Block) -> tuple[int, str]:
        """The indent of a block's line, and whether a number or which sign marks it."""
        line = self._text.rfind("\n", 0, item.start) + 1
        before = self._text[line : item.start].replace(UNSEEN, " ")
        marker = before.strip()
        kind = "number" if any(c.isalnum() for c in marker) else marker
        return len(before) - len(before.lstrip()), kind


def leading_label(text: str, start: int, end: int, *, item: bool) -> re.Match[str] | None:
    """The leading words of text[start:end] that are a label, with their colon or dash.

    A dash ends a label only in a list item and after bold type ("The flight London - Paris" has none).
    """
    found = _LABEL.match(text, start, end)
    return found if found and (item or ":" in found[0] or "*" in found[0]) else None


def enumerated(read: Plain) -> Iterator[tuple[str, Span]]:
    """ "The winners are: A, B and C" as one sentence per item, if every item is a name."""
    found = None if read.asides else _ENUMERATION.match(read.text)
    items = list(_ITEM.finditer(read.text, found.end())) if found else []
    if found is None or len(items) < 3 or any(len(item[0].split()) > LONGEST_LABEL for item in items):
        return
    if [*(item.start() for item in items), len(read.text)] != [found.end(), *(item.end() for item in items)]:
        return
    verb = {"are": "include", "were": "included"}.get(found["verb"], found["verb"])
    for item in items:
        words = read.shown(*item.span("name"))
        yield (
            as_sentence(f"{read.shown(*found.span('before'))}{verb} {words}"),
            read.span(*item.span("name")),
        )


def capitalised(text: str) -> str:
    """The text with an initial capital; a name such as "iPhone" stays."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return text if any(letter.isupper() for letter in first[1:]) else text[:1].title() + text[1:]


def lowered(text: str) -> str:
    """The text without the capital it begins with; "SSH" and "iPhone" stay."""
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def as_sentence(text: str) -> str:
    """The text with a capital and a full stop."""
    return capitalised(text).rstrip(" ,;") + ("" if text.endswith((".", "!", "?")) else ".")


def cells(text: str, row: Block) -> list[tuple[str, Span]]:
    """The cells of a table row and their positions, without surrounding spaces."""
    found = []
    for bordered in _CELL.finditer(text[row.start : row.end]):
        cell = bordered[1].replace(UNSEEN, " ")
        start = row.start + bordered.end() - len(cell.lstrip())
        span = Span(start, start + len(cell.strip()))
        words = plain(text[span.start : span.end], Span(0, span.end - span.start)).whole()
        found.append((words.replace("\\|", "|"), span))
    return found


def row_text(
    row: Sequence[tuple[str, Span]], header: Sequence[str], place: Span
) -> Iterator[tuple[str, Span]]:
    """A table row as "column: cell; column: cell", with the position of each text.

    Each cell but the first, which names the row's subject, is a text of its own.
    """
    columns = [*header, *[""] * len(row)]
    filled = [(name, cell, span) for name, (cell, span) in zip(columns, row, strict=False) if cell]
    words = [f"{name}: {cell}" if name else cell for name, cell, _ in filled]
    if not words:
        return
    if len(words) < 2 or not header or not row[0][0]:
        yield "; ".join(words), place
        return
    for text, (_, _, span) in zip(words[1:], filled[1:], strict=True):
        yield f"{words[0]}; {text}", span if len(words) > 2 else place
