"""One table of every setting's flag, and a decorator that adds them to a command.

Kept free of the data models, so that `--help` starts fast; a test holds it against `Config`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from factreasoner.choices import Calls, Confidence, FactorTable, MerlinAlgorithm, Mode, Search, Unlisted


class Setting(NamedTuple):
    """The flag of one setting: type, help text, other name. One left out keeps the profile's value."""

    type: Any
    help: str
    alias: str | None = None


PANELS: dict[str, dict[str, Setting]] = {
    "Assessor": {
        "assessor": Setting(
            str,
            "factreasoner, factscore, veriscore, factverify, prompt-tf or package.module:Class. "
            "(default: factreasoner)",
        ),
        "version": Setting(
            Annotated[int, typer.Option(min=1, max=3)],
            "1: a context counts for the atoms it was retrieved for; 2: for every atom; "
            "3: contexts are judged against each other too. (default: 2)",
        ),
        "atomizer": Setting(str, "auto, llm, embedded or package.module:Class. (default: auto)"),
        "reviser": Setting(str, "auto, llm, embedded, none or package.module:Class. (default: auto)"),
        "revise_given": Setting(bool, "Revise the atoms that records bring, too. (default: no-revise-given)"),
        "retriever": Setting(
            str,
            "given, corpus, wikipedia, web or package.module:Class; or several, as corpus,wikipedia. "
            "(default: given)",
        ),
        "judge": Setting(
            str,
            "auto, llm, embedded, recorded or package.module:Class. "
            "(default: llm with a model, else embedded)",
        ),
        "relations": Setting(
            Path, "Verdicts of the recorded judge: JSONL, or an earlier run's folder. (default: none)"
        ),
        "unlisted": Setting(
            Unlisted, "What a pair is that --relations does not list. (default: missing, which is a failure)"
        ),
    },
    "Model": {
        "model": Setting(str, "Any litellm model, as openai/gpt-4o-mini. (default: none)"),
        "api_base": Setting(str, "URL of an OpenAI-compatible server, as http://localhost:8000/v1."),
        "api_key_env": Setting(str, "Environment variable that holds the key."),
        "temperature": Setting(float, "Sampling temperature. (default: 0)"),
        "max_tokens": Setting(
            int, "Longest reply in tokens, reasoning included; raised once where it cuts. (default: 4096)"
        ),
        "reasoning_effort": Setting(str, "How much a reasoning model reasons: low, medium, high, ..."),
        "model_param": Setting(
            list[str], "KEY=VALUE sent with every request, as num_ctx=8192; repeatable. (default: none)"
        ),
        "timeout": Setting(float, "Seconds one request may take. (default: 120)"),
        "max_attempts": Setting(
            int, "Times one claim is asked about: bad replies and timeouts count. (default: 5)"
        ),
        "patience": Setting(
            float, "Seconds a call waits for a server that is down or busy, before it fails. (default: 120)"
        ),
        "concurrency": Setting(int, "Requests in flight, over all records. (default: 16)"),
        "requests_per_minute": Setting(int, "Wait rather than send more. (default: no limit)"),
        "tokens_per_minute": Setting(int, "Wait rather than send more. (default: no limit)"),
        "max_cost": Setting(float, "Stop before spending more US dollars than this. (default: no limit)"),
        "cache": Setting(bool, "Keep answered calls on disk and reuse them. (default: cache)"),
        "cache_dir": Setting(Path, "Where. (default: the user's cache folder)"),
    },
    "Retrieval": {
        "query_builder": Setting(
            str,
            "Words the searches: subject puts in what the record is about; none, auto, llm or "
            "package.module:Class. (default: subject)",
        ),
        "summarizer": Setting(
            str,
            "Have a model summarise contexts and drop irrelevant ones: none, auto, llm or "
            "package.module:Class. (default: none)",
        ),
        "retrieve_k": Setting(int, "Contexts an atom gets. (default: 3)"),
        "retrieve_question": Setting(
            bool, "Search for the prompt or topic too; versions 2 and 3. (default: retrieve-question)"
        ),
        "search": Setting(
            Search, "Own documents: by words, vectors or both. (default: both, where there are vectors)"
        ),
        "wikipedia_language": Setting(str, "Which Wikipedia. (default: en)"),
        "wikipedia_url": Setting(str, "api.php of another MediaWiki. (default: Wikipedia's)"),
        "search_url": Setting(str, "A Serper-compatible search service. (default: Serper's)"),
        "fetch_text": Setting(bool, "Read the pages found, not snippets alone. (default: no-fetch-text)"),
        "fetch_pages": Setting(int, "Pages read of a PDF. (default: 20)"),
        "fetch_bytes": Setting(int, "Largest page, packed and unpacked. (default: 10000000)"),
        "fetch_timeout": Setting(float, "Seconds one page may take to come, and to be read. (default: 20)"),
        "allow_domains": Setting(list[str], "Use pages of this domain alone; repeatable. (default: all)"),
        "deny_domains": Setting(list[str], "Never use pages of this domain; repeatable. (default: none)"),
        "allow_private_hosts": Setting(
            bool, "Fetch from private addresses, for intranets. (default: no-allow-private-hosts)"
        ),
    },
    "Own documents": {
        "collection": Setting(str, "Where passages are kept. (default: documents)"),
        "store_dir": Setting(Path, "Folder of collections. (default: in the user's data folder)", "--store"),
        "chroma_url": Setting(str, "A Chroma server with collections, as http://localhost:8000."),
        "embedding": Setting(
            str,
            "none, minilm, a litellm model as openai/text-embedding-3-small, or package.module:function. "
            "(default: as the collection was made; a new one: none)",
        ),
        "embedding_api_base": Setting(str, "URL of an OpenAI-compatible server of embeddings."),
        "embedding_api_key_env": Setting(str, "Environment variable that holds its key."),
    },
    "Judging": {
        "mode": Setting(Mode, "Verdicts a call may give, with or without citations. (default: tfn)"),
        "atoms_per_call": Setting(int, "Atoms verified by one call. (default: 32)"),
        "calls": Setting(
            Calls,
            "How factscore and the like ask: many atoms a call, or one as published. (default: batched)",
        ),
        "confidence": Setting(Confidence, "Where a verdict's probability comes from. (default: auto)"),
        "constant_confidence": Setting(float, "The probability of `constant`. (default: 0.9)"),
        "votes": Setting(int, "Samples of `votes`. (default: 5)"),
        "audit_share": Setting(float, "Share of a model's verdicts asked again one at a time. (default: 0)"),
        "premise_tokens": Setting(int, "Length of a context used as a claim, version 3. (default: 256)"),
    },
    "Graph": {
        "factors": Setting(FactorTable, "Factor tables. (default: conditional)"),
        "atom_prior": Setting(float, "P(true) of an atom before evidence. (default: 0.5)"),
        "context_prior": Setting(float, "P(true) of a context before evidence. (default: 0.9)"),
        "summary_prior": Setting(
            bool, "Scale the prior of a context by its summary's confidence. (default: no-summary-prior)"
        ),
        "independence": Setting(
            bool,
            "Let copies of a text and passages of a page speak with one voice: the strongest. "
            "(default: no-independence)",
        ),
        "solver": Setting(str, "auto, exact, gibbs, pgmpy or merlin. (default: auto)"),
        "max_width": Setting(int, "Largest elimination width solved exactly. (default: by memory)"),
        "tolerance": Setting(float, "Standard error at which gibbs stops. (default: 0.003)"),
        "solver_seconds": Setting(float, "Seconds gibbs or pgmpy may take for one record. (default: 30)"),
        "merlin_path": Setting(Path, "The merlin binary. (default: MERLIN_PATH, else merlin on PATH)"),
        "merlin_algorithm": Setting(
            MerlinAlgorithm, "How merlin infers. (default: cte while the width allows it, else wmb)"
        ),
        "merlin_ibound": Setting(int, "i-bound of wmb, ijgp and jglp. (default: what takes about a second)"),
        "merlin_iterations": Setting(int, "Iterations of merlin. (default: 10; gibbs: 10000 samples)"),
        "merlin_timeout": Setting(float, "Seconds merlin may take for one record. (default: 120)"),
    },
    "Calibration": {
        "calibration": Setting(Path, "Apply what `calibrate` wrote into this file. (default: none)"),
    },
    "Scores": {
        "k": Setting(str, "K of F1@K: median, half or a number. (default: median)"),
        "gamma": Setting(
            float, "Add FActScore's penalty for answers of fewer atoms; published: 10. (default: none)"
        ),
        "seed": Setting(int, "Seed of everything random. (default: 0)"),
    },
}

SETTINGS = {key: setting for panel in PANELS.values() for key, setting in panel.items()}


def takes_settings(
    *panels: str, without: Collection[str] = ()
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the flags of `panels` (all when none is named), as a mapping in its `settings`.

    It has no use for those named in `without`.
    """
    chosen = {
        panel: {key: setting for key, setting in PANELS[panel].items() if key not in without}
        for panel in panels or PANELS
    }
    keys = [key for settings in chosen.values() for key in settings]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        parameters = [p for name, p in own.parameters.items() if name != "settings"]
        parameters += [_flag(key, s, panel) for panel, ss in chosen.items() for key, s in ss.items()]

        @functools.wraps(command)
        def with_settings(**values: Any) -> None:
            settings = {key: values.pop(key) for key in keys}
            command(**values, settings=settings)

        signature = inspect.Signature(parameters)
        with_settings.__signature__ = signature  # type: ignore[attr-defined]
        with_settings.__annotations__ = {p.name: p.annotation for p in parameters}
        return with_settings

    return decorate


def _flag(key: str, setting: Setting, panel: str) -> inspect.Parameter:
    name = f"--{key.replace('_', '-')}"
    names = [f"{name}/--no-{name[2:]}" if setting.type is bool else name]
    if setting.alias:
        names.append(setting.alias)
    limits: dict[str, Any] = {}
    kind = setting.type
    if hasattr(kind, "__metadata__"):
        kind, option = kind.__origin__, kind.__metadata__[0]
        limits = {"min": option.min, "max": option.max}
    return inspect.Parameter(
        key,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[
            kind | None,
            typer.Option(*names, help=setting.help, rich_help_panel=panel, show_default=False, **limits),
        ],
    )
