from __future__ import annotations

import numpy as np
import pytest

from factreasoner.config import Config
from factreasoner.errors import ConfigError, WidthError
from factreasoner.graph.factor_graph import Factor, FactorGraph
from factreasoner.models import Marginals
from factreasoner.registry import PLUGINS
from factreasoner.solvers.trial import Difference, Refusal, Trial, difference, run, try_all, yardstick

TRIANGLE = FactorGraph(
    ("a", "b", "c"),
    (2, 2, 2),
    tuple(Factor(pair, np.array([[1.0, 2.0], [3.0, 4.0]])) for pair in ((0, 1), (1, 2), (0, 2))),
)


def marginals(p: float, *, exact: bool = True, **fields: object) -> Marginals:
    told = {"solver": "told", "exact": exact, **fields}
    return Marginals.model_validate({"probabilities": {"a": (1 - p, p), "b": (0.5, 0.5)}, **told})


@pytest.fixture(autouse=True)
def no_merlin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MERLIN_PATH", raising=False)
    monkeypatch.setenv("PATH", "")


def test_one_solver_by_name() -> None:
    trial = run("exact", TRIANGLE, Config())
    assert (trial.asked, trial.marginals.solver) == ("exact", "exact")
    assert trial.seconds > 0.0
    with pytest.raises(ConfigError, match="unknown solver 'exakt'"):
        run("exakt", TRIANGLE, Config())
    with pytest.raises(WidthError):
        run("exact", TRIANGLE, Config(max_width=1))


def test_every_solver_is_tried_and_an_absent_or_unwilling_one_says_why() -> None:
    found = list(try_all(TRIANGLE, Config(max_width=1)))
    assert [result[0] for result in found] == list(PLUGINS["solver"])
    refused = {result.name: result.reason for result in found if isinstance(result, Refusal)}
    assert refused.keys() == {"exact", "pgmpy", "merlin"}
    assert "width 2" in refused["exact"]
    assert "MERLIN_PATH" in refused["merlin"]


def test_a_solver_of_ones_own_is_tried_too() -> None:
    config = Config(solver="factreasoner.solvers.exact:ExactSolver")
    asked = [result[0] for result in try_all(TRIANGLE, config)]
    assert asked == [*PLUGINS["solver"], "factreasoner.solvers.exact:ExactSolver"]


def test_others_are_measured_by_the_most_precise_exact_one() -> None:
    sampled = Trial("sampled", 1.0, marginals(0.4, exact=False, stderr=0.01))
    printed = Trial("printed", 1.0, marginals(0.4, diagnostics={"precision": 1e-6}))
    exact = Trial("exact", 1.0, marginals(0.4))
    assert yardstick([sampled, printed, exact]) is exact
    assert yardstick([sampled, printed]) is printed
    assert yardstick([sampled]) is sampled


def test_the_largest_difference_and_where_it_is() -> None:
    assert difference(marginals(0.4), marginals(0.7)) == (pytest.approx(0.3), "a")
    assert difference(marginals(0.4), marginals(0.4)).largest == 0.0
    nothing = Marginals(probabilities={}, solver="told", exact=True)
    assert difference(nothing, nothing) == Difference(0.0, "")
