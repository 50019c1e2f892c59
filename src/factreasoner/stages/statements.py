"""The statements of a text: of each sentence's parse, or the sentence itself; list items, table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from factreasoner.language.parsing import Parser
from factreasoner.language.sentences import Block, Span, block_sentences, blocks
from factreasoner.language.tags import UNSEEN, without_tags
from factreasoner.language.tree import Parse
from factreasoner.stages.labels import names
from factreasoner.stages.nonclaims import is_abstaining, is_filler, is_question, opening, parts
from factreasoner.stages.plain_text import Plain, plain
from factreasoner.stages.references import entry_length, is_reference, is_reference_heading
from factreasoner.stages.splitting import split
from factreasoner.stages.wording import Writer, capitalised


class Statement(NamedTuple):
    """A text to judge, the span it comes from, and the verbatim text of that span where `text` differs."""

    text: str
    span: Span | None
    original: str | None = None


_EMPTY_LEAD = re.compile(
    r"(?:they|these|those|this|it|here|below|following|the following|some examples?)\b[^,]{0,24}:\Z|here\b",
    re.IGNORECASE,
)
_COLUMN = re.compile(r"(?<!\\)\|")
_LONGEST_LEAD = 200
_LONGEST_LABEL = 10
"""Most words of a label before a colon, and of an item of an enumeration."""
_FINITE = re.compile(r"\b(?:is|are|was|were|has|have|had|can|will|would|may|does|did|includes?)\b")
_NAMING = re.compile(
    r"(?P<before>.*\b)(?P<verb>are|were|is|was|include[sd]?)(?: the following)?\s*:\Z", re.DOTALL
)
_ENUMERATION = re.compile(
    r"(?P<before>[^.,:;]{3,80} )(?P<verb>are|were|include|included): (?=[^,.;]*,)(?!.*[;:])"
)
_ITEM = re.compile(r"(?P<name>[^\W_a-z][^,.;]*?)(?:, and |, |\.?\Z)")
_LABEL = re.compile(
    r"""(?P<label>["“*\w][^.:;!?\n]{0,80}?(?:\([^()\n]{1,40}\))?["”*]*)
        (?:\s*:[*_\u2060]*|\s+[-–—])\s+(?=["“*\u2060\w])""",
    re.VERBOSE,
)
_DONE_TO = re.compile(r"[a-z]+(?:ed|en|ing|wn|ht|ld|de|nt)\b")


class _Sentence(NamedTuple):
    """A sentence less its opening remark, what stood before its colon, and the lead-in of its list."""

    span: Span
    plain: Plain
    label: str
    lead: str
    opened: bool


def statements(text: str, parser: Parser | None = None) -> list[Statement]:
    """What `text` states, in its order: no questions, greetings, advice, lead-ins, headings, sources or code.

    Without a parser a sentence is one statement. An item without a verb takes over the lead-in of its list
    ("The winners were: Ada Lovelace."). A paragraph is parsed at a time.
    """
    return list(_StatementFinder(text, parser).statements())


class _StatementFinder:
    def __init__(self, text: str, parser: Parser | None) -> None:
        self._source = text
        self._text = without_tags(text)
        self._parser = parser
        self._lead = ""
        self._header: Sequence[str] | None = None
        self._in_sources = False
        self._in_list = False

    def statements(self) -> Iterator[Statement]:
        all_blocks = blocks(self._text)
        for block, following in zip(all_blocks, [*all_blocks[1:], None], strict=False):
            if block.kind == "table":
                yield from self._row(block, following is not None and self._is_ruled(block, following))
                continue
            self._header = None
            if block.kind != "code":
                yield from self._block(block)

    def _is_ruled(self, row: Block, following: Block) -> bool:
        """Whether nothing but a rule stands between two rows of a table."""
        return following.kind == "table" and "-" in self._text[row.end : following.start]

    def _row(self, block: Block, ruled: bool) -> Iterator[Statement]:
        """A table row as "column: cell; column: cell"; the row above a rule names the columns.

        A row of more than two cells is a statement for each but the first, which says what the row is about.
        """
        spans = _cells(self._text, block)
        cells = [_whole(self._text[span.start : span.end]) for span in spans]
        if self._header is None and ruled:
            self._header = cells
            return
        names = [*(self._header or ()), *[""] * len(cells)]
        said = [
            (f"{name}: {cell}" if name else cell, span)
            for name, cell, span in zip(names, cells, spans, strict=False)
            if cell
        ]
        if len(said) > 2 and self._header and cells[0]:
            for cell, span in said[1:]:
                yield self._statement(f"{said[0][0]}; {cell}", span)
        elif said:
            whole = Span(block.start, block.end)
            yield self._statement("; ".join(cell for cell, _ in said), whole)

    def _block(self, block: Block) -> Iterator[Statement]:
        spans = list(block_sentences(self._text, block))
        last = plain(self._text, spans[-1]).whole()
        if is_reference_heading(last):
            self._in_sources = True
            return
        if block.kind != "item":
            self._lead = "" if self._in_list else self._lead
            self._in_sources = self._in_sources and block.kind != "heading"
        self._in_list = block.kind == "item"
        found: list[_Sentence] = []
        for position, span in enumerate(spans):
            found += self._sentences(span, self._lead if position == 0 else "")
        if not (self._in_sources and self._in_list):
            stated = block.start + entry_length(self._text[block.start : block.end])
            yield from self._of_sentences([part for part in found if part.span.start >= stated], block)
        if last.endswith((":", "：")):
            self._lead = last if _may_lead(last) else ""
        elif not self._in_list:
            self._lead = ""

    def _sentences(self, span: Span, lead: str) -> Iterator[_Sentence]:
        """The parts of a sentence that state something, without what only opens them."""
        said = self._text[span.start : span.end]
        whole = plain(self._text, span).whole()
        if is_question(whole) or is_abstaining(whole) or whole.endswith((":", "：")) or is_reference(said):
            return
        for start, end in parts(said):
            part = Span(span.start + start, span.start + end)
            opened = opening(self._text[part.start : part.end])
            label, rest = self._label(Span(part.start + opened, part.end))
            read = plain(self._text, rest)
            if not (is_filler(read.whole()) or is_abstaining(read.whole())):
                yield _Sentence(rest, read, label, lead, opened > 0)

    def _label(self, span: Span) -> tuple[str, Span]:
        """What stands before a colon or dash, and the rest; nothing where that has a verb of its own."""
        found = _LABEL.match(self._text, span.start, span.end)
        if found is None or len(found["label"].split()) > _LONGEST_LABEL:
            return "", span
        label = plain(self._text, Span(*found.span("label")))
        rest = Span(found.end(), span.end)
        if is_filler(label.whole() + ":"):
            return self._label(rest)
        parse = self._parser.parse([label.text])[0] if self._parser is not None else None
        states = parse.is_finite(parse.root) if parse is not None else _FINITE.search(label.text) is not None
        return ("", span) if states else (label.whole().strip("*_"), rest)

    def _of_sentences(self, found: Sequence[_Sentence], block: Block) -> Iterator[Statement]:
        parses: Sequence[Parse | None] = [None] * len(found)
        if self._parser is not None:
            parses = self._parser.parse([sentence.plain.text for sentence in found])
        for sentence, parse in zip(found, parses, strict=True):
            for statement in self._of_sentence(sentence, parse, block):
                if re.search(r"[^\W\d_]", statement.text) and not (
                    is_filler(statement.text) or is_abstaining(statement.text)
                ):
                    yield statement

    def _of_sentence(self, sentence: _Sentence, parse: Parse | None, block: Block) -> Iterator[Statement]:
        listed = list(_listed(sentence.plain.text, sentence.plain))
        if listed:
            yield from (self._statement(said, span) for said, span in listed)
            return
        drafts = split(parse, self._subject(sentence.label, parse)) if parse is not None else []
        if drafts and parse is not None:
            writer = Writer(parse, sentence.plain)
            for draft in sorted(drafts, key=lambda draft: writer.span(draft).start):
                yield self._statement(writer.text(draft.line), writer.span(draft))
        elif block.kind != "heading":
            yield self._statement(_unparsed(sentence, parse), sentence.span)

    def _subject(self, label: str, parse: Parse) -> str:
        """A label that the first word of a sentence may stand for; else nothing."""
        read = self._parser.parse([label])[0] if label and self._parser is not None else None
        return label if read is not None and names(label, read.words, parse[0].lower) else ""

    def _statement(self, said: str, span: Span) -> Statement:
        verbatim = self._source[span.start : span.end]
        return Statement(said, span, verbatim if said != verbatim else None)


def _listed(text: str, read: Plain) -> Iterator[tuple[str, Span]]:
    """ "The winners are: A, B and C" as "The winners include A" and so on, where every item is a name."""
    found = _ENUMERATION.match(text)
    items = list(_ITEM.finditer(text, found.end())) if found else []
    if found is None or len(items) < 3 or any(len(item[0].split()) > _LONGEST_LABEL for item in items):
        return
    verb = {"are": "include", "were": "included"}.get(found["verb"], found["verb"])
    for item in items:
        said = read.names.get(item.start("name"), item["name"])
        yield _sentence(f"{found['before']}{verb} {said}"), read.span(*item.span("name"))


def _unparsed(sentence: _Sentence, parse: Parse | None) -> str:
    """The whole sentence with its label, or the item with the lead-in of its list."""
    whole = sentence.plain.whole()
    whole = capitalised(whole) if sentence.opened else whole
    label = sentence.label
    done = parse is not None and parse.root.tag == "VBN" and _DONE_TO.match(whole)
    if label and done:
        return _sentence(f"{label} was {whole}")
    whole = f"{label}: {whole}" if label else whole
    if parse is None and _FINITE.search(whole):
        return whole
    naming = _NAMING.match(sentence.lead)
    if naming and naming["before"].strip().lower() not in ("", "they", "these", "there"):
        verb = {"are": "include", "were": "included"}.get(naming["verb"], naming["verb"])
        return _sentence(f"{naming['before']}{verb} {whole}")
    return f"{sentence.lead} {whole}".strip()


def _sentence(text: str) -> str:
    return capitalised(text).rstrip(" ,;") + ("" if text.endswith((".", "!", "?")) else ".")


def _cells(text: str, row: Block) -> list[Span]:
    """Where the cells of a table row stand, without the blanks around them."""
    end = max(row.start + 1, row.end - (text[row.end - 1] == "|"))
    borders = [row.start, *(match.start() for match in _COLUMN.finditer(text, row.start + 1, end)), end]
    found = []
    for left, right in pairwise(borders):
        cell = text[left + 1 : right].replace(UNSEEN, " ")
        start = right - len(cell.lstrip())
        found.append(Span(start, start + len(cell.strip())))
    return found


def _whole(cell: str) -> str:
    return plain(cell, Span(0, len(cell))).whole()


def _may_lead(sentence: str) -> bool:
    """Whether a sentence ending in a colon makes sense in front of an item of its list."""
    return len(sentence) <= _LONGEST_LEAD and not _EMPTY_LEAD.match(sentence) and not is_filler(sentence)
