"""The input of the bundled network for a passage and a claim, and its decision."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from factreasoner.calls.threads import check_wanted
from factreasoner.errors import ConfigError
from factreasoner.judges import OTHER_LANGUAGE
from factreasoner.judges.encoder.adapter import Texts, harmless
from factreasoner.judges.encoder.bundled.reading import Layer, read
from factreasoner.judges.encoder.bundled.windows import MOST, Window, choose_windows
from factreasoner.judges.encoder.chunks import windows
from factreasoner.judges.encoder.decision import Decision, VerifierQuestion, rounded, too_long
from factreasoner.judges.encoder.runtime import Array, Runtime, Unscored
from factreasoner.models import Label, Premise
from factreasoner.text.language import is_foreign, language_mismatches, other_language
from factreasoner.text.sentences import Span

LABELS: tuple[Label, ...] = ("entailment", "neutral", "contradiction")
LEAST_P = 1e-12
UNREAD = (0.03, 0.96, 0.01)
"""P of the labels if no window is read: of 144 such pairs of Factcheck-Bench, 138 are neutral."""
LEAST_SURE = 0.5
"""Minimum P of a label other than neutral, since lower values would count as its opposite."""
REMEDY = (
    "the bundled judge reads English: use a model (`model=NAME`) or a multilingual verifier "
    "(docs/verifiers.md)"
)
MOST_TOKENS = 1.6
"""Maximum mean tokens per word of an English text."""
_SMALL, _PROBED = re.compile(r"(?<!\w)[^\W\d_A-Z][^\W\d_]*"), 4000
_FIGURE = re.compile(r"\d+(?:,\d{3})*(?!\d)")
_CONTRACTED, _VERBS = re.compile(r"(\w+)n['’]t\b"), {"wo": "will", "ca": "can", "sha": "shall"}
_MARGIN = 8
"""Extra tokens that part of a window may have on its own."""


class Windows:
    """Asks about the windows of a passage that share most content words with a claim.

    If no window shares enough, the claim is neutral. Only English is supported.
    """

    def __init__(self, runtime: Runtime, layer: Layer) -> None:
        if runtime.labels != LABELS:
            raise ConfigError(f"verifier: the bundled judge's outputs are {', '.join(LABELS)}, in this order")
        self._runtime, self._layer = runtime, layer

    def question(self, premise: Premise, claim: str) -> VerifierQuestion | Unscored:
        """The question, or why the claim can't be judged against the premise."""
        check_wanted()
        if reason := unreadable_reason(premise.text, claim, self._runtime.starts):
            return Unscored(OTHER_LANGUAGE, reason)
        found, asked = list[Window](), harmless(spelled_like(claim, premise.text))
        for window in choose_windows(premise.text, claim, premise.title):
            parts = self._fitting(premise, window, asked)
            if isinstance(parts, Unscored):
                return parts
            found += parts
        del found[MOST:]  # parts of one window are many where a text has no blanks
        texts = tuple(Texts(harmless(window.text), asked) for window in found)
        return VerifierQuestion(
            texts, partial(self._decided, f"{premise.title}\n{premise.text}", claim, found)
        )

    def _fitting(self, premise: Premise, window: Window, claim: str) -> list[Window] | Unscored:
        """The window, or parts of it if it has too many tokens for the network."""
        longest = self._runtime.longest
        text = harmless(window.text)
        if len(text) + len(claim) < longest or self._runtime.taken(Texts(text, claim)) <= longest:
            return [window]
        room = longest - self._runtime.taken(Texts("", claim)) - _MARGIN
        if room < longest // 4:
            return too_long(longest)
        text = premise.text[window.span.start : window.span.end]
        spans = windows(text, self._runtime.starts(text), room)
        start = window.span.start
        return [
            window._replace(span=Span(start + low, start + high), text=text[low:high]) for low, high in spans
        ]

    def _decided(
        self, passage: str, claim: str, windows: Sequence[Window], scores: Sequence[Array]
    ) -> Decision:
        if not windows:
            e, n, c = UNREAD
            return Decision("neutral", n, Span(0, 0), e, c)
        logits = np.log(np.clip(np.concatenate(scores), LEAST_P, 1.0))
        reading = read(claim, passage, windows, logits)
        p = self._layer.probabilities(reading)
        e, c = rounded(p[0]), rounded(p[2])
        known = dict(zip(LABELS, (e, rounded(1.0 - e - c), c), strict=True))
        best = max(LABELS, key=lambda label: known[label])
        label: Label = best if known[best] > LEAST_SURE else "neutral"
        window = reading.contradicts if label == "contradiction" else reading.supports
        return Decision(label, known[label], window.span, e, c)


def spelled_like(claim: str, text: str) -> str:
    """The claim with numbers spelled as in the text (5690 or 5,690), and "not" for "n't".

    The network takes other spellings for other numbers. With a contraction, it finds less: rewriting "not" in
    210 claims of the labelled sets lowers the errors found from .63 to .54.
    """
    figures = {figure.replace(",", ""): figure for figure in _FIGURE.findall(text)}
    claim = _FIGURE.sub(lambda found: figures.get(found[0].replace(",", ""), found[0]), claim)
    return _CONTRACTED.sub(lambda found: f"{_VERBS.get(found[1].lower(), found[1])} not", claim)


def unreadable_reason(passage: str, claim: str, starts: Callable[[str], Sequence[int]]) -> str:
    """Why the network can't read a claim with a passage, and the fix; "" if it can.

    `starts` gives the tokens of a text. English words are few tokens each: at most 1.49 on average in 30,000
    English pairs (except one web page of language names), and 1.64 or more in a sentence of each of nine
    languages whose function words are not known.
    """
    (apart,) = language_mismatches([claim], passage)
    if apart:
        return f"{apart}; {REMEDY}"
    both = f"{claim}\n{passage}"
    found = other_language(claim) or other_language(both)
    if not found and is_foreign(both):
        words = _SMALL.findall(both[:_PROBED])
        found = "another language" if len(starts(" ".join(words))) > MOST_TOKENS * len(words) else ""
    return f"claim or context in {found}; {REMEDY}" if found else ""
