"""What the effect of every context costs, beside solving a record's network once for each of them.

    python benchmarks/explanations.py [--densities 0.03 0.08 0.15] [--solves 8] [--seed 0]

For FR2 graphs of 26 atoms and 53 contexts, and for the example records with their recorded relations: seconds
of one explanation of all atoms, its own solution of the whole network included; seconds of (contexts + 1)
solutions by `auto`, the other way to the same numbers; and the ratio of the two, which must stay below 1.
Of a network's solutions `--solves` are timed, spread over its contexts, and their mean stands for the rest.
Effects are compared with those solutions: the largest difference is printed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from inference import Case, fact_graph

from factreasoner.explanations.components import subgraph
from factreasoner.explanations.explain import explain
from factreasoner.explanations.models import Explanation
from factreasoner.graph.factors import factor_graph
from factreasoner.inputs.input import CheckedInput
from factreasoner.models import Assessment, FactGraph, Outcome
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.solvers.gibbs import AutoSolver

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"


class Solves(NamedTuple):
    """Seconds of all solutions, P(true) without each context that was timed, and whether they were exact."""

    seconds: float
    without: dict[str, dict[str, float]]
    exact: bool


def graphs(densities: list[float], seed: int) -> Iterator[tuple[str, list[FactGraph]]]:
    """Name and graphs of each row."""
    for density in densities:
        case = Case(2, 26, 53, density)
        yield case.label, [fact_graph(case, seed)]
    for version in (1, 2, 3):
        config = Config(
            judge="recorded", relations=EXAMPLES / "relations.jsonl", unlisted="neutral", version=version
        )
        checked = CheckedInput(EXAMPLES / "answers.jsonl")
        pipeline = build_pipeline(config)
        outcomes = [pipeline.assess(record).outcome for record in checked.records()]
        yield f"examples, version {version}", [o.graph for o in outcomes if o and o.graph]


def explained(graph: FactGraph) -> tuple[float, Explanation]:
    """Seconds of an explanation that has to find the posteriors first, and the explanation."""
    outcome = Outcome(p_true={}, support={}, graph=graph)
    made = Assessment(record_id="r", status="ok", assessor="factreasoner", outcome=outcome)
    started = time.perf_counter()
    told = explain(made)
    return time.perf_counter() - started, told


def solved(graph: FactGraph, most: int) -> Solves:
    """Solve the network, and again without contexts of it."""
    whole, solver = factor_graph(graph), AutoSolver(Config())
    contexts = [i for i, node in enumerate(graph.nodes) if node.kind == "context"]
    chosen = [contexts[k] for k in np.unique(np.linspace(0, len(contexts) - 1, most).astype(int))]
    started = time.perf_counter()
    exact = solver.marginals(whole).exact
    first = time.perf_counter() - started
    without = {}
    started = time.perf_counter()
    for context in chosen:
        found = solver.marginals(subgraph(whole, [i for i in range(len(whole.names)) if i != context]))
        without[whole.names[context]] = found.p_true
        exact &= found.exact
    each = (time.perf_counter() - started) / len(chosen)
    return Solves(first + each * len(contexts), without, exact)


def largest_difference(told: Explanation, without: dict[str, dict[str, float]]) -> float:
    """Between the effects of contexts and the posteriors without these."""
    gaps = [0.0]
    for atom in told.atoms:
        effects = {effect.context_id: effect.p_without for effect in atom.effects}
        gaps += [abs(effects.get(c, atom.p_true) - p[atom.atom_id]) for c, p in without.items()]
    return max(gaps)


def main() -> None:
    """Print a row for every kind of graph."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--densities", type=float, nargs="*", default=[0.03, 0.08, 0.15])
    parser.add_argument("--solves", type=int, default=8, help="solutions to time for each network")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    titles = ("all effects", "solutions", "ratio", "difference")
    print(f"{'graphs':<22}" + "".join(f"{title:>12}" for title in titles))
    for name, found in graphs(args.densities, args.seed):
        seconds = solutions = gap = 0.0
        exact = True
        for graph in found:
            spent, told = explained(graph)
            reference = solved(graph, args.solves)
            seconds, solutions = seconds + spent, solutions + reference.seconds
            gap, exact = max(gap, largest_difference(told, reference.without)), exact and reference.exact
        sampled = "" if exact else "  (sampled)"
        print(
            f"{name:<22}{seconds:>10.3f} s{solutions:>10.3f} s{seconds / solutions:>12.3f}{gap:>12.1e}"
            f"{sampled}",
            flush=True,
        )


if __name__ == "__main__":
    main()
