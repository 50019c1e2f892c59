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
    "chroma_url": Removed("passages are kept on disk; set `store_dir`"),
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
    "audit_share": Removed("run again with `atoms_per_call` 1, and `compare` both runs", 0.0),
    "publish to": Removed("scores go to OTLP; docs/publish.md sends them to Langfuse and Phoenix"),
    "publish skip": Removed("send all of them; repeated scores have the same `factreasoner.key`"),
    "compare plot": Removed("`compare --report` draws the scores"),
    "compare markdown": Removed("`--out FILE.md` writes the tables"),
    "compare csv": Removed("`--out FILE.csv` writes every number"),
    "compare task": Removed("`--modes` is for `recall` alone; remove it"),
    "explain flip_size": Removed("`explain` prints the effect of each context"),
    "index stats": Removed("use `index --list`"),
}
"""Settings by name. "judge nli" is a value of a setting, and "explain flip_size" a flag of one command."""


def told_removed(key: str, value: object = None) -> str | None:
    """The sentence on a setting or a flag that is gone, or on a value that is; None if neither is."""
    if (gone := REMOVED.get(key)) is not None:
        return f"no longer there: {gone.instead}"
    gone = REMOVED.get(f"{key} {value}") if isinstance(value, str) else None
    return gone and f"{value!r} is no longer there: {gone.instead}"


def removed_from(values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The settings of a run that are gone and were not at their default, or have a value that is gone.

    Yields their name and the sentence.
    """
    for key, value in values.items():
        gone = REMOVED.get(key)
        if (gone is None or value != gone.default) and (told := told_removed(key, value)):
            yield key, told
