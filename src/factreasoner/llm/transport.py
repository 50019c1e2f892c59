"""One completion through litellm, and its price. The only file that imports litellm, and only when used."""

from __future__ import annotations

import atexit
import contextlib
import copy
import functools
import gc
import importlib
import logging
import math
import os
import warnings
from collections.abc import Iterator, Mapping
from typing import Any

from factreasoner.errors import ConfigError
from factreasoner.llm.dialect import TOKEN_LIMITS, token_limit
from factreasoner.llm.prices import rates_of
from factreasoner.llm.responses import Completion, completion_of, reported
from factreasoner.llm.stack import with_room
from factreasoner.llm.tokens import estimate_request

ENVIRONMENT = {
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",  # the price list is otherwise downloaded at import
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",  # likewise at Claude's first JSON call
    "HF_HUB_OFFLINE": "1",  # tokenizers of llama names are otherwise looked up for 23 s
    "LITELLM_MODE": "PRODUCTION",  # any other mode reads a .env file from the working directory
    "LITELLM_LOG": "CRITICAL",
}
UNREADABLE = (
    "Invalid response object",
    "that is not a list",
    "Empty or invalid response from LLM endpoint",
    "<APIResponse [200 OK]",
    "'ModelResponse' object has no attribute",
)
"""What litellm says of a body with status 200 that it can't read as a completion."""
BY_HANDLER = frozenset(
    {
        "anthropic",
        "azure_ai",
        "bedrock",
        "codestral",
        "databricks",
        "deepseek",
        "fireworks_ai",
        "gemini",
        "groq",
    }
    | {"hosted_vllm", "huggingface", "mistral", "ollama", "ollama_chat", "openrouter", "together_ai"}
    | {"vertex_ai", "watsonx", "xai"}
)
"""Providers that litellm reaches not by openai's library but by HTTP of its own, through a client of ours."""
TOO_LONG = {"choices": [{"message": {"content": "a reply longer than any answer, which was not read"}}]}
FORCED_BY_A_WORD = frozenset({"mistral", "codestral"})
"""Providers to whom litellm tells that a tool must be called, and silently not which one."""
MARGIN = 1.3
"""By how much the estimate of a prompt's tokens is raised where it must not be too low."""
_FROZEN_BY_PROGRAMS = 2000
"""Objects at least that a program freezes, all it has at the time. Python 3.12 itself starts with 375."""
ASKED = frozenset(
    {"messages", "tools", "tool_choice", "response_format", "temperature", "logprobs", "top_logprobs"}
    | set(TOKEN_LIMITS)
)
"""What every request may hold. litellm knows who takes it; parameters beyond it are the user's own wish."""


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Without the garbage collector: what imports make stays, and to go over it takes up to a fifth more.

    It counts as old at the end, or the collector would go over all of it then.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            if gc.get_freeze_count() < _FROZEN_BY_PROGRAMS:  # what somebody has frozen stays so
                gc.freeze()
                gc.unfreeze()
            gc.enable()


@functools.cache
@with_room
@_uncollected()
def load() -> Any:
    """The litellm module, quiet and offline. Takes seconds the first time."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    import litellm
    from litellm.llms.custom_httpx.http_handler import get_ssl_configuration

    from factreasoner.llm.session import Session

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    if litellm.client_session is None:
        # One pool for the process: litellm drops a client of its own, connections open, for every 200 places.
        litellm.client_session = Session(verify=get_ssl_configuration())
        atexit.register(_close, litellm)
    for name in ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    # A server whose tool arguments are an object and not a string is read all right, with this complaint.
    warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
    # Its classes are built when first used, with a warning against which litellm sets a filter of its own.
    litellm.ModelResponse(choices=[{"message": {"content": ""}}])
    return litellm


def _close(litellm: Any) -> None:
    """Close our session, and what litellm opened for providers that it hands no client of ours."""
    litellm.client_session.close()
    for client in litellm.in_memory_llm_clients_cache.cache_dict.values():
        if isinstance(client, litellm.HTTPHandler):
            client.close()


@functools.cache
def _handler() -> Any:
    """litellm's own HTTP client around the session of the process."""
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    return HTTPHandler(client=load().client_session)


class Transport:
    """One model at one place, with one key.

    `api_key_env` names the environment variable of the key. Without it litellm looks for the provider's own,
    except where `api_base` points to an OpenAI-compatible server: a key meant for OpenAI is not sent there.
    With `batch` prices are those of batches.

    Raises:
        ConfigError: the named variable is not set.
    """

    def __init__(
        self, model: str, api_base: str | None, api_key_env: str | None, *, batch: bool = False
    ) -> None:
        self._named = model
        self._api_base = api_base
        self._batch = batch
        self.key = None if api_key_env is None else os.environ.get(api_key_env, "").strip()
        if self.key == "":
            raise ConfigError(f"api_key_env: the environment variable {api_key_env} is not set or is empty")

    @functools.cached_property
    def model(self) -> str:
        """The model's name as litellm wants it, the provider first where only `api_base` tells it."""
        if self._api_base is None:
            return self._named
        prefix, slash, _ = self._named.partition("/")
        known = slash and prefix in {str(getattr(p, "value", p)) for p in load().provider_list}
        return self._named if known else f"openai/{self._named}"

    @functools.cached_property
    def provider(self) -> str:
        """litellm's name of the provider; empty when it knows none for this model."""
        return _provider_of(self.model)

    @property
    def lacks_logprobs_in_tools(self) -> bool:
        """Whether tool calls are known to bring none: OpenAI's models, by their names and at OpenAI or Azure.

        Another's server that talks like OpenAI's may bring them, unless the model bears a name of OpenAI's,
        be it behind a provider's ("azure/gpt-4o") or as the base of a fine-tuned one ("ft:gpt-4o:...").
        """
        if self.provider != "openai":
            return self.provider == "azure"
        elsewhere = self._api_base or os.environ.get("OPENAI_BASE_URL") or os.environ.get("OPENAI_API_BASE")
        name = self.bare.removeprefix("openai/").removeprefix("azure/")
        base = name.split(":")[1] if name.startswith("ft:") else name
        return not elsewhere or base in load().open_ai_chat_completion_models

    @functools.cached_property
    def wants_marks(self) -> bool:
        """Whether it caches the beginnings of requests only where they are marked, as Claude's hosts do."""
        return "claude" in self.model.lower() and bool(load().utils.supports_prompt_caching(model=self.model))

    @functools.cached_property
    def ready(self) -> bool:
        """True, once everything a first request would import is imported: that is no part of its time."""
        if self.provider == "openai":
            with _uncollected():
                importlib.import_module("openai.resources")
        return True

    @functools.cached_property
    def missing_keys(self) -> tuple[str, ...]:
        """Environment variables the provider wants and that are not set."""
        return tuple(load().validate_environment(self.model)["missing_keys"])

    @property
    def key_remedy(self) -> str:
        """What to do where the provider takes no request for want of a key."""
        wanted = " or ".join(f"${name}" for name in self.missing_keys)
        return f"set {wanted or 'the right key'}, or name the variable that holds it with --api-key-env"

    def check_key(self) -> None:
        """Raise ConfigError where the provider has one variable, that of a key, and it is not set.

        Where it has several, as a cloud does, there are other ways to it.
        """
        missing = self.missing_keys if self.key is None and self._api_base is None else ()
        if len(missing) == 1 and missing[0].endswith("_KEY"):
            raise ConfigError(f"model {self._named}: there is no key; {self.key_remedy}")

    @property
    def place(self) -> dict[str, str | None]:
        """Where litellm reaches the model, and with what key."""
        key = self.key
        if key is None and self._api_base is not None and self.provider == "openai":
            key = "none"  # the library refuses to send without one
        return {"api_base": self._api_base, "api_key": key}

    def complete(self, request: Mapping[str, Any], *, timeout: float) -> Completion:
        """Send one chat request, without any retry. Raises whatever litellm raises."""
        completion = load().completion
        from factreasoner.llm.session import with_aside

        try:
            with with_aside() as aside:
                response = completion(
                    model=self.model,
                    **self.place,
                    timeout=timeout,
                    max_retries=0,
                    num_retries=0,
                    client=_handler() if self.provider in BY_HANDLER else None,
                    allowed_openai_params=self.untold(request),
                    **self._worded(request),
                )
        except Exception as error:
            if not (aside.too_long or any(mark in str(error) for mark in UNREADABLE)):
                raise
            # An answer all the same: it came with status 200 and is paid for.
            response = TOO_LONG if aside.too_long else None
        return self.completion(response, request, aside.logprobs)

    @property
    def bare(self) -> str:
        """The model's name without its provider."""
        return self.model.removeprefix(f"{self.provider}/")

    def _worded(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """A copy of the request, as litellm edits schemas in place, in words that it passes on."""
        worded = {name: copy.deepcopy(value) for name, value in request.items() if name != "messages"}
        worded["messages"] = [_copied(message) for message in request["messages"]]
        if "tool_choice" in worded and self.provider in FORCED_BY_A_WORD:
            worded["tool_choice"] = "required"  # there is but one
        return worded

    def untold(self, request: Mapping[str, Any]) -> list[str]:
        """The user's own parameters that litellm would refuse, not knowing that the model takes them."""
        return sorted(request.keys() - ASKED - self._known_parameters)

    @functools.cached_property
    def _known_parameters(self) -> frozenset[str]:
        known = load().get_supported_openai_params(model=self.bare, custom_llm_provider=self.provider)
        return frozenset(known or ())

    def completion(self, response: Any, request: Mapping[str, Any], logprobs: Any = None) -> Completion:
        """What a response to `request` says, with its cost; `logprobs` never saw litellm."""
        said = completion_of(response, request, logprobs)
        cost = self.price(said.usage.prompt_tokens, said.usage.completion_tokens)
        if cost and all(reported(response)) and not self._batch:
            # The response says more than two numbers do: cached and reasoning tokens have other prices.
            cost = self._exact_price(response) or cost
        return said._replace(usage=said.usage.model_copy(update={"cost": cost}))

    def _exact_price(self, response: Any) -> float | None:
        try:
            cost = float(load().completion_cost(completion_response=response, model=self.model))
        except Exception:  # noqa: BLE001 - litellm raises bare ones; no price is known then
            return None
        return cost if 0 <= cost < math.inf else None

    def price(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """US dollars of a request, None when the model's price is not known."""
        rates = self._rates
        return None if rates is None else prompt_tokens * rates[0] + completion_tokens * rates[1]

    def most_cost(self, request: Mapping[str, Any], longest: int) -> float | None:
        """US dollars that a request may cost at most, None when the model's price is not known.

        Its reply may take `longest` tokens where the request names no limit.
        """
        return self.price(int(MARGIN * estimate_request(request)), token_limit(request) or longest)

    @functools.cached_property
    def _rates(self) -> tuple[float, float] | None:
        return rates_of(load(), self.model, self.provider, batch=self._batch)


def _copied(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message that may be edited in place; one of plain text is copied in a fraction of the time."""
    plain = all(isinstance(value, str) for value in message.values())
    return dict(message) if plain else copy.deepcopy(dict(message))


def price(model: str, prompt_tokens: int, completion_tokens: int, *, batch: bool = False) -> float | None:
    """US dollars of a request to `model` by litellm's price list, None when the price is not known."""
    return Transport(model, None, None, batch=batch).price(prompt_tokens, completion_tokens)


def _provider_of(model: str) -> str:
    try:
        return str(load().get_llm_provider(model)[1])
    except Exception:  # noqa: BLE001 - litellm raises its own BadRequestError for a name it can't place
        return ""
