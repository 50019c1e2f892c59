"""The statements of a text: of each sentence's parse, or the sentence itself; list items, table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factreasoner.atoms.fragments import (
    FINITE,
    LONGEST_LABEL,
    beginning,
    exemplifies,
    goes_on,
    is_name,
    is_phrase,
    is_predicate,
    listed,
    sentence_of_item,
    sentence_of_label,
    takes_verb,
)
from factreasoner.atoms.headings import may_be_title, sentence_under
from factreasoner.atoms.instructions import is_aim, is_instruction
from factreasoner.atoms.labels import names
from factreasoner.atoms.leading_labels import circumstance, leading_label
from factreasoner.atoms.leads import Leads, useful_part
from factreasoner.atoms.lives import lives
from factreasoner.atoms.nonclaims import is_abstaining, is_courtesy, is_filler, is_question, opening, parts
from factreasoner.atoms.plain_text import Plain, plain
from factreasoner.atoms.references import entry_length, is_reference, is_reference_heading
from factreasoner.atoms.splitting import split
from factreasoner.atoms.tables import cells, said_of_row, whole_cell
from factreasoner.atoms.wording import Writer, capitalised
from factreasoner.text.parsing import Parser
from factreasoner.text.sentences import Block, Span, block_sentences, blocks
from factreasoner.text.tags import without_tags
from factreasoner.text.tree import Parse


class Statement(NamedTuple):
    """A text to judge, the span it comes from, and the verbatim text of that span where `text` differs."""

    text: str
    span: Span | None
    original: str | None = None


_ENDS = re.compile(r"[.!?…:;。！？：；]\W*\Z")
_JOINT = re.compile(r"[,;]\s+(?:and|or)\s*\Z")
_WRAPPED = re.compile(r"\A(\*\*|__)[^*_]{1,120}\1\s*\Z")
_MOST_WORDS = 10
"""Words of a line without a verb that may be a heading."""
_REASON = re.compile(r", (?:because|since|as) (?P<reason>(?:the|an?|[A-Z]|these|this|it|they|\w+s)\b.*)")
_ANSWER = re.compile(r"A|Ans\.?|Answer", re.IGNORECASE)
_ASKING = re.compile(r"(?:how|what|why|when|where|who|which)\b", re.IGNORECASE)


class _Sentence(NamedTuple):
    """A sentence less its opening remark, what stood before its colon, and the lead-in of its list."""

    span: Span
    plain: Plain
    label: str
    lead: str
    opened: bool


def statements(text: str, parser: Parser | None = None, *, instructions: bool = False) -> list[Statement]:
    """What `text` states, in its order: no questions, greetings, advice, lead-ins, headings, sources or code.

    Without a parser a sentence is one statement. An item without a verb takes over the lead-in of its list
    ("The winners were: Ada Lovelace."). A paragraph is parsed at a time. `instructions` are kept if wanted.
    """
    return list(_StatementFinder(text, parser, instructions).statements())


class _StatementFinder:
    def __init__(self, text: str, parser: Parser | None, instructions: bool) -> None:
        self._source, self._text = text, without_tags(text)
        self._parser = parser
        self._instructions = instructions
        self._is_filler = is_courtesy if instructions else is_filler
        self._leads = Leads(self._text)
        self._announced = self._heading = self._asked = ""
        self._header: Sequence[str] | None = None
        self._in_sources = False

    def statements(self) -> Iterator[Statement]:
        all_blocks = blocks(self._text)
        for block, following in zip(all_blocks, [*all_blocks[1:], None], strict=False):
            if block.kind == "table":
                yield from self._row(block, following is not None and self._is_ruled(block, following))
                continue
            self._header = None
            if block.kind != "code":
                item = following if following is not None and following.kind == "item" else None
                yield from self._block(block, item)

    def _is_ruled(self, row: Block, following: Block) -> bool:
        """Whether nothing but a rule stands between two rows of a table."""
        return following.kind == "table" and "-" in self._text[row.end : following.start]

    def _row(self, block: Block, ruled: bool) -> Iterator[Statement]:
        """What a table row says; the row above a rule names the columns."""
        spans = cells(self._text, block)
        texts = [whole_cell(self._text[span.start : span.end]) for span in spans]
        if ruled:
            self._header = texts
            return
        place = Span(block.start, block.end)
        for said, span in said_of_row(texts, spans, self._header or (), place, self._parse):
            yield self._statement(said, span)

    def _block(self, block: Block, item: Block | None) -> Iterator[Statement]:
        """The statements of a block that the item of a list follows, if one does."""
        spans = list(block_sentences(self._text, block))
        last = plain(self._text, spans[-1]).whole()
        if is_reference_heading(last):
            self._in_sources = True
            return
        lead, self._announced = self._announced if block.kind == "prose" else "", ""
        if block.kind == "item":
            lead = self._leads.of(block)
        else:
            self._leads.close()
            self._in_sources = self._in_sources and block.kind != "heading"
        if self._is_heading(block, spans[0], item):
            self._heading = plain(self._text, spans.pop(0)).whole().rstrip(" .:")
            last = last if spans else self._heading + ":"
        if not (self._in_sources and block.kind == "item"):
            stated = block.start + entry_length(self._text[block.start : block.end])
            found = [
                part
                for span in spans
                for part in self._sentences(span, block.kind, lead if span == spans[0] else "")
            ]
            yield from self._of_sentences([part for part in found if part.span.start >= stated])
        if last.endswith((":", "：")) and item is not None:
            self._leads.add(last, item)
        elif last.endswith((":", "：")) and block.kind == "prose":
            self._announced = useful_part(last)

    def _is_heading(self, block: Block, first: Span, item: Block | None) -> bool:
        """Whether a block is a heading or begins with one: marked so, bold, or above a list."""
        said = self._text[first.start : first.end]
        whole = plain(self._text, first).whole()
        lone = first.end == block.end
        below = item is not None and (block.kind != "item" or self._leads.is_above(block, item))
        marked = (block.kind == "heading" and lone) or _WRAPPED.match(said) is not None
        if not marked and not (lone and below and not _ENDS.search(whole) and ":" not in whole):
            return False
        if marked and block.kind != "heading" and lone and not below:
            return False
        titled = block.kind == "heading" and may_be_title(whole, self._parse(whole))
        states = _ASKING.match(whole) is None and not titled and self._states(whole)
        return len(whole.split()) <= _MOST_WORDS and not states

    def _states(self, said: str) -> bool:
        """Whether a text has a finite verb of its own."""
        parse = self._parse(said)
        return parse.is_finite(parse.root) if parse is not None else FINITE.search(said) is not None

    def _parse(self, said: str) -> Parse | None:
        return self._parser.parse([said])[0] if said and self._parser is not None else None

    def _sentences(self, span: Span, kind: str, lead: str) -> Iterator[_Sentence]:
        """The parts of a sentence that state something, without what only opens them."""
        said = self._text[span.start : span.end]
        whole = plain(self._text, span).whole()
        asked, self._asked = self._asked, ""
        if is_question(whole):
            self._asked = plain(self._text, self._label(span, kind)[1]).whole()
        if is_question(whole) or is_abstaining(whole) or whole.endswith((":", "：")) or is_reference(said):
            return
        for start, end in parts(said):
            joint = _JOINT.search(said[start:end])
            part = Span(span.start + start, span.start + (start + joint.start() if joint else end))
            opened = opening(self._text[part.start : part.end])
            label, rest = self._label(Span(part.start + opened, part.end), kind)
            read = plain(self._text, rest)
            if asked and _ANSWER.fullmatch(label):
                label, lead = "", asked
            if (reason := _REASON.search(read.text)) and self._is_filler(read.whole()):
                rest = Span(read.span(*reason.span("reason")).start, rest.end)
                read, label, opened = plain(self._text, rest), "", 1
            if not (self._is_filler(read.whole()) or is_abstaining(read.whole())):
                yield _Sentence(rest, read, label, lead, opened > 0)

    def _label(self, span: Span, kind: str) -> tuple[str, Span]:
        """What stands before a colon or dash, and the rest; nothing where that has a verb of its own."""
        while True:
            found = leading_label(self._text, *span, item=kind == "item")
            if found is None or len(found["label"].split()) > LONGEST_LABEL:
                return "", span
            label = plain(self._text, Span(*found.span("label")))
            rest = Span(found.end(), span.end)
            if not is_filler(label.whole() + ":"):
                return ("", span) if self._states(label.text) else (label.whole().strip("*_"), rest)
            span = rest

    def _of_sentences(self, found: Sequence[_Sentence]) -> Iterator[Statement]:
        parses: Sequence[Parse | None] = [None] * len(found)
        if self._parser is not None:
            parses = self._parser.parse([sentence.plain.text for sentence in found])
        for sentence, parse in zip(found, parses, strict=True):
            for statement in self._of_sentence(sentence, parse):
                if re.search(r"[^\W\d_]", statement.text) and not (
                    self._is_filler(statement.text) or is_abstaining(statement.text)
                ):
                    yield statement

    def _of_sentence(self, sentence: _Sentence, parse: Parse | None) -> Iterator[Statement]:
        named = list(listed(sentence.plain.text, sentence.plain))
        if named:
            yield from (self._statement(said, span) for said, span in named)
            return
        whole = self._unparsed(sentence, parse)
        if (longer := self._with_subject(sentence, parse)) is not None:
            sentence, parse = longer
            whole = f"{self._subject(sentence, longer[1])} {sentence.plain.whole().removeprefix('It ')}"
        if parse is None or (is_instruction(parse) and (self._instructions or takes_verb(sentence.lead))):
            drafts = None
        else:
            when = circumstance(sentence.label) or self._circumstance(sentence.lead)
            drafts = split(parse, self._subject(sentence, parse), when)
            if drafts is None and (joined := self._joined(sentence, whole)) is not None:
                sentence, parse = joined
                drafts = split(parse)
        if drafts is None or parse is None:
            if self._instructions or not (sentence.lead and self._tells(sentence.lead, whole)):
                yield self._statement(whole, sentence.span)
            return
        rest, born_and_died = lives(parse, sentence.plain)
        writer = Writer(parse, rest)
        for draft in sorted(drafts, key=lambda draft: writer.span(draft).start):
            yield self._statement(writer.text(draft.line), writer.span(draft))
        yield from (self._statement(said, span) for said, span in born_and_died)

    def _tells(self, lead: str, whole: str) -> bool:
        """Whether a lead-in, or an item joined with it, tells what to do: "Ask about:", "To bake:"."""
        read, joined = self._parse(lead.rsplit(": ", 1)[-1]), self._parse(whole)
        if read is not None and (is_instruction(read) or is_aim(read)):
            return True
        return joined is not None and is_instruction(joined)

    def _with_subject(self, sentence: _Sentence, parse: Parse | None) -> tuple[_Sentence, Parse] | None:
        """ "It uses operators" for "Uses operators" of an item with a label, which is then said for "it"."""
        begins = beginning(sentence.plain.text, labelled=bool(sentence.label))
        if parse is None or not begins or not self._subject(sentence, parse):
            return None
        if parse.subject(parse.root) is not None and parse.is_finite(parse.root):
            return None
        longer = sentence.plain.behind(begins)
        joined = self._parse(longer.text)
        if joined is None or not is_predicate(joined):
            return None
        return sentence._replace(plain=longer), joined

    def _joined(self, sentence: _Sentence, whole: str) -> tuple[_Sentence, Parse] | None:
        """What a label or lead-in made a sentence of, read as one."""
        longer = sentence.plain.joined(whole, sentence.label)
        parse = self._parse(longer.text) if longer is not None and not exemplifies(sentence.lead) else None
        if longer is None or parse is None or goes_on(parse, len(longer.text) - len(sentence.plain.text)):
            return None
        return sentence._replace(plain=longer), parse

    def _unparsed(self, sentence: _Sentence, parse: Parse | None) -> str:
        """The whole sentence with its label, or the item with the lead-in of its list."""
        whole = sentence.plain.whole()
        whole = capitalised(whole) if sentence.opened else whole
        label, lead = sentence.label, sentence.lead
        if label:
            heading = lead.rstrip(" :") or self._heading
            if headed := sentence_under(heading, label, whole, self._parse):
                return headed
            whole = sentence_of_label(label, whole, parse, self._parse(label))
            if whole.endswith(".") and not whole.startswith(f"{label}:"):
                return whole
        if lead.endswith("?"):
            return f"{lead} {whole}"
        read = self._parse(lead) if not label else None
        return sentence_of_item(whole, lead, parse, read) if lead else whole

    def _subject(self, sentence: _Sentence, parse: Parse) -> str:
        """A label, or a lead-in that is a name, that the sentence may have for its subject; else nothing."""
        for label in (sentence.label, sentence.lead.rstrip(" :")):
            read = self._parse(label)
            named = read is not None and (label == sentence.label or is_name(read))
            if named and read is not None and names(label, read.words, parse[0].lower):
                return label
        return ""

    def _circumstance(self, lead: str) -> str:
        """ "Within three years" of a lead-in that holds of each item."""
        return lead.rstrip(" :") if is_phrase(self._parse(lead)) else ""

    def _statement(self, said: str, span: Span) -> Statement:
        verbatim = self._source[span.start : span.end]
        return Statement(said, span, verbatim if said != verbatim else None)
