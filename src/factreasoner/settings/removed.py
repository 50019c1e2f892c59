"""Flags, settings and values that earlier versions had, each with what replaces it.

One table for flags, variables, profiles, keyword arguments and manifests.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple


class Removed(NamedTuple):
    """What is gone: what to do instead, as the end of a sentence; and the default that a setting had."""

    instead: str
    default: object = None


REMOVED: Mapping[str, Removed] = {
    "chroma_url": Removed("passages are kept on disk; set `store`"),
    "judge embedded": Removed("the bundled judge replaces it; remove it"),
    "judge nli": Removed("set `verifier` to nli"),
    "ray_address": Removed("set the environment variable RAY_ADDRESS"),
    "prefilter words": Removed("`bundled` replaces it"),
    "max_width": Removed("memory decides which networks are solved exactly; remove it"),
    "tolerance": Removed("sampling stops at a standard error of 0.003; remove it", 0.003),
    "merlin_iterations": Removed("merlin iterates 10 times; remove it"),
    "merlin_timeout": Removed("set `solver_seconds`", 120.0),
    "posteriors": Removed("calibrate the verdicts of a run, with `calibrate RUN --relations FILE`"),
    "calibrate gold": Removed("label pairs of passage and claim, and give them with `--relations`"),
    "calibrate method": Removed("verdicts get a temperature and offsets; remove it"),
    "merlin_algorithm gibbs": Removed("use `wmb` or `cte`, or another solver"),
    "merlin_algorithm jglp": Removed("use `wmb` or `cte`, or another solver"),
    "calibrate fit_priors": Removed("set `factors` and `context_prior` yourself"),
    "audit_share": Removed("run again with `atoms_per_call` 1, and `compare` both runs", 0.0),
    "publish to": Removed("scores go to OTLP; docs/publish.md sends them to Langfuse and Phoenix"),
    "publish skip": Removed("send all of them; repeated scores have the same `factreasoner.key`"),
    "compare plot": Removed("`compare --report` draws the scores"),
    "compare markdown": Removed("`--out FILE.md` writes the tables"),
    "compare csv": Removed("`--out FILE.csv` writes every number"),
    "compare task": Removed("`--modes` is for `recall` alone; remove it"),
    "explain flip_size": Removed("`explain` prints the effect of each context"),
    "serve workers": Removed("a service works in threads, one for each core; remove it"),
    "index stats": Removed("use `index --list`"),
    "constant_confidence": Removed("such a verdict has P 0.9; remove it", 0.9),
    "votes": Removed("five samples are drawn; remove it", 5),
    "premise_tokens": Removed("a context is judged against others by its first 256 tokens; remove it", 256),
    "window_tokens": Removed("a call shows at most 16,000 tokens of passages; remove it", 16000),
    "prefilter_audit": Removed("skipped pairs are not judged; remove it", 0.05),
    "calls": Removed("set `atoms_per_call` to 1 for one call an atom", "batched"),
    "retrieve_question": Removed(
        "the question is searched for, too; set `version` to 1 where it is not to be", True
    ),
    "fetch_pages": Removed("20 pages of a PDF are read; remove it", 20),
    "fetch_bytes": Removed("a page may have 10 MB; remove it", 10000000),
    "fetch_timeout": Removed("a page may take 20 seconds; remove it", 20.0),
    "ignore_robots": Removed("robots.txt holds; give such pages as contexts", False),
    "wikipedia_language": Removed("set `wikipedia`", "en"),
    "wikipedia_url": Removed("set `wikipedia`"),
    "embedding_price": Removed("the price is litellm's, and 0 with `embedding_api_base`; remove it"),
    "embedding_api_key_env": Removed("put the key into FACTREASONER_EMBEDDING_KEY"),
    "verifier_api_key_env": Removed("put the key into FACTREASONER_VERIFIER_KEY"),
    "verifier_revision": Removed("write ID@REVISION as `verifier_model`"),
    "verifier_file": Removed("name the .onnx file in `verifier_model`"),
    "verifier_labels": Removed("name a TOML file with `labels` as `verifier`"),
    "verifier_window": Removed("name a TOML file with `max_tokens` as `verifier`"),
    "verifier_threads": Removed(
        "a verifier takes one thread per core, and one beside other processes; remove it"
    ),
    "verifier_batch": Removed("32 pairs are run at once; remove it", 32),
    "verifier_download": Removed("fetch the model by `factreasoner doctor --download`", False),
    "further_models": Removed("repeat `model`", []),
    "reasoning_effort": Removed("write reasoning_effort=low as `model_param`"),
    "fact_generator": Removed("set `atomizer`, which also makes facts of a reference", "auto"),
    "reviser inline": Removed("`none` does the same"),
    "atomizer embedded": Removed("it is called `rules`"),
    "reviser embedded": Removed("it is called `rules`"),
    "store_dir": Removed("set `store`"),
}
"""Settings by name. "judge nli" is a value of a setting, and "explain flip_size" a flag of one command."""


def removal_notice(key: str, value: object = None) -> str | None:
    """The sentence on a setting or a flag that is gone, or on a value that is; None if neither is."""
    if (gone := REMOVED.get(key)) is not None:
        return f"no longer there: {gone.instead}"
    gone = REMOVED.get(f"{key} {value}") if isinstance(value, str) else None
    return gone and f"{value!r} is no longer there: {gone.instead}"


def was_default(key: str, value: object) -> bool:
    """Whether a setting is gone and had its default, so that a run is as it would be without it."""
    return key in REMOVED and value == REMOVED[key].default


def removed_from(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The settings of a run that are gone and were not at their default, or have a value that is gone.

    Yields their name and the sentence.
    """
    for key, value in values.items():
        if not was_default(key, value) and (told := removal_notice(key, value)):
            yield key, told
