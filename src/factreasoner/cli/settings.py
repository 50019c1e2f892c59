"""One table of every setting's flag.

Kept free of the data models, so that `--help` starts fast; a test holds it against `Config`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from factreasoner.choices import (
    BatchMode,
    Calls,
    Confidence,
    Device,
    Executor,
    FactorTable,
    FormChoice,
    MerlinAlgorithm,
    Mode,
    PremiseMode,
    Search,
    Uncited,
    Unlisted,
)
from factreasoner.registry import PLUGINS


class Setting(NamedTuple):
    """The flag of one setting: type, help text, other name. One left out keeps the profile's value.

    What `Config` has as its default is added to the help when it is shown; a help text says itself what a
    default of none or auto comes to. `twice` is the remedy where a flag of a list, of which one is meant, is
    repeated; of other flags the last one counts.
    """

    type: Any
    help: str
    alias: str | None = None
    twice: str = ""


def _names(kind: str) -> str:
    """The names of the plug-ins of a kind, with commas."""
    return ", ".join(PLUGINS[kind])


PANELS: dict[str, dict[str, Setting]] = {
    "Assessor": {
        "assessor": Setting(
            str,
            f"{_names('assessor')} or package.module:Class.",
        ),
        "version": Setting(
            Annotated[int, typer.Option(min=1, max=3)],
            "1: a context counts for the atoms it was retrieved for; 2: for every atom; "
            "3: contexts are judged against each other too.",
        ),
        "atomizer": Setting(str, f"auto, {_names('atomizer')} or package.module:Class."),
        "reviser": Setting(
            str, "auto, llm, inline (in the atomizer's own call), embedded, none or package.module:Class."
        ),
        "fact_generator": Setting(
            str, f"Makes facts of a reference: auto, {_names('fact_generator')} or package.module:Class."
        ),
        "revise_given": Setting(bool, "Revise the atoms that records bring, too."),
        "retriever": Setting(
            str,
            f"{_names('retriever')} or package.module:Class; or several, as corpus,wikipedia.",
        ),
        "spacy_model": Setting(
            str,
            "spaCy pipeline the embedded atomizer and reviser parse English with: a name, a path, or none "
            "for whole sentences. (default: en_core_web_sm or another one that is installed)",
        ),
        "judge": Setting(
            list[str],
            f"auto, {_names('judge')} or package.module:Class. (default: llm with a model, else embedded)",
            twice="give one; several models judge together by --model A --model B",
        ),
        "relations": Setting(Path, "Verdicts of the recorded judge: JSONL, or an earlier run's folder."),
        "unlisted": Setting(
            Unlisted,
            "What a pair not listed by --relations is, in a record it names; a missing one is a failure.",
        ),
    },
    "Verifier": {
        "verifier": Setting(str, "Which verifier judges, as factcg, or a TOML file."),
        "verifier_model": Setting(str, "Its ONNX model: a folder, a file, or a hub id."),
        "verifier_url": Setting(
            str, "Where it is served instead: http://.../predict (TEI) or http://.../classify (vLLM)."
        ),
        "verifier_api_key_env": Setting(str, "Environment variable that holds that server's key."),
        "verifier_revision": Setting(str, "Branch, tag or commit of an id on the hub."),
        "verifier_file": Setting(
            str, "Which .onnx file of the model. (default: model.onnx, or the only one)"
        ),
        "verifier_labels": Setting(
            str,
            "What its outputs mean, in their order, as entailment,neutral,contradiction. "
            "(default: as the verifier, or its config.json, says)",
        ),
        "verifier_window": Setting(
            int,
            "Most tokens of passage and claim together; longer ones in windows. (default: the verifier's)",
        ),
        "verifier_device": Setting(Device, "cpu, or cuda with an onnxruntime-gpu of your own."),
        "verifier_threads": Setting(int, "Threads of the CPU. (default: one a core)"),
        "verifier_batch": Setting(int, "Pairs of 128 tokens run at once; longer ones are fewer."),
        "verifier_download": Setting(
            bool, "Fetch the model from the hub where it is not in its local cache."
        ),
    },
    "Model": {
        "model": Setting(
            list[str],
            "Any litellm model, as openai/gpt-4o-mini. Several, repeated: all judge, the majority counts, "
            "and the first does the rest.",
        ),
        "further_models": Setting(list[str], "Models that judge beside --model; repeatable."),
        "api_base": Setting(str, "URL of an OpenAI-compatible server, as http://localhost:8000/v1."),
        "api_key_env": Setting(str, "Environment variable that holds the key."),
        "temperature": Setting(float, "Sampling temperature."),
        "max_tokens": Setting(int, "Longest reply in tokens, reasoning included; raised once where it cuts."),
        "reasoning_effort": Setting(str, "How much a reasoning model reasons: low, medium, high, ..."),
        "model_param": Setting(list[str], "KEY=VALUE sent with every request, as num_ctx=8192; repeatable."),
        "timeout": Setting(float, "Seconds one request may take."),
        "max_attempts": Setting(int, "Times one claim is asked about: bad replies and timeouts count."),
        "patience": Setting(
            float, "Seconds a call waits for a server that is down or busy, before it fails."
        ),
        "concurrency": Setting(int, "Requests in flight, over all records."),
        "executor": Setting(
            Executor,
            "Work on records in threads, in processes (for judges that compute, on all cores), or on a Ray "
            "cluster.",
        ),
        "workers": Setting(int, "Processes. (default: one a core)"),
        "ray_address": Setting(str, "The cluster's, as auto or HOST:6379. (default: one on this machine)"),
        "requests_per_minute": Setting(int, "Wait rather than send more. (default: no limit)"),
        "tokens_per_minute": Setting(int, "Wait rather than send more. (default: no limit)"),
        "max_cost": Setting(float, "Stop before spending more US dollars than this. (default: no limit)"),
        "batch": Setting(
            BatchMode,
            "Have calls answered in batches, at half the price: files, for you to have answered (exit code 5 "
            "until they are), or openai, which uploads them and waits.",
        ),
        "cache": Setting(bool, "Keep answered calls on disk and reuse them."),
        "cache_dir": Setting(Path, "Where. (default: the user's cache folder)"),
    },
    "Retrieval": {
        "query_builder": Setting(
            str,
            "Words the searches: subject puts in what the record is about; none, auto, llm or "
            "package.module:Class.",
        ),
        "summarizer": Setting(
            str,
            "Have a model summarise contexts and drop irrelevant ones: none, auto, llm or "
            "package.module:Class.",
        ),
        "retrieve_k": Setting(int, "Contexts an atom gets."),
        "retrieve_question": Setting(bool, "Search for the prompt or topic too; versions 2 and 3."),
        "search": Setting(
            Search, "Own documents: by words, vectors or both. (default: both, where there are vectors)"
        ),
        "wikipedia_language": Setting(str, "Which Wikipedia."),
        "wikipedia_url": Setting(str, "api.php of another MediaWiki. (default: Wikipedia's)"),
        "search_url": Setting(str, "A Serper-compatible search service."),
        "fetch_text": Setting(bool, "Read the pages found, not snippets alone."),
        "fetch_pages": Setting(int, "Pages read of a PDF."),
        "fetch_bytes": Setting(int, "Largest page, packed and unpacked."),
        "fetch_timeout": Setting(float, "Seconds one page may take to come, and to be read."),
        "ignore_robots": Setting(bool, "Read pages that a site's robots.txt asks to leave alone."),
        "allow_domains": Setting(list[str], "Use pages of this domain alone; repeatable. (default: all)"),
        "deny_domains": Setting(list[str], "Never use pages of this domain; repeatable."),
        "allow_private_hosts": Setting(bool, "Fetch from private addresses, for intranets."),
    },
    "Own documents": {
        "collection": Setting(str, "Where passages are kept."),
        "store_dir": Setting(Path, "Folder of collections. (default: in the user's data folder)", "--store"),
        "embedding": Setting(
            str,
            "none, minilm, a litellm model as openai/text-embedding-3-small, or package.module:function. "
            "(default: as the collection was made; a new one: none)",
        ),
        "embedding_api_base": Setting(str, "URL of an OpenAI-compatible server of embeddings."),
        "embedding_api_key_env": Setting(str, "Environment variable that holds its key."),
        "embedding_price": Setting(float, "US dollars a million tokens. (default: as litellm lists it)"),
    },
    "Judging": {
        "mode": Setting(Mode, "Verdicts a call may give; with citations or reasoning first."),
        "form": Setting(FormChoice, "How calls are made; auto: as the first answers show."),
        "atoms_per_call": Setting(int, "Atoms verified by one call."),
        "calls": Setting(
            Calls,
            "How factscore and the like ask: many atoms a call, or one as published.",
        ),
        "confidence": Setting(Confidence, "Where a verdict's probability comes from."),
        "constant_confidence": Setting(float, "The probability of `constant`."),
        "votes": Setting(int, "Samples of `votes`."),
        "audit_share": Setting(float, "Share of a model's verdicts asked again one at a time."),
        "premise_tokens": Setting(int, "Length of a context used as a claim, version 3."),
    },
    "Claims": {
        "premise": Setting(
            PremiseMode, "Judge contexts one by one (each: an exact matrix), or in one call (joint: cheap)."
        ),
        "window_tokens": Setting(
            int, "Tokens of passages that one call shows at most; longer ones are judged in pieces."
        ),
        "uncited": Setting(
            Uncited, "Claims that cite nothing: flag them, or check them against all sources."
        ),
        "rounds": Setting(int, "Times an answer is corrected and verified again, at most; 0: never."),
    },
    "Graph": {
        "factors": Setting(FactorTable, "Factor tables."),
        "atom_prior": Setting(float, "P(true) of an atom before evidence."),
        "context_prior": Setting(float, "P(true) of a context before evidence."),
        "summary_prior": Setting(bool, "Scale the prior of a context by its summary's confidence."),
        "independence": Setting(
            bool,
            "Let copies of a text and passages of a page speak with one voice: the strongest.",
        ),
        "solver": Setting(str, f"{_names('solver')} or package.module:Class."),
        "max_width": Setting(int, "Largest elimination width solved exactly. (default: by memory)"),
        "tolerance": Setting(float, "Standard error at which gibbs stops."),
        "solver_seconds": Setting(float, "Seconds gibbs or pgmpy may take for one record."),
        "merlin_path": Setting(Path, "The merlin binary. (default: MERLIN_PATH, else merlin on PATH)"),
        "merlin_algorithm": Setting(
            MerlinAlgorithm, "How merlin infers. (default: cte while the width allows it, else wmb)"
        ),
        "merlin_ibound": Setting(int, "i-bound of wmb and ijgp. (default: 10)"),
        "merlin_iterations": Setting(int, "Iterations of merlin. (default: 10)"),
        "merlin_timeout": Setting(float, "Seconds merlin may take for one record."),
    },
    "Calibration": {
        "calibration": Setting(Path, "Apply what `calibrate` wrote into this file."),
    },
    "Scores": {
        "k": Setting(str, "K of F1@K: median, half or a number."),
        "gamma": Setting(float, "Add FActScore's penalty for answers of fewer atoms; published: 10."),
        "seed": Setting(int, "Seed of everything random."),
    },
}

SETTINGS = {key: setting for panel in PANELS.values() for key, setting in panel.items()}


COMMON = frozenset(
    {
        "version",
        "model",
        "api_base",
        "judge",
        "verifier",
        "verifier_model",
        "relations",
        "retriever",
        "collection",
        "mode",
        "premise",
        "uncited",
        "rounds",
        "concurrency",
        "max_cost",
        "k",
    }
)
"""Settings that a short help page shows."""
OF_CLAIMS = ("fact_generator", *PANELS["Claims"])
"""Settings of the tasks that hold claims against sources, for which assessing whole answers has no use."""
