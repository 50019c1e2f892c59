"""What a language model is asked about: runs of sentences that fit one reply, cut into their clauses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from factreasoner.atoms.nonclaims import is_abstention
from factreasoner.llm.usage import estimate_tokens
from factreasoner.models import Record
from factreasoner.text.sentences import Span, sentences

_OUTPUT_PER_TOKEN = 6
"""Answer tokens for a token of the text: statements repeat subjects and quote their sources."""
_OUTPUT_SHARE = 0.8
_BORDER = re.compile(
    r"(?P<quoted>[\"“][^\"“”\n]{1,300}[\"”]|\([^()\n]{1,200}\)|\d[.,]\d|[A-Z][a-z]+ \d{1,2}, \d{4})"
    r"|[,;:]\s+(?P<link>(?:and|but|or|so|nor|yet|which|who|whose|where|while|whereas)\s+)?"
    r"|\s(?=(?:but|because|although|whereas|while|which|who)\s)"
)
_FEWEST_WORDS = 4
_OPENING_WORDS = 9
"""Most words of an opening that stays with what follows its comma: "In the European Union, ..."."""


def chunks(response: str, max_tokens: int) -> list[list[Span]]:
    """Runs of sentences whose statements fit `max_tokens`; none of a response that declines to answer."""
    if is_abstention(response):
        return []
    limit = _OUTPUT_SHARE * max_tokens / _OUTPUT_PER_TOKEN
    found: list[list[Span]] = []
    size = 0
    for span in _fitting(response, limit):
        tokens = estimate_tokens(response[span.start : span.end])
        if not found or size + tokens > limit:
            found.append([])
            size = 0
        found[-1].append(span)
        size += tokens
    return found


def chunk_name(record: Record, sentences: Sequence[Span]) -> str:
    """How a failure names sentences in a row: by the record and their characters."""
    return f"{record.id}[{sentences[0].start}:{sentences[-1].end}]"


def _fitting(response: str, limit: float) -> Iterator[Span]:
    """Sentences; one of more than `limit` tokens (a script without stops) is cut at blanks."""
    for first, end in sentences(response):
        tokens = estimate_tokens(response[first:end])
        step = max(1, int((end - first) * limit / tokens)) if tokens > limit else end - first
        start = first
        while end - start > step:
            blank = response.rfind(" ", start + step // 2, start + step)
            cut = blank if blank > 0 else start + step
            yield Span(start, cut)
            start = cut
        yield Span(start, end)


def cut(sentence: str) -> list[str]:
    """Parts of a sentence, in order; joined by blanks they are the sentence.

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
