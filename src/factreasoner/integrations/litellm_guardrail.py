"""A guardrail for LiteLLM's proxy: blocks answers whose claims the passages do not support."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from litellm.exceptions import GuardrailRaisedException
from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.guardrails import LitellmParams
from litellm.types.utils import GenericGuardrailAPIInputs

from factreasoner.errors import ConfigError, FactReasonerError
from factreasoner.integrations.scoring import PRECISION, Scoring
from factreasoner.pipeline.config import Config
from factreasoner.plugins.table import nearest

MISSING = ("pass", "block")


class FactualityGuardrail(CustomGuardrail):
    """Blocks answers of which too few claims are supported by the contexts.

    In the proxy's configuration::

        guardrails:
          - guardrail_name: factuality
            litellm_params:
              guardrail: factreasoner.integrations.litellm_guardrail.FactualityGuardrail
              mode: post_call
              default_on: true
              min_precision: 0.8

    Contexts are the texts in `metadata.contexts` of a request, else what its tool messages say; without any
    `on_missing_contexts` says "pass" or "block". `settings` are those of :class:`Config`. An answer without
    claims passes, and an answer that can't be judged is blocked. Streams are held back until they are judged.

    Raises ConfigError: an unknown or wrong setting.
    """

    def __init__(
        self,
        *,
        min_precision: float = 0.8,
        on_missing_contexts: Literal["pass", "block"] = "pass",
        settings: Mapping[str, Any] | None = None,
        **litellm_settings: Any,
    ) -> None:
        if on_missing_contexts not in MISSING:
            raise ConfigError(f"on_missing_contexts: {on_missing_contexts!r}; write 'pass' or 'block'")
        if type(min_precision) not in (int, float) or not 0 <= min_precision <= 1:
            raise ConfigError(f"min_precision: {min_precision!r} is not a share; write a number from 0 to 1")
        if not isinstance(settings, Mapping | None):
            raise ConfigError(f"settings: {settings!r} is no mapping of settings to values")
        _refuse_unknown(litellm_settings)
        self._min_precision = min_precision
        self._on_missing = on_missing_contexts
        self._scoring = Scoring(PRECISION, **settings or {})
        super().__init__(**litellm_settings)
        self.streaming_buffer_until_moderated = True

    # litellm looks for it in the body of the class, and skips one that is inherited.
    async def apply_guardrail(
        self,
        inputs: GenericGuardrailAPIInputs,
        request_data: dict[str, Any],
        input_type: Literal["request", "response"],
        logging_obj: object = None,
    ) -> GenericGuardrailAPIInputs:
        """The inputs unchanged. Raises GuardrailRaisedException to block an answer."""
        if input_type == "request":
            return inputs
        contexts = _contexts(request_data)
        if contexts is None:
            if self._on_missing == "block":
                raise self._blocked("the request has no contexts to check the answer against")
            return inputs
        for text in inputs.get("texts") or ():
            try:
                scored = await asyncio.to_thread(self._scoring.score, text, contexts)
            except FactReasonerError as error:
                raise self._blocked(f"the answer could not be judged: {error}") from error
            if scored.result.status != "no_atoms" and not scored.reaches(self._min_precision):
                raise self._blocked(scored.reason)
        return inputs

    def _blocked(self, reason: str) -> GuardrailRaisedException:
        return GuardrailRaisedException(guardrail_name=self.guardrail_name, message=reason)


def _refuse_unknown(given: Mapping[str, Any]) -> None:
    """Raise ConfigError for unknown settings; the proxy adds defaults."""
    taken = inspect.signature(CustomGuardrail.__init__).parameters
    others = {name: field.default for name, field in LitellmParams.model_fields.items() if name not in taken}
    for name in given:
        if name in Config.model_fields and given[name] != others.get(name):
            raise ConfigError(f"{name}: it belongs under `settings`")
        if name not in taken and name not in others:
            known = nearest(name, ["min_precision", "on_missing_contexts", "settings", *taken])
            raise ConfigError(f"unknown setting {name!r}; {known}")


def _contexts(request: Mapping[str, Any]) -> Any:  # noqa: ANN401 - checked with the answer
    """The contexts of a request, or None."""
    metadata = request.get("metadata")
    given = metadata.get("contexts") if isinstance(metadata, Mapping) else None
    if given is not None:
        return given
    messages = request.get("messages") or ()
    texts = [_text(message.get("content")) for message in messages if message.get("role") == "tool"]
    return [text for text in texts if text.strip()] or None


def _text(content: str | Iterable[Mapping[str, Any]] | None) -> str:
    """The text of a message, which may be in parts."""
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(str(part.get("text", "")) for part in content)
