"""What requests cost by litellm's price list, sent one by one or in batches."""

from __future__ import annotations

from typing import Any

FREE_PROVIDERS = frozenset(
    {"ollama", "ollama_chat", "lm_studio", "llamafile", "lemonade", "docker_model_runner"}
)
"""Providers that run on the user's own machine: a listed price of 0 is a price there, elsewhere a gap."""


def rates_of(litellm: Any, model: str, provider: str, *, batch: bool) -> tuple[float, float] | None:  # noqa: ANN401
    """US dollars per prompt and per completion token, None when the price is not known.

    Those of batches are as they are listed, else half of the others.
    """
    million = 1_000_000
    try:
        prompt, completion = litellm.cost_per_token(
            model=model, prompt_tokens=million, completion_tokens=million
        )
    except Exception:  # noqa: BLE001 - litellm raises a bare one for a model that is not on its list
        return None
    if prompt + completion == 0 and provider not in FREE_PROVIDERS:
        return None
    if not batch:
        return prompt / million, completion / million
    listed = litellm.get_model_info(model=model)
    rates = [listed.get(f"{kind}_cost_per_token_batches") for kind in ("input", "output")]
    if None in rates:
        return prompt / million / 2, completion / million / 2
    return rates[0], rates[1]
