"""What a person or a program reads of a solved network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table

from factreasoner.analysis.cross_check import SolverRefusal, SolverRun, difference, reference_run
from factreasoner.cli.atom_tables import coloured
from factreasoner.graph.network_file import NetworkFile
from factreasoner.models import Marginals, support_of
from factreasoner.report.console import Terminal, plain
from factreasoner.tasks.labels import LOOKS

Content = dict[str, Any]


def solution_content(network: NetworkFile, solved: SolverRun) -> Content:
    """What `solve --json` prints: the solver and every variable's distribution."""
    return {
        "solver": _solver_content(solved),
        "marginals": [_solved(entry, solved.marginals, network) for entry in _variables(network)],
    }


def _solved(entry: Content, marginals: Marginals, network: NetworkFile) -> Content:
    """A variable with its distribution, and for an atom the label that follows, where the file tells it.

    A UAI network has no relations, so its tables say nothing of what supports or contradicts an atom.
    """
    probabilities = marginals.probabilities[entry["variable"]]
    label = None
    if entry["kind"] == "atom" and entry["observed"] is None and network.evidence is not None:
        label = support_of(probabilities[1], network.evidence[entry["variable"]], marginals.stderr)
    return {**entry, "probabilities": list(probabilities), "label": label}


def comparison_content(
    network: NetworkFile, runs: Sequence[SolverRun], refusals: Sequence[SolverRefusal]
) -> Content:
    """What `solve --compare --json` prints: every solver, and every variable's distribution by each."""
    reference = reference_run(runs)
    solvers = []
    for solved in runs:
        gap = difference(solved.marginals, reference.marginals)
        told = {"largest_difference": gap.largest, "largest_difference_at": gap.variable}
        solvers.append({**_solver_content(solved), **told})
    return {
        "measured_by": reference.asked,
        "solvers": solvers,
        "refused": [{"name": refusal.name, "reason": refusal.reason} for refusal in refusals],
        "marginals": [
            {
                **entry,
                "probabilities": {
                    solved.asked: list(solved.marginals.probabilities[entry["variable"]]) for solved in runs
                },
            }
            for entry in _variables(network)
        ],
    }


def _variables(network: NetworkFile) -> list[Content]:
    graph = network.graph
    kinds = network.kinds or (None,) * len(graph.names)
    return [
        {"variable": name, "kind": kind, "observed": graph.evidence.get(i)}
        for i, (name, kind) in enumerate(zip(graph.names, kinds, strict=True))
    ]


def _solver_content(solved: SolverRun) -> Content:
    marginals = solved.marginals
    return {
        "asked": solved.asked,
        "name": marginals.solver,
        "exact": marginals.exact,
        "converged": marginals.converged,
        "width": marginals.width,
        "stderr": marginals.stderr,
        "seconds": solved.seconds,
        "diagnostics": dict(marginals.diagnostics),
    }


def print_solution(content: Mapping[str, Any]) -> None:
    """The table of one solver's marginals."""
    console = Terminal(soft_wrap=True, highlight=False)
    binary = all(len(entry["probabilities"]) == 2 for entry in content["marginals"])
    table = Table(box=None, pad_edge=False)
    for name in ("node", "kind", "P(true)" if binary else "P(state 0), P(state 1), ...", ""):
        table.add_column(name, no_wrap=True)
    for entry in content["marginals"]:
        p = entry["probabilities"]
        shown = f"{p[1]:.6f}" if binary else " ".join(f"{value:.6f}" for value in p)
        table.add_row(plain(entry["variable"]), plain(entry["kind"] or ""), shown, _remark(entry))
    console.print(table)
    console.print(f"\nsolver {_told(content['solver'])}, {content['solver']['seconds']:.3f} s")
    _print_warnings(console, [content["solver"]])


def print_comparison(content: Mapping[str, Any]) -> None:
    """The marginals of all solvers side by side, then the solvers, and why some did not run."""
    console = Terminal(soft_wrap=True, highlight=False)
    names = [solver["asked"] for solver in content["solvers"]]
    table = Table("node", *map(plain, names), box=None, pad_edge=False)
    for entry in content["marginals"]:
        for state, values in _states(entry, names):
            table.add_row(plain(entry["variable"]) + state, *(f"{p:.6f}" for p in values))
    console.print(table)
    console.print()
    table = Table("solver", "seconds", "largest difference", "ran", box=None, pad_edge=False)
    for solver in content["solvers"]:
        gap = f"{solver['largest_difference']:.2g}"
        if solver["asked"] == content["measured_by"]:
            gap = "the reference"
        elif solver["largest_difference"]:
            gap += f" at {plain(solver['largest_difference_at'])}"
        table.add_row(plain(solver["asked"]), f"{solver['seconds']:.3f}", gap, _told(solver))
    for refusal in content["refused"]:
        table.add_row(plain(refusal["name"]), "-", "-", "did not run")
    console.print(table)
    _print_warnings(console, content["solvers"])
    for refusal in content["refused"]:
        console.sentence(f"\n{plain(refusal['name'])}: {plain(refusal['reason'])}")


def _print_warnings(console: Terminal, solvers: Sequence[Mapping[str, Any]]) -> None:
    for solver in solvers:
        if warning := solver["diagnostics"].get("warning"):
            console.sentence(f"\n[yellow]{plain(solver['name'])}: {plain(str(warning))}[/]")


def _states(entry: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, list[float]]]:
    """P(true) of a variable of two states by each solver, else the probability of every state."""
    columns = [entry["probabilities"][name] for name in names]
    count = len(columns[0])
    for state in [1] if count == 2 else range(count):
        yield "" if count == 2 else f" = {state}", [column[state] for column in columns]


def _remark(entry: Mapping[str, Any]) -> str:
    if entry["observed"] is not None:
        return "observed"
    label = entry["label"]
    return coloured(LOOKS[label]) if label else ""


def _told(solver: Mapping[str, Any]) -> str:
    told = [plain(solver["name"])]
    if solver["name"] != "exact":
        told.append("exact" if solver["exact"] else "approximate")
    if solver["width"] is not None:
        told.append(f"width {solver['width']}")
    if solver["stderr"] is not None:
        told.append(f"standard error {solver['stderr']:.2g}")
    return ", ".join(told)
