"""Settings of language models."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator

from factreasoner.calls.settings import CallSettings
from factreasoner.plugins.table import AUTO, AUTOMATIC, PLUGINS, Plugin
from factreasoner.settings.setting import setting
from factreasoner.settings.values import Variable

Mode = Literal["tf", "tfn", "tf_citation", "tfn_citation", "tfn_reasoning", "prompt-tf"]
BatchMode = Literal["none", "files", "openai"]
Confidence = Literal["auto", "logprobs", "verbal", "votes", "constant"]
CallForm = Literal["word", "lines", "json_schema", "json_object", "tool", "systemone"]
FormChoice = Literal["auto", "word", "lines", "json_schema", "json_object", "tool", "systemone"]
SYSTEM_ONE = "systemone/"
"""Name prefix of System One models, which only answer questions with choices."""

_SECRET = re.compile(r"(^|_)(key|secret|password|credentials?|token|headers?|auth\w*)$", re.IGNORECASE)
_OWN = {
    "model": "model",
    "api_base": "api_base",
    "base_url": "api_base",
    "temperature": "temperature",
    "max_tokens": "max_tokens",
    "max_completion_tokens": "max_tokens",
    "timeout": "timeout",
    "logprobs": "confidence",
    "top_logprobs": "confidence",
}
_CONTENT = {"messages", "tools", "tool_choice", "functions", "function_call", "response_format"}
_DELIVERY = {"stream", "n", "stop", "max_retries", "num_retries"}


def one_model(given: object) -> object:
    """A list of one model as that model, an empty one as None; other values unchanged."""
    if isinstance(given, list | tuple) and len(given) < 2:
        return next(iter(given), None)
    return given


def parsed_parameters(given: object) -> object:
    """A mapping unchanged; `KEY=VALUE` strings as a mapping, with values parsed as JSON if possible.

    Raises ValueError: a string without a key or value.
    """
    if not isinstance(given, list | tuple):
        return given
    parameters: dict[str, Any] = {}
    for name, sign, value in (str(one).partition("=") for one in given):
        if not sign or not name.strip():
            raise ValueError(f"{name!r} is not a parameter; write KEY=VALUE, such as num_ctx=8192")
        try:
            parameters[name.strip()] = json.loads(value)
        except (ValueError, RecursionError):
            parameters[name.strip()] = value
    return parameters


def checked_parameters(parameters: dict[str, Any]) -> dict[str, Any]:
    """`parameters`, if requests can carry them.

    Raises ValueError: one holds a secret, has its own setting, or is not JSON.
    """
    for name in parameters:
        if _SECRET.search(name):
            raise ValueError(
                f"{name!r} would be written into results; name the variable of a key as `api_key_env`"
            )
        if name in _OWN:
            raise ValueError(f"{name!r} has its own setting: `{_OWN[name]}`")
        if name in _CONTENT | _DELIVERY:
            raise ValueError(f"{name!r} follows from what is asked, and can't be set")
    try:
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"a value is not JSON: {error}") from None
    return parameters


Models = Annotated[str | tuple[str, ...] | None, BeforeValidator(one_model)]
Parameters = Annotated[dict[str, Any], BeforeValidator(parsed_parameters), AfterValidator(checked_parameters)]
_model = partial(setting, "Model")
_judging = partial(setting, "Judging")


class LLMSettings(CallSettings):
    """Settings of language models. `mode` and `confidence` define a judging call's answers."""

    model: Models = _model(
        None,
        "Language model, as litellm names it, such as openai/gpt-4o-mini. Repeat the flag for a majority "
        "vote of several judges; the first model does all other steps.",
        common=True,
        several=True,
        keyword="str | Sequence[str] | None",
    )
    api_key_env: Variable | None = _model(
        None, "Environment variable that holds the API key.", affects="calls"
    )
    temperature: float = _model(0.0, "Sampling temperature.", ge=0.0, le=2.0)
    max_tokens: int = _model(
        4096, "Maximum reply tokens, reasoning included; raised once if a reply is cut off.", ge=16
    )
    model_param: Parameters = _model(
        {},
        "KEY=VALUE sent with every request, such as num_ctx=8192; repeatable.",
        keyword="Mapping[str, Any] | Sequence[str]",
    )
    batch: BatchMode = _model(
        "none",
        "Send calls in batches, at half the price. files: write files for you to submit (exit code 5 until "
        "their results are there); openai: upload them and wait for the results.",
        affects="calls",
    )
    mode: Mode = _judging(
        "tfn",
        "Verdicts that a call can give; some modes require a citation or reasoning first.",
        common=True,
    )
    form: FormChoice = _judging("auto", "Form of a reply; auto: one that the model follows.")
    confidence: Confidence = _judging("auto", "Where a verdict's probability comes from.")

    @property
    def models(self) -> tuple[str, ...]:
        """All models: the first does everything, the others only judge."""
        if self.model is None:
            return ()
        return (self.model,) if isinstance(self.model, str) else self.model

    @property
    def first_model(self) -> str | None:
        """The model for everything, judging included."""
        return next(iter(self.models), None)

    @property
    def judge_models(self) -> tuple[str, ...]:
        """The models of an ensemble of judges; empty without an ensemble."""
        return self.models if len(self.models) > 1 else ()

    @property
    def only_chooses(self) -> bool:
        """Whether the model only answers questions with choices."""
        named = (self.first_model or "").startswith(SYSTEM_ONE)
        return self.form == "systemone" or (self.form == "auto" and named)

    def plugin(self, kind: str) -> str:
        """The plug-in name in these settings, with `auto` resolved by the plug-in table."""
        name: str = getattr(self, "atomizer" if kind == "fact_generator" else kind)
        if name != AUTOMATIC or kind not in AUTO:
            return name
        with_model, without = AUTO[kind]
        return with_model if self.models and (kind == "judge" or not self.only_chooses) else without

    def part(self, kind: str) -> Plugin:
        """The plug-in of these settings, with its properties."""
        name = self.plugin(kind)
        return PLUGINS[kind].get(name) or Plugin(name)
