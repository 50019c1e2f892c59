"""`factreasoner solve`: posteriors of a network in a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from factreasoner.cli.flags import takes_settings
from factreasoner.errors import ConfigError, SolverError
from factreasoner.report.terminal import say_json

if TYPE_CHECKING:
    from factreasoner.graph.uai import NetworkFile
    from factreasoner.settings import Config

OF_FACT_GRAPHS = ("factors", "atom_prior", "context_prior")


@takes_settings("Graph", without=("summary_prior", "independence", "credibility"))
def solve(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A fact graph in JSON, or a UAI network.")],
    evidence: Annotated[
        Path | None,
        typer.Option(help="Evidence of a UAI network. (default: FILE.evid, where there is one)"),
    ] = None,
    compare: Annotated[
        bool, typer.Option("--compare", help="Run every solver there is, and show them side by side.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
    *,
    settings: dict[str, Any],
) -> None:
    """Compute P(true) of every node of FILE, or the distribution of every variable.

    --factors and the priors are for fact graphs alone; a prior in the file goes before the flags.

    Exit code 3: a sampler has not converged.
    """

    from factreasoner.analysis.cross_check import SolverRefusal, SolverRun, run_all_solvers, run_solver
    from factreasoner.cli import solution_tables
    from factreasoner.settings import load_settings

    config = load_settings(None, settings)
    network = _network(
        file, evidence, config, given=[key for key in OF_FACT_GRAPHS if settings[key] is not None]
    )
    if compare:
        results = list(run_all_solvers(network.graph, config))
        runs = [result for result in results if isinstance(result, SolverRun)]
        refusals = [result for result in results if isinstance(result, SolverRefusal)]
        if not runs:
            reasons = "\n".join(f"{name}: {reason}" for name, reason in refusals)
            raise SolverError(f"no solver could solve it\n{reasons}")
        content = solution_tables.comparison_content(network, runs, refusals)
        show = solution_tables.print_comparison
    else:
        runs = [run_solver(config.solver, network.graph, config)]
        content = solution_tables.solution_content(network, runs[0])
        show = solution_tables.print_solution
    if as_json:
        say_json({"file": str(file), **content})
    else:
        show(content)
    if any(solved.marginals.converged is False for solved in runs):
        raise typer.Exit(3)


def _network(file: Path, evidence: Path | None, config: Config, *, given: list[str]) -> NetworkFile:
    from factreasoner.graph.uai import is_uai, read_fact_network, read_uai_network

    if is_uai(file):
        if given:
            flags = ", ".join(f"--{key.replace('_', '-')}" for key in given)
            raise ConfigError(
                f"{flags}: for fact graphs only; {file} is a UAI network with tables of its own"
            )
        return read_uai_network(file, evidence)
    if evidence is not None:
        raise ConfigError(f"--evidence: for UAI networks only; {file} is a fact graph")
    return read_fact_network(
        file, config.factors, atom_prior=config.atom_prior, context_prior=config.context_prior
    )
