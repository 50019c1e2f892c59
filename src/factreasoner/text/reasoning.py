"""Parts of a model's output that are not the answer: reasoning, tool calls, other turns, special tokens.

Marks inside code, and a tag that the text only mentions ("the <think> tag"), are part of the answer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import lru_cache

from factreasoner.text.reasoning_marks import LETTER, Marks
from factreasoner.text.sentences import Span, joined_spans

_WORK = (
    r"plan(?:ning|s)?|drafts?|notes?|outline|critique|brainstorm(?:ing)?|rationale|considerations?"
    r"|work(?:ing|ings|_?pad|_?space)?|internal|inner|hidden|steps?|strategy|approach|verification|verify|review"
    r"|check|self|search|query|action|observation|information|understanding|ponder(?:ing)?|research|prepar\w+"
)
"""Names of tags around reasoning, or around an answer if nothing follows."""
_WORKED = re.compile(
    rf"\W*<(?P<name>(?:[a-z]+[_-])*(?:{_WORK})(?:[_-]\w+)*)(?:\s[^<>]{{0,200}})?>.*?</(?P=name)\s*>",
    re.DOTALL | re.IGNORECASE,
)
_SECTION = re.compile(
    r"""^[ \t>]*(?P<marked>[#*_]{1,8})?\W{0,4}(?:\d{1,2}[.)]\ )?\W{0,4}
    (?:(?P<thought>(?:(?:my|the|internal|inner|initial|step[- ]by[- ]step)\ ){0,2}
        (?:thinking|thoughts?|reasoning|chain[- ]of[- ]thought|scratch\ ?pad|monologue|rationale)
        (?:\ (?:process|steps?|\d{1,2}))?
      |let(?:['’]s|\ us|\ me)\ (?:think|reason)[^\n.:]{0,40}
      |gedanken(?:gang)?|überlegung(?:en)?|raisonnement|réflexion|razonamiento|pensamiento|ragionamento
      |raciocínio|рассуждени[ея]|размышлени[ея]|思考(?:过程|過程|プロセス)?|推理(?:过程|過程)?|推論)
    |(?P<answer>(?P<final>(?:the\ |my\ )?final(?:\ (?:answer|response|reply|output))?)
      |(?:the\ |my\ )?(?:answer|response|reply|output)|antwort|réponse|respuesta|risposta|resposta|ответ
      |(?:最终|最終|最終的)?(?:答案|回答|回复)))
    [ \t]*(?:[*_]*[ \t]*[:：][*_]*|(?(marked)[#*_ \t]*$|(?!)))""",
    re.MULTILINE | re.IGNORECASE | re.VERBOSE,
)
"""A label at the start of a line: "### Thinking", "**Reasoning:**", "Final Answer:"."""
_SIGN = re.compile(r"[<＜◁⟨\[\]&`~:：#*]|\.\.\.|assistantfinal")
_BLANKS = re.compile(r"\s* {8}\s*")


@lru_cache(maxsize=256)
def _spans(text: str) -> tuple[Span, ...]:
    if not _SIGN.search(text):
        return ()
    marks = Marks(text)
    kept = _CutText(text, marks.found)
    kept.remove_spans(_other_turns(marks, kept))
    kept.remove_spans(_before_tags(marks, kept))
    while work := _work(marks, kept):
        kept.remove_spans([work])
    kept.remove_spans(list(_before_labels(marks, kept)))
    return tuple(kept.gone)


def reasoning_spans(text: str) -> list[Span]:
    """Spans of reasoning, tool calls, other turns and special tokens in `text`.

    They are in order, without overlap. An unclosed block extends to the end, or to the tagged answer that
    ends the text; an unopened one starts with the text. Text after the end of the model's turn is another
    turn.
    """
    return list(_spans(text))


def without_reasoning(text: str) -> str:
    """The text without its reasoning; unchanged if it has none."""
    spans = _spans(text)
    if not spans:
        return text
    starts, ends = [0, *(end for _, end in spans)], [*(start for start, _ in spans), len(text)]
    return " ".join(filter(None, (text[a:b].strip() for a, b in zip(starts, ends, strict=True))))


def blanked_reasoning(text: str) -> str:
    """The text with its reasoning replaced by spaces; all other positions stay.

    A blank line replaces the end of a block that ends or begins a line, or has several lines.
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
    """A text from `blanked_reasoning` without its inserted spaces."""
    return _BLANKS.sub(lambda blanks: "\n\n" if "\n" in blanks[0] else " ", text).strip()


class _CutText:
    """A text with spans removed."""

    def __init__(self, text: str, gone: Sequence[Span]) -> None:
        self.text = text
        self.gone: list[Span] = []
        self.remove_spans(gone)

    def remove_spans(self, spans: Sequence[Span]) -> None:
        """Add spans; those that overlap, or are separated only by spaces, are joined."""
        self.gone = joined_spans([*self.gone, *spans], lambda end, start: not self.text[end:start].strip())

    def first_letter(self, at: int = 0) -> int:
        """The first remaining letter or digit at or after `at`; the length if none."""
        for start, end in self.gone[max(0, bisect_left(self.gone, (at, at)) - 1) :]:
            if end > at:
                if found := LETTER.search(self.text, at, max(at, start)):
                    return found.start()
                at = end
        found = LETTER.search(self.text, at)
        return found.start() if found else len(self.text)


def _other_turns(marks: Marks, kept: _CutText) -> list[Span]:
    """Other turns before the answer, and everything after the end of its turn."""
    found: list[Span] = []
    first_letter, other = kept.first_letter(), -1
    for kind, (start, end) in marks.turns:
        if other >= 0 and kind != "other":
            found.append(Span(other, end))
            first_letter, other = kept.first_letter(end), -1
        elif other < 0 and first_letter < start and kind != "own":
            return [*found, Span(start, len(kept.text))]
        elif other < 0 and kind == "other":
            other = start
    return found


def _before_tags(marks: Marks, kept: _CutText) -> list[Span]:
    """The text before a tagged answer that ends the text."""
    first = next(
        ((one, end) for one, end in marks.find_tagged_answers() if kept.first_letter(one.end) < end.start),
        None,
    )
    if first is None or kept.first_letter(first[1].end) < len(kept.text):
        return []
    return [Span(0, first[0].end)]


def _work(marks: Marks, kept: _CutText) -> Span | None:
    """A leading block of reasoning, if more follows."""
    begin = kept.gone[0].end if kept.gone and kept.first_letter() > kept.gone[0].start else 0
    found = _WORKED.match(kept.text, begin)
    if (
        found is None
        or marks.code.hold(*found.span("name"))
        or kept.first_letter(found.end()) == len(kept.text)
    ):
        return None
    return Span(*found.span())


def _before_labels(marks: Marks, kept: _CutText) -> Iterator[Span]:
    """Labelled reasoning at the start, each up to the label of the answer."""
    labels = [label for label in _SECTION.finditer(kept.text) if not marks.code.hold(*label.span())]
    with_final = any(label["final"] for label in labels)
    opened, begun = -1, False
    for label in labels:
        if label["thought"] and opened < 0 and (begun or kept.first_letter() >= label.start()):
            opened, begun = label.start(), True
        elif label["answer"] and opened >= 0 and (label["final"] or not with_final):
            if kept.first_letter(label.end()) < len(kept.text):
                yield Span(opened, label.end())
            opened = -1
