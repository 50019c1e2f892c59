"""One completion through litellm, and its price. litellm is imported on first use."""

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
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from pydantic_core import from_json

from factreasoner.calls.threads import with_stack_room
from factreasoner.calls.usage import estimate_request
from factreasoner.errors import ConfigError
from factreasoner.llm.capabilities import TOKEN_LIMITS, token_limit
from factreasoner.llm.faults import NotACompletionError
from factreasoner.llm.responses import Completion, completion_of, field_of, reported
from factreasoner.llm.settings import SYSTEM_ONE

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
"""litellm's errors for an unreadable body with status 200."""
BY_HANDLER = frozenset(
    {"anthropic", "azure_ai", "bedrock", "codestral", "databricks", "deepseek", "fireworks_ai", "gemini"}
    | {"groq", "hosted_vllm", "huggingface", "mistral", "ollama", "ollama_chat", "openrouter"}
    | {"together_ai", "vertex_ai", "watsonx", "xai"}
)
"""Providers that litellm calls with its own HTTP client rather than openai's."""
TOO_LONG = "a reply longer than any answer, which was not read"
FORCED_BY_A_WORD = frozenset({"mistral", "codestral"})
"""Providers for which litellm drops the name of the forced tool."""
MARGIN = 1.3
"""Factor on a prompt's token estimate where it must not be too low."""
FREE_PROVIDERS = frozenset(
    {"ollama", "ollama_chat", "lm_studio", "llamafile", "lemonade", "docker_model_runner"}
)
"""Local providers, whose listed price of 0 is real; elsewhere 0 means unknown."""
MILLION = 1_000_000
ASKED = frozenset(
    {"messages", "tools", "tool_choice", "response_format", "temperature", "logprobs", "top_logprobs"}
    | set(TOKEN_LIMITS)
)
"""Parameters of our own requests, which litellm knows for each model."""


@functools.cache
@with_stack_room
def load() -> Any:
    """The litellm module, quiet and offline. The first import takes seconds."""
    for name, value in ENVIRONMENT.items():
        os.environ.setdefault(name, value)
    was_collecting = gc.isenabled()
    gc.disable()  # imported objects stay; collecting them again and again takes up to a fifth longer
    try:
        import litellm
        from litellm.llms.custom_httpx.http_handler import get_ssl_configuration

        from factreasoner.llm.session import Session

        litellm.suppress_debug_info = True
        litellm.telemetry = False
        litellm.DEFAULT_MAX_RETRIES = 0  # for embeddings, max_retries=0 would mean two
        if litellm.client_session is None:
            # One pool for the process: litellm drops one of its own, connections and all, every 200 clients.
            litellm.client_session = Session(verify=get_ssl_configuration())
            atexit.register(_close, litellm)
        for name in ("litellm", "LiteLLM", "LiteLLM Router", "LiteLLM Proxy"):
            logging.getLogger(name).setLevel(logging.CRITICAL)
        # A server with tool arguments as an object, not a string, is read correctly, but with this warning.
        warnings.filterwarnings("ignore", "Pydantic serializer warnings", UserWarning)
        # Its classes are built when first used, with a warning that litellm filters itself.
        litellm.ModelResponse(choices=[{"message": {"content": ""}}])
        importlib.import_module("openai.resources")  # as a first request would
        return litellm
    finally:
        if was_collecting:
            gc.freeze()
            gc.unfreeze()  # they count as old now, and are not collected at once
            gc.enable()


def _close(litellm: Any) -> None:
    """Close our session, and the clients that litellm opened."""
    litellm.client_session.close()
    for client in litellm.in_memory_llm_clients_cache.cache_dict.values():
        if isinstance(client, litellm.HTTPHandler):
            client.close()


@functools.cache
def _handler() -> Any:
    """litellm's HTTP client, around the process's session."""
    from litellm.llms.custom_httpx.http_handler import HTTPHandler

    return HTTPHandler(client=load().client_session)


class Transport:
    """One model at one URL, with one key; with `batch`, at batch prices.

    `api_key_env` names the environment variable of the key. Without it litellm uses the provider's own
    variable, except for an OpenAI-compatible server at `api_base`, which never gets an OpenAI key.

    Raises ConfigError: the named variable is not set.
    """

    def __init__(
        self, model: str, api_base: str | None, api_key_env: str | None, *, batch: bool = False
    ) -> None:
        self._named, self._api_base, self._key_env, self._batch = model, api_base, api_key_env, batch
        self.key = None if api_key_env is None else os.environ.get(api_key_env, "").strip()
        if self.key == "":
            raise ConfigError(f"api_key_env: the environment variable {api_key_env} is not set or is empty")

    @functools.cached_property
    def model(self) -> str:
        """The model's name for litellm, with the provider first."""
        if self._api_base is None:
            return self._named
        prefix, slash, _ = self._named.partition("/")
        known = slash and prefix in {str(getattr(p, "value", p)) for p in load().provider_list}
        return self._named if known else f"openai/{self._named}"

    @functools.cached_property
    def provider(self) -> str:
        """litellm's name of the provider; empty if unknown."""
        try:
            return str(load().get_llm_provider(self.model)[1])
        except Exception:  # noqa: BLE001 - litellm raises its own BadRequestError for a name it can't place
            return ""

    @property
    def bare(self) -> str:
        """The model's name without its provider."""
        return self.model.removeprefix(f"{self.provider}/")

    @functools.cached_property
    def wants_marks(self) -> bool:
        """Whether only marked prefixes are cached, as for Claude."""
        return "claude" in self.model.lower() and bool(load().utils.supports_prompt_caching(model=self.model))

    @functools.cached_property
    def missing_keys(self) -> tuple[str, ...]:
        """The provider's environment variables that are not set."""
        return tuple(load().validate_environment(self.model)["missing_keys"])

    @property
    def key_remedy(self) -> str:
        """The fix for a refused key."""
        if self._key_env:
            return f"check the key in ${self._key_env}"
        if self._api_base:
            return "name the variable that holds this server's key with `api_key_env`"
        wanted = " or ".join(f"${name}" for name in self.missing_keys)
        return f"set {wanted or 'the right key'}, or name the variable that holds it with `api_key_env`"

    @property
    def connection_remedy(self) -> str:
        """What to check if nothing answers: the server, and a proxy set in the environment."""
        asked = self._api_base or "the server, or the network,"
        if not self._proxy:
            return f"is {asked} up?"
        host = urlsplit(self._api_base or "").hostname
        past = f"; NO_PROXY={host} goes past it" if host else ""
        return f"is {asked} up, and the proxy {self._proxy} before it{past}?"

    @property
    def host_remedy(self) -> str:
        """The fix for a host or proxy name that does not resolve."""
        first = f"check `api_base={self._api_base!r}`" if self._api_base else "is the network up?"
        return f"{first}; is there the proxy {self._proxy}?" if self._proxy else first

    @functools.cached_property
    def _proxy(self) -> str:
        """The proxy for the server from the environment; empty without one."""
        import urllib.request  # for messages alone

        where = urlsplit(self._api_base or "https://")
        proxies = urllib.request.getproxies()
        proxy = proxies.get(where.scheme) or proxies.get("all", "")
        passed = not proxy or urllib.request.proxy_bypass(where.hostname or "")
        return "" if passed else proxy.rpartition("@")[2]

    def check_key(self) -> None:
        """Raise ConfigError if the provider needs a single key variable that is not set.

        A provider with several variables, such as a cloud, has other ways to authenticate.
        """
        missing = self.missing_keys if self.key is None and self._api_base is None else ()
        if len(missing) == 1 and missing[0].endswith("_KEY"):
            raise ConfigError(f"model {self._named}: there is no key; {self.key_remedy}")

    @property
    def place(self) -> dict[str, str | None]:
        """The URL and key that litellm uses."""
        key = self.key
        if key is None and self._api_base is not None and self.provider == "openai":
            key = "none"  # the library does not send without one
        return {"api_base": self._api_base, "api_key": key}

    def complete(self, request: Mapping[str, Any], *, timeout: float) -> Completion:
        """Send one chat request, without retries. Raises NotACompletionError, or whatever litellm raises."""
        if "questions" in request:
            return self._decide(request, timeout)
        litellm = load()
        from factreasoner.llm.session import capture_details

        worded = copy.deepcopy(dict(request))  # since litellm edits it in place
        if "tool_choice" in worded and self.provider in FORCED_BY_A_WORD:
            worded["tool_choice"] = "required"  # there is only one tool
        try:
            with capture_details() as aside:
                response = litellm.completion(
                    model=self.model,
                    **self.place,
                    timeout=timeout,
                    max_retries=0,
                    num_retries=0,
                    client=_handler() if self.provider in BY_HANDLER else None,
                    allowed_openai_params=self.unlisted_params(request),
                    **worded,
                )
        except Exception as error:
            if aside.without_choices is not None:
                raise aside.without_choices from error
            if not (aside.too_long or any(mark in str(error) for mark in UNREADABLE)):
                raise
            # Still an answer: it came with status 200 and is paid for.
            response = {"choices": [{"message": {"content": TOO_LONG}}]} if aside.too_long else None
        return self.completion(response, request, aside.logprobs)

    def _decide(self, request: Mapping[str, Any], timeout: float) -> Completion:
        """Send questions with choices. Raises StatusError, NotACompletionError, or what httpx raises."""
        from factreasoner.llm.session import TooLongError, capture_details
        from factreasoner.llm.systemone import StatusError, as_chat

        unsent = {"messages", "temperature", "logprobs", "top_logprobs", *TOKEN_LIMITS}
        body = {"model": self.bare.removeprefix(SYSTEM_ONE)}
        body |= {name: value for name, value in request.items() if name not in unsent}
        headers = {} if self.key is None else {"Authorization": f"Bearer {self.key}"}
        url = f"{str(self._api_base).rstrip('/')}/systemone"
        try:
            with capture_details():
                response = load().client_session.post(url, json=body, headers=headers, timeout=timeout)
        except TooLongError:
            return self.completion({"choices": [{"message": {"content": TOO_LONG}}]}, request)
        if not response.is_success:
            raise StatusError(response)
        content = None
        with contextlib.suppress(ValueError):
            content = from_json(response.content)
        if not isinstance(field_of(content, "answers"), Mapping):
            raise NotACompletionError(response.content, field_of(content, "error"))
        return self.completion(as_chat(content), request)

    def unlisted_params(self, request: Mapping[str, Any]) -> list[str]:
        """The user's parameters that litellm does not know for this model, and would refuse."""
        if not (own := request.keys() - ASKED):
            return []
        known = load().get_supported_openai_params(model=self.bare, custom_llm_provider=self.provider)
        return sorted(own.difference(known or ()))

    def completion(self, response: Any, request: Mapping[str, Any], logprobs: Any = None) -> Completion:
        """The completion in a response to `request`, with its cost; `logprobs` were removed before."""
        words = completion_of(response, request, logprobs)
        if words.cut and not words.reply_text and not words.usage.completion_tokens:  # all was reasoning
            used = {"completion_tokens": token_limit(request) or 0}
            words = words._replace(usage=words.usage.model_copy(update=used))
        cost = self.price(words.usage.prompt_tokens, words.usage.completion_tokens)
        if cost and all(reported(response)) and not self._batch:
            # The response says more than the two numbers: cached and reasoning tokens have other prices.
            with contextlib.suppress(Exception):  # litellm raises bare exceptions
                exact = float(load().completion_cost(completion_response=response, model=self.model))
                cost = exact if 0 < exact < math.inf else cost
        return words._replace(usage=words.usage.model_copy(update={"cost": cost}))

    def price(self, prompt_tokens: int, completion_tokens: int) -> float | None:
        """US dollars of a request; None if the model's price is unknown."""
        rates = self._rates
        return None if rates is None else prompt_tokens * rates[0] + completion_tokens * rates[1]

    def most_cost(self, request: Mapping[str, Any], longest: int) -> float | None:
        """Maximum US dollars of a request; None if the model's price is unknown.

        Without its own limit, its reply has at most `longest` tokens.
        """
        return self.price(int(MARGIN * estimate_request(request)), token_limit(request) or longest)

    @functools.cached_property
    def _rates(self) -> tuple[float, float] | None:
        """US dollars per prompt and completion token; for batches as listed, else half. None: unknown."""
        try:
            rates = load().cost_per_token(model=self.model, prompt_tokens=MILLION, completion_tokens=MILLION)
        except Exception:  # noqa: BLE001 - litellm raises a bare one for a model that is not on its list
            return None
        if sum(rates) == 0 and self.provider not in FREE_PROVIDERS:
            return None
        prompt, completion = (rate / MILLION for rate in rates)
        if not self._batch:
            return prompt, completion
        listed = load().get_model_info(model=self.model)
        batched = [listed.get(f"{kind}_cost_per_token_batches") for kind in ("input", "output")]
        return (prompt / 2, completion / 2) if None in batched else (batched[0], batched[1])


def price(model: str, prompt_tokens: int, completion_tokens: int, *, batch: bool = False) -> float | None:
    """US dollars of a request to `model` by litellm's price list; None if unknown."""
    return Transport(model, None, None, batch=batch).price(prompt_tokens, completion_tokens)
