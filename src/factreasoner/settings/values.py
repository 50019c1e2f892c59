"""What settings may be: choices, checks of single values, settings that contradict each other.

Settings are written into every run folder, so none may hold a key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import parse_qsl, urlsplit

if TYPE_CHECKING:
    from factreasoner.settings.config import Config

Version = Literal[1, 2, 3]
Mode = Literal["tf", "tfn", "tf_citation", "tfn_citation", "tfn_reasoning", "prompt-tf"]
Device = Literal["cpu", "cuda"]
BatchMode = Literal["none", "files", "openai"]
Executor = Literal["threads", "processes", "ray"]
Confidence = Literal["auto", "logprobs", "verbal", "votes", "constant"]
MerlinAlgorithm = Literal["wmb", "bte", "cte", "ijgp", "lbp"]
CallForm = Literal["word", "lines", "json_schema", "json_object", "tool"]
FormChoice = Literal["auto", "word", "lines", "json_schema", "json_object", "tool"]
PremiseMode = Literal["each", "joint"]
Prefilter = Literal["none", "bundled"]
Unlisted = Literal["missing", "neutral"]
Uncited = Literal["flag", "check"]
Search = Literal["auto", "bm25", "dense", "hybrid"]


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_SECRET_PARAMETER = re.compile(r"key|token|secret|sig|pass|auth|cred|code|sas", re.IGNORECASE)
_HOST = re.compile(r"[\w.-]+(:\d+|\.\w+)(/[\w./-]*)?")
_LETTER_BY_DIGIT = re.compile(r"(?<=[A-Za-z])[0-9]|(?<=[0-9])[A-Za-z]")
_SECRET = re.compile(r"(^|_)(key|secret|password|credentials?|token|headers?|auth\w*)$", re.IGNORECASE)
_OWN = {
    "model": "--model",
    "api_base": "--api-base",
    "base_url": "--api-base",
    "temperature": "--temperature",
    "max_tokens": "--max-tokens",
    "max_completion_tokens": "--max-tokens",
    "timeout": "--timeout",
    "logprobs": "--confidence",
    "top_logprobs": "--confidence",
}
_CONTENT = {"messages", "tools", "tool_choice", "functions", "function_call", "response_format"}
_DELIVERY = {"stream", "n", "stop", "max_retries", "num_retries"}


def looks_like_a_key(text: str) -> bool:
    """Whether nobody would choose this text as a name: letters and digits mixed, or a very long part."""
    mixed = len(text) >= 16 and len(_LETTER_BY_DIGIT.findall(text)) >= 4
    return mixed or max(map(len, re.split(r"[\W_]", text))) >= 32


def checked_variable(name: str) -> str:
    """`name`, if it can name an environment variable.

    Raises ValueError: it can't, or it looks like a key. The message never repeats it.
    """
    if _NAME.fullmatch(name) is None or looks_like_a_key(name):
        raise ValueError(
            "not the name of an environment variable; it looks like the key itself, which would be written "
            "into results: put the key into the environment (export MY_KEY=...) and name the variable"
        )
    return name


def checked_url(url: str) -> str:
    """`url`, if it is a URL without a user, a password or a key.

    Raises ValueError: it is not. The message never repeats a secret.
    """
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise ValueError("not a URL") from error
    if "@" in parts.netloc:
        raise ValueError("a URL with credentials would be written into results; leave them out")
    parameters = [*parse_qsl(parts.query, keep_blank_values=True), ("", parts.fragment)]
    if any(_SECRET_PARAMETER.search(name) or looks_like_a_key(value) for name, value in parameters):
        raise ValueError(
            "its query seems to hold a key, which would be written into results; leave it out, and name the "
            "environment variable that holds the key"
        )
    if parts.scheme not in ("http", "https") or not parts.netloc:
        shown = url if _HOST.fullmatch(url) and not looks_like_a_key(url) else "... or https://..."
        raise ValueError(f"not a URL; write http://{shown}")
    return url


def checked_service(url: str) -> str:
    """`url` of a search service, if it has neither credentials nor a query. Raises ValueError otherwise."""
    if re.search(r"[@?]", url):
        raise ValueError("a URL with credentials or a query would be written into results; leave them out")
    return url


def checked_wikipedia(wiki: str) -> str:
    """`wiki`, if it is a language of Wikipedia or the URL of a wiki. Raises ValueError otherwise."""
    if re.fullmatch(r"[a-z][a-z0-9-]{0,19}", wiki):
        return wiki
    if "://" not in wiki:
        raise ValueError("must be a language, such as de, or the URL of a wiki's api.php")
    return checked_service(wiki)


def one_model(given: object) -> object:
    """A list of one model as that model, an empty one as none; anything else as it is."""
    if isinstance(given, list | tuple) and len(given) < 2:
        return next(iter(given), None)
    return given


def parsed_parameters(given: object) -> object:
    """A mapping as it is; `KEY=VALUE` texts as a mapping, with values read as JSON where they are JSON.

    Raises ValueError: a text without a key or a value.
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
            raise ValueError(f"{name!r} would be written into results; a key comes from --api-key-env")
        if name in _OWN:
            raise ValueError(f"{name!r} has its own setting: {_OWN[name]}")
        if name in _CONTENT | _DELIVERY:
            raise ValueError(f"{name!r} follows from what is asked, and can't be set")
    try:
        json.dumps(parameters, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"a value is not JSON: {error}") from None
    return parameters


def checked_k(value: object) -> object:
    """K of F1@K, a number as an integer. Raises ValueError: not a positive integer, median or half."""
    if value in ("median", "half"):
        return value
    if not re.fullmatch(r"0*[1-9]\d{0,17}", str(value)):
        raise ValueError("must be a positive integer, 'median' or 'half'")
    return int(str(value))


PARTS_BY_MODEL = ("judge", "atomizer", "reviser", "query_builder", "summarizer")
"""Settings that may be `llm`: a language model then does that part."""
_OF_VERIFIERS = ("verifier", "verifier_model", "verifier_url")


def refuse_conflicts(config: Config) -> None:
    """Raise ValueError for settings that contradict each other, or that need another setting.

    The message names the setting and says what to add or leave out.
    """
    found = (problem for rules in (_judges, _model, _parts, _executor) for problem in rules(config))
    if (problem := next(found, None)) is not None:
        raise ValueError(problem)


def _judges(config: Config) -> Iterator[str]:
    if not config.judge_models:
        return
    if len(set(config.judge_models)) < len(config.judge_models):
        yield "model: one model is named twice; the judges of an ensemble must differ"
    if config.plugin("judge") != "llm":
        yield (
            f"model: several models judge, and --judge {config.judge} asks none of them: leave out --judge "
            "or all models but one; `factreasoner compare` shows runs by different judges side by side"
        )
    if config.assessor != "factreasoner" or config.mode == "prompt-tf":
        asking = "prompt-tf" if config.mode == "prompt-tf" else config.assessor
        yield f"model: {asking} asks one model itself; name one"


def _model(config: Config) -> Iterator[str]:
    if config.api_base is not None and config.model is None:
        yield "api_base: there is no model to reach there: add --model NAME"
    for kind in PARTS_BY_MODEL:
        if getattr(config, kind) == "llm" and config.model is None:
            yield f"{kind}: 'llm' needs a model: add --model NAME"
    if config.batch != "none" and config.model is None:
        yield "batch: batches need a model: add --model NAME"
    if config.batch != "none" and config.executor != "threads":
        yield f"batch: nothing waits for a model between batches: leave out {config.executor!r}"


def _parts(config: Config) -> Iterator[str]:
    if config.judge == "recorded" and config.relations is None:
        yield "judge: 'recorded' needs verdicts: add --relations with a file or a run folder"
    if config.judge != "recorded" and config.relations is not None:
        yield f"relations: judge {config.judge!r} does not read them: add --judge recorded"
    yield from _verifier(config)
    if config.credibility is not None and config.assessor != "factreasoner":
        yield f"credibility: assessor {config.assessor!r} has no graph and no priors: leave it out"


def _verifier(config: Config) -> Iterator[str]:
    if config.plugin("judge") != "verifier":
        unread = [key for key in _OF_VERIFIERS if getattr(config, key) is not None]
        if unread:
            yield f"{unread[0]}: judge {config.plugin('judge')!r} does not read it: add --judge verifier"
        return
    if config.verifier is None and (
        given := [key for key in _OF_VERIFIERS if getattr(config, key) is not None]
    ):
        yield f"{given[0]}: needs a verifier: add --verifier NAME (docs/verifiers.md)"
    if config.judging_verifier == "bundled" and config.verifier_url is not None:
        yield "verifier_url: the bundled judge needs no server: remove it, or name another --verifier"


def waited_for(config: Config) -> str:
    """The model or the search service that records wait for, in words; empty: they are computed alone."""
    if config.model is not None:
        return f"model {config.first_model!r}"
    return f"retriever {min(asked)!r}" if (asked := _searched(config)) else ""


def _searched(config: Config) -> set[str]:
    """The search services that the retrievers ask."""
    return {"wikipedia", "web"} & {name.strip() for name in config.retriever.split(",")}


def _executor(config: Config) -> Iterator[str]:
    if config.executor == "threads":
        if config.workers is not None:
            yield "workers: --concurrency sets the number of threads; add --executor processes"
        return
    if waits := waited_for(config):
        yield (
            f"executor: {config.executor!r} is for local judges; threads wait for {waits}, and their "
            "limits hold over all records: use --executor threads"
        )
    if config.max_cost is not None:
        yield f"max_cost: money is counted in one process only; leave out --executor {config.executor}"
