"""A verifier that is a language model: one word of plain text, and the probability of that word."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from factreasoner.errors import ConfigError, LLMError
from factreasoner.judges.encoder.adapter import Adapter, Texts
from factreasoner.judges.encoder.runtime import Array, Unscored, estimated_starts
from factreasoner.llm.parallel import parallel_map
from factreasoner.models import Label
from factreasoner.models.messages import FunctionSchema, Prompt
from factreasoner.models.verdicts import LEAST_MASS
from factreasoner.protocols import LLM
from factreasoner.settings import Config

ANSWER = "answer"


class AskedRuntime:
    """The language model of the settings, asked with the verifier's own words; tokens are estimated.

    Raises:
        ConfigError: there is no model.
    """

    def __init__(self, adapter: Adapter, config: Config, llm: LLM | None) -> None:
        if llm is None or not adapter.words:
            raise ConfigError(
                f"verifier: {config.verifier!r} is a language model: add --model NAME and, for a server of "
                "your own, --api-base URL"
            )
        self._llm = llm
        self._system = adapter.system
        self._words = adapter.words
        self._config = config
        self.labels: tuple[Label, ...] = tuple(adapter.words.values())
        self.longest = config.verifier_window or adapter.max_tokens
        self.identity = f"{config.model} {config.api_base or ''}".strip()
        values = {"type": "string", "enum": list(adapter.words)}
        self._schema = FunctionSchema(
            name="verify",
            description="",
            parameters={"type": "object", "properties": {ANSWER: values}, "required": [ANSWER]},
        )

    def __str__(self) -> str:
        return f"{self.identity}, {'/'.join(self.labels)}, up to {self.longest} tokens (estimated)"

    def starts(self, text: str) -> Sequence[int]:
        """Where about a token starts."""
        return estimated_starts(text)

    def taken(self, texts: Texts) -> int:
        """About how many tokens the model reads."""
        return len(estimated_starts(f"{self._system} {texts.first}"))

    def scores(self, asked: Sequence[Texts]) -> list[Array | Unscored]:
        """P(label) for each, of shape (1, labels)."""
        return parallel_map(self._score, asked, workers=self._config.concurrency)

    def _score(self, texts: Texts) -> Array | Unscored:
        prompt = Prompt(name="verifier", system=self._system, user=texts.first)
        try:
            reply = self._llm.call(prompt, self._schema, logprobs=True)
        except LLMError as error:
            return Unscored(type(error).__name__, str(error))
        if reply.form not in ("", "word"):
            return Unscored("AnotherForm", f"the model answers in the form {reply.form!r}, and not by a word")
        chances = (reply.chances or {}).get(ANSWER)
        if chances is None:
            return Unscored("NoLogprobs", "the server gives no log-probabilities, which are the verifier's P")
        mass = 1.0 if chances.mass is None else chances.mass
        if mass < LEAST_MASS:
            words = " and ".join(self._words)
            return Unscored("LowMass", f"{words} hold {mass:.2f} of the model's probability; another model?")
        p = mass * sum(chances.probabilities[w] for w, label in self._words.items() if label == "entailment")
        return np.array([[p if label == "entailment" else 1.0 - p for label in self.labels]])
