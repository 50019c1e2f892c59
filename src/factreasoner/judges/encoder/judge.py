"""A judge that uses a verifier: a model trained to decide whether a passage supports a claim."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence

from factreasoner.calls.cache import ReplyCache, key_of
from factreasoner.errors import ConfigError
from factreasoner.judges import OTHER_LANGUAGE, unjudged
from factreasoner.judges.encoder.adapter import Adapter, adapter_of
from factreasoner.judges.encoder.bundled.asking import Windows
from factreasoner.judges.encoder.bundled.reading import Layer
from factreasoner.judges.encoder.bundled.windows import best_sentence
from factreasoner.judges.encoder.chunks import Chunks
from factreasoner.judges.encoder.decision import Decision, VerifierQuestion
from factreasoner.judges.encoder.model_files import RULES, bundled_fingerprint, model_files
from factreasoner.judges.encoder.runtime import Runtime, Unscored
from factreasoner.judges.encoder.settings import EncoderSettings
from factreasoner.models import Claim, Premise, Verdict
from factreasoner.models.verdicts import LABEL_OF_VALUE
from factreasoner.protocols import LLM, Judged
from factreasoner.text.language import is_english, normalize_nfc
from factreasoner.text.sentences import Span

REMEMBERED = 65_536
"""Maximum decisions kept in memory, to score no pair twice."""


class VerifierJudge:
    """Judges claims with a verifier, local or served; see the settings `verifier` and `verifier_*`.

    A passage is cut as the verifier's adapter says, and over-long chunks are read in windows. A claim that
    leaves too little room is a failure. A verdict depends only on passage and claim. With two labels, an
    unsupported claim is neutral.

    Raises:
        ConfigError: the verifier is unknown, or its model is missing or unusable; with the fix.
        MissingExtraError: it runs locally, and its packages are not installed.
    """

    asks_model = False
    pairwise = True

    def __init__(
        self, config: EncoderSettings | None = None, cache: ReplyCache | None = None, llm: LLM | None = None
    ) -> None:
        config = config or EncoderSettings()
        self.adapter = adapter_of(config.named_verifier)
        self.runtime = runtime_of(self.adapter, config, llm)
        self._asking: Windows | Chunks
        if self.adapter.aggregate == "layer":
            self._asking = Windows(self.runtime, _layer_of(config, self.adapter))
        else:
            self._asking = Chunks(self.adapter, self.runtime)
        self._cache = None if self.adapter.head == "word" else cache  # a model's replies are cached as such
        self._lock = threading.Lock()
        self._decisions: OrderedDict[str, Decision] = OrderedDict()

    @staticmethod
    def fingerprint(config: EncoderSettings) -> str:
        """Short digest of the adapter and model files. Raises ConfigError if they are missing."""
        adapter = adapter_of(config.named_verifier)
        if config.verifier_url is not None or adapter.head == "word":
            return adapter.digest
        if config.is_bundled:
            return bundled_fingerprint()
        content = f"{adapter.digest} {model_files(config, adapter.export).identity.digest}"
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def judge(self, premise: Premise, claims: Sequence[Claim]) -> Judged:
        """One verdict or one failure for every claim, in order. Texts are compared in composed form."""
        premise = premise._replace(text=_composed(premise.text), title=_composed(premise.title))
        claims = [claim._replace(text=_composed(claim.text)) for claim in claims]
        model = (RULES, self.adapter.digest, self.runtime.identity, self.runtime.labels, self.runtime.longest)
        title = premise.title if self.adapter.chunking.unit == "windows" else ""
        keys = {c.id: key_of(("verifier", model, title, premise.text, c.text)) for c in claims}
        found: dict[str, Decision | Unscored] = dict(self._known(set(keys.values())))
        found |= self._read(premise, {keys[c.id]: c.text for c in claims if keys[c.id] not in found})
        unread = [one for one in found.values() if isinstance(one, Unscored) and one.kind == OTHER_LANGUAGE]
        if unread and not any(is_english(claim.text) for claim in claims):  # claims of one answer
            found = dict.fromkeys(found, unread[0])
        answers = [(claim, found[keys[claim.id]]) for claim in claims]
        return Judged(
            tuple(_verdict(premise, c, one) for c, one in answers if isinstance(one, Decision)),
            tuple(unjudged(premise.id, c.id, *one) for c, one in answers if isinstance(one, Unscored)),
        )

    def _read(self, premise: Premise, claims: Mapping[str, str]) -> dict[str, Decision | Unscored]:
        """The verifier's decision on each claim, by key."""
        asked = {key: self._asking.question(premise, claim) for key, claim in claims.items()}
        questions = {key: one for key, one in asked.items() if isinstance(one, VerifierQuestion)}
        every = list(dict.fromkeys(texts for question in questions.values() for texts in question.texts))
        scores = dict(zip(every, self.runtime.scores(every), strict=True))
        found: dict[str, Decision | Unscored] = {k: o for k, o in asked.items() if isinstance(o, Unscored)}
        for key, question in questions.items():
            rows = [scores[texts] for texts in question.texts]
            scored = [row for row in rows if not isinstance(row, Unscored)]
            wrong = next((row for row in rows if isinstance(row, Unscored)), None)
            found[key] = wrong or question.decide(scored)
        self._keep({key: one for key, one in found.items() if isinstance(one, Decision)})
        return found

    def _known(self, keys: set[str]) -> dict[str, Decision]:
        """Decisions from memory and cache."""
        found = {key: one for key in keys if (one := self._decisions.get(key)) is not None}
        if self._cache is not None:
            for key in keys - found.keys():
                if (note := self._cache.noted(key)) is not None:
                    label, probability, span, *both = json.loads(note)
                    found[key] = Decision(label, probability, Span(*span), *both)
        return found

    def _keep(self, decisions: Mapping[str, Decision]) -> None:
        with self._lock:
            self._decisions.update(decisions)
            while len(self._decisions) > REMEMBERED:
                self._decisions.popitem(last=False)
        if self._cache is not None and decisions:
            self._cache.note_all({key: json.dumps(found) for key, found in decisions.items()})


def _composed(text: str) -> str:
    return text if text.isascii() else normalize_nfc(text)


def _verdict(premise: Premise, claim: Claim, found: Decision) -> Verdict:
    """The verdict, with P of each label normalised; 0 for a label the verifier lacks."""
    quoted = found.label != "neutral"
    p = {"entailment": found.entailed, "contradiction": found.contradicted}
    p["neutral"] = max(0.0, 1.0 - sum(p.values()))
    return Verdict(
        context_id=premise.id,
        target_id=claim.id,
        label=found.label,
        probability=found.probability,
        quote=best_sentence(premise.text[found.span.start : found.span.end], claim.text) if quoted else None,
        confidence="model",
        citation="found" if quoted else None,
        label_probabilities={v: p[label] / sum(p.values()) for v, label in LABEL_OF_VALUE.items()},
    )


def _layer_of(config: EncoderSettings, adapter: Adapter) -> Layer:
    """The last layer beside the model of `config`. Raises ConfigError if it does not fit."""
    files = model_files(config, adapter.export)
    if files.layer is None:
        raise ConfigError(
            f"verifier_model: {files.graph.parent}: layer.json is missing; export the model again"
        )
    try:
        return Layer.of(json.loads(files.layer.read_text(encoding="utf-8")))
    except (OSError, ValueError, KeyError, TypeError, ZeroDivisionError) as error:
        raise ConfigError(
            f"verifier_model: {files.layer}: does not fit this version ({error}); export the model again"
        ) from error


def runtime_of(adapter: Adapter, config: EncoderSettings, llm: LLM | None = None) -> Runtime:
    """The verifier's runtime: a language model, the server at `verifier_url`, or this process.

    Raises ConfigError: it is missing or unusable.
    """
    if adapter.head == "word" or config.verifier_url is not None:
        from factreasoner.judges.encoder.served import AskedRuntime, ServedRuntime

        return (
            AskedRuntime(adapter, config, llm) if adapter.head == "word" else ServedRuntime(adapter, config)
        )
    from factreasoner.judges.encoder.local import loaded

    return loaded(adapter, config)
