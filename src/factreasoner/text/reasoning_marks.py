"""Marks of reasoning, tool calls, answers and turns in a model's output, paired.

Tags inside code, and a tag that the text only mentions ("the <think> tag"), are not marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

from factreasoner.text.citation_marks import Regions
from factreasoner.text.sentences import Span

_THOUGHT = (
    r"[a-z]*think(?:ing)?|thoughts?|reason(?:ings?)?|reflect(?:ions?|ing)?|analysis|scratch_?pad|monologue|cot"
    r"|chain_?of_?thought|deliberation|rumination"
)
_TOOL = r"(?:tool|function)_?(?:calls?|use|response|results?|outputs?)|function(?==)|(?<=/)function"
_ANSWER = r"(?:(?:final|my)[_-]?)?(?:answer|response|output|result|reply|solution)|final"
_NAME = rf"(?:[a-z]+[_:-])*(?:(?P<thought>{_THOUGHT})|(?P<tool>{_TOOL}))(?:[_:-]\w+)*"
_LEFT, _RIGHT = r"(?:[<＜◁⟨]|&lt;)", r"(?:[>＞▷⟩]|&gt;)"
_BAR = "[|｜]"
_ROLE = r"(?:\s*(?P<role>assistant|user|system|model|tool|developer|ai|ipython|think|answer)\b)?"
_MARK = re.compile(
    rf"""
      (?P<header>(?:<{_BAR}start{_BAR}>\w*\s*)?(?:<{_BAR}channel{_BAR}>\s*)?
        \b(?P<channel>analysis|commentary|final|thought)\b[^<>\n]{{0,80}}(?:<{_BAR}constrain{_BAR}>\s*\w+\s*)?
        <{_BAR}message{_BAR}>)
    | (?P<gemma><{_BAR}channel>\s*(?:thought|analysis)) | (?P<gemma_end><channel{_BAR}>)
    | (?P<turn><{_BAR}(?:im_start|start|start_header_id|turn){_BAR}?>|<start_of_turn>|\]~!?b[\[\]]){_ROLE}
    | <{_BAR}\s*(?P<piped>/?[a-z][\w▁ .-]{{1,60}}?)\s*{_BAR}>
    | (?P<tag>{_LEFT}\s*(?P<close>\\?/)?\s*{_NAME}(?:[\s=][^<>]{{0,400}}?)?(?P<whole>/)?\s*{_RIGHT})
    | (?P<bracket>\[(?P<bracket_close>/)?(?:THINK(?:ING)?|THOUGHTS?|REASONING)\])
    | <(?P<answer_close>/)?(?P<answer>{_ANSWER})(?:\s[^<>]{{0,200}})?>
    | (?P<token></?(?:bos|eos|pad|unk|eot|eod|endoftext|im_end|assistant)>|</?(?:end|start|begin)_?of_?\w+>
        |\[/?INST\]|<</?SYS>>|\[(?:EOS|BOS|PAD|UNK)\]|\[e~\[|<turn{_BAR}>|</s>|\A\s*<s>)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ENDS = re.compile(
    r"/s|/assistant|e|turn|return|(?:im_)?end|/?eo[dmst](?:_id)?|/?end_?of_?(?!thought|box)\w+|end_response"
)
_OTHERS = re.compile(r"(?:im_)?(?:user|human|system|tool|observation|developer|ipython)(?:_token)?|inst")
_OWN = re.compile(r"(?:im_)?(?:assistant|model|ai|bot|chatbot)(?:_token)?|/inst")
"""Names of tokens that end a turn, begin another's, and begin the model's own."""
_FENCED = re.compile(
    r"^[ \t]*(?P<fence>`{3,}+|~{3,}+)(?P<info>[^\n`]*)\n"
    r"(?:(?!^[ \t]*(?P=fence)).)*^[ \t]*(?P=fence)[`~]*[ \t]*$",
    re.MULTILINE | re.DOTALL,
)
"""A fence closed by the next fence; a draft's unclosed fence is none."""
_FENCED_THOUGHT = re.compile(
    r"^[ \t]*(?P<fence>`{3,}+|~{3,}+)[ \t]*(?:THOUGHT)(?:[ _-]\w+)?[ \t]*\nBODY"
    r"(?:^[ \t]*(?P=fence)[\w+-]+[ \t]*\nBODY^[ \t]*(?P=fence)[ \t]*$BODY)*"
    r"^[ \t]*(?P=fence)(?![\w+-]+[ \t]*$)[`~]*".replace("THOUGHT", _THOUGHT).replace(
        "BODY", r"(?:(?!^[ \t]*(?P=fence)).)*"
    ),
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_CODE = re.compile(
    r"(?<!`)(`{1,2})(?!`)[^`\n]+\1(?!`)|<(pre|code)\b[^<>\n]*>(?:(?!<(?:pre|code)\b).)*?</\2>",
    re.DOTALL | re.IGNORECASE,
)
_WHOLE = re.compile(
    r"""<details\b[^<>]{0,200}\btype\s*=\s*["']?reasoning\b[^<>]{0,200}>.*?(?:</details>|\Z)"""
    r"|<details>\s*<summary>[^\w<]*(?:(?:show|view|my|model) )?"
    rf"(?:{_THOUGHT})(?: (?:process|steps)| for [^<]{{1,20}})?[^\w<]*</summary>.*?</details>"
    r"|\A\s*(?-i:analysis(?=[A-Z\s]).*?assistant(?:commentary.*?assistant)?final(?=\W|[A-Z\d]))"
    r"|\A\s*(?-i:Thinking\.\.\.\s.*?\.\.\.done thinking\.)"
    r"|\A\s*(?-i:Here(?:'s| is) my thought process:.*?Here(?:'s| is) my response:)",
    re.DOTALL | re.IGNORECASE,
)
"""An element of reasoning; words for tokens: "analysisThe user asks...assistantfinalYes."."""
_NAMED = re.compile(r"""[ \t]*(?:tags?|blocks?|elements?|tokens?|markers?|sections?)\b""", re.IGNORECASE)
_BEFORE_A_WORD = re.compile(r"[^\s.!?…。！？\"'”)\]] +\Z")
_GOES_ON = re.compile(r" *[,.;:)—–-]| +(?!user\b|human\b|assistant\b)[a-zß-öø-ÿа-яё]")
"""Text around a token that is a word of its sentence: "with <|im_end|>, and"."""
_QUOTES = "\"'“”‘’„«»「」"
_STRUCK = re.compile(r"\S\s*<s>[^<>]{0,600}\Z", re.IGNORECASE)
_BRACKET_END = re.compile(r"\[/(?:THINK(?:ING)?|THOUGHTS?|REASONING)\]", re.IGNORECASE)
LETTER = re.compile(r"[^\W_]")


class Marks:
    """Pairs the marks of one text."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._last_bracket = max((end.start() for end in _BRACKET_END.finditer(text)), default=-1)
        self._begins = len(text) - len(text.lstrip())
        self._opened: list[tuple[str, int]] = []
        """Blocks that are open: the family of each, and where it starts."""
        self._closed: tuple[str, int, int] | None = None
        """The block that closed last: its family, its start, and how many more opened in it than closed."""
        self._answers: list[re.Match[str]] = []
        thoughts = [match.span() for match in _FENCED_THOUGHT.finditer(text)]
        within = Regions(thoughts)
        code = (m.span() for pattern in (_FENCED, _CODE) for m in pattern.finditer(text))
        self.code = Regions(span for span in code if not within.hold(*span))
        whole = [match.span() for match in _WHOLE.finditer(text)]
        self.found = [Span(*span) for span in (*thoughts, *whole)]
        """What to take out, in no order: blocks, and marks that belong to none."""
        self.turns: list[tuple[Literal["end", "own", "other"], Span]] = []
        """The tokens that end a turn, begin the model's own, or another's; in order."""
        apart = Regions([*whole, *thoughts])
        for mark in _MARK.finditer(text):
            inside = any(each.hold(mark.start(), mark.end()) for each in (self.code, apart))
            if not inside and not self._is_mentioned(mark):
                self._take(mark)
        if self._opened and not text[: self._opened[0][1]][-1:].isalnum():  # List<Thought>
            self._give_up(len(text), len(text))
        self.found += self._answer_tags()

    def find_tagged_answers(self, begin: int = 0) -> list[tuple[Span, Span]]:
        """The tagged answers after `begin`: each opening tag, and the last closing tag.

        An opening tag begins a line, or follows another tag.
        """
        marks = [mark for mark in self._answers if mark.start() >= begin]
        if not marks or not marks[-1]["answer_close"]:
            return []
        name = marks[-1]["answer"].lower()
        return [
            (Span(*mark.span()), Span(*marks[-1].span()))
            for mark in marks
            if not mark["answer_close"]
            and mark["answer"].lower() == name
            and self._text[: mark.start()].rstrip(" \t")[-1:] in ("", "\n", ">")
        ]

    def _answer_tags(self) -> Iterator[Span]:
        """The tags around answers; `<output>` only at an end of the text."""
        opened = {mark["answer"] for mark in self._answers if not mark["answer_close"]}
        both = opened & {mark["answer"] for mark in self._answers if mark["answer_close"]}
        end = len(self._text.rstrip())
        for mark in self._answers:
            if (
                mark["answer"] in both
                or re.fullmatch(r"(?i:(?:final_?)?(?:answer|response)|final)", mark["answer"])
                or (mark.end() == end if mark["answer_close"] else mark.start() == self._begins)
            ):
                yield Span(*mark.span())

    def _is_mentioned(self, mark: re.Match[str]) -> bool:
        """Whether the text mentions a tag: "the <think> tag", a quoted one, or a token used as a word."""
        start, end = mark.span()
        token = mark["piped"] or mark["turn"] or mark["token"]
        before = self._text[max(0, start - 9) : start]
        if token and _BEFORE_A_WORD.search(before) and _GOES_ON.match(self._text, end):
            return True
        if _NAMED.match(self._text, end):
            return True
        before, behind = before[-2:], self._text[end : end + 2]
        quoted = before[-1:] in _QUOTES and behind[:1] in _QUOTES and before and behind
        return bool(quoted) and not (before[:-1].strip() or behind[1:].isalnum())

    def _take(self, mark: re.Match[str]) -> None:
        if mark["header"]:
            (self._close if mark["channel"].lower() == "final" else self._open)("channel", mark)
        elif mark["gemma"]:
            self._open("channel", mark)
        elif mark["gemma_end"]:
            self._close("channel", mark) if self._opened else self._cut(mark)
        elif mark["bracket"]:
            closes = mark.start() < self._last_bracket
            if mark["bracket_close"]:
                self._close("thought", mark)
            elif closes or mark.start() <= self._begins:
                self._open("thought", mark)
        elif mark["tag"] and not mark["whole"]:
            (self._close if mark["close"] else self._open)("thought" if mark["thought"] else "tool", mark)
        elif mark["answer"]:
            self._answers.append(mark)
        elif mark[0].lower() != "</s>" or not _STRUCK.search(
            self._text[max(0, mark.start() - 640) : mark.start()]
        ):
            self._take_token(mark)

    def _take_token(self, mark: re.Match[str]) -> None:
        """Process a token by name: part of a thought or tool call, or of a turn."""
        name = re.sub(r"[^a-z/]+", "_", (mark["role"] or mark[0]).lower()).strip("_")
        named = (
            re.search(rf"(?P<thought>{_THOUGHT})|{_TOOL}|python_tag", name)
            if mark["piped"] or mark["turn"]
            else None
        )
        ends = not mark["turn"] and _ENDS.fullmatch(name) is not None
        if named:
            closes = "end" in name or name.startswith("/")
            (self._close if closes else self._open)("thought" if named["thought"] else "tool", mark)
            return
        if self._opened and (ends or name == "call"):
            self._give_up(mark.start(), mark.end())
        if self._opened and (mark["piped"] or mark["turn"]) and re.fullmatch(_ANSWER, name):
            self._close(self._opened[0][0], mark)
        elif not self._opened:
            self._cut(mark)
            if ends:
                self.turns.append(("end", Span(*mark.span())))
            elif _OTHERS.fullmatch(name):
                self.turns.append(("other", Span(*mark.span())))
            elif _OWN.fullmatch(name):
                self.turns.append(("own", Span(*mark.span())))

    def _cut(self, mark: re.Match[str]) -> None:
        if not self._opened:
            self.found.append(Span(*mark.span()))

    def _open(self, family: str, mark: re.Match[str]) -> None:
        self._opened.append((family, mark.start()))

    def _close(self, family: str, mark: re.Match[str]) -> None:
        """End the outermost open block of a family, or the text so far if none is open."""
        own = [place for place, (opened, _) in enumerate(self._opened) if opened == family]
        if own:
            start = self._opened[own[0]][1]
            del self._opened[own[0] :]
            self._closed = family, start, len(own) - 1
            if not self._opened:
                self.found.append(Span(start, mark.end()))
        elif self._closed and not self._opened:
            closed, start, more = self._closed
            behind = self._text[mark.end() :]
            if closed == family and more:
                self._closed = family, start, more - 1
                self.found.append(Span(start, mark.end()))
            else:
                self.found.append(Span(0 if any(map(str.isalnum, behind)) else mark.start(), mark.end()))
        elif not self._opened:
            self.found.append(Span(0, mark.end()))

    def _give_up(self, start: int, end: int) -> None:
        """End an unclosed block at `end`, or before the tagged answer that ends at `start`."""
        family, begin = self._opened[0]
        answers = self.find_tagged_answers(begin)
        inside = answers and not LETTER.search(self._text, answers[-1][1].end, start)
        self.found.append(Span(begin, answers[-1][0].start if inside else end))
        self._closed = family, begin, 0
        self._opened.clear()
