"""Sentences that say that there is no answer, in many languages. The grammar is in `abstentions.toml`."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cached_property, lru_cache
from importlib import resources

_SHAPES = (
    "{source}{gap}~{not_say}",
    "{no_source}{gap}~(?:{say}|{seen})",
    "{label}{gap}~{not_said}{gap}~{in_source}",
    "{gap}~{in_source},?{gap}~{not_said}",
    "{in_source},?{gap}~{no_info}",
    "{no_info}(?:{gap}~{in_source}|{end})",
    "{no_info} {seen}{end}",
    "{asked}~ ?{not_said}",
    "{pronoun}~ ?{not_said}(?:{gap}~{in_source}|{end})",
    "{label}{not_said}{end}",
    "{declining}",
)
"""The clauses that decline, in the parts that a language has."""
_GAP = r"(?:(?!{border}(?:{apart}){border})[^.,;:!?。，、；：！？।]){0,60}?"
_SHARED = {"end": r"\W*$", "label": r"(?:[^.,;:。，、：]{1,40}[:：] ?)?"}
_LEAD = r"(?:{lead}(?!\w)[ ,:;，、。—–-]*(?:(?:but|that|and|mais|pero|ma|aber|maar|но|但是?|que) )?)*"
_NEVER = r"(?!)"
_NAME = re.compile(r"\{([a-z_]+)\}")
_UNSPACED = ("chinese", "japanese", "korean", "arabic", "hindi", "turkish")
"""Languages with endings or no blanks between words."""
_REASON = (
    "because|weil|parce que|puisque|porque|ya que|perché|poiché|omdat|eftersom|ponieważ|потому что|так как"
)
_FINITE = re.compile(
    r"\b(?:is|are|was|were|has|have|had|can|will|do|does|did|says?|states?|mentions?|[a-z]{2,}ed)\b"
)
_TURN = re.compile(
    rf"[,;，]? ?\b(?P<reason>{_REASON})\b|[，,]?(?P<given>因为|因為|由于|由於)"
    r"|[,;]? \b(?:but|however|although|though|yet|jedoch|cependant|toutefois|pero|aunque|però|tuttavia|porém"
    r"|однако)[ ,]+"
    r"|, (?:aber|doch|mais|ma|mas|maar|men|ale|но|while|whereas|so|since|da|denn|car|og|och|und|et|y|e|en) "
    r"|;|[；，]|(?<=[せなず])(?:ん|い)?が、|지만,? "
    r"|(?P<joint>(?:, (?:and )?| and )(?=(?:it|he|she|they|says?|states?|mentions?)\b)"
    r"|, (?:and )?(?=(?:the|this|these|there)\b)|, (?:only|just|merely|rather)\b)",
    re.IGNORECASE,
)
"""Where a clause ends that may decline: behind it a reason, or something else."""


class _Grammar:
    """What declines in one language, and what concerns the answer. Patterns are compiled on first use."""

    def __init__(self, language: str, lines: Mapping[str, str]) -> None:
        self._border = "" if language in _UNSPACED else r"\b"
        self._parts = {name: f"(?:{'|'.join(text.strip().splitlines())})" for name, text in lines.items()}
        self._parts |= _SHARED | {"gap": _GAP.replace("{border}", self._border)}
        self._needs = self._filled("{needs}")

    def _filled(self, shape: str) -> re.Pattern[str]:
        while _NAME.search(shape):
            shape = _NAME.sub(lambda name: self._parts.get(name[1], _NEVER), shape)
        return re.compile(shape.replace("~", self._border).replace("'", "['’]"), re.IGNORECASE)

    @cached_property
    def _declining(self) -> re.Pattern[str]:
        return self._filled(f"{_LEAD}(?:{'|'.join(_SHAPES)})")

    @cached_property
    def _aside(self) -> re.Pattern[str]:
        return self._filled(f"{_LEAD}(?:{{aside}}|{{end}})")

    @cached_property
    def _topic(self) -> re.Pattern[str]:
        return self._filled("{topic}|{source}|{info}|{asked}")

    def declined(self, text: str) -> int:
        """How many characters at the beginning of `text` say that there is no answer."""
        found = self._declining.match(text) if self._needs.search(text) else None
        return found.end() if found else 0

    def is_aside(self, text: str) -> bool:
        """Whether `text` only regrets, says what else the sources are about, or asks for more."""
        return self._aside.match(text) is not None

    def concerns_answer(self, text: str) -> bool:
        """Whether `text` speaks of sources or information."""
        return self._topic.search(text) is not None


@lru_cache(maxsize=1)
def _grammars() -> list[_Grammar]:
    lines = (resources.files(__package__) / "abstentions.toml").read_text(encoding="utf-8")
    return [_Grammar(language, parts) for language, parts in tomllib.loads(lines).items()]


def is_declining(text: str, is_remark: Callable[[str], bool]) -> bool:
    """Whether a sentence says that its speaker or the sources have no answer, and states nothing else.

    `is_remark` tells what may stand behind "but" in it.
    """
    return any(_declines(grammar, text, is_remark) for grammar in _grammars())


def is_aside(text: str) -> bool:
    """Whether a sentence only regrets, says what else the sources are about, or asks for more."""
    return any(grammar.is_aside(text) for grammar in _grammars())


def _declines(grammar: _Grammar, text: str, is_remark: Callable[[str], bool]) -> bool:
    end = grammar.declined(text)
    turns = list(_TURN.finditer(text, end)) if end else []
    for turn, following in zip(turns, [*turns[1:], None], strict=False):
        part = text[turn.end() : following.start() if following else len(text)].strip()
        reason = turn["reason"] or turn["given"]
        said_of_answer = grammar.declined(part) or (reason and grammar.concerns_answer(part))
        listed = turn["joint"] and not _FINITE.search(part)
        if not (said_of_answer or listed or grammar.is_aside(part) or is_remark(part)):
            return False
    return end > 0
