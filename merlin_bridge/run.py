"""Run merlin on a network: in a folder of its own, within a time limit, and checked from end to end."""

from __future__ import annotations

import math
import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from merlin_bridge.errors import MerlinInputError, MerlinOutputError
from merlin_bridge.locate import locate
from merlin_bridge.network import Network, check_evidence
from merlin_bridge.process import execute
from merlin_bridge.results import BadAnswer, parse_answer
from merlin_bridge.safe_input import SafeInput, safe_input
from merlin_bridge.uai import evidence_text, network_text

ALGORITHMS = ("wmb", "bte", "cte", "ijgp", "lbp")
"""Those that give marginals worth having; the README says why `jglp` and `gibbs` are left out."""

EXACT_ALGORITHMS = frozenset({"bte", "cte"})
"""Algorithms whose marginals are exact, but for the 6 decimals they are printed with."""

IBOUND_ALGORITHMS = frozenset({"wmb", "ijgp"})
"""Algorithms that trade accuracy for time by the i-bound."""

ITERATED_ALGORITHMS = frozenset({"wmb", "ijgp", "lbp"})
DEFAULT_IBOUND = 6
DEFAULT_ITERATIONS = 10


@dataclass(frozen=True)
class Result:
    """What a run gave.

    `marginals[i]` is the distribution of variable i as printed: 6 decimals. `ibound` and `iterations` are
    None where the algorithm takes none. `seconds` is the time of the process.
    """

    marginals: tuple[tuple[float, ...], ...]
    algorithm: str
    ibound: int | None
    iterations: int | None
    seconds: float


def run(
    network: Network,
    *,
    binary: str | os.PathLike[str] | None = None,
    algorithm: str = "cte",
    ibound: int | None = None,
    iterations: int | None = None,
    evidence: Mapping[int, int] | None = None,
    timeout: float = 60.0,
) -> Result:
    """Posterior marginals of every variable, observed ones included.

    `binary`: see :func:`merlin_bridge.locate`. `ibound` (wmb, ijgp; 6 when not given): at most one
    variable less than a table may have. `iterations`: 10 when not given. What the
    algorithm does not take is not passed on. `evidence`: observed state by variable. `timeout`: seconds after
    which merlin and all it started are killed.

    Raises:
        MerlinNotFoundError: there is no binary.
        MerlinInputError: the evidence or an option is wrong, or a factor is 0 throughout under the evidence.
        MerlinFailedError: merlin could not start, failed or crashed.
        MerlinTimeoutError: the time limit passed.
        MerlinOutputError: the answer is missing or wrong.
    """
    options = _Options.of(algorithm, ibound, iterations)
    if not 0.0 < timeout < math.inf:
        raise MerlinInputError(f"timeout: must be a positive number of seconds, not {timeout!r}")
    safe = safe_input(network, check_evidence(network, evidence or {}))
    path = locate(binary)
    with tempfile.TemporaryDirectory(prefix="merlin-") as folder:
        return _run_in(Path(folder), path, safe, options=options, timeout=timeout)


def _run_in(folder: Path, path: Path, safe: SafeInput, *, options: _Options, timeout: float) -> Result:
    model, evidence, answer_base = folder / "network.uai", folder / "network.evid", folder / "answer"
    command = [str(path), "--input-file", str(model), "--task", "MAR", *options.arguments()]
    model.write_text(network_text(safe.network), encoding="ascii")
    if safe.evidence:
        evidence.write_text(evidence_text(safe.evidence), encoding="ascii")
        command += ["--evidence-file", str(evidence)]
    command += ["--output-format", "json", "--output-file", str(answer_base)]
    finished = execute(tuple(command), folder=folder, timeout=timeout)
    try:
        text = (folder / "answer.MAR.json").read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        reason = f"merlin exited with code 0, but answer.MAR.json can't be read: {error.strerror}"
        raise MerlinOutputError(reason, command, finished.stderr) from error
    try:
        marginals = parse_answer(
            text,
            algorithm=options.algorithm,
            cardinalities=safe.network.cardinalities,
            evidence=safe.evidence,
        )
    except BadAnswer as error:
        raise MerlinOutputError(str(error), command, finished.stderr) from error
    return Result(
        marginals=marginals[: safe.variables],
        algorithm=options.algorithm,
        ibound=options.ibound,
        iterations=options.iterations,
        seconds=finished.seconds,
    )


class _Options(NamedTuple):
    algorithm: str
    ibound: int | None
    iterations: int | None

    @classmethod
    def of(cls, algorithm: str, ibound: int | None, iterations: int | None) -> _Options:
        if algorithm not in ALGORITHMS:
            raise MerlinInputError(f"unknown algorithm {algorithm!r}; known: {', '.join(ALGORITHMS)}")
        # merlin takes an i-bound of 0 for "no bound" and would ask for all memory.
        for name, value in (("ibound", ibound), ("iterations", iterations)):
            if value is not None and (not isinstance(value, int) or value < 1):
                raise MerlinInputError(f"{name}: must be a positive integer, not {value!r}")
        return cls(
            algorithm,
            (ibound or DEFAULT_IBOUND) if algorithm in IBOUND_ALGORITHMS else None,
            (iterations or DEFAULT_ITERATIONS) if algorithm in ITERATED_ALGORITHMS else None,
        )

    def arguments(self) -> list[str]:
        words = ["--algorithm", self.algorithm]
        if self.ibound is not None:
            words += ["--ibound", str(self.ibound)]
        if self.iterations is not None:
            words += ["--iterations", str(self.iterations)]
        return words
