"""The judge that asks a pretrained classifier of natural language inference, in ONNX form."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from factreasoner.config import Config
from factreasoner.judges.nli.classifier import NOT_RUN, Classifier, classifier_of
from factreasoner.judges.nli.files import identity, model_files
from factreasoner.judges.nli.predictions import Prediction, predicted
from factreasoner.judges.nli.windows import windows
from factreasoner.llm.cache import key_of
from factreasoner.llm.commons import ReplyCache
from factreasoner.models import Claim, Failure, Premise, Verdict
from factreasoner.protocols import Judged
from factreasoner.text.sentences import Span

__all__ = ["NLIJudge"]

STAGE = "judge"
LEAST_ROOM = 4
"""A claim must leave one part in so many of the model's tokens to the passage."""
GRAIN = 32
"""Windows leave room for claims of a multiple of so many tokens, so that most claims share them."""
MARGIN = 8
"""Tokens a stretch of a passage may have by itself beyond those it has within the passage."""


class NLIJudge:
    """Judges claims by a classifier of (premise, claim) pairs; see the settings `nli_model` and `nli_*`.

    A passage that fits into the model with the claim is judged whole, and the verdict is the label of the
    largest probability. A longer one is judged in windows of whole sentences, with overlap: the surest window
    that entails or contradicts the claim decides, and is the quote; where none does the verdict is neutral.
    Nothing is cut: a claim that leaves the passage too little room is a failure. A verdict hangs on passage
    and claim alone. A model of two labels, entailment and not, never contradicts.

    Raises:
        ConfigError: the model is not there or can't be used; with the remedy.
    """

    def __init__(self, config: Config | None = None, cache: ReplyCache | None = None) -> None:
        self.classifier: Classifier = classifier_of(config or Config())
        self._cache = cache
        self._token_starts = lru_cache(maxsize=64)(self._starts)

    @staticmethod
    def fingerprint(config: Config) -> str:
        """Short digest of the model's files. Raises ConfigError when they are not there."""
        return identity(model_files(config)).digest

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim, in order."""
        keys = {claim.id: self._key(premise.text, claim.text) for claim in claims}
        found = self._known(keys)
        read, failures = self._read(premise, [claim for claim in claims if claim.id not in found])
        self._keep({keys[claim_id]: what for claim_id, what in read.items()})
        found |= read
        verdicts = (_verdict(premise, claim, found[claim.id]) for claim in claims if claim.id in found)
        return Judged(tuple(verdicts), tuple(failures))

    def _read(self, premise: Premise, claims: Sequence[Claim]) -> tuple[dict[str, Prediction], list[Failure]]:
        """What the classifier says of each claim, by its id, and what went wrong."""
        spans = {claim.id: self._spans(premise.text, claim.text) for claim in claims}
        fitting = [claim for claim in claims if spans[claim.id]]
        longest = self.classifier.longest
        failures = [
            _failure(
                premise, claim, "ClaimTooLong", f"the claim is too long for {longest} tokens; {_SHORTER}"
            )
            for claim in claims
            if not spans[claim.id]
        ]
        pairs = [(premise.text[s.start : s.end], claim.text) for claim in fitting for s in spans[claim.id]]
        try:
            rows = self.classifier.probabilities(pairs)
        except NOT_RUN as error:
            return {}, failures + [_failure(premise, c, type(error).__name__, str(error)) for c in fitting]
        predictions: dict[str, Prediction] = {}
        for claim in fitting:
            own, rows = np.split(rows, [len(spans[claim.id])])
            if np.isfinite(own).all():
                predictions[claim.id] = predicted(own, self.classifier.labels, spans[claim.id])
            else:
                failures.append(_failure(premise, claim, "NotFinite", "the model's outputs are not numbers"))
        return predictions, failures

    def _spans(self, passage: str, claim: str) -> list[Span]:
        """The windows of a passage that a claim is judged by; none where the claim is too long."""
        starts, own = self._token_starts(passage), len(self.classifier.encode(claim))
        free = self.classifier.longest - self.classifier.special_tokens
        if len(starts) + own <= free:
            return [Span(0, len(passage))]
        room = free - MARGIN - -(-own // GRAIN) * GRAIN
        return windows(passage, starts, room) if room >= self.classifier.longest // LEAST_ROOM else []

    def _starts(self, text: str) -> list[int]:
        return [start for start, _ in self.classifier.encode(text).offsets]

    def _key(self, passage: str, claim: str) -> str:
        model = (self.classifier.identity.digest, self.classifier.labels, self.classifier.longest)
        return key_of(("nli", model, passage, claim))

    def _known(self, keys: dict[str, str]) -> dict[str, Prediction]:
        """What the cache has, by the ids of claims."""
        if self._cache is None:
            return {}
        noted = {claim_id: self._cache.noted(key) for claim_id, key in keys.items()}
        return {claim_id: _of_note(note) for claim_id, note in noted.items() if note is not None}

    def _keep(self, predictions: dict[str, Prediction]) -> None:
        if self._cache is not None and predictions:
            self._cache.note_all({key: json.dumps(found) for key, found in predictions.items()})


_SHORTER = "shorten it (a context judged against others: --premise-tokens), or use another model"


def _of_note(note: str) -> Prediction:
    label, probability, span = json.loads(note)
    return Prediction(label, probability, Span(*span))


def _verdict(premise: Premise, claim: Claim, found: Prediction) -> Verdict:
    quoted = found.label != "neutral"
    return Verdict(
        context_id=premise.id,
        target_id=claim.id,
        label=found.label,
        probability=found.probability,
        quote=premise.text[found.span.start : found.span.end] if quoted else None,
        confidence="model",
        citation="found" if quoted else None,
    )


def _failure(premise: Premise, claim: Claim, error_type: str, message: str) -> Failure:
    return Failure(
        stage=STAGE, item_id=f"{premise.id}->{claim.id}", error_type=error_type, message=message, attempts=0
    )
