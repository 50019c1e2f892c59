"""Solve a network with one solver, or with all of them for comparison."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any, NamedTuple

from factreasoner.errors import ConfigError, SolverError
from factreasoner.graph.uai import NetworkFile
from factreasoner.models import FactorGraph, Marginals, support_of
from factreasoner.pipeline.config import Config
from factreasoner.plugins.kinds import SOLVER
from factreasoner.plugins.table import PLUGINS


class SolverRun(NamedTuple):
    """The result of one solver, and its time in seconds."""

    asked: str
    seconds: float
    marginals: Marginals


def run_solver(name: str, graph: FactorGraph, config: Config) -> SolverRun:
    """Solve a network with one solver.

    Raises:
        ConfigError: no such solver, or its program is not installed.
        SolverError: inference was refused or failed.
    """
    solver = SOLVER.make(name, {"config": config})
    started = time.perf_counter()
    marginals = solver.marginals(graph)
    return SolverRun(name, time.perf_counter() - started, marginals)


def run_all_solvers(graph: FactorGraph, config: Config) -> tuple[list[SolverRun], dict[str, str]]:
    """Try every registered solver, and the one in `config` if it is custom.

    Returns the results, and the reason for each solver without one.
    """
    runs, refusals = [], {}
    small = FactorGraph(("x",), (2,), ())  # some solvers import their library only when first used
    for name in dict.fromkeys((*PLUGINS["solver"], config.solver)):
        try:
            run_solver(name, small, config)
            runs.append(run_solver(name, graph, config))
        except (ConfigError, SolverError) as error:
            refusals[name] = str(error)
    return runs, refusals


def reference_run(trials: Iterable[SolverRun]) -> SolverRun:
    """The run to compare with: an exact one if there is any, in double precision if possible."""
    return min(trials, key=lambda t: (not t.marginals.exact, "precision" in t.marginals.diagnostics))


def difference(one: Marginals, other: Marginals) -> tuple[float, str]:
    """The largest difference of any probability, and its variable; 0 and "" without variables."""
    gaps = (
        (abs(p - q), name)
        for name, values in one.probabilities.items()
        for p, q in zip(values, other.probabilities[name], strict=True)
    )
    return max(gaps, key=itemgetter(0), default=(0.0, ""))


def solution_content(network: NetworkFile, solved: SolverRun) -> dict[str, Any]:
    """The output of `solve --json`: the solver and every variable's distribution.

    An atom has a label only if the file has relations; a UAI network has none.
    """
    found = solved.marginals
    entries = []
    for entry in _variables(network):
        name, label = entry["variable"], None
        p = found.probabilities[name]
        if entry["kind"] == "atom" and entry["observed"] is None and network.evidence is not None:
            label = support_of(p[1], network.evidence[name], found.stderr)
        entries.append({**entry, "probabilities": list(p), "label": label})
    return {"solver": _solver_content(solved), "marginals": entries}


def comparison_content(
    network: NetworkFile, runs: Sequence[SolverRun], refusals: Mapping[str, str]
) -> dict[str, Any]:
    """The output of `solve --compare --json`: every solver, and every variable's distribution."""
    reference = reference_run(runs)
    solvers = []
    for solved in runs:
        largest, variable = difference(solved.marginals, reference.marginals)
        message = {"largest_difference": largest, "largest_difference_at": variable}
        solvers.append(_solver_content(solved) | message)
    entries = []
    for entry in _variables(network):
        found = {run.asked: list(run.marginals.probabilities[entry["variable"]]) for run in runs}
        entries.append({**entry, "probabilities": found})
    refused = [{"name": name, "reason": reason} for name, reason in refusals.items()]
    return {"measured_by": reference.asked, "solvers": solvers, "refused": refused, "marginals": entries}


def _variables(network: NetworkFile) -> list[dict[str, Any]]:
    graph = network.graph
    kinds = network.kinds or (None,) * len(graph.names)
    return [
        {"variable": name, "kind": kind, "observed": graph.evidence.get(i)}
        for i, (name, kind) in enumerate(zip(graph.names, kinds, strict=True))
    ]


def _solver_content(solved: SolverRun) -> dict[str, Any]:
    found = solved.marginals
    return {
        "asked": solved.asked,
        "name": found.solver,
        **{name: getattr(found, name) for name in ("exact", "converged", "width", "stderr")},
        "seconds": solved.seconds,
        "diagnostics": dict(found.diagnostics),
    }
