"""The judge that asks a verifier: a model made to tell whether a passage supports a claim."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.adapter import Adapter, adapter_of
from factreasoner.judges.encoder.chunks import Chunk, chunks, windows
from factreasoner.judges.encoder.decisions import Decision, decided
from factreasoner.judges.encoder.runtime import Runtime, Unscored
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
"""Decisions that are kept in memory, so that no pair is scored twice in a run."""


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
        self._decisions: OrderedDict[str, Decision] = OrderedDict()
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
        found: dict[str, Decision | Unscored] = dict(self._known(set(keys.values())))
        found |= self._read(premise.text, {keys[c.id]: c.text for c in claims if keys[c.id] not in found})
        said = [(claim, found[keys[claim.id]]) for claim in claims]
        three = "contradiction" in self.runtime.labels
        return Judged(
            tuple(_verdict(premise, c, one, three=three) for c, one in said if isinstance(one, Decision)),
            tuple(_failure(premise, c, one) for c, one in said if isinstance(one, Unscored)),
        )

    def _read(self, passage: str, claims: Mapping[str, str]) -> dict[str, Decision | Unscored]:
        """What the verifier says of each claim, by its key; noted where it says something."""
        parts = {key: self._parts(claim) for key, claim in claims.items()}
        cut = {key: self._fitting_chunks(passage, parts[key]) for key in claims}
        asked = {
            key: [[self.adapter.texts(chunk.text, part) for chunk in cut[key]] for part in parts[key]]
            for key in claims
        }
        every = list(dict.fromkeys(texts for rows in asked.values() for row in rows for texts in row))
        scores = dict(zip(every, self.runtime.scores(every), strict=True))
        found: dict[str, Decision | Unscored] = {}
        for key in claims:
            rows = [[scores[texts] for texts in row] for row in asked[key]]
            scored = [[one for one in row if not isinstance(one, Unscored)] for row in rows]
            wrong = next((one for row in rows for one in row if isinstance(one, Unscored)), None)
            spans = [chunk.span for chunk in cut[key]]
            found[key] = wrong or (
                decided(scored, self.runtime.labels, spans, threshold=self.adapter.threshold)
                if spans
                else self._too_long()
            )
        self._keep({key: one for key, one in found.items() if isinstance(one, Decision)})
        return found

    def _parts(self, claim: str) -> list[str]:
        """What is scored of a claim: the whole, or its sentences."""
        if self.adapter.aggregate == "max":
            return [claim]
        return [claim[span.start : span.end] for span in sentences(claim)] or [claim]

    def _fitting_chunks(self, passage: str, parts: Sequence[str]) -> list[Chunk]:
        """The chunks that are scored with each part of a claim; none where the claim is too long."""
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
                return []
        return cut

    def _cut(self, passage: str) -> list[Chunk]:
        return chunks(passage, self.adapter.chunking, lambda text: len(self.runtime.starts(text)))

    def _windows(self, passage: str, span: Span, room: int) -> list[Chunk]:
        text = passage[span.start : span.end]
        found = windows(text, self._starts(text), room)
        return [Chunk(Span(span.start + w.start, span.start + w.end), text[w.start : w.end]) for w in found]

    def _too_long(self) -> Unscored:
        return Unscored(
            "ClaimTooLong",
            f"the claim is too long for {self.runtime.longest} tokens; shorten it (a context judged against "
            "others: --premise-tokens), or use another model",
        )

    def _key(self, passage: str, claim: str) -> str:
        model = (self.adapter.digest, self.runtime.identity, self.runtime.labels, self.runtime.longest)
        return key_of(("verifier", model, passage, claim))

    def _known(self, keys: set[str]) -> dict[str, Decision]:
        """What memory and cache have."""
        found = {key: one for key in keys if (one := self._decisions.get(key)) is not None}
        if self._cache is not None:
            noted = {key: self._cache.noted(key) for key in keys - found.keys()}
            found |= {key: _of_note(note) for key, note in noted.items() if note is not None}
        return found

    def _keep(self, decisions: Mapping[str, Decision]) -> None:
        self._decisions.update(decisions)
        while len(self._decisions) > REMEMBERED:
            self._decisions.popitem(last=False)
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
