"""What a person or a program reads of a solved network."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rich.table import Column

from factreasoner.analysis.cross_check import SolverRefusal, SolverRun, difference, reference_run
from factreasoner.cli.claim_tables import coloured
from factreasoner.graph.uai import NetworkFile
from factreasoner.models import support_of
from factreasoner.report.console import Terminal, plain
from factreasoner.tasks.labels import LOOKS

Content = dict[str, Any]


def solution_content(network: NetworkFile, solved: SolverRun) -> Content:
    """What `solve --json` prints: the solver and every variable's distribution.

    An atom has the label that follows, where the file tells it: a UAI network has no relations, so its tables
    say nothing of what supports or contradicts an atom.
    """
    marginals = solved.marginals
    entries = []
    for entry in _variables(network):
        probabilities, label = marginals.probabilities[entry["variable"]], None
        if entry["kind"] == "atom" and entry["observed"] is None and network.evidence is not None:
            label = support_of(probabilities[1], network.evidence[entry["variable"]], marginals.stderr)
        entries.append({**entry, "probabilities": list(probabilities), "label": label})
    return {"solver": _solver_content(solved), "marginals": entries}


def comparison_content(
    network: NetworkFile, runs: Sequence[SolverRun], refusals: Sequence[SolverRefusal]
) -> Content:
    """What `solve --compare --json` prints: every solver, and every variable's distribution by each."""
    reference = reference_run(runs)
    solvers = []
    for solved in runs:
        gap = difference(solved.marginals, reference.marginals)
        told = {"largest_difference": gap.largest, "largest_difference_at": gap.variable}
        solvers.append(_solver_content(solved) | told)
    entries = []
    for entry in _variables(network):
        found = {run.asked: list(run.marginals.probabilities[entry["variable"]]) for run in runs}
        entries.append({**entry, "probabilities": found})
    refused = [refusal._asdict() for refusal in refusals]
    return {"measured_by": reference.asked, "solvers": solvers, "refused": refused, "marginals": entries}


def _variables(network: NetworkFile) -> list[Content]:
    graph = network.graph
    kinds = network.kinds or (None,) * len(graph.names)
    return [
        {"variable": name, "kind": kind, "observed": graph.evidence.get(i)}
        for i, (name, kind) in enumerate(zip(graph.names, kinds, strict=True))
    ]


def _solver_content(solved: SolverRun) -> Content:
    marginals = solved.marginals
    names = ("exact", "converged", "width", "stderr")
    return {
        "asked": solved.asked,
        "name": marginals.solver,
        **{name: getattr(marginals, name) for name in names},
        "seconds": solved.seconds,
        "diagnostics": dict(marginals.diagnostics),
    }


def print_solution(content: Mapping[str, Any]) -> None:
    """The table of one solver's marginals."""
    console = Terminal(soft_wrap=True, highlight=False)
    binary = all(len(entry["probabilities"]) == 2 for entry in content["marginals"])
    names = ("node", "kind", "P(true)" if binary else "P(state 0), P(state 1), ...", "")
    rows = []
    for entry in content["marginals"]:
        shown = entry["probabilities"][1:] if binary else entry["probabilities"]
        label = coloured(LOOKS[entry["label"]]) if entry["label"] else ""
        remark = label if entry["observed"] is None else "observed"
        p = " ".join(f"{value:.6f}" for value in shown)
        rows.append((plain(entry["variable"]), plain(entry["kind"] or ""), p, remark))
    console.columns([Column(name, no_wrap=True) for name in names], rows)
    console.print(f"\nsolver {_told(content['solver'])}, {content['solver']['seconds']:.3f} s")
    _print_warnings(console, [content["solver"]])


def print_comparison(content: Mapping[str, Any]) -> None:
    """The marginals of all solvers side by side, then the solvers, and why some did not run."""
    console = Terminal(soft_wrap=True, highlight=False)
    names = [solver["asked"] for solver in content["solvers"]]
    console.columns(("node", *map(plain, names)), _compared(content, names))
    console.print()
    rows = []
    for solver in content["solvers"]:
        gap = f"{solver['largest_difference']:.2g}"
        if solver["asked"] == content["measured_by"]:
            gap = "the reference"
        elif solver["largest_difference"]:
            gap += f" at {plain(solver['largest_difference_at'])}"
        rows.append((plain(solver["asked"]), f"{solver['seconds']:.3f}", gap, _told(solver)))
    rows += [(plain(refusal["name"]), "-", "-", "did not run") for refusal in content["refused"]]
    console.columns(("solver", "seconds", "largest difference", "ran"), rows)
    _print_warnings(console, content["solvers"])
    for refusal in content["refused"]:
        console.sentence(f"\n{plain(refusal['name'])}: {plain(refusal['reason'])}")


def _compared(content: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """P(true) of a variable of two states by each solver, else the probability of every state."""
    for entry in content["marginals"]:
        columns = [entry["probabilities"][name] for name in names]
        count = len(columns[0])
        for state in [1] if count == 2 else range(count):
            name = plain(entry["variable"]) + ("" if count == 2 else f" = {state}")
            yield (name, *(f"{column[state]:.6f}" for column in columns))


def _print_warnings(console: Terminal, solvers: Sequence[Mapping[str, Any]]) -> None:
    for solver in solvers:
        if warning := solver["diagnostics"].get("warning"):
            console.sentence(f"\n[yellow]{plain(solver['name'])}: {plain(str(warning))}[/]")


def _told(solver: Mapping[str, Any]) -> str:
    told = [plain(solver["name"])]
    if solver["name"] != "exact":
        told.append("exact" if solver["exact"] else "approximate")
    if solver["width"] is not None:
        told.append(f"width {solver['width']}")
    if solver["stderr"] is not None:
        told.append(f"standard error {solver['stderr']:.2g}")
    return ", ".join(told)
