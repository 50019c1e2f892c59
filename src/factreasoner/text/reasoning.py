"""Parts of a model's text that are no answer: reasoning, tool calls, and tokens that end a turn.

Tags inside code, and a tag that the text only mentions ("the <think> tag"), are part of the answer.
"""

from __future__ import annotations

import re
from functools import lru_cache

from factreasoner.text.citation_marks import Regions
from factreasoner.text.sentences import Span

_THOUGHT = (
    r"think(?:ing)?|thoughts?|reason(?:ing)?|reflect(?:ion|ing)?|analysis|scratch_?pad|monologue|cot"
    r"|deliberation|rumination"
)
_TOOL = r"(?:tool|function)_?(?:calls?|use|response|results?|outputs?)|function(?==)|(?<=/)function"
_NAME = rf"(?:[a-z]+[_:-])*(?:(?P<thought>{_THOUGHT})|(?P<tool>{_TOOL}))(?:[_:-]\w+)*"
_LEFT, _RIGHT = r"(?:[<＜◁⟨]|&lt;)", r"(?:[>＞▷⟩]|&gt;)"
_BAR = "[|｜]"
_ROLE = r"(?:\s*(?:assistant|user|system|model|tool|developer)\b)?"
_MARK = re.compile(
    rf"""
      (?P<header>(?:<{_BAR}start{_BAR}>\w*\s*)?(?:<{_BAR}channel{_BAR}>\s*)?
        \b(?P<channel>analysis|commentary|final|thought)\b[^<>\n]{{0,80}}(?:<{_BAR}constrain{_BAR}>\s*\w+\s*)?
        <{_BAR}message{_BAR}>)
    | (?P<channel_end><{_BAR}(?:end|return|call){_BAR}>)
    | (?P<gemma><{_BAR}channel>\s*(?:thought|analysis)) | (?P<gemma_end><channel{_BAR}>)
    | (?P<turn><{_BAR}(?:im_start|start|start_header_id){_BAR}>{_ROLE})
    | <{_BAR}\s*(?P<piped>[a-z][\w▁ .-]{{1,60}}?)\s*{_BAR}>
    | (?P<tag>{_LEFT}\s*(?P<close>\\?/)?\s*{_NAME}(?:[\s=][^<>]{{0,400}}?)?(?P<whole>/)?\s*{_RIGHT})
    | (?P<bracket>\[(?P<bracket_close>/)?(?:THINK(?:ING)?|THOUGHTS?|REASONING)\])
    | (?P<token></?(?:bos|eos|pad|unk|eot|eod|endoftext)>|</?(?:end|start|begin)_?of_?\w+>{_ROLE}
        |</?(?:final|(?:final_?)?(?:answer|response))>|\[/?INST\]|<</?SYS>>|\[(?:EOS|BOS|PAD|UNK)\]|</s>|\A\s*<s>)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_FENCED = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})(?P<info>[^\n`]*)\n"
    r"(?:(?!^[ \t]*(?P=fence)).)*^[ \t]*(?P=fence)[`~]*[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
"""A fence whose next fence closes it; the first of a draft that no fence closes is none."""
_CODE = re.compile(
    r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)|<(pre|code)\b[^<>\n]*>(?:(?!<(?:pre|code)\b).)*?</\2>",
    re.DOTALL | re.IGNORECASE,
)
_INFO = re.compile(rf"\s*(?:{_THOUGHT})\s*", re.IGNORECASE)
_DETAILS = re.compile(
    r"""<details\b[^<>]{0,200}\btype\s*=\s*["']?reasoning\b[^<>]{0,200}>.*?(?:</details>|\Z)""",
    re.DOTALL | re.IGNORECASE,
)
_STRIPPED = re.compile(
    r"\A\s*(?:analysis(?=[A-Z\s]).*?assistant(?:commentary.*?assistant)?final(?=\W|[A-Z\d])"
    r"|Thinking\.\.\.\s.*?\.\.\.done thinking\."
    r"|Here(?:'s| is) my thought process:.*?Here(?:'s| is) my response:)",
    re.DOTALL,
)
"""What stands in words for tokens: "analysisThe user asks...assistantfinalYes.", "...done thinking."."""
_NAMED = re.compile(r"""[ \t]*(?:tags?|blocks?|elements?|tokens?|markers?|sections?)\b""", re.IGNORECASE)
_QUOTES = "\"'“”‘’„«»「」"
_STRUCK = re.compile(r"\S\s*<s>[^<>]{0,600}\Z", re.IGNORECASE)
"""Before the end of what is struck through."""
_BLANKS = re.compile(r"\s* {8}\s*")
_BRACKET_END = re.compile(r"\[/(?:THINK(?:ING)?|THOUGHTS?|REASONING)\]", re.IGNORECASE)


@lru_cache(maxsize=256)
def _spans(text: str) -> tuple[Span, ...]:
    found = (
        _Finder(text).found()
        if re.search(r"[<＜◁⟨\[]|&lt;|assistantfinal|```|~~~|done thinking|my thought process", text)
        else []
    )
    merged: list[Span] = []
    for span in sorted(found):
        if merged and not text[merged[-1].end : span.start].strip():
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return tuple(merged)


def reasoning_spans(text: str) -> list[Span]:
    """Where `text` holds reasoning, tool calls, or tokens that end a turn: in order, without overlap.

    A block that never closes goes on to the end of the text; one that never opens began with the text.
    """
    return list(_spans(text))


def without_reasoning(text: str) -> str:
    """The text without its reasoning; unchanged, blanks included, if it has none."""
    spans = _spans(text)
    if not spans:
        return text
    starts, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    return " ".join(filter(None, (text[a:b].strip() for a, b in zip(starts, ends, strict=True))))


def blanked_reasoning(text: str) -> str:
    """The text with blanks in the place of its reasoning; every other character keeps its place.

    A blank line replaces the end of a block that ends or begins a line, or is longer than one.
    """
    pieces, at = [], 0
    for start, end in _spans(text):
        pieces.append(text[at:start])
        on_line = text[text.rfind("\n", 0, start) + 1 : start].strip() and text[end : end + 1] not in (
            "",
            "\n",
        )
        apart = end - start > 2 and (not on_line or "\n" in text[start:end])
        pieces.append(" " * (end - start - 2) + "\n\n" if apart else " " * (end - start))
        at = end
    return "".join([*pieces, text[at:]])


def closed_up(text: str) -> str:
    """A text of `blanked_reasoning` without the blanks that it put in."""
    return _BLANKS.sub(lambda blanks: "\n\n" if "\n" in blanks[0] else " ", text).strip()


class _Finder:
    """Pairs the marks of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last_bracket = max((end.start() for end in _BRACKET_END.finditer(text)), default=-1)
        self._begins = len(text) - len(text.lstrip())
        self._found: list[Span] = []
        self._opened: list[tuple[str, int]] = []
        """Blocks that are open: the family of each, and where it starts."""
        self._closed: tuple[str, int, int] | None = None
        """The block that closed last: its family, its start, and how many more opened in it than closed."""

    def found(self) -> list[Span]:
        """What to take out, in no order."""
        fences = list(_FENCED.finditer(self._text))
        thoughts = [fence.span() for fence in fences if _INFO.fullmatch(fence["info"])]
        code = [fence.span() for fence in fences if not _INFO.fullmatch(fence["info"])]
        whole = [m.span() for pattern in (_DETAILS, _STRIPPED) for m in pattern.finditer(self._text)]
        self._found = [Span(*span) for span in (*thoughts, *whole)]
        apart = Regions(sorted([*code, *whole, *thoughts, *(m.span() for m in _CODE.finditer(self._text))]))
        for mark in _MARK.finditer(self._text):
            if not apart.hold(mark.start(), mark.end()) and not self._is_mentioned(mark):
                self._take(mark)
        if self._opened and not self._text[: self._opened[0][1]][-1:].isalnum():  # List<Thought>
            self._found.append(Span(self._opened[0][1], len(self._text)))
        return self._found

    def _is_mentioned(self, mark: re.Match[str]) -> bool:
        """Whether the text speaks of a tag: "the <think> tag", or quotes it."""
        start, end = mark.span()
        if _NAMED.match(self._text, end):
            return True
        before, behind = self._text[max(0, start - 2) : start], self._text[end : end + 2]
        quoted = before[-1:] in _QUOTES and behind[:1] in _QUOTES and before and behind
        return bool(quoted) and not (before[:-1].strip() or behind[1:].isalnum())

    def _take(self, mark: re.Match[str]) -> None:
        piped = (mark["piped"] or "").lower().replace("▁", "_")
        named = re.search(rf"(?P<thought>{_THOUGHT})|{_TOOL}", piped)
        if mark["header"]:
            self._close("channel", mark) if mark["channel"].lower() == "final" else self._open(
                "channel", mark
            )
        elif mark["gemma"]:
            self._open("channel", mark)
        elif mark["channel_end"] or mark["gemma_end"]:
            self._close("channel", mark) if self._opened else self._cut(mark)
        elif named and re.search("begin|start|end", piped):
            family = "thought" if named["thought"] else "tool"
            (self._close if "end" in piped else self._open)(family, mark)
        elif mark["bracket"]:
            closes = mark.start() < self._last_bracket
            if mark["bracket_close"]:
                self._close("thought", mark)
            elif closes or mark.start() <= self._begins:
                self._open("thought", mark)
        elif mark["tag"] and not mark["whole"]:
            (self._close if mark["close"] else self._open)("thought" if mark["thought"] else "tool", mark)
        elif mark[0].lower() != "</s>" or not _STRUCK.search(
            self._text[max(0, mark.start() - 640) : mark.start()]
        ):
            self._cut(mark)

    def _cut(self, mark: re.Match[str]) -> None:
        if not self._opened:
            self._found.append(Span(*mark.span()))

    def _open(self, family: str, mark: re.Match[str]) -> None:
        self._opened.append((family, mark.start()))

    def _close(self, family: str, mark: re.Match[str]) -> None:
        """End the outermost block of a family, or the text so far, if no block of it is open."""
        own = [place for place, (opened, _) in enumerate(self._opened) if opened == family]
        if own:
            start = self._opened[own[0]][1]
            del self._opened[own[0] :]
            self._closed = family, start, len(own) - 1
            if not self._opened:
                self._found.append(Span(start, mark.end()))
        elif self._closed and not self._opened:
            closed, start, more = self._closed
            behind = self._text[mark.end() :]
            if closed == family and more:
                self._closed = family, start, more - 1
                self._found.append(Span(start, mark.end()))
            else:
                self._found.append(Span(0 if any(map(str.isalnum, behind)) else mark.start(), mark.end()))
        elif not self._opened:
            self._found.append(Span(0, mark.end()))
