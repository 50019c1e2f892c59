"""Whether a response answers at all."""

from __future__ import annotations

import re

from factreasoner.atoms.nonclaims import is_abstaining, is_filler, is_question
from factreasoner.text.sentences import sentences
from factreasoner.text.tags import without_tags

LONGEST_ABSTENTION = 1200
"""Characters; a longer response is taken to say something."""

_APOLOGY = re.compile(
    r"\W*(?:i['’]?(?: a)?m (?:very |so |really )?sorry|sorry|(?:my )?apologies|i apologi[sz]e)\b", re.I
)


def is_abstention(response: str) -> bool:
    """Whether `response` is empty or, as a whole, declines to answer.

    Every sentence must decline, apologise, ask back or be a courtesy, and one of them must decline or
    apologise: an answer that only begins with a hedge and then states facts is no abstention.
    """
    if not any(character.isalnum() for character in response):
        return True
    if len(response) > LONGEST_ABSTENTION:
        return False
    response = without_tags(response)
    parts = [response[span.start : span.end] for span in sentences(response)]
    declining = [part for part in parts if is_abstaining(part) or _APOLOGY.match(part)]
    others = [part for part in parts if not is_abstaining(part)]
    return bool(declining) and all(is_filler(part) or is_question(part) for part in others)
