"""The judge that asks a verifier: a model made to decide whether a passage supports a claim."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from factreasoner.judges import unjudged
from factreasoner.judges.encoder.adapter import adapter_of
from factreasoner.judges.encoder.chunks import Cutter
from factreasoner.judges.encoder.runtime import Array, Unscored, runtime_of
from factreasoner.llm.cache import ReplyCache, key_of
from factreasoner.models import Claim, Label, Premise, Verdict
from factreasoner.models.verdicts import LABEL_OF_VALUE
from factreasoner.protocols import LLM, Judged
from factreasoner.settings import Config
from factreasoner.text.sentences import Span, sentences

REMEMBERED = 65_536
"""Decisions kept in memory, so that no pair is scored twice in a run."""
DIGITS = 6
"""Digits of a probability; further ones depend on which pairs share a batch."""


class Decision(NamedTuple):
    """What a verifier says of a claim, the probability of that, and the chunk that decides it.

    `entailed` and `contradicted` are P of the two, each at its own chunk.
    """

    label: Label
    probability: float
    span: Span
    entailed: float
    contradicted: float


class VerifierJudge:
    """Judges claims by a verifier, here or on a server; see the settings `verifier` and `verifier_*`.

    A passage is cut as the verifier's adapter says, and what is still too long for the model is read in
    windows. Nothing is truncated: a claim that leaves the passage too little room is a failure. The chunk
    that decides is the quote. A verdict depends on passage and claim alone. A verifier that says only
    "supported" or "not" never contradicts: what it does not support is neutral.

    Raises:
        ConfigError: the verifier is unknown, or its model is missing or unusable; with the remedy.
        MissingExtraError: it runs here, and the packages for that are not installed.
    """

    pairwise = True
    """A verdict depends on its passage and claim alone."""

    def __init__(
        self, config: Config | None = None, cache: ReplyCache | None = None, llm: LLM | None = None
    ) -> None:
        config = config or Config()
        self.adapter = adapter_of(config.verifier)
        self.runtime = runtime_of(self.adapter, config, llm)
        self._cutter = Cutter(self.adapter, self.runtime)
        self._cache = cache
        self._decisions: OrderedDict[str, Decision] = OrderedDict()

    @staticmethod
    def fingerprint(config: Config) -> str:
        """Short digest of the adapter and the model's files. Raises ConfigError where they are missing."""
        adapter = adapter_of(config.verifier)
        if config.verifier_url is not None or adapter.head == "word":
            return adapter.digest
        from factreasoner.judges.encoder.files import model_files

        content = f"{adapter.digest} {model_files(config, adapter.export).identity.digest}"
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim, in order."""
        model = (self.adapter.digest, self.runtime.identity, self.runtime.labels, self.runtime.longest)
        keys = {c.id: key_of(("verifier", model, premise.text, c.text)) for c in claims}
        found: dict[str, Decision | Unscored] = dict(self._known(set(keys.values())))
        found |= self._read(premise.text, {keys[c.id]: c.text for c in claims if keys[c.id] not in found})
        said = [(claim, found[keys[claim.id]]) for claim in claims]
        three = "contradiction" in self.runtime.labels
        return Judged(
            tuple(_verdict(premise, c, one, three=three) for c, one in said if isinstance(one, Decision)),
            tuple(unjudged(premise.id, c.id, *one) for c, one in said if isinstance(one, Unscored)),
        )

    def _read(self, passage: str, claims: Mapping[str, str]) -> dict[str, Decision | Unscored]:
        """What the verifier says of each claim, by its key."""
        parts = {key: self._parts(claim) for key, claim in claims.items()}
        cut = {key: self._cutter.cut(passage, parts[key]) for key in claims}
        asked = {
            key: [[self.adapter.texts(chunk.text, part) for chunk in cut[key]] for part in parts[key]]
            for key in claims
        }
        every = list(dict.fromkeys(texts for rows in asked.values() for row in rows for texts in row))
        scores = dict(zip(every, self.runtime.scores(every), strict=True))
        found: dict[str, Decision | Unscored] = {}
        for key in claims:
            spans = [chunk.span for chunk in cut[key]]
            rows = [[scores[texts] for texts in row] for row in asked[key]]
            scored = [[one for one in row if not isinstance(one, Unscored)] for row in rows]
            wrong = next((one for row in rows for one in row if isinstance(one, Unscored)), None)
            if not spans:
                wrong = self._too_long()
            found[key] = wrong or decided(
                scored, self.runtime.labels, spans, threshold=self.adapter.threshold
            )
        self._keep({key: one for key, one in found.items() if isinstance(one, Decision)})
        return found

    def _parts(self, claim: str) -> list[str]:
        """What is scored of a claim: the whole, or its sentences."""
        if self.adapter.aggregate == "max":
            return [claim]
        return [claim[span.start : span.end] for span in sentences(claim)] or [claim]

    def _too_long(self) -> Unscored:
        return Unscored(
            "ClaimTooLong",
            f"the claim is too long for {self.runtime.longest} tokens; shorten it (a context judged against "
            "others: --premise-tokens), or use another model",
        )

    def _known(self, keys: set[str]) -> dict[str, Decision]:
        """What memory and cache have."""
        found = {key: one for key in keys if (one := self._decisions.get(key)) is not None}
        if self._cache is not None:
            for key in keys - found.keys():
                if (note := self._cache.noted(key)) is not None:
                    label, probability, span, *both = json.loads(note)
                    found[key] = Decision(label, probability, Span(*span), *both)
        return found

    def _keep(self, decisions: Mapping[str, Decision]) -> None:
        self._decisions.update(decisions)
        while len(self._decisions) > REMEMBERED:
            self._decisions.popitem(last=False)
        if self._cache is not None and decisions:
            self._cache.note_all({key: json.dumps(found) for key, found in decisions.items()})


def decided(
    scores: Sequence[Sequence[Array]], labels: Sequence[Label], spans: Sequence[Span], *, threshold: float
) -> Decision:
    """What a verifier says of one claim.

    `scores` hold, for each part of the claim (the whole, or its sentences) and each chunk, P(label) of shape
    (tokens, labels); one token where the head reads the text as a whole. A token is as well supported as by
    its best chunk, a part as its worst token, and the claim as the mean of its parts. It is contradicted as
    surely as any part is by any chunk. Where both are above `threshold` the larger one decides, at a tie
    contradiction; where neither is, the claim is neutral.
    """

    def of(name: Label) -> list[Array]:
        own = [n for n, label in enumerate(labels) if label == name]
        return [np.stack([rows[:, own].sum(axis=1) for rows in part]) for part in scores]

    support, against = of("entailment"), of("contradiction")
    best = int(np.mean([part.min(axis=1) for part in support], axis=0).argmax())
    worst = np.max([part.max(axis=1) for part in against], axis=0)
    p, q = _rounded(np.mean([part.max(axis=0).min() for part in support])), _rounded(worst.max())
    if q > threshold and q >= p:
        return Decision("contradiction", q, spans[int(worst.argmax())], p, q)
    if p > threshold:
        return Decision("entailment", p, spans[best], p, q)
    return Decision("neutral", _rounded(1.0 - p - q), spans[best], p, q)


def _rounded(value: float | np.floating) -> float:
    return min(1.0, max(0.0, round(float(value), DIGITS)))


def _verdict(premise: Premise, claim: Claim, found: Decision, *, three: bool) -> Verdict:
    """The verdict; from a verifier with all `three` labels, with P of each, scaled to add up to 1."""
    quoted = found.label != "neutral"
    p = {"entailment": found.entailed, "contradiction": found.contradicted}
    p["neutral"] = max(0.0, 1.0 - sum(p.values()))
    return Verdict(
        context_id=premise.id,
        target_id=claim.id,
        label=found.label,
        probability=found.probability,
        quote=premise.text[found.span.start : found.span.end] if quoted else None,
        confidence="model",
        citation="found" if quoted else None,
        label_probabilities={v: p[label] / sum(p.values()) for v, label in LABEL_OF_VALUE.items()}
        if three
        else {},
    )
