"""Parts of sentences to ask a model about, and the statements read from its reply."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factreasoner import prompts
from factreasoner.atoms import checks
from factreasoner.atoms.plain_text import without_citations
from factreasoner.atoms.statements import Statement, statements
from factreasoner.llm.ask import NoResult
from factreasoner.models import Record
from factreasoner.models.messages import Reply
from factreasoner.text.parsing import NOMINAL_SUBJECTS, Parse, Parser
from factreasoner.text.passages import Locator
from factreasoner.text.sentences import Span

_WORDS = re.compile(r"\W*(?P<number>\d{1,9})[\]:.)]+\s+(?P<rest>.+)", re.DOTALL)
_ARROW = "=>"
_BORDER = re.compile(
    r"(?P<quoted>[\"“][^\"“”\n]{1,300}[\"”]|\([^()\n]{1,200}\)|\d[.,]\d|[A-Z][a-z]+ \d{1,2}, \d{4})"
    r"|[,;:]\s+(?P<link>(?:and|but|or|so|nor|yet|which|who|whose|where|while|whereas)\s+)?"
    r"|\s(?=(?:but|because|although|whereas|while|which|who)\s)"
)
_FEWEST_WORDS = 4
_OPENING_WORDS = 9
"""Maximum words of an opening that stays with the words after its comma: "In the EU, ..."."""
_LETTERS = re.compile(r"[^\W\d_]+")
_SAYING = ("VERB", "ADJ", "ADV")
_LEAST_WORDS, _LEAST_KNOWN = 0.75, 0.5
"""Minimum share of a sentence's words in its facts and, without a parse, of a fact's words in it."""
_RELATIVE = ("WDT", "WP", "WP$")


def cut(sentence: str) -> list[str]:
    """Parts of a sentence, in order; joined by spaces they are the sentence.

    Each has at least four words; a list of short items stays together.
    """
    parts: list[str] = []
    start, listed = 0, False
    borders = [found for found in _BORDER.finditer(sentence) if not found["quoted"]]
    for number, found in enumerate(borders):
        at = found.start("link") if found["link"] else found.end()
        end = borders[number + 1].start() if number + 1 < len(borders) else len(sentence)
        before, after = len(sentence[start:at].split()), len(sentence[at:end].split())
        opens = not parts and not found["link"] and found[0].startswith(",") and before <= _OPENING_WORDS
        short = min(before, after) < _FEWEST_WORDS
        item = found[0].startswith(",") and after < _FEWEST_WORDS
        if short or opens or (listed and (found["link"] or "").strip() in ("and", "or")):
            listed = item
            continue
        parts.append(sentence[start:at].strip())
        start, listed = at, False
    return [*parts, sentence[start:].strip()]


def parts(response: str, sentences: Sequence[Span]) -> list[tuple[Span, str]]:
    """The parts of sentences, each on one line, with its sentence."""
    return [
        (sentence, part)
        for sentence in sentences
        for part in cut(" ".join(response[sentence.start : sentence.end].split()))
    ]


class ReplyReader:
    """Reads replies about sentences; `stated` are the statements that replace a refused reply.

    A sentence is retried once if a fact has a number or name that response, question and topic lack. Its
    facts are used if they outnumber its parsed statements or name what those only refer to, and add and omit
    nothing; else the statements.
    """

    def __init__(self, record: Record, stated: Sequence[Statement], parser: Parser | None) -> None:
        self._response = record.response
        self._stated = stated
        self._parser = parser
        self._material = checks.Material(record.response, record.prompt, record.topic or "")
        self._refused: set[Span] = set()

    def read(self, reply: Reply, sentences: Sequence[Span]) -> list[list[Statement] | NoResult]:
        """The statements of each sentence, or the reason to retry it."""
        wording = reply.arguments.get("statements")
        if not isinstance(wording, list):
            return [NoResult("'statements' is not a list")] * len(sentences)
        found: dict[Span, list[Statement]] = {sentence: [] for sentence in sentences}
        problems: dict[Span, str] = {}
        for sentence, fact in self._facts(wording, sentences):
            if added := ", ".join(self._material.strangers(fact.text)):
                problems.setdefault(sentence, f"{added} is neither in the text nor in the question")
            else:
                found[sentence].append(fact)
        return [self._concluded(sentence, found[sentence], problems.get(sentence)) for sentence in sentences]

    def _facts(
        self, wording: Sequence[object], sentences: Sequence[Span]
    ) -> Iterator[tuple[Span, Statement]]:
        """Each fact with its sentence, matched by part, else by number, else by words."""
        asked = parts(self._response, sentences)
        locator = Locator(self._response, Span(sentences[0].start, sentences[-1].end), sentences)
        after, sentence = sentences[0].start, sentences[0]
        for item in wording:
            if not isinstance(item, str):
                continue
            numbered = _WORDS.fullmatch(item.strip())
            known = numbered is not None and 1 <= int(numbered["number"]) <= len(asked)
            part = asked[int(numbered["number"]) - 1] if numbered and known else None
            echo, fact = _parted(numbered["rest"] if numbered and part else item, part[1] if part else "")
            text = prompts.requoted(without_citations(" ".join(fact.split())), self._response)
            if not text.strip():
                continue
            span = locator.find(echo, after) if echo.strip() else None
            if span is None and part:
                sentence, words_there = part
                span = locator.find(words_there, max(after, sentence.start))
            span = span or locator.find(text, after)
            if span:
                sentence = next((s for s in sentences if s.start <= span.start < s.end), sentence)
                after = span.start
            yield sentence, Statement(text, span)

    def _concluded(
        self, sentence: Span, found: list[Statement], problem: str | None
    ) -> list[Statement] | NoResult:
        """The facts of a sentence, or its own statements if the facts differ in content."""
        if problem is not None and sentence not in self._refused:
            self._refused.add(sentence)
            return NoResult(problem)
        stated = [s for s in self._stated if s.span and sentence.start <= s.span.start < sentence.end]
        pieces = _distinct([piece for fact in found for piece in self._split(fact)])
        if not stated:
            text = self._response[sentence.start : sentence.end]
            left = [piece for piece in pieces if not self._material.is_unrelated(text, piece.text)]
            return NoResult(problem, final=True) if problem and not left else left
        leaning = self._parser is None or (_any_vague(stated) and not _any_vague(pieces))
        better = len(pieces) > len(stated) or (len(pieces) == len(stated) and leaning)
        return pieces if better and not problem and not self._differs(sentence, pieces) else stated

    def _parse(self, text: str) -> Parse | None:
        return self._parser.parse([text])[0] if self._parser else None

    def _differs(self, sentence: Span, facts: Sequence[Statement]) -> bool:
        """Whether facts add to their sentence, or omit some of it."""
        text = self._response[sentence.start : sentence.end]
        material = checks.Material(*(fact.text for fact in facts))
        if material.strangers(text) or material.share(text) < _LEAST_WORDS:
            return True
        if any(checks.negates(fact.text) != checks.negates(text) for fact in facts):
            return True
        if checks.quantifiers(" ".join(fact.text for fact in facts)) != checks.quantifiers(text):
            return True
        whole = self._parse(text)
        return any(
            checks.mistakes_gender(text, fact.text)
            or self._material.is_unrelated(text, fact.text)
            or self._strays(text, fact.text)
            or self._turns(whole, sentence, fact)
            for fact in facts
        )

    def _strays(self, text: str, fact: str) -> bool:
        """Whether a fact has a verb or adjective that `text` lacks; names and nouns may be new."""
        if self._material.share(fact) < 1:
            return True
        parse = self._parse(fact)
        if parse is None:
            return checks.Material(text).share(fact) < _LEAST_KNOWN
        there = set(_LETTERS.findall(text.casefold()))
        if any(word.tag == "MD" and word.lower not in there for word in parse.words):
            return True
        verbs = [word.text for word in parse.words if word.pos in _SAYING and word.text == word.lower]
        return checks.Material(text).share(" ".join(verbs)) < 1

    def _turns(self, whole: Parse | None, sentence: Span, fact: Statement) -> bool:
        """Whether a fact moves a relative clause to another noun."""
        parse = self._parse(fact.text)
        if whole is None or parse is None or fact.span is None:
            return False
        at = fact.span.start - sentence.start
        pronoun = next((w for w in whole.words if w.start == at and w.tag in _RELATIVE), None)
        clause = pronoun and next((word for word in pronoun.above() if word.dep == "relcl"), None)
        if clause is None:
            return False
        subject = parse.root.dependent(*NOMINAL_SUBJECTS)
        named = {word.lemma.lower() for word in subject.subtree()} if subject else set()
        return clause.head.lemma.lower() not in named

    def _split(self, fact: Statement) -> list[Statement]:
        """The parsed statements of a fact, unless one would not stand alone."""
        pieces = statements(fact.text, self._parser) if self._parser else []
        if len(pieces) < 2 or (_any_vague(pieces) and not checks.is_vague(fact.text)):
            return [fact]
        return [Statement(piece.text, fact.span) for piece in pieces]


def _parted(wording: str, part: str) -> tuple[str, str]:
    """The repeated part and the fact after its arrow; arrows of the part itself are kept.

    Without enough arrows, all of it is the fact.
    """
    pieces = wording.split(_ARROW)
    own = part.count(_ARROW) + 1 if pieces[0].strip() else 1
    return (_ARROW.join(pieces[:own]), _ARROW.join(pieces[own:])) if len(pieces) > own else ("", wording)


def _any_vague(found: Sequence[Statement]) -> bool:
    return any(checks.is_vague(statement.text) for statement in found)


def _distinct(facts: Sequence[Statement]) -> list[Statement]:
    """The facts that no other fact contains."""
    kept: list[Statement] = []
    for fact in sorted(facts, key=lambda fact: len(fact.text), reverse=True):
        if not any(fact.text.rstrip(".").casefold() in other.text.casefold() for other in kept):
            kept.append(fact)
    return [fact for fact in facts if fact in kept]
