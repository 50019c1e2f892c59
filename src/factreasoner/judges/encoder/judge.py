"""The judge that asks a verifier: a model made to tell whether a passage supports a claim."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.adapter import Adapter, Texts, adapter_of
from factreasoner.judges.encoder.chunks import Chunk, chunks
from factreasoner.judges.encoder.decisions import Decision, decided
from factreasoner.judges.encoder.runtime import Array, Runtime, Unscored
from factreasoner.judges.encoder.windows import windows
from factreasoner.llm.cache import ReplyCache, key_of
from factreasoner.models import Claim, Failure, Premise, Verdict
from factreasoner.models.verdicts import LABEL_OF_VALUE
from factreasoner.plugins.table import extras_named
from factreasoner.protocols import LLM, Judged
from factreasoner.settings import Config
from factreasoner.text.sentences import Span, sentences

STAGE = "judge"
LEAST_ROOM = 4
"""A claim must leave one part in so many of the model's tokens to the passage."""
GRAIN = 32
"""Windows leave room for claims of a multiple of so many tokens, so that most claims share them."""
MARGIN = 8
"""Tokens a stretch of a passage may have by itself beyond those it has within the passage."""
REMEMBERED = 65_536
"""Texts whose scores are kept in memory, so that none is scored twice in a run."""


class Work(NamedTuple):
    """What is scored for one claim: each of its parts with each chunk of the passage."""

    parts: tuple[str, ...]
    chunks: tuple[Chunk, ...]


class VerifierJudge:
    """Judges claims by a verifier, here or on a server; see the settings `verifier` and `verifier_*`.

    A passage is cut as the verifier's adapter says, and a chunk that is still too long for the model in
    windows of whole sentences, with overlap. Nothing is lost: a claim that leaves the passage too little room
    is a failure. The chunk that decides is the quote. A verdict hangs on passage and claim alone. A verifier
    whose outputs are "supported" and "not" never contradicts: what it does not support is neutral.

    Raises:
        ConfigError: the verifier is not known, its model not there, or not usable; with the remedy.
        MissingExtraError: it runs here, and the packages for that are not installed.
    """

    pairwise = True
    """A verdict depends on its passage and claim alone."""

    def __init__(
        self, config: Config | None = None, cache: ReplyCache | None = None, llm: LLM | None = None
    ) -> None:
        config = config or Config()
        self.adapter = adapter_of(_named(config))
        self.runtime: Runtime = runtime_of(self.adapter, config, llm)
        self._cache = cache
        self._remembered: OrderedDict[bytes, Array] = OrderedDict()
        self._own_tokens = self.runtime.taken(self.adapter.texts("", ""))
        self._starts = lru_cache(maxsize=64)(self.runtime.starts)
        self._chunks = lru_cache(maxsize=64)(self._cut)

    @staticmethod
    def fingerprint(config: Config) -> str:
        """Short digest of the adapter and the model's files. Raises ConfigError where they are missing."""
        adapter = adapter_of(_named(config))
        if config.verifier_url is not None or adapter.head == "word":
            return adapter.digest
        from factreasoner.judges.encoder.files import identity, model_files

        return hashlib.sha256(
            f"{adapter.digest} {identity(model_files(config, adapter.export)).digest}".encode()
        ).hexdigest()[:16]

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim, in order."""
        keys = {claim.id: self._key(premise.text, claim.text) for claim in claims}
        found = self._known(keys)
        read, failures = self._read(premise, [claim for claim in claims if claim.id not in found])
        self._keep({keys[claim_id]: what for claim_id, what in read.items()})
        found |= read
        three = "contradiction" in self.runtime.labels
        verdicts = (_verdict(premise, c, found[c.id], three=three) for c in claims if c.id in found)
        return Judged(tuple(verdicts), tuple(failures))

    def _read(self, premise: Premise, claims: Sequence[Claim]) -> tuple[dict[str, Decision], list[Failure]]:
        """What the verifier says of each claim, by its id, and what went wrong."""
        work = {claim.id: self._work(premise.text, claim.text) for claim in claims}
        failures = [self._too_long(premise, claim) for claim in claims if not work[claim.id].chunks]
        fitting = [claim for claim in claims if work[claim.id].chunks]
        asked = {
            claim.id: [
                [self.adapter.texts(chunk.text, part) for chunk in work[claim.id].chunks]
                for part in work[claim.id].parts
            ]
            for claim in fitting
        }
        scores = self._scores([texts for parts in asked.values() for part in parts for texts in part])
        decisions: dict[str, Decision] = {}
        for claim in fitting:
            own = [[scores[texts] for texts in part] for part in asked[claim.id]]
            wrong = next((one for part in own for one in part if isinstance(one, Unscored)), None)
            if wrong is not None:
                failures.append(_failure(premise, claim, wrong))
                continue
            rows = [[one for one in part if not isinstance(one, Unscored)] for part in own]
            spans = [chunk.span for chunk in work[claim.id].chunks]
            decisions[claim.id] = decided(rows, self.runtime.labels, spans, threshold=self.adapter.threshold)
        return decisions, failures

    def _scores(self, asked: Sequence[Texts]) -> dict[Texts, Array | Unscored]:
        """P(label) for each text; those that were scored before are not scored again."""
        keys = {texts: _digest(texts) for texts in asked}
        found: dict[Texts, Array | Unscored] = {
            texts: self._remembered[key] for texts, key in keys.items() if key in self._remembered
        }
        new = [texts for texts in keys if texts not in found]
        for texts, scores in zip(new, self.runtime.scores(new), strict=True):
            found[texts] = scores
            if not isinstance(scores, Unscored):
                self._remembered[keys[texts]] = scores
        while len(self._remembered) > REMEMBERED:
            self._remembered.popitem(last=False)
        return found

    def _work(self, passage: str, claim: str) -> Work:
        """What is scored for a claim; no chunks where it is too long."""
        parts = [claim]
        if self.adapter.aggregate == "sentence_mean":
            parts = [claim[span.start : span.end] for span in sentences(claim)] or parts
        own = max(len(self._starts(part)) for part in parts)
        free = self.runtime.longest - self._own_tokens
        room = free - MARGIN - -(-own // GRAIN) * GRAIN
        cut: list[Chunk] = []
        for chunk in self._chunks(passage):
            exact = self.adapter.input == "pair" and self.adapter.template == "{passage}"
            if len(self._starts(chunk.text)) + own <= free - (0 if exact else MARGIN):
                cut.append(chunk)
            elif room >= self.runtime.longest // LEAST_ROOM:
                cut += self._windows(passage, chunk.span, room)
            else:
                return Work(tuple(parts), ())
        return Work(tuple(parts), tuple(cut))

    def _cut(self, passage: str) -> list[Chunk]:
        return chunks(passage, self.adapter.chunking, lambda text: len(self.runtime.starts(text)))

    def _windows(self, passage: str, span: Span, room: int) -> list[Chunk]:
        text = passage[span.start : span.end]
        found = windows(text, self._starts(text), room)
        return [Chunk(Span(span.start + w.start, span.start + w.end), text[w.start : w.end]) for w in found]

    def _too_long(self, premise: Premise, claim: Claim) -> Failure:
        message = (
            f"the claim is too long for {self.runtime.longest} tokens; shorten it (a context judged against "
            "others: --premise-tokens), or use another model"
        )
        return _failure(premise, claim, Unscored("ClaimTooLong", message))

    def _key(self, passage: str, claim: str) -> str:
        model = (self.adapter.digest, self.runtime.identity, self.runtime.labels, self.runtime.longest)
        return key_of(("verifier", model, passage, claim))

    def _known(self, keys: dict[str, str]) -> dict[str, Decision]:
        """What the cache has, by the ids of claims."""
        if self._cache is None:
            return {}
        noted = {claim_id: self._cache.noted(key) for claim_id, key in keys.items()}
        return {claim_id: _of_note(note) for claim_id, note in noted.items() if note is not None}

    def _keep(self, decisions: dict[str, Decision]) -> None:
        if self._cache is not None and decisions:
            self._cache.note_all({key: json.dumps(found) for key, found in decisions.items()})


def runtime_of(adapter: Adapter, config: Config, llm: LLM | None = None) -> Runtime:
    """The verifier where it runs: a language model, on the server that `verifier_url` names, or here.

    Raises:
        ConfigError: it is not there, or can't be used.
        MissingExtraError: it runs here, and the packages for that are not installed.
    """
    if adapter.head == "word":
        from factreasoner.judges.encoder.asked import AskedRuntime

        return AskedRuntime(adapter, config, llm)
    if config.verifier_url is not None:
        from factreasoner.judges.encoder.served import ServedRuntime

        return ServedRuntime(adapter, config)
    with extras_named():
        from factreasoner.judges.encoder.local import loaded
    return loaded(adapter, config)


def _named(config: Config) -> str:
    if config.verifier is None:
        raise ConfigError("judge: 'verifier' needs to know which: add --verifier NAME (docs/judges.md)")
    return config.verifier


def _digest(texts: Texts) -> bytes:
    return hashlib.blake2b(repr(texts).encode("utf-8", "backslashreplace"), digest_size=16).digest()


def _of_note(note: str) -> Decision:
    label, probability, span, *both = json.loads(note)
    return Decision(label, probability, Span(*span), *both)


def _verdict(premise: Premise, claim: Claim, found: Decision, *, three: bool) -> Verdict:
    """The verdict; of a verifier that says all `three` labels, with P of each, made to add up to 1."""
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


def _failure(premise: Premise, claim: Claim, wrong: Unscored) -> Failure:
    return Failure(
        stage=STAGE,
        item_id=f"{premise.id}->{claim.id}",
        error_type=wrong.kind,
        message=wrong.message,
        attempts=0,
    )
