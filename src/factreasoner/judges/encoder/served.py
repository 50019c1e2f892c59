"""Served verifiers: a classifier on text-embeddings-inference or vLLM, or a language model."""

from __future__ import annotations

import math
import os
import re
import weakref
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import httpx
import numpy as np
from pydantic import BaseModel, TypeAdapter, ValidationError

from factreasoner.calls.retry import Passing, Retry, is_transient_status
from factreasoner.calls.threads import parallel_map
from factreasoner.errors import ConfigError, FetchLimitError, LLMError, ProviderError
from factreasoner.judges.encoder.adapter import Adapter, Texts
from factreasoner.judges.encoder.runtime import BATCH, REMEDY, Array, Unscored, label_of, meanings
from factreasoner.judges.encoder.settings import EncoderSettings
from factreasoner.llm.faults import safe_excerpt
from factreasoner.models import Label
from factreasoner.models.formatting import refused
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.models.verdicts import LEAST_MASS
from factreasoner.protocols import LLM
from factreasoner.text.retry_after import retry_after_of
from factreasoner.web.connection import Deadline, read_body, tls_context

PREDICT, CLASSIFY = "/predict", "/classify"
KEY_VARIABLE = "FACTREASONER_VERIFIER_KEY"
REFUSED = frozenset({401, 403, 404, 405})
MOST_BYTES = 16 << 20
"""Maximum bytes of an answer; one text takes about a hundred."""
NAMED: tuple[Label, ...] = ("entailment", "neutral", "contradiction")
ANSWER = "answer"
_OFF = 0.02
"""Tolerance on the sum of one text's probabilities."""
_TOKEN = re.compile(r"\w{1,4}|[^\w\s]")


class Prediction(BaseModel):
    """One label of one text in a /predict answer, sorted by score."""

    label: str
    score: float


class Classified(BaseModel):
    """One text in a /classify answer."""

    index: int
    probs: list[float]


class Classification(BaseModel):
    """A /classify answer."""

    data: list[Classified]


_PREDICTIONS = TypeAdapter(list[list[Prediction]])


class _Elsewhere:
    """A runtime with a remote tokenizer: token counts are estimated."""

    labels: tuple[Label, ...]
    longest: int
    identity: str

    def __str__(self) -> str:
        return f"{self.identity}, {'/'.join(self.labels)}, up to {self.longest} tokens (estimated)"

    def starts(self, text: str) -> Sequence[int]:
        """Estimated token starts, rather too many than too few."""
        return [found.start() for found in _TOKEN.finditer(text)]


class _NoAnswerError(ProviderError):
    """The server is unreachable, disconnects, or is too slow."""


class ServedRuntime(_Elsewhere):
    """The classifier at `verifier_url`.

    Raises ConfigError: the URL is of no known kind, or the adapter can't be served there.
    """

    def __init__(self, adapter: Adapter, config: EncoderSettings) -> None:
        self.url = str(config.verifier_url).rstrip("/")
        self._model = config.verifier_model
        self._config = config
        self._classifies = self.url.endswith(CLASSIFY)
        if not self.url.endswith((PREDICT, CLASSIFY)):
            raise ConfigError(
                f"verifier_url: {self.url}: must end in {PREDICT} (text-embeddings-inference) "
                f"or {CLASSIFY} (vLLM)"
            )
        if adapter.head != "sequence":
            raise ConfigError(
                f"verifier_url: a server classifies whole texts, but verifier {config.verifier!r} has the "
                f"head {adapter.head!r}; run it here: `verifier_model=FOLDER`"
            )
        if self._classifies and adapter.input == "pair":
            raise ConfigError(
                f"verifier_url: {CLASSIFY} accepts one text, but verifier {config.verifier!r} reads pairs; "
                f"serve it with text-embeddings-inference ({PREDICT})"
            )
        self.labels = NAMED
        if adapter.labels is not None:
            self.labels = meanings(adapter, {}, self.url)
        elif self._classifies:
            raise ConfigError(f"verifier_url: {self.url} does not say what its outputs mean: {REMEDY}")
        self.longest = adapter.max_tokens
        self.identity = f"{self.url} {self._model or ''}".strip()
        self._key = os.environ.get(KEY_VARIABLE, "").strip() or None
        headers = {"Authorization": f"Bearer {self._key}"} if self._key else {}
        self._client = httpx.Client(timeout=config.timeout, headers=headers, verify=tls_context())
        self.close = weakref.finalize(self, self._client.close)

    def taken(self, texts: Texts) -> int:
        """Estimated tokens that the server's model reads."""
        return sum(len(self.starts(text)) + 2 for text in texts if text is not None)

    def scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        """P(label) for each, of shape (1, labels). Texts of similar length share a request."""
        order = sorted(range(len(asked)), key=lambda n: self.taken(asked[n]))
        parts = [[asked[n] for n in order[at : at + BATCH]] for at in range(0, len(order), BATCH)]
        answers = parallel_map(self._answered, parts, workers=self._config.concurrency)
        found = dict(zip(order, chain.from_iterable(answers), strict=True))
        return [found[n] for n in range(len(asked))]

    def _answered(self, part: Sequence[Texts], attempts: int | None = None) -> list[Array | Unscored]:
        """The rows of one request; if it is refused, of each text separately.

        After several failed attempts, each text gets one more; without any answer, none.
        """
        try:
            content = self._request_scores(part, attempts or self._config.max_attempts)
        except ProviderError as error:
            if len(part) == 1 or isinstance(error, _NoAnswerError):
                return [Unscored("ServedError", f"{self.url}: {error}")] * len(part)
            once_more = 1 if error.attempts > 1 else attempts
            return [row for one in part for row in self._answered([one], once_more)]
        try:
            rows = self._rows(content)
        except ValidationError as error:
            first = error.errors()[0]
            what = ": ".join(filter(None, (".".join(map(str, first["loc"])), refused(first))))
            return [self._unusable(f"not the documented answer: {what}")] * len(part)
        if len(rows) != len(part):
            return [self._unusable(f"{len(rows)} answers to {len(part)} texts")] * len(part)
        return [self._checked(row) for row in rows]

    def _request_scores(self, part: Sequence[Texts], attempts: int) -> bytes:
        """The body of an answer. Raises ProviderError, or ConfigError for what the user must fix."""
        body: dict[str, Any] = {
            "inputs": [[t for t in one if t is not None] for one in part],
            "truncate": False,
        }
        if self._classifies:
            body = {"input": [one.first for one in part]} | ({"model": self._model} if self._model else {})
        return Retry(attempts, self._config.patience)(lambda: self._tried(body))

    def _tried(self, body: Mapping[str, Any]) -> bytes | Passing:
        """The body of an answer, or a transient failure. Raises ProviderError for a final failure."""
        deadline = Deadline(self._config.timeout)
        try:
            with self._client.stream("POST", self.url, json=body) as response:
                content = read_body(response.iter_bytes(), "", limit=MOST_BYTES, deadline=deadline)
        except (httpx.HTTPError, FetchLimitError) as error:
            return Passing(_NoAnswerError(f"{type(error).__name__}: {error}"))
        if response.is_success:
            return content
        wording = content[:1000].decode("utf-8", "replace")
        problem = safe_excerpt(f"status {response.status_code}: {wording}", self._key)
        if response.status_code in REFUSED:
            raise ConfigError(
                f"verifier_url: {self.url} answers with {problem}; {KEY_VARIABLE} holds its key"
            )
        if not is_transient_status(response.status_code):
            raise ProviderError(problem)
        return Passing(ProviderError(problem), retry_after_of(response.headers))

    def _rows(self, content: bytes) -> list[Array]:
        """P(label) for each text, of shape (1, labels). Raises ValidationError for invalid answers."""
        if not self._classifies:
            answered = _PREDICTIONS.validate_json(content)
            return [self._by_label({one.label: one.score for one in row}) for row in answered]
        rows = sorted(Classification.model_validate_json(content).data, key=lambda one: one.index)
        for row in rows:
            self._expect_width(len(row.probs))
        return [np.array([row.probs]) for row in rows]

    def _by_label(self, scores: Mapping[str, float]) -> Array:
        numbered = [] if self.labels is NAMED else [f"LABEL_{n}" for n in range(len(self.labels))]
        if numbered:
            self._expect_width(len(scores))
        row = np.zeros((1, len(self.labels)))
        for name, score in scores.items():
            label = label_of(name)
            if name in numbered:
                row[0, numbered.index(name)] += score
            elif label in self.labels:
                row[0, self.labels.index(label)] += score
            else:
                raise ConfigError(
                    f"verifier_url: {self.url} answers with the label {name!r}, which does not say what it "
                    "means; serve the model with an id2label of entailment and neutral, or of LABEL_0 on"
                )
        return row

    def _expect_width(self, found: int) -> None:
        if found != len(self.labels):
            raise ConfigError(
                f"verifier_url: {self.url} answers with {found} probabilities per text, but the labels are "
                f"{len(self.labels)} ({', '.join(self.labels)}); is it another model?"
            )

    def _checked(self, row: Array) -> Array | Unscored:
        if np.isfinite(row).all() and (row >= 0).all() and math.isclose(row.sum(), 1.0, abs_tol=_OFF):
            return row
        return self._unusable(f"{row[0].tolist()} are not probabilities that add up to 1")

    def _unusable(self, why: str) -> Unscored:
        return Unscored("UnusableReply", f"{self.url}: {why}")


class AskedRuntime(_Elsewhere):
    """A language model as verifier: the adapter's prompt asks for one word, whose P is used.

    Raises ConfigError: there is no model.
    """

    def __init__(self, adapter: Adapter, config: EncoderSettings, llm: LLM | None) -> None:
        if llm is None:
            raise ConfigError(
                f"verifier: {config.verifier!r} is a language model: add `model=NAME` and, for a server of "
                "your own, `api_base=URL`"
            )
        self._llm = llm
        self._system = adapter.system
        self._words = adapter.words
        self._workers = config.concurrency
        self.labels: tuple[Label, ...] = tuple(adapter.words.values())
        self.longest = adapter.max_tokens
        self.identity = f"{config.first_model} {config.api_base or ''}".strip()
        values = {"type": "string", "enum": list(adapter.words)}
        parameters = {"type": "object", "properties": {ANSWER: values}, "required": [ANSWER]}
        self._schema = FunctionSchema(name="verify", description="", parameters=parameters)

    def taken(self, texts: Texts) -> int:
        """Estimated tokens that the model reads."""
        return len(self.starts(f"{self._system} {texts.first}"))

    def scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        """P(label) for each, of shape (1, labels)."""
        return parallel_map(self._score, asked, workers=self._workers)

    def _score(self, texts: Texts) -> Array | Unscored:
        prompt = Prompt(name="verifier", system=self._system, user=texts.first)
        try:
            reply = self._llm.call(prompt, self._schema, logprobs=True)
        except LLMError as error:
            return Unscored(type(error).__name__, str(error))
        if reply.form not in ("", "word"):
            return Unscored("AnotherForm", f"the model answers in the form {reply.form!r}, not with one word")
        chances = (reply.chances or {}).get(ANSWER)
        if chances is None:
            return Unscored(
                "NoLogprobs", "the server gives no log-probabilities of its answer, the verifier's P"
            )
        mass = 1.0 if chances.mass is None else chances.mass
        if mass < LEAST_MASS:
            words = " and ".join(self._words)
            return Unscored("LowMass", f"{words} have {mass:.2f} of the model's probability; another model?")
        p = mass * sum(chances.probabilities[w] for w, label in self._words.items() if label == "entailment")
        return np.array([[p if label == "entailment" else 1.0 - p for label in self.labels]])
