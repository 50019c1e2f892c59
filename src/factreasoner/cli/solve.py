"""`factreasoner solve`: posteriors of a network file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.table import Column

from factreasoner.cli.flags import AS_JSON, PROFILE, Command, argument, flag
from factreasoner.errors import ConfigError, SolverError
from factreasoner.models.label_styles import LOOKS
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.loading import load_settings
from factreasoner.report.console import Terminal, coloured, error_text, plain
from factreasoner.settings.sources import flag_of

if TYPE_CHECKING:
    from factreasoner.graph.uai import NetworkFile

OF_FACT_GRAPHS = ("factors", "atom_prior", "context_prior")


class SolveCommand(Command, panels=("Graph",), without=("summary_prior", "independence", "credibility")):
    """Compute P(true) of every node of FILE, or the distribution of every variable.

    --factors and the priors are for fact graphs only; a prior in the file overrides the flags.

    Exit code 3: a sampler did not converge.
    """

    file: Path = argument("FILE", "A fact graph in JSON, or a UAI network.")
    evidence: Path | None = flag("Evidence of a UAI network. (default: FILE.evid, if it exists)")
    compare: bool = flag("Run every available solver and show the results side by side.")
    profile: Path | None = PROFILE
    as_json: bool = AS_JSON

    def _execute(self) -> int:
        from factreasoner.analysis import solver_runs

        config = load_settings(self.profile, self.settings)
        given = [key for key in OF_FACT_GRAPHS if self.settings[key] is not None]
        network = _network(self.file, self.evidence, config, given=given)
        if self.compare:
            runs, refusals = solver_runs.run_all_solvers(network.graph, config)
            if not runs:
                reasons = "\n".join(f"{name}: {reason}" for name, reason in refusals.items())
                raise SolverError(f"no solver could solve it\n{reasons}")
            content, show = solver_runs.comparison_content(network, runs, refusals), _print_comparison
        else:
            runs = [solver_runs.run_solver(config.solver, network.graph, config)]
            content, show = solver_runs.solution_content(network, runs[0]), _print_solution
        self.present({"file": str(self.file), **content}, partial(show, content))
        return 3 if any(solved.marginals.converged is False for solved in runs) else 0


def _network(file: Path, evidence: Path | None, config: Config, *, given: list[str]) -> NetworkFile:
    from factreasoner.graph.uai import is_uai, read_fact_network, read_uai_network

    if is_uai(file):
        if given:
            flags = ", ".join(map(flag_of, given))
            raise ConfigError(
                f"{flags}: for fact graphs only; {file} is a UAI network, which has its own tables"
            )
        return read_uai_network(file, evidence)
    if evidence is not None:
        raise ConfigError(f"--evidence: for UAI networks only; {file} is a fact graph")
    return read_fact_network(
        file, config.factors, atom_prior=config.atom_prior, context_prior=config.context_prior
    )


def _print_solution(content: Mapping[str, Any]) -> None:
    """The table of one solver's marginals."""
    console = Terminal(soft_wrap=True)
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
    console.print(f"\nsolver {_message(content['solver'])}, {content['solver']['seconds']:.3f} s")
    _print_warnings(console, [content["solver"]])


def _print_comparison(content: Mapping[str, Any]) -> None:
    """The marginals of all solvers side by side, and the solvers, with reasons for failures."""
    console = Terminal(soft_wrap=True)
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
        rows.append((plain(solver["asked"]), f"{solver['seconds']:.3f}", gap, _message(solver)))
    rows += [(plain(refusal["name"]), "-", "-", "did not run") for refusal in content["refused"]]
    console.columns(("solver", "seconds", "largest difference", "ran"), rows)
    _print_warnings(console, content["solvers"])
    for refusal in content["refused"]:
        console.sentence(f"\n{plain(refusal['name'])}: {plain(refusal['reason'])}")


def _compared(content: Mapping[str, Any], names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """P(true) of a binary variable by each solver, else the probability of every state."""
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


def _message(solver: Mapping[str, Any]) -> str:
    parts = [plain(solver["name"])]
    found = "exact" if solver["exact"] else "approximate"
    if solver["name"] != found:
        parts.append(found)
    if solver["width"] is not None:
        parts.append(f"width {solver['width']}")
    if solver["stderr"] is not None:
        parts.append(f"standard error {error_text(solver['stderr'])}")
    return ", ".join(parts)
