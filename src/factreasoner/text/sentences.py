"""Rule-based sentence borders: text in, spans out, no model.

A text is first cut into blocks (paragraphs, list items, headings, table rows, code), then each block into
sentences. Spans are verbatim, `text[start:end]`. Time is linear in the length of the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from factreasoner.text.citation_marks import NUMBERED, RAISED, Regions
from factreasoner.text.language import SENTENCES
from factreasoner.text.lines import CITED_HERE, BlockKind, lines
from factreasoner.text.wraps import displayed


class Span(NamedTuple):
    """The characters [start, end) of a text."""

    start: int
    end: int


def joined_spans(
    spans: Iterable[Span], close: Callable[[int, int], object] = lambda end, start: False
) -> list[Span]:
    """The spans in order; those that touch are one, and those that `close(end, start)` calls near."""
    found: list[Span] = []
    for span in sorted(spans):
        if found and (span.start <= found[-1].end or close(found[-1].end, span.start)):
            found[-1] = Span(found[-1].start, max(found[-1].end, span.end))
        else:
            found.append(span)
    return found


class Block(NamedTuple):
    """A part of a text that no sentence crosses. The marker of an item or heading is before `start`."""

    start: int
    end: int
    kind: BlockKind


def newline_ended(text: str) -> str:
    """The text with its lines ended by "\\n" alone, each character at its place: "\\r\\n" becomes " \\n"."""
    return text.replace("\r\n", " \n").replace("\r", "\n")


def blocks(text: str) -> list[Block]:
    """Paragraphs, list items, headings, table rows, footnotes and code blocks of `text`, in order, trimmed.

    Each line is one block; wrapped text must be `unwrapped` first. Tags are ordinary characters;
    `without_tags` removes them.
    """
    found: list[Block] = []
    for line in lines(text):
        block = Block(line.start, line.end, line.kind)
        found.extend(_run_on(text, block) if block.kind in ("prose", "item") else [block])
    return found


def sentences(text: str) -> list[Span]:
    """Sentences of `text` in order, with white space, markers and tags between; a code block is one."""
    text = displayed(text)
    return [span for block in blocks(text) for span in block_sentences(text, block)]


def block_sentences(text: str, block: Block) -> Iterator[Span]:
    """Sentences of one block of `text`; code and table rows are not split."""
    if block.kind in ("code", "table"):
        yield Span(block.start, block.end)
        return
    start = block.start
    for end in _borders(text, block):
        yield Span(start, end)
        start = _end_of_match(_BLANK, text, end, block.end)
    if start < block.end:
        yield Span(start, block.end)


_NUMBER = re.compile(r"""(?:^|(?<=[.:;!?)\]"”’»。：；]))\s*+\(?(\d{1,2})[.)]\s++(?=\S)""")
_DASH = re.compile(r"""(?:^|(?<=[.:;!?])|(?<=[.:;!?][)\]"”’]))\s*+(?<!\S)[-–—•*]\s++(?=[^\W\d_a-z]|\*\*)""")
_FENCED = re.compile(r"(`{3,})(?!`)[^`]++\1(?!`)")


def _run_on(text: str, block: Block) -> Iterator[Block]:
    """A paragraph or item, cut where code or a list begins inside it: "...: 1. First. 2. Second."."""
    start = block.start
    for fence in _FENCED.finditer(text, block.start, block.end):
        yield from _items(text, Block(start, fence.start(), block.kind))
        yield Block(*fence.span(), "code")
        start = fence.end()
    yield from _items(text, Block(start, block.end, block.kind))


def _items(text: str, block: Block) -> Iterator[Block]:
    # A slice, so that "^" and the look-behinds see its start as a start.
    content = text[block.start : block.end]
    items: list[re.Match[str]] = []
    for match in _NUMBER.finditer(content) if block.kind == "prose" else ():
        if int(match[1]) == len(items) + 1:
            items.append(match)
    if len(items) < 2:
        items = list(_DASH.finditer(content))
    starts = [0, *(item.end() for item in items)]
    ends = [*(item.start() for item in items), len(content)]
    for n, (first, last) in enumerate(zip(starts, ends, strict=True)):
        body = content[first:last]
        if body.strip():
            start = block.start + first + len(body) - len(body.lstrip())
            yield Block(start, start + len(body.strip()), "item" if n else block.kind)


INVISIBLE = "\u0000\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff"
"""Characters without width or meaning, for a character class."""
_CLOSERS = "\"'”’»«›)\\]}*_~`」』】）〉》］" + INVISIBLE
_MARKER_ALONE = re.compile(r"[\s*_(]*(?:\d{1,3}(?:\.\d{1,3})*|[IVX]{2,4}|[^\W\d_])[*_)]*")
"""A lone marker of an item or heading, which is not a sentence: "1. Causes"."""
_MARK = rf"(?:{NUMBERED}(?:\(https?:[^()\s]*\))?|[{RAISED}]+|【[^【】\n]{{1,60}}】)"
_CITED = rf"{_MARK}| {{1,9}}{_MARK}(?: {{0,9}}{_MARK})*(?=\s+[^\W\d_a-z]|\Z)"
"""A citation after a stop; after a space only before a new sentence, not "[2] says so"."""
_STOP = re.compile(
    rf"(?P<latin>[.!?…‽](?:[ \u00a0]?[.!?…‽])*)"
    rf"(?P<closed>(?:[{_CLOSERS}]|{_CITED})*)"
    rf"|[。！？｡．।॥؟۔።។။།։\u037e᠃᠉꓿]++(?P<wide>[{_CLOSERS}]*+)"
)
_CITED_BEHIND = re.compile(rf"{CITED_HERE}|[^{_CLOSERS}\s]")
_OPENERS = re.compile(f"[\"'“‘«‹(\\[{{*_~`¿¡「『【（〈《［„‚{INVISIBLE}]*+")
_WORD_BEFORE = re.compile(r"[^\s(\[{\"'“‘«*_/—–]+$")
_WORD_AFTER = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")
_EXCLAIMED_NAMES = frozenset({"Yahoo", "Jeopardy", "Wham", "Oklahoma", "Oliver", "Panic"})
_SMALL, _CAPITAL = "a-zß-öø-ÿα-ωά-ώа-яё", "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ"
_GLUED = re.compile(
    rf"(?:[a-z]{{3}}|[A-Z]{{3}}|\d(?: ?[a-z]{{1,2}})?|[]%)”\"])[*~{INVISIBLE}]*+[.!?][^*~]*+\Z"
)
_GLUED_TO = re.compile(rf"(?:{'|'.join(sorted(SENTENCES['starters']))})(?=[ ,])")
_GLUED_WORDS = re.compile(
    rf"(?:[^\s.!?]+ ){{3}}"
    rf"(?:([{_SMALL}]{{4}})[{_SMALL}]{{1,20}}|[а-яё]{{3,}}|\d{{4}}|[\d.,]*\d%|\(?[\w-]+\))[.!?]\Z"
)
"""The end of a sentence of four words or more: "It helps in motion.Nausea is", not "Use decimal.Context"."""
_GLUED_CLAUSE = re.compile(
    r"(?:\A|[\s.!?(])[^\s.!?]+ (?:[^\s.!?]+ ){0,9}?"
    r"(?:is|are|was|were|ist|sind|war|est|sont|es|son|era|è|é|são|foi) "
    r"(?:(?!(?:the|an?|in|of|by|as|from|with|de[rm]?|das|el|l[aeo]) )[^\s.!?]+ ){0,5}"
    rf"[{_SMALL}]{{3,}}[.!?]\Z"
)
"""The end of a sentence with a verb: "Entry is free.Dogs are", not "It is in json.Decoder"."""
_UNIT = re.compile(r"\d[ \u00a0\u202f]?[mglsth]\Z")
_GLUED_WORD = re.compile(rf"[{_CAPITAL}][{_SMALL}]+(?= )")
_ACRONYM = re.compile(r"(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}|(?:[\u0900-\u0dff]{1,4}\.)+[\u0900-\u0dff]{1,4}")
_PLURAL = re.compile(r"([A-Z])\1")
"""One half of the initials of several words in Spanish: "EE. UU."."""
_PLURALS = re.compile(r"(?<!\w)([A-Z])\1\. ?([A-Z])\2\Z")
_YEAR = re.compile(r"(?P<before>[^.!?,;:()]*)\b(?:\d{3,4}|[XVI]+) ?(?:[гр]{1,2}|вв?|r)\Z")
"""A year or century with its mark, in Russian and Polish, and the clause before it."""
_VERB = re.compile(
    r"\b\w{2,}(?:л[аои]?|[еая]н[ао]?|[ыи]т[ао]?|[аиія]в|[иеаяую]т|ł[aoy]?|li|[nt]o)(?:ся|сь)?\b|\bjest\b|[тл]ась\b"
    r"|\b(?:умер|помер|погиб|вырос|возник|достиг)\b",
    re.IGNORECASE,
)
"""Forms of finite verbs or participles in these languages."""
_UNSPACED_BEGINS = re.compile(r"[\"“‘（(「『《]?[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_UNSPACED_ENDS = re.compile(r"(?:[a-z]{2}|\d{3}|[%)\]”\"])[*~]*\Z")
_SPACED_CLOSE = re.compile("[ \u00a0\u202f]»")
_LOOK_BACK, _FAR_BACK = 24, 100
_BLANK = re.compile(r"\s*")


def _borders(text: str, block: Block) -> Iterator[int]:
    """Ends of the sentences of a block, except the last."""
    stops = [stop for stop in _STOP.finditer(text, block.start, block.end) if stop.end() < block.end]
    if not stops:
        return
    quoted = [match.span() for match in _ENCLOSED.finditer(text, block.start, block.end)]
    enclosed, opened, closed = Regions(quoted), {start for start, _ in quoted}, {end for _, end in quoted}
    first = min(_end_of_match(_OPENERS, text, block.start, block.end), block.end - 1)
    lower_style = text[first].islower()
    start = block.start
    for stop in stops:
        if stop["latin"] == "." and _MARKER_ALONE.fullmatch(text, start, stop.start()):
            continue
        spaced = _end_of_match(_SPACED_CLOSE, text, stop.end(), block.end)
        end = spaced if spaced in closed else stop.end()
        if stop["wide"] and end - 1 in opened:  # 。"The
            end -= 1
        if end == block.end or enclosed.hold(stop.start(), end + 1):
            continue
        if (
            _ends_wide(text, stop, end)
            if stop["latin"] is None
            else _is_parted(text, stop, end) and _ends_latin(text, stop, end, block, lower_style)
        ):
            yield end
            start = end


def _is_parted(text: str, stop: re.Match[str], end: int) -> bool:
    """Whether a space, visible or not, or a typical sentence start follows the stop."""
    if text[end].isspace() or text[end - 1] == CITED_HERE:
        return True
    if _UNSPACED_BEGINS.match(text, end):
        asks = stop["latin"][-1] in "?!"
        return asks or _UNSPACED_ENDS.search(text[max(0, stop.start() - 9) : stop.start()]) is not None
    behind = _GLUED_WORD.match(text, end)
    before = _GLUED_WORDS.search(text[max(0, end - _FAR_BACK) : end]) if behind else None
    if behind and before:  # "threading.Thread" is a name
        return before[1] is None or not behind[0].lower().startswith(before[1])
    if behind and _GLUED_CLAUSE.search(text[max(0, end - _FAR_BACK) : end]):
        return True
    glued = _GLUED_TO.match(text, end)
    return glued is not None and _GLUED.search(text[max(0, stop.start() - _LOOK_BACK) : end]) is not None


def _ends_wide(text: str, stop: re.Match[str], end: int) -> bool:
    """Whether a stop of a script without spaces ends a sentence."""
    following = text[end]
    if stop[0] == "．" and following.isdigit():
        return False
    # 「行く。」と言った: the quotation is part of a sentence that goes on.
    return not (stop["wide"] and "\u3041" <= following <= "\u3096")


def _ends_latin(text: str, stop: re.Match[str], end: int, block: Block, lower_style: bool) -> bool:
    position = _end_of_match(_OPENERS, text, _end_of_match(_BLANK, text, end, block.end), block.end)
    following = text[min(position, block.end - 1)]
    word = _WORD_AFTER.match(text, position, block.end)
    next_word = word[0] if word else ""
    next_word += "." * (next_word == "No" and text.startswith(".", position + 2))  # of a number
    clause = text[max(block.start, stop.start() - _FAR_BACK) : stop.start()]
    before = _WORD_BEFORE.search(clause[-_LOOK_BACK:])
    last_word = before[0] if before else ""
    if following in "-–—,;:&/+=<>|":
        return False
    if following.islower() and next_word == next_word.lower():
        if last_word.endswith(CITED_HERE):
            return lower_style
        plain = len(last_word) > 2 and "." not in last_word and last_word.lower() not in SENTENCES["may_end"]
        return lower_style and plain and last_word.lower() not in SENTENCES["always_continue"]
    if stop["latin"] == "!":
        return last_word not in _EXCLAIMED_NAMES
    if stop["latin"] != "." or not last_word:
        return True
    year = _YEAR.search(clause)
    ended = _UNIT.search(clause) or (year and _VERB.search(year["before"]))
    if ended and next_word[:1].isupper() and len(next_word) > (year is None):
        return True
    begins = next_word in SENTENCES["starters"]
    if last_word.isdigit() and len(last_word) <= 2 and not begins:
        determined = clause[: -len(last_word)].split()[-1:]
        if determined and determined[0].lower() in SENTENCES["before_ordinal"]:
            return False
    if _PLURALS.search(clause) or (_PLURAL.fullmatch(last_word) and _PLURAL.fullmatch(next_word)):
        return begins
    cited = _CITED_BEHIND.search(stop["closed"])
    return _full_stop_ends(last_word, next_word, cited=cited is not None)


def may_abbreviate(text: str) -> bool:
    """Whether a full stop after `text` may belong to an abbreviation or an initial."""
    last_word = _WORD_BEFORE.search(text)
    return last_word is not None and not _full_stop_ends(last_word[0], "1")


def _full_stop_ends(last_word: str, next_word: str, *, cited: bool = False) -> bool:
    """Whether "." between two words ends a sentence; the second is not in lower case.

    `cited`: a citation follows the stop, as after a sentence and rarely after an initial.
    """
    key, begins = last_word.lower(), cited or next_word in SENTENCES["starters"]
    if key in SENTENCES["always_continue"]:
        return False
    if key in SENTENCES["before_number"] and not (len(last_word) == 1 and last_word.isupper()):
        return not (next_word[:1].isdigit() or re.fullmatch("[IVXLC]+", next_word))
    if {key, last_word} & SENTENCES["may_end"] or _ACRONYM.fullmatch(last_word):
        return begins or (key == "etc" and next_word[:1].isupper())
    if last_word.isdigit() and len(last_word) <= 2:
        return next_word not in SENTENCES["numbered_nouns"]
    if len(last_word) == 1 and last_word.isalpha():
        return begins and (cited or next_word != "I")
    return True


_LONE = r"\[\^?\d{1,3}[.;!?]\s"
"""A citation without a closing bracket in its sentence: "is tall [1. The light"."""
_ENCLOSED = re.compile(
    r"(?<![^\W_])(?P<quote>[\"`])(?:(?!(?P=quote)).){0,400}(?<!\s)(?P=quote)"
    + "".join(
        rf"|(?!{_LONE})\{one}(?:[^\{one}\{two}]|\{one}[^\{one}\{two}]*+\{two}){{0,400}}\{two}"
        for one, two in ("()", "[]", "（）", "“”", "„“", "«»", "「」", "『』", "【】", "《》")
    ),
    re.DOTALL,
)
"""Parentheses, quotations and code of up to about 400 characters."""


def _end_of_match(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    """Position after a match at `start` of spaces or opening quotation marks."""
    match = pattern.match(text, start, end)
    return match.end() if match else start
