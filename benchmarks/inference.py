"""Inference on fact graphs of FR1, FR2 and FR3: seconds, width, error and verdicts flipped, per solver.

    python benchmarks/inference.py [--quick] [--seconds 60] [--memory-gib 4] [--seed 0]

Every solver runs in a child process of its own with a time and a memory limit. The error is the largest
difference of any P(true) from exact inference; where no exact solver can go, from a Gibbs run with a
tolerance of 0.0005, marked "~". pyAgrum's rows appear when pyagrum is installed. Ratios are of seconds, to
those of `auto`.
"""

from __future__ import annotations

import argparse
import multiprocessing
import re
import resource
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from factreasoner.errors import FactReasonerError
from factreasoner.graph.factors import factor_graph
from factreasoner.models import FactGraph, Node, Relation, side_of
from factreasoner.models.graph import FactorGraph
from factreasoner.pipeline.config import Config
from factreasoner.plugins.kinds import SOLVER
from factreasoner.solvers import gibbs
from factreasoner.solvers.reduction import reduce

REFERENCE_TOLERANCE = 0.0005
REPEAT_FOR = 0.2
"""Seconds within which a solver is run again, five times at most; the fastest run counts."""

Solve = Callable[[FactorGraph], "Run"]


class Run(NamedTuple):
    """What one solver made of one graph; `failed` says why there is nothing."""

    seconds: float = 0.0
    p_true: dict[str, float] | None = None
    solver: str = ""
    exact: bool = False
    width: int | None = None
    stderr: float | None = None
    failed: str = ""


class Case(NamedTuple):
    """A graph to solve. `density` is the share of pairs with a relation; FR1 has one atom a context."""

    version: int
    atoms: int
    contexts: int
    density: float

    @property
    def label(self) -> str:
        """The case in one word."""
        share = "" if self.version == 1 else f" {self.density:.4g}"
        return f"FR{self.version} {self.atoms}x{self.contexts}{share}"


def cases(quick: bool) -> Iterator[Case]:
    """All cases, or with `quick` those that take a second or so."""
    yield Case(1, 26, 53, 0.0)
    for version in (2, 3):
        for density in (0.03, 0.08) if quick else (0.03, 0.08, 0.15, 0.30):
            yield Case(version, 26, 53, density)
    if quick:
        return
    for atoms, contexts, density in ((60, 150, 0.03), (200, 600, 0.01), (1000, 3000, 0.001)):
        yield Case(1, atoms, contexts, 0.0)
        yield Case(2, atoms, contexts, density)
        yield Case(3, atoms, contexts, density / 2)


def fact_graph(case: Case, seed: int) -> FactGraph:
    """A random graph: 70 % of relations entail, probabilities are uniform in [0.6, 0.999]."""
    rng = np.random.default_rng(seed)
    nodes = [Node(id=f"a{a}", kind="atom", prior=0.5) for a in range(case.atoms)]
    nodes += [Node(id=f"c{c}", kind="context", prior=0.9) for c in range(case.contexts)]
    if case.version == 1:
        pairs = [(f"c{c}", f"a{rng.integers(case.atoms)}") for c in range(case.contexts)]
    else:
        mask = rng.random((case.contexts, case.atoms)) < case.density
        pairs = [(f"c{c}", f"a{a}") for c, a in zip(*mask.nonzero(), strict=True)]
    if case.version == 3:
        mask = np.triu(rng.random((case.contexts, case.contexts)) < case.density, k=1)
        pairs += [(f"c{c}", f"c{d}") for c, d in zip(*mask.nonzero(), strict=True)]
    relations = []
    for source, target in pairs:
        kind: Any = "entailment" if rng.random() < 0.7 else "contradiction"
        p = float(rng.uniform(0.6, 0.999))
        relations.append(Relation(source=source, target=target, kind=kind, probability=p))
    return FactGraph(nodes=tuple(nodes), relations=tuple(relations))


def by_registry(name: str, tolerance: float = gibbs.TOLERANCE, **settings: Any) -> Solve:
    """A solver of this package; `tolerance` is the standard error at which gibbs stops."""

    def solve(graph: FactorGraph) -> Run:
        gibbs.TOLERANCE = tolerance  # of this process, which solves one network
        solver = SOLVER.make(name, {"config": Config(solver=name, **settings)})
        started = time.perf_counter()
        found = solver.marginals(graph)
        seconds = time.perf_counter() - started
        return Run(seconds, found.p_true, found.solver, found.exact, found.width, found.stderr)

    return solve


def by_pyagrum(graph: FactorGraph) -> Run:
    """pyAgrum's Shafer-Shenoy, as its users would call it, over the same components."""
    import pyagrum

    started = time.perf_counter()
    reduced = reduce(graph)
    solved = []
    for part in reduced.components:
        field = pyagrum.MarkovRandomField()
        for i, cardinality in enumerate(part.cardinalities):
            field.add(pyagrum.RangeVariable(f"v{i}", "", 0, cardinality - 1))
        for factor in part.factors:
            # pyAgrum's tensors run first variable fastest: Fortran's order.
            table = np.exp(factor.logs).ravel(order="F").tolist()
            field.addFactor([f"v{i}" for i in factor.scope]).fillWith(table)
        inference = pyagrum.ShaferShenoyMRFInference(field)
        inference.makeInference()
        solved.append([inference.posterior(i).toarray() for i in range(len(part.variables))])
    p_true = {name: values[1] for name, values in reduced.named(solved).items()}
    return Run(time.perf_counter() - started, p_true, "pyagrum", True)


def rivals() -> dict[str, Solve]:
    """Row label -> solver, those that can run here."""
    found = {name: by_registry(name) for name in ("auto", "exact", "gibbs", "pgmpy")}
    try:
        import pyagrum  # noqa: F401
    except ImportError:
        pass
    else:
        found["pyagrum"] = by_pyagrum
    return found


def limited(solve: Solve, graph: FactorGraph, seconds: float, gib: float) -> Run:
    """Run in a child process that is stopped at the time limit and can't take more memory than given."""
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)

    def child() -> None:
        limit = int(gib * 2**30)
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        try:
            runs = [solve(graph)]
            while sum(run.seconds for run in runs) < REPEAT_FOR and len(runs) < 5:
                runs.append(solve(graph))
            theirs.send(min(runs, key=lambda run: run.seconds))
        except FactReasonerError as error:
            theirs.send(Run(failed=re.split("[;\n]", str(error))[0]))
        except Exception as error:  # noqa: BLE001 - a peer may fail in any way; its row says so
            theirs.send(Run(failed=f"{type(error).__name__}: {error}"))

    process = context.Process(target=child)
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(seconds) else Run(failed=f"over {seconds:g} s")
    except EOFError:
        return Run(failed="died")
    finally:
        process.kill()
        process.join()


def flips(run: dict[str, float], reference: dict[str, float]) -> int:
    """Atoms whose verdict differs from the reference's."""
    atoms = [name for name in reference if name.startswith("a")]
    return sum(side_of(run[name]) != side_of(reference[name]) for name in atoms)


def reference_of(runs: dict[str, Run], graph: FactorGraph, args: argparse.Namespace) -> Run:
    """The first exact result, else a long sampling run."""
    exact = next((run for run in runs.values() if run.p_true and run.exact and run.solver == "exact"), None)
    if exact:
        return exact
    long = by_registry(
        "gibbs", tolerance=REFERENCE_TOLERANCE, solver_seconds=args.seconds, seed=args.seed + 1
    )
    return limited(long, graph, 2 * args.seconds, args.memory_gib)


def main() -> None:
    """Print one line a solver and case, then the ratios that matter."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--seconds", type=float, default=60.0, help="time limit of one solver on one graph")
    parser.add_argument("--memory-gib", type=float, default=4.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    solvers = rivals()
    for solve in solvers.values():
        # In the parent, so that no child's time is spent on imports.
        solve(factor_graph(fact_graph(Case(2, 3, 3, 1.0), 0)))
    import scipy.sparse  # noqa: F401

    for case in cases(args.quick):
        graph = factor_graph(fact_graph(case, args.seed))
        runs = {name: limited(solve, graph, args.seconds, args.memory_gib) for name, solve in solvers.items()}
        reference = reference_of(runs, graph, args)
        base = runs["auto"]
        print(f"\n{case.label}: {len(graph.factors) - len(graph.names)} relations")
        print(f"  {'solver':<14}{'seconds':>9}  {'x auto':>15}{'width':>7}{'error':>11}{'flips':>7}  ran")
        for name, run in runs.items():
            if not run.p_true:
                print(f"  {name:<14}{run.failed:>9}")
                continue
            ratio = f"{run.seconds / base.seconds:.2f}" if base.p_true else "-"
            error, flipped = "-", "-"
            if reference.p_true:
                gap = max(abs(run.p_true[i] - p) for i, p in reference.p_true.items())
                error = f"{'' if reference.exact else '~'}{gap:.1e}"
                flipped = str(flips(run.p_true, reference.p_true))
            ran = run.solver if run.stderr is None else f"{run.solver}, standard error {run.stderr:.4f}"
            width = "-" if run.width is None else str(run.width)
            print(f"  {name:<14}{run.seconds:>9.3f}  {ratio:>15}{width:>7}{error:>11}{flipped:>7}  {ran}")


if __name__ == "__main__":
    main()
