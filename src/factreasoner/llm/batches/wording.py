"""A request in the words that a batch holds it in, and a completion as a batch's results hold it."""

from __future__ import annotations

import copy
import functools
import json
from collections.abc import Mapping
from typing import Any

from factreasoner.llm.batches.folder import UsageOf
from factreasoner.llm.responses import Completion
from factreasoner.llm.transport import TOO_LONG, Transport, load
from factreasoner.settings import Config

WORDED = frozenset({"openai", "hosted_vllm"})
"""Providers whose requests litellm puts in OpenAI's words: it knows which parameters a model takes."""


def body_of(provider: Transport, request: Mapping[str, Any]) -> dict[str, Any]:
    """The request in OpenAI's words, the model under its bare name.

    Raises whatever litellm raises of a parameter that the model is known not to take.
    """
    worded = copy.deepcopy(dict(request))
    messages = worded.pop("messages")
    if provider.provider in WORDED:
        worded = load().utils.get_optional_params(
            model=provider.bare,
            custom_llm_provider=provider.provider,
            allowed_openai_params=provider.untold(request),
            **worded,
        )
        worded.pop("stream", None)
        worded |= worded.pop("extra_body", None) or {}
    return {"model": provider.bare, "messages": messages, **worded}


def answer_of(provider: Transport, completion: Mapping[str, Any], request: Mapping[str, Any]) -> Completion:
    """What a completion says; one that is longer than any answer is not read, as where it is sent at once."""
    from factreasoner.llm.session import MOST_SAID  # with litellm, which takes its time to import

    choices = completion["choices"]
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    logprobs = first.get("logprobs")
    said = {**completion, "choices": [{key: value for key, value in first.items() if key != "logprobs"}]}
    if not first or len(json.dumps(said)) > MOST_SAID:
        said = TOO_LONG if first else {**completion, "choices": []}
    return provider.completion(said, request, logprobs)


def counting(config: Config) -> UsageOf:
    """What counts what completions took, at the price of batches."""

    @functools.cache
    def provider(model: str) -> Transport:
        return Transport(model, config.api_base, config.api_key_env, batch=True)

    return lambda model, completion, body: answer_of(provider(model), completion, body).usage
