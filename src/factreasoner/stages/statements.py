"""The statements of a text by rules: sentences and clauses, list items with their lead-in, table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from factreasoner.language.sentences import Block, Span, block_sentences, blocks
from factreasoner.stages.clauses import clauses
from factreasoner.stages.english import SURELY_FINITE, tokenize, verb_form
from factreasoner.stages.nonclaims import is_abstaining, is_filler, is_question
from factreasoner.stages.subjects import find_subject


class Statement(NamedTuple):
    """A text to judge, the span it comes from, and the verbatim text of that span where `text` differs."""

    text: str
    span: Span | None
    original: str | None = None


_EMPHASIS = re.compile(r"(\*\*|__)(?=\S)(.+?)(?<=\S)\1", re.DOTALL)
_LINKED_ONLY = re.compile(r"(?:https?://|www\.)\S+\Z")
_EMPTY_LEAD = re.compile(
    r"(?:they|these|those|this|it|here|below|following|the following|some examples?)\b[^,]{0,24}:\Z|here\b",
    re.IGNORECASE,
)
_LONGEST_LEAD = 200


def statements(text: str) -> list[Statement]:
    """What `text` states, in its order: no questions, greetings, lead-ins, headings or code.

    An item without a verb takes over the lead-in of its list ("The winners were: Ada Lovelace.").
    """
    found: list[Statement] = []
    lead = ""
    header: Sequence[str] | None = None
    all_blocks = blocks(text)
    for block, following in zip(all_blocks, [*all_blocks[1:], None], strict=False):
        if block.kind == "table":
            row = _cells(text, block)
            if header is None and following and following.kind == "table":
                header = row
            else:
                found.append(_of_row(text, block, row, header or ()))
            continue
        header = None
        if block.kind == "code":
            continue
        spans = list(block_sentences(text, block))
        for position, span in enumerate(spans):
            found.extend(_of_sentence(text, span, block, lead if position == 0 else ""))
        last = _plain(text[spans[-1].start : spans[-1].end])
        if last.endswith((":", "：")):
            lead = last if _may_lead(last) else ""
        elif block.kind != "item":
            lead = ""
    return found


def _of_sentence(text: str, span: Span, block: Block, lead: str) -> Iterator[Statement]:
    sentence = text[span.start : span.end]
    plain = _plain(sentence)
    if is_question(plain) or is_filler(plain) or is_abstaining(plain) or plain.endswith((":", "：")):
        return
    if _LINKED_ONLY.match(plain) or (block.kind == "heading" and not _has_verb(text, span)):
        return
    if lead and not _has_verb(text, span):
        yield Statement(f"{lead} {plain}", span, sentence)
        return
    for clause in clauses(text, span):
        verbatim = text[clause.span.start : clause.span.end]
        said = _plain(clause.text)
        if not (is_filler(said) or is_abstaining(said)):
            yield Statement(said, clause.span, verbatim if said != verbatim else None)


def _has_verb(text: str, span: Span) -> bool:
    """Whether an English finite verb is in the sentence; a participle alone ("appointed by") is none."""
    tokens = tokenize(text, span)
    sure = any(verb_form(token) in SURELY_FINITE for token in tokens)
    return sure or find_subject(tokens) is not None


def _may_lead(sentence: str) -> bool:
    """Whether a sentence ending in a colon makes sense in front of an item of its list."""
    if len(sentence) > _LONGEST_LEAD or _EMPTY_LEAD.match(sentence) or is_filler(sentence):
        return False
    return _has_verb(sentence, Span(0, len(sentence)))


def _plain(sentence: str) -> str:
    """The sentence on one line and without marks of emphasis; otherwise as it is."""
    return " ".join(_EMPHASIS.sub(r"\2", sentence).split())


def _cells(text: str, block: Block) -> list[str]:
    return [_plain(cell) for cell in text[block.start : block.end].strip("| \t").split("|")]


def _of_row(text: str, block: Block, row: Sequence[str], header: Sequence[str]) -> Statement:
    """A table row as "column: cell; column: cell"."""
    names = [*header, *[""] * len(row)]
    cells = [f"{name}: {cell}" if name else cell for name, cell in zip(names, row, strict=False) if cell]
    return Statement("; ".join(cells), Span(block.start, block.end), text[block.start : block.end])
