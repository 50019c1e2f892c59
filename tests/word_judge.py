"""A judge by words, for tests that need some judge: small, and the same whatever the bundled one learns."""

import re

from factreasoner.judges import OTHER_LANGUAGE, unjudged
from factreasoner.models import Verdict
from factreasoner.protocols import Judged
from factreasoner.text.language import language_mismatches
from factreasoner.text.sentences import sentences

NAME = "word_judge:WordJudge"
_WORD = re.compile(r"\d+|\w{3,}")
"""Numbers, and words of three letters or more."""


class WordJudge:
    """Entails a claim if the premise has all its words; contradicts one of which it lacks numbers alone.

    The quote is the sentence that has most words of the claim. Texts in two languages are not judged.
    """

    pairwise = True

    def judge(self, premise, claims):
        why = dict(
            zip(claims, language_mismatches([claim.text for claim in claims], premise.text), strict=True)
        )
        return Judged(
            tuple(_verdict(premise, claim) for claim in claims if not why[claim]),
            tuple(unjudged(premise.id, c.id, OTHER_LANGUAGE, why[c]) for c in claims if why[c]),
        )


def _words(text):
    return set(_WORD.findall(text.casefold()))


def _verdict(premise, claim):
    wanted = _words(claim.text)
    lacking = wanted - _words(premise.text)
    label = "neutral" if lacking or not wanted else "entailment"
    if lacking and lacking < wanted and all(word.isdigit() for word in lacking):
        label = "contradiction"
    quote = None
    if label != "neutral":
        parts = [premise.text[span.start : span.end] for span in sentences(premise.text)]
        quote = max(parts, key=lambda part: len(_words(part) & wanted))
    return Verdict(
        context_id=premise.id,
        target_id=claim.id,
        label=label,
        probability=0.9,
        confidence="model",
        quote=quote,
        citation="found" if quote else None,
    )
