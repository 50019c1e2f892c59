"""The words of a sentence that make a statement, and the statement's text."""

from __future__ import annotations

import re
from typing import NamedTuple

from factreasoner.atoms.plain_text import Plain
from factreasoner.text.parsing import Parse, Word
from factreasoner.text.sentences import Span

_STOP_TWICE = re.compile(r"""([.!?…][”"’']+)\.(?=$|,)""")
_STOPPED = re.compile(r"""[.!?…][”"’')\]]*$""")
_JOINING = (",", ";", ":", "—", "–")

Line = tuple[Word | str, ...]
"""Words of the sentence, and texts put between them, in reading order."""


class Draft(NamedTuple):
    """A statement, and the clause or phrase of the sentence that makes it."""

    line: Line
    verb: Word


class Wording:
    """A parse, less the parts that other statements say."""

    def __init__(self, parse: Parse) -> None:
        self.parse = parse
        self.gone: set[int] = set()
        """The heads of parts that are left out, and what joined them."""

    def drop(self, word: Word) -> None:
        """Leave out a word with all below it, and the comma or conjunction that joins it."""
        words, first = self.parse.words, word.first
        while first and (words[first - 1].dep == "cc" or words[first - 1].text in _JOINING):
            first -= 1
        comma = word.last + 1 < len(words) and words[word.last + 1].text == ","
        self.gone |= {word.i, *range(first, word.first), *([word.last + 1] if comma else ())}

    def children(self, word: Word, *deps: str) -> list[Word]:
        """The children of these kinds that were not dropped."""
        return [child for child in word.children if child.dep in deps and child.i not in self.gone]

    def line(self, word: Word) -> list[Word]:
        """The subtree of a word, less what was dropped."""
        return word.subtree(self.gone)

    def line_without(self, word: Word, *parts: Word) -> list[Word]:
        """The same less some parts of it."""
        before = set(self.gone)
        for part in parts:
            self.drop(part)
        line, self.gone = self.line(word), before
        return line


def without_stop(line: Line) -> Line:
    """A line less the comma or full stop that ends it."""
    last = line[-1] if line else ""
    return line[:-1] if isinstance(last, Word) and last.text in ".!,;" else line


def capitalised(text: str) -> str:
    """The text with a capital; a name such as "iPhone" stays."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return text if any(letter.isupper() for letter in first[1:]) else text[:1].title() + text[1:]


class Writer:
    """Writes the statements of one sentence; a parenthesis goes to the first one that has its place."""

    def __init__(self, parse: Parse, plain: Plain) -> None:
        self._parse = parse
        self._plain = plain
        self._shown: set[int] = set()

    def read(self, line: Line) -> str:
        """The statement as a parser reads it: with stand-ins for titles, and without parentheses."""
        return Writer(self._parse, self._plain._replace(names={}, asides={})).text(line)

    def text(self, line: Line) -> str:
        """The statement with a capital and a full stop."""
        parts: list[str] = []
        for before, bit in zip(("", *line), line, strict=False):
            parts.append(self._gap(before, bit) if parts else "")
            parts.append(bit if isinstance(bit, str) else self._show(bit))
        text = "".join(parts).strip(" ,;:—–-")
        text = _STOP_TWICE.sub(r"\1", text + '"' * (text.count('"') % 2))
        text = text.replace(",.", ".").replace(",,", ",")
        text = re.sub(r"(?<!\.)\.\.\Z", ".", text)
        return capitalised(text) + ("" if _STOPPED.search(text) else ".")

    def _gap(self, before: Word | str, bit: Word | str) -> str:
        if isinstance(bit, Word) and isinstance(before, Word) and bit.i == before.i + 1:
            return self._plain.text[before.end : bit.start]
        text = bit if isinstance(bit, str) else bit.text
        return "" if text[0] in ",.;:!?%)" or text.startswith(("'", "’")) else " "

    def _show(self, word: Word) -> str:
        aside = "" if word.end in self._shown else self._plain.asides.get(word.end, "")
        self._shown.add(word.end)
        return self._plain.names.get(word.start, word.text) + aside

    def span(self, draft: Draft) -> Span:
        """Where the words of the statement's own clause are in the response."""
        said = [word for word in (draft.verb, *draft.line) if isinstance(word, Word) and word.pos != "PUNCT"]
        own = sorted(word.i for word in said if draft.verb.first <= word.i <= draft.verb.last)
        last, stop = own[-1], draft.line[-1]
        if isinstance(stop, Word) and stop.i == last + 1 and stop.text in (".", "!"):
            last = stop.i
        return self._plain.span(self._parse.words[own[0]].start, self._parse.words[last].end)
