"""The statements of a text: its sentences without non-claims, each split by its parse."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from factreasoner.atoms import leads, nonclaims
from factreasoner.atoms.clauses import is_sound, split
from factreasoner.atoms.items import ItemWriter, Sentence
from factreasoner.atoms.leads import FINITE, LONGEST_LABEL, NO_LEAD, Lead, Leads, capitalised, is_instruction
from factreasoner.atoms.phrases import Draft, Line
from factreasoner.atoms.plain_text import Plain, plain
from factreasoner.text.parsing import Parse, Parser, Word
from factreasoner.text.sentences import Block, Span, block_sentences, blocks
from factreasoner.text.wraps import displayed

_STOPPED = re.compile(r"[.!?…:;。！？：；]\W*\Z")
_STOP_TWICE = re.compile(r"""([.!?…][”"’']+)\.(?=$|,)""")
_ENDED = re.compile(r"""[.!?…][”"’')\]]*$""")
_JOINED = re.compile(r"[a-z]{3}[.!?][^\W\d_]|:\s")
"""Two sentences without a space between, or a colon: a parser reads them as one clause."""
_JOINT = re.compile(r"[,;]\s+(?:and|or)\s*\Z")
_BOLD = re.compile(r"\A(\*\*|__)[^*_]{1,120}\1\s*\Z")
_DATED = re.compile(r"\b(?:1[5-9]|20)\d\d\b|https?://|\bwww\.")
_COLON = (":", "：")
_LETTER, _DIGIT = re.compile(r"[^\W\d_]"), re.compile(r"\d")


class Statement(NamedTuple):
    """A text to judge, its span, and the verbatim text of that span if `text` differs."""

    text: str
    span: Span | None
    original: str | None = None


def statements(text: str, parser: Parser | None = None) -> list[Statement]:
    """The statements of `text` in order: no questions, remarks, lead-ins, headings, sources or code.

    Without a parser, a sentence is one statement. An item without a verb follows its lead-in ("The winners
    include Ada Lovelace."). An instruction is a statement, and stays whole.
    """
    return list(StatementFinder(text, parser).statements())


class StatementFinder:
    """Reads the blocks of one text in order."""

    def __init__(self, text: str, parser: Parser | None) -> None:
        self._source, self._text = text, displayed(text)
        self._parser = parser
        self._leads = Leads(self._text, self._parse)
        words = plain(self._text, Span(0, len(self._text))).whole()
        self._says = _LETTER if _LETTER.search(words) else _DIGIT
        """A number is an answer if nothing else is said: "42"."""
        self._header: Sequence[str] | None = None
        self._in_sources = self._below_heading = False
        self._step: tuple[str, Span, Lead] | None = None
        """The instruction that ends with a colon above a block of code."""

    @cached_property
    def _items(self) -> ItemWriter:
        return ItemWriter(self._parse, self._leads)

    def statements(self) -> Iterator[Statement]:
        """The statements of the text, in order."""
        all_blocks = blocks(self._text)
        for block, following in zip(all_blocks, [*all_blocks[1:], None], strict=False):
            if block.kind == "table":
                yield from self._row(block, following)
                continue
            self._header = None
            if block.kind == "code":
                yield from self._code(block)
            elif block.kind != "note":
                self._step = None
                yield from self._of_sentences(list(self._block(block, following)))

    def _row(self, block: Block, following: Block | None) -> Iterator[Statement]:
        """The statement of a table row; the row above a rule names the columns."""
        row = leads.cells(self._text, block)
        if following and following.kind == "table" and "-" in self._text[block.end : following.start]:
            self._header = [cell for cell, _ in row]
            return
        for wording, span in leads.row_text(row, self._header or (), Span(block.start, block.end)):
            yield self._statement(wording, span)

    def _code(self, block: Block) -> Iterator[Statement]:
        """A step whose command is a line of code: "To list the pods, use kubectl get pods."."""
        step, self._step = self._step, None
        code = [line.strip() for line in self._text[block.start : block.end].splitlines()[1:-1]]
        code = [line for line in code if line and not line.startswith(("#", "//"))]
        if step is None or len(code) != 1:
            return
        text, span, lead = step
        runs = re.sub(r"(?: the| this)?(?: following)? (commands?|code|line)\Z", r" the \1", text)
        if runs != text or runs.endswith(("command", "code", "line")):
            text = f"{lead.goal}, {leads.lowered(runs)}" if lead.goal else runs
        elif text.startswith("To "):
            text += ":"
        else:
            text = f"To {self._leads.plain(text)}, use"
        yield self._statement(f"{text} `{code[0]}`.", Span(span.start, block.end))

    def _block(self, block: Block, following: Block | None) -> Iterator[Sentence]:
        """The sentences of a block; `following` is the block after it, if any."""
        item = following if following is not None and following.kind == "item" else None
        spans = list(block_sentences(self._text, block))
        last = plain(self._text, spans[-1]).whole()
        if len(spans) == 1 and nonclaims.is_reference_heading(last):
            # "Sources: [1], [2]" has its sources in its own line.
            self._in_sources = nonclaims.is_reference_heading(self._text[slice(*spans[-1])])
            self._below_heading = block.kind == "heading"
            return
        lead = self._leads.of(block) if self._leads.open else NO_LEAD
        if block.kind != "item":
            self._in_sources = self._in_sources and block.kind != "heading"
        if self._is_heading(block, spans[0], item):
            heading = plain(self._text, spans.pop(0)).whole().rstrip(" .:")
            last = last if spans else heading + ":"
        if not (self._in_sources and self._is_entry(block)):
            for place, span in enumerate(spans):
                yield from self._sentence(span, block, lead, first=place == 0)
        if last.endswith(_COLON) and following is not None:
            if item is not None or self._leads.is_above(block, following):
                self._leads.add(last, following)
            if following.kind == "code" and spans and self._leads.is_goal(last.rstrip(" :")):
                self._step = (last.rstrip(" :"), spans[-1], lead)

    def _is_entry(self, block: Block) -> bool:
        """Whether a block below a heading of sources is one of them."""
        if block.kind == "item" or _DATED.search(self._text, block.start, block.end):
            return True
        return self._below_heading and FINITE.search(self._text, block.start, block.end) is None

    def _is_heading(self, block: Block, first: Span, item: Block | None) -> bool:
        """Whether a block is or begins with a heading: few words, no verb; marked, bold or above a list."""
        whole = plain(self._text, first).whole()
        marked, stopped = block.kind == "heading", _STOPPED.search(whole)
        below = item is not None and (block.kind != "item" or self._leads.is_above(block, item))
        if first.end < block.end:
            bare = _BOLD.match(self._text[first.start : first.end]) is not None
        else:
            bare = below and not stopped and ":" not in whole
        if not (marked or bare) or len(whole.split()) > LONGEST_LABEL:
            return False
        return (marked and not stopped) or not self._states(whole)

    def _states(self, wording: str) -> bool:
        """Whether a text has its own finite verb."""
        parse = self._parse(wording)
        return parse.root.is_finite if parse is not None else FINITE.search(wording) is not None

    def _parse(self, wording: str) -> Parse | None:
        return self._parser.parse([wording])[0] if wording and self._parser is not None else None

    def _sentence(self, span: Span, block: Block, lead: Lead, *, first: bool) -> Iterator[Sentence]:
        """A sentence with a claim, without its opening remark."""
        wording = self._text[span.start : span.end]
        whole = plain(self._text, span).whole()
        if whole.endswith(_COLON) or nonclaims.is_question(whole) or nonclaims.is_link(wording):
            return
        listed = first and block.kind == "item"
        place, rest = self._label(Span(span.start, span.start + len(_JOINT.sub("", wording))), block.kind)
        opened = nonclaims.opening(self._text[slice(*rest)])
        read = plain(self._text, rest := Span(rest.start + opened, rest.end))
        lead = lead if listed or (lead.goal and is_instruction(read.whole())) else NO_LEAD
        if not nonclaims.is_filler(read.whole()):
            label = plain(self._text, place).whole().strip("*_") if place.end > place.start else ""
            yield Sentence(rest, read, label, place, lead, listed, opened > 0)

    def _label(self, span: Span, kind: str) -> tuple[Span, Span]:
        """The places of the label before a colon or dash, and of the rest; a label has no verb of its own."""
        none = Span(span.start, span.start)
        while True:
            found = leads.leading_label(self._text, *span, item=kind == "item")
            if found is None or len(found["label"].split()) > LONGEST_LABEL:
                return none, span
            label = plain(self._text, Span(*found.span("label")))
            rest = Span(found.end(), span.end)
            if not nonclaims.is_filler(label.whole() + ":"):
                if re.match(rf"(?:the )?{re.escape(label.text)}\b", self._text[slice(*rest)], re.IGNORECASE):
                    return none, rest
                states = self._states(label.text) and not self._leads.is_goal(label.text)
                return (none, span) if states else (Span(*found.span("label")), rest)
            span = rest

    def _of_sentences(self, found: Sequence[Sentence]) -> Iterator[Statement]:
        texts = [sentence.plain.text for sentence in found]
        parses = self._parser.parse(texts) if self._parser else [None] * len(found)
        for labelled, parse in zip(found, parses, strict=True):
            apart = not labelled.label or self._items.is_member(labelled)
            apart = apart or not self._items.repeats_label(labelled, parse)
            sentence = labelled if apart else labelled._replace(label="")
            split = self._split(sentence, parse)
            alone = not (sentence.label or sentence.lead.text or sentence.lead.goal)
            whole = [(sentence.plain.whole(), sentence.span)] if alone and not sentence.opened else []
            written = split or whole or self._items.written(sentence, parse)
            for statement in (
                one if isinstance(one, Statement) else self._statement(*one) for one in written
            ):
                nothing = nonclaims.is_filler(statement.text) or nonclaims.is_abstaining(statement.text)
                if self._says.search(statement.text) and not nothing:
                    yield statement

    def _split(self, sentence: Sentence, parse: Parse | None) -> list[Statement]:
        """The clauses of a sentence if each parses as one again, or the names after its colon."""
        if sentence.label or (sentence.lead.text and not self._items.stands_alone(sentence, parse)):
            return []
        if parse is None or self._parser is None or _JOINED.search(sentence.plain.text):
            return [self._statement(*wording) for wording in leads.enumerated(sentence.plain)]
        drafts = split(parse)
        if len(drafts) < 2:
            return []
        writer = Writer(parse, sentence.plain)
        drafts.sort(key=lambda draft: writer.span(draft).start)
        again = self._parser.parse([writer.read(draft.line) for draft in drafts])
        if not all(is_sound(read, draft, parse) for read, draft in zip(again, drafts, strict=True)):
            return []
        found = [self._statement(writer.text(draft.line), writer.span(draft)) for draft in drafts]
        return found if all(_is_closed(statement.text) for statement in found) else []

    def _statement(self, wording: str, span: Span) -> Statement:
        verbatim = self._source[span.start : span.end]
        return Statement(wording, span, verbatim if wording != verbatim else None)


def _is_closed(text: str) -> bool:
    """Whether all brackets and quotation marks of a text are closed in it."""
    pairs = (("(", ")"), ("[", "]"), ("“", "”"))
    return text.count('"') % 2 == 0 and all(text.count(one) == text.count(two) for one, two in pairs)


class Writer:
    """Writes the statements of one sentence; a parenthesis goes to the first that covers it."""

    def __init__(self, parse: Parse, plain: Plain) -> None:
        self._parse = parse
        self._plain = plain
        self._shown: set[int] = set()

    def read(self, line: Line) -> str:
        """The statement for the parser: with stand-ins for titles, without parentheses."""
        return Writer(self._parse, self._plain._replace(names={}, asides={})).text(line)

    def text(self, line: Line) -> str:
        """The statement with an initial capital and a full stop."""
        parts: list[str] = []
        for before, bit in zip(("", *line), line, strict=False):
            parts += [self._gap(before, bit), bit if isinstance(bit, str) else self._show(bit)]
        text = _STOP_TWICE.sub(r"\1", "".join(parts).strip(" ,;:—–-"))
        return capitalised(text) + ("" if _ENDED.search(text) else ".")

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
        """The response span of the statement's own clause."""
        wording = [
            word for word in (draft.verb, *draft.line) if isinstance(word, Word) and word.pos != "PUNCT"
        ]
        own = sorted(word.i for word in wording if draft.verb.first <= word.i <= draft.verb.last)
        last, stop = own[-1], draft.line[-1]
        if isinstance(stop, Word) and stop.i == last + 1 and stop.text in (".", "!"):
            last = stop.i
        return self._plain.span(self._parse.words[own[0]].start, self._parse.words[last].end)
