"""A verifier on a server: text-embeddings-inference's /predict, or vLLM's /classify."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

import httpx
import numpy as np
from pydantic import BaseModel, TypeAdapter

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.adapter import Adapter, Texts
from factreasoner.judges.encoder.labels import label_of, labels_of
from factreasoner.judges.encoder.runtime import Array, Unscored, estimated_starts
from factreasoner.llm.parallel import parallel_map
from factreasoner.models import Label
from factreasoner.settings import Config

PREDICT, CLASSIFY = "/predict", "/classify"
PASSING = frozenset({429, 502, 503, 504})
"""Statuses after which the same request may be answered."""
REFUSED = frozenset({401, 403, 404, 405})
"""Statuses that only another URL or key can mend."""
FIRST_WAIT = 0.5
NAMED: tuple[Label, ...] = ("entailment", "neutral", "contradiction")
"""Labels of a server that names them itself."""
_OFF = 0.02
"""How far the probabilities of one text may add up to something else than 1."""


class Prediction(BaseModel):
    """One label of one text, as /predict answers; a text's labels are sorted by score."""

    label: str
    score: float


class Classified(BaseModel):
    """One text of what /classify answers."""

    index: int
    probs: list[float]


class Classification(BaseModel):
    """What /classify answers."""

    data: list[Classified]


_PREDICTIONS = TypeAdapter(list[list[Prediction]])


class ServedRuntime:
    """The classifier behind `verifier_url`; tokens are estimated, since the server alone has its tokenizer.

    Raises:
        ConfigError: the URL is of no known kind, or the adapter can't be served there.
    """

    def __init__(self, adapter: Adapter, config: Config) -> None:
        self.url = str(config.verifier_url).rstrip("/")
        if not self.url.endswith((PREDICT, CLASSIFY)):
            raise ConfigError(
                f"verifier_url: {self.url}: must end in {PREDICT} (text-embeddings-inference) "
                f"or {CLASSIFY} (vLLM)"
            )
        if adapter.head != "sequence":
            raise ConfigError(
                f"verifier_url: a server classifies whole texts, and verifier {config.verifier!r} has the "
                f"head {adapter.head!r}; run it here: --verifier-model FOLDER"
            )
        if self.url.endswith(CLASSIFY) and adapter.input == "pair":
            raise ConfigError(
                f"verifier_url: {CLASSIFY} takes single texts, and verifier {config.verifier!r} reads pairs; "
                f"serve it with text-embeddings-inference ({PREDICT})"
            )
        self.labels: tuple[Label, ...] = _meanings(adapter, config, self.url)
        self.longest = config.verifier_window or adapter.max_tokens
        self.identity = f"{self.url} {config.verifier_model or ''}".strip()
        self._model = config.verifier_model
        self._config = config
        self._client = httpx.Client(timeout=config.timeout, headers=_headers(config))

    def __str__(self) -> str:
        return f"{self.url}, {'/'.join(self.labels)}, up to {self.longest} tokens (estimated)"

    def starts(self, text: str) -> Sequence[int]:
        """Where about a token starts."""
        return estimated_starts(text)

    def taken(self, texts: Texts) -> int:
        """About how many tokens the server's model reads."""
        return sum(len(estimated_starts(text)) + 2 for text in texts if text is not None)

    def scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        """P(label) for each, of shape (1, labels). Texts of like lengths share a request."""
        order = sorted(range(len(asked)), key=lambda n: self.taken(asked[n]))
        size = self._config.verifier_batch
        parts = [order[n : n + size] for n in range(0, len(order), size)]
        answers = parallel_map(
            lambda part: self._answered([asked[n] for n in part]), parts, workers=self._config.concurrency
        )
        found = dict(zip(order, chain.from_iterable(answers), strict=True))
        return [found[n] for n in range(len(asked))]

    def _answered(self, part: Sequence[Texts]) -> list[Array | Unscored]:
        """The rows of one request; of one for each text where it is refused, lest one text spoil others."""
        content = self._asked(part)
        if isinstance(content, Unscored):
            return [content] if len(part) == 1 else [row for one in part for row in self._answered([one])]
        try:
            rows = self._rows(content)
        except ValueError as error:
            return [self._unusable(f"another answer than is documented: {error}")] * len(part)
        if len(rows) != len(part):
            return [self._unusable(f"{len(rows)} answers to {len(part)} texts")] * len(part)
        return [self._checked(row) for row in rows]

    def _asked(self, part: Sequence[Texts]) -> bytes | Unscored:
        """The body of an answer, or why there is none. Raises ConfigError for what the user must mend."""
        texts = [[text for text in one if text is not None] for one in part]
        body: dict[str, Any] = {"inputs": texts, "truncate": False}
        if self.url.endswith(CLASSIFY):
            body = {"input": [first for (first,) in texts]} | ({"model": self._model} if self._model else {})
        for attempt in range(self._config.max_attempts):
            if attempt:
                time.sleep(FIRST_WAIT * 2 ** (attempt - 1))
            try:
                response = self._client.post(self.url, json=body)
            except httpx.HTTPError as error:
                problem = f"{type(error).__name__}: {error}"
                continue
            if response.is_success:
                return response.content
            problem = f"status {response.status_code}: {response.text[:200]}"
            if response.status_code in REFUSED:
                raise ConfigError(
                    f"verifier_url: {self.url} answers with {problem}; see --verifier-api-key-env"
                )
            if response.status_code not in PASSING:
                break
        return Unscored("ServedError", f"{self.url}: {problem}")

    def _rows(self, content: bytes) -> list[Array]:
        """P(label) for each text, of shape (1, labels). Raises ValueError for another kind of answer."""
        if self.url.endswith(PREDICT):
            answered = _PREDICTIONS.validate_json(content)
            return [self._by_label({one.label: one.score for one in row}) for row in answered]
        rows = sorted(Classification.model_validate_json(content).data, key=lambda one: one.index)
        for row in rows:
            self._expect_width(len(row.probs))
        return [np.array([row.probs]) for row in rows]

    def _by_label(self, scores: Mapping[str, float]) -> Array:
        places = {f"LABEL_{n}": n for n in range(len(self.labels))}
        if self.labels is NAMED:
            places = {}
        else:
            self._expect_width(len(scores))
        row = np.zeros((1, len(self.labels)))
        for name, score in scores.items():
            label = label_of(name)
            place = places.get(name, self.labels.index(label) if label in self.labels else None)
            if place is None:
                raise ConfigError(
                    f"verifier_url: {self.url} answers with the label {name!r}, which does not say what it "
                    "means; serve the model with an id2label of entailment and neutral, or of LABEL_0 on"
                )
            row[0, place] += score
        return row

    def _expect_width(self, found: int) -> None:
        if found != len(self.labels):
            raise ConfigError(
                f"verifier_url: {self.url} answers with {found} probabilities a text, and the labels are "
                f"{len(self.labels)} ({', '.join(self.labels)}); is it another model?"
            )

    def _checked(self, row: Array) -> Array | Unscored:
        if np.isfinite(row).all() and (row >= 0).all() and math.isclose(row.sum(), 1.0, abs_tol=_OFF):
            return row
        return self._unusable(f"{row[0].tolist()} are no probabilities that add up to 1")

    def _unusable(self, why: str) -> Unscored:
        return Unscored("UnusableReply", f"{self.url}: {why}")


def _meanings(adapter: Adapter, config: Config, url: str) -> tuple[Label, ...]:
    """What the outputs mean, in their order; where neither adapter nor user says, the server names them."""
    if config.verifier_labels is not None:
        return labels_of({}, config.verifier_labels, url)
    if adapter.labels is not None:
        return tuple(adapter.labels[n] for n in sorted(adapter.labels))
    if url.endswith(PREDICT):
        return NAMED
    raise ConfigError(
        f"verifier_url: {url} does not say what its outputs mean: add --verifier-labels A,B,C, in their order"
    )


def _headers(config: Config) -> dict[str, str]:
    if config.verifier_api_key_env is None:
        return {}
    key = os.environ.get(config.verifier_api_key_env)
    if not key:
        raise ConfigError(f"verifier_api_key_env: {config.verifier_api_key_env} is not set")
    return {"Authorization": f"Bearer {key}"}
