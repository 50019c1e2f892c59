"""Detect sentences that decline to answer, in many languages. The grammar is in `abstentions.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from importlib import resources
from typing import NamedTuple

_SHAPES = (
    "{source}{gap}~{not_say}",
    "{no_source}{gap}~(?:{say}|{seen})",
    "{label}(?P<one>{gap})~{not_said}{gap}~{in_source}",
    "(?P<two>{gap})~{in_source},?(?P<three>{gap})~{not_said}",
    "{in_source},?{gap}~{no_info}",
    "{no_info}(?:{gap}~{in_source}|{gap}~{seen}{end}|{end})",
    "{asked}~ ?{not_said}",
    "{pronoun}~ ?{not_said}(?:{gap}~{in_source}|{end})",
    "{label}{not_said}{end}",
    "(?:\\w{1,4} )?{info}{gap}~(?:{lacking}|{not_said}){end}",
    "(?:(?:{pronoun}|{in_source}) )?{lacking} (?:\\w{1,4} )?{info}",
    "{gap}~{unsaid}{end}",
    "{declining}",
)
_GAP = r"(?:(?!{border}(?:{apart}){border})[^.,;:!?—–。，、；：！？।،؛]){0,60}?"
_SHARED = {"end": r"(?: {about})?\W*$", "label": r"(?:[^.,;:。，、：]{1,40}[:：] ?)?"}
_LEAD = (
    r"(?:(?:{lead}(?!\w)|{preface})[ ,:;，、。—–-]*"
    r"(?:(?:but|that|and|mais|pero|ma|aber|maar|но|但是?|que) )?)*"
)
_NEVER = r"(?!)"
_NAME = re.compile(r"\{([a-z_]+)\}")
_UNSPACED = ("chinese", "japanese", "korean", "arabic", "hindi", "turkish")
_CONTRACTED = (
    (re.compile(r"\bcan(?:['’]t| not)\b", re.IGNORECASE), "cannot"),
    (re.compile(r"n['’]t\b", re.IGNORECASE), " not"),
    (re.compile(r"(?<=\w)['’]m\b", re.IGNORECASE), " am"),
    (re.compile(r"(?<=\w)['’]re\b", re.IGNORECASE), " are"),
    (re.compile(r"(?<=\w)['’]ve\b", re.IGNORECASE), " have"),
    (re.compile(r"\b(there|it|that|this|what)['’]s\b", re.IGNORECASE), r"\1 is"),
)
_TURN = (
    r"(?P<mark>[:：—–()（）…]|\.\.+| -+ )|,? ?~(?P<reason>{reason})~|(?P<turn>[;；؛]|[,、，،]? ?~(?:{turn})~)"
    r"|(?P<comma>(?<!\d),|[，、،]|,(?!\d))|(?P<joint> ~(?:{joint})~ )"
)
"""Where a clause ends and an aside, a reason, a list item or another clause follows."""
_VISIBLE = re.compile(r"\w")
_TELLING = re.compile(r"\d")
_NUMBER = re.compile(r"\W*(?:\d{1,2}|(?:19|20)\d\d)\W*")
_NAMED = re.compile(r"(?!\W*[A-Z]{2,6}\W*\Z).*\b[^\W\d_a-zß-ÿа-яё]\w")
_FEW_WORDS = 3
_ASIDE = re.compile(r"[(（]([^()（）]*)[)）]")


_SHAPES_OF = {
    "needs": "{needs}",
    "declining": f"(?P<lead>{_LEAD})(?:{'|'.join(_SHAPES)})",
    "elsewhere": "{elsewhere}",
    "preface": "{preface}",
    "aside": f"{_LEAD}(?:{{aside}}|{{end}})",
    "topic": "{topic}|{source}|{info}|{asked}",
    "turn": _TURN,
    "asking": r"\W*(?P<last>~{joint}~ ?)?~{asking}~",
    "relative": r"\W*(?:(?!{asking}~)\w+ )?~{relative}~",
    "joint": r" ~{joint}~ ",
    "scope": r"~(?:{relative}|{asking})~",
    "finite": "~{finite}~",
}
"""Templates that the patterns of a language are filled into."""


class _Clause(NamedTuple):
    """The clause after a turn of a sentence; `kind` is the group of the turn."""

    kind: str
    text: str


class _Grammar:
    """Patterns of one language for declining and for facts, compiled on first use."""

    def __init__(self, language: str, lines: Mapping[str, str]) -> None:
        self._border = "" if language in _UNSPACED else r"\b"
        self._parts = {name: f"(?:{'|'.join(text.strip().splitlines())})" for name, text in lines.items()}
        self._parts |= _SHARED | {"gap": _GAP.replace("{border}", self._border)}
        self._patterns: dict[str, re.Pattern[str]] = {}

    def _filled(self, shape: str) -> re.Pattern[str]:
        while _NAME.search(shape):
            shape = _NAME.sub(lambda name: self._parts.get(name[1], _NEVER), shape)
        return re.compile(shape.replace("~", self._border).replace("'", "['’]"), re.IGNORECASE)

    def _of(self, name: str) -> re.Pattern[str]:
        """The pattern of that name."""
        if name not in self._patterns:
            self._patterns[name] = self._filled(_SHAPES_OF[name])
        return self._patterns[name]

    def declining(self, text: str, is_remark: Callable[[str], bool]) -> bool:
        """Whether `text` only says that there is no answer."""
        asides, words = _without_asides(text)
        found = self._declined(words)
        if found is None or self._informs_before(found):
            return False
        return not self._informs([*asides, *self._clauses(words, found.end())], is_remark)

    def is_aside(self, text: str) -> bool:
        """Whether `text` only apologises, says what the sources cover instead, or asks for more."""
        found = self._of("aside").match(text)
        return found is not None and not self._informs([*self._clauses(text, found.end())], lambda _: False)

    def _declined(self, text: str) -> re.Match[str] | None:
        """The words that decline, unless they concern a document, place or time in the world."""
        found = self._of("declining").match(text) if self._of("needs").search(text) else None
        return (
            None
            if found is None or any(self._of("elsewhere").match(text, at) for at in (0, found.end("lead")))
            else found
        )

    def _informs_before(self, found: re.Match[str]) -> bool:
        """Whether a fact comes before the words that decline, or in a clause joined with them."""
        stated = (words[0] for words in self._of("preface").finditer(found["lead"]))
        if any(self._of("finite").search(words) and not self._of("topic").search(words) for words in stated):
            return True
        joined = (found[name] or "" for name in ("one", "two", "three"))
        return any(self._of("joint").search(words) and self._of("finite").search(words) for words in joined)

    def _clauses(self, text: str, start: int) -> Iterator[_Clause]:
        turns = list(self._of("turn").finditer(text, start))
        for turn, following in zip(turns, [*turns[1:], None], strict=False):
            part = text[turn.end() : following.start() if following else len(text)]
            yield _Clause(str(turn.lastgroup), part.strip())

    def _informs(self, clauses: Sequence[_Clause], is_remark: Callable[[str], bool]) -> bool:
        """Whether one of the clauses states something that is not part of the question."""
        is_list = any(
            found["last"] or clause.kind == "joint"
            for clause in clauses
            if (found := self._of("asking").match(clause.text))
        )
        return any(
            _VISIBLE.search(clause.text)
            and not (
                self._declined(clause.text) or self._of("aside").match(clause.text) or is_remark(clause.text)
            )
            and self._is_fact(clause, is_list)
            for clause in clauses
        )

    def _is_fact(self, clause: _Clause, is_list: bool) -> bool:
        """Whether a clause has its own verb, number or name; `is_list`: it is a list of questions."""
        kind, text = clause
        concerns = self._of("topic").search(text) is not None
        informs = _TELLING.search(text) is not None
        if kind == "turn":
            return True
        if kind == "reason":
            return informs or not concerns
        if self._of("relative").match(text) and not is_list:
            return True
        if self._of("asking").match(text) or _NUMBER.fullmatch(text):
            return False
        own = text if kind == "mark" else self._of("scope").split(text)[0]
        finite = self._of("finite").search(own)
        if kind == "joint":
            return finite is not None and finite.start() > 0
        beside = kind == "mark" and (_NAMED.match(text) is not None or len(text.split()) > _FEW_WORDS)
        return finite is not None or (not concerns and (informs or beside))


@lru_cache(maxsize=1)
def _grammars() -> list[_Grammar]:
    lines = (resources.files(__package__) / "abstentions.toml").read_text(encoding="utf-8")
    return [_Grammar(language, parts) for language, parts in tomllib.loads(lines).items()]


def is_declining(text: str, is_remark: Callable[[str], bool]) -> bool:
    """Whether a sentence only says that its speaker or the sources have no answer.

    `is_remark` recognises clauses that may accompany it.
    """
    text = _spelled_out(text)
    return any(grammar.declining(text, is_remark) for grammar in _grammars())


def is_aside(text: str) -> bool:
    """Whether a sentence only apologises, says what the sources cover instead, or asks for more."""
    text = _spelled_out(text)
    return any(grammar.is_aside(text) for grammar in _grammars())


def _spelled_out(text: str) -> str:
    for pattern, spelled in _CONTRACTED:
        text = pattern.sub(spelled, text)
    return text


def _without_asides(text: str) -> tuple[list[_Clause], str]:
    """The text in parentheses, and the rest."""
    asides = [_Clause("mark", aside[1].strip()) for aside in _ASIDE.finditer(text)]
    return asides, " ".join(_ASIDE.sub(" ", text).split()).replace(" .", ".")
