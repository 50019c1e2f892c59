"""The words of a sentence that a statement is made of, and the statement's text."""

from __future__ import annotations

import re
from typing import NamedTuple

from factreasoner.atoms.plain_text import Plain
from factreasoner.text.sentences import Span
from factreasoner.text.tree import Parse, Word

_STOPPED = re.compile(r"""[.!?…][”"’')\]]*$""")
_OPENED = re.compile(r"""(?:^|\s)(?:“[^”]*|"\w[^"]*)$""")
_LEFT = re.compile(r"""[.,][”"]""")
_STOP_TWICE = re.compile(r"""([.!?…][”"’']+)\.(?=$|,)""")

Line = tuple[Word | str, ...]
"""Words of the sentence and texts put between them, in reading order."""


class Draft(NamedTuple):
    """A statement, and the clause or phrase of the sentence that makes it."""

    line: Line
    verb: Word


class Wording:
    """A parse of which parts are left out, because they are said elsewhere, or said in other words."""

    def __init__(self, parse: Parse) -> None:
        self.parse = parse
        self._gone: set[int] = set()
        self._other: dict[int, Line] = {}

    def drop(self, word: Word) -> None:
        """Leave a word out with all below it, and the comma or conjunction that joined it."""
        words = self.parse.words
        first, last = self.parse.edges(word)
        self._gone.add(word.i)
        if first and words[first - 1].text in (",", ";", ":", "—", "–"):
            first -= 1
            self._gone.add(first)
        joint = first
        while first and words[first - 1].dep == "cc":
            first -= 1
            self._gone.add(first)
        if first < joint and first and words[first - 1].text in (",", ";"):
            self._gone.add(first - 1)
        if last + 1 < len(words) and words[last + 1].text == ",":
            self._gone.add(last + 1)

    def restore(self, word: Word) -> None:
        """Undo the dropping of a word, not of what joined it."""
        self._gone.discard(word.i)

    def say(self, word: Word, *others: Word | str) -> None:
        """Put others in the place of a word."""
        self._other[word.i] = others

    def said(self, word: Word) -> Line:
        """The word, or what stands in its place."""
        return self._other.get(word.i, (word,))

    def is_left(self, word: Word) -> bool:
        """Whether a word itself was not dropped."""
        return word.i not in self._gone

    def children(self, word: Word, *deps: str) -> tuple[Word, ...]:
        """Dependents that were not dropped."""
        return tuple(child for child in self.parse.children(word, *deps) if self.is_left(child))

    def kept(self, word: Word) -> list[Word]:
        """The subtree of a word less what was dropped."""
        return self.parse.subtree(word, self._gone)

    def line_without(self, word: Word, *parts: Word) -> Line:
        """The subtree of a word as it is now said, but for parts of it."""
        before = set(self._gone)
        for part in parts:
            self.drop(part)
        line = self.line(word)
        self._gone = before
        return line

    def line(self, word: Word) -> Line:
        """The subtree as it is now said."""
        return tuple(bit for each in self.kept(word) for bit in self.said(each))


def without_stop(line: Line) -> Line:
    """A line less the comma or full stop that ends it."""
    last = line[-1] if line else ""
    return line[:-1] if isinstance(last, Word) and last.text in ".!,;" else line


def capitalised(text: str) -> str:
    """The text with a capital, but for a name such as "iPhone"."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return text if any(letter.isupper() for letter in first[1:]) else text[:1].title() + text[1:]


def _paired(text: str) -> str:
    """The text with one stop at the end of a quotation, and no half of one that began or ended elsewhere."""
    text = _STOP_TWICE.sub(r"\1", text)
    curly, straight = text.count("“") - text.count("”"), text.count('"') % 2
    if bool(curly) == bool(straight):
        return text
    if _OPENED.search(text):
        return text + ("”" if curly else '"')
    return _LEFT.sub("", text, count=1)


class Writer:
    """Writes the statements of one sentence; a parenthesis stands in the first one that holds its place."""

    def __init__(self, parse: Parse, plain: Plain) -> None:
        self._parse = parse
        self._plain = plain
        self._shown: set[int] = set()

    def read(self, line: Line) -> str:
        """The sentence as a parser reads it: with stand-ins for titles, and without parentheses."""
        return Writer(self._parse, self._plain._replace(names={}, asides={})).text(line)

    def text(self, line: Line) -> str:
        """A sentence with a capital and a full stop."""
        parts: list[str] = []
        before: Word | str = ""
        for bit in line:
            parts.append(self._gap(before, bit) if parts else "")
            parts.append(bit if isinstance(bit, str) else self._show(bit))
            before = bit
        text = _paired("".join(parts).strip(" ,;:—–-"))
        text = text.replace(",.", ".").replace(",,", ",")
        if text.endswith("..") and not text.endswith("..."):
            text = text[:-1]
        return capitalised(text) + ("" if _STOPPED.search(text) else ".")

    def _gap(self, before: Word | str, bit: Word | str) -> str:
        if isinstance(bit, Word) and isinstance(before, Word) and bit.i == before.i + 1:
            return self._plain.text[before.end : bit.start]
        text = bit if isinstance(bit, str) else bit.text
        return "" if text[0] in ",.;:!?%)" or text.startswith(("'", "’")) else " "

    def _show(self, word: Word) -> str:
        text = self._plain.names.get(word.start, word.text)
        aside = self._plain.asides.get(word.end, "")
        if aside and word.end not in self._shown:
            self._shown.add(word.end)
            return text + aside
        return text

    def span(self, draft: Draft) -> Span:
        """Where in the response the words of the statement's own clause stand."""
        first, last = self._parse.edges(draft.verb)
        said = [word for word in (draft.verb, *draft.line) if isinstance(word, Word)]
        words = sorted(word for word in said if first <= word.i <= last and word.pos != "PUNCT")
        stop = draft.line[-1]
        if isinstance(stop, Word) and stop.i == words[-1].i + 1 and stop.text in (".", "!"):
            words.append(stop)
        return self._plain.span(words[0].start, words[-1].end)
