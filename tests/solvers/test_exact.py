"""Exact inference, and what memory it may take."""

import csv
import itertools
from pathlib import Path

import numpy as np
import pytest
from oracle import DATA, largest_error, uai_marginals

from factreasoner.errors import WidthError
from factreasoner.graph.uai import read_uai_network
from factreasoner.models.graph import Factor, FactorGraph
from factreasoner.solvers import exact
from factreasoner.solvers.elimination import eliminate
from factreasoner.solvers.exact import ExactSolver, bytes_needed, memory_budget, plan_of, readable
from factreasoner.solvers.reduction import reduce


def network(count, pairs, seed=0):
    """Binary variables with random priors and random tables on `pairs`."""
    rng = np.random.default_rng(seed)
    factors = [Factor((i,), rng.random(2) + 0.05) for i in range(count)]
    factors += [Factor(pair, rng.random((2, 2)) + 0.05) for pair in pairs]
    return FactorGraph(tuple(f"x{i}" for i in range(count)), (2,) * count, tuple(factors))


@pytest.mark.parametrize("states", [2, 3])
def test_single_variable_is_planned_without_search(monkeypatch, states):
    graph = FactorGraph(("a",), (states,), (Factor((0,), np.arange(1.0, states + 1)),))
    (part,) = reduce(graph).components
    by_search = eliminate((states,), [(0,)])
    monkeypatch.setattr(exact, "eliminate", None)
    assert plan_of(part) == by_search
    assert ExactSolver().marginals(graph).probabilities["a"] == pytest.approx(
        tuple(2 * n / (states * (states + 1)) for n in range(1, states + 1))
    )


def test_the_width_is_the_largest_over_components():
    cycle = [(i, (i + 1) % 5) for i in range(5)]
    found = ExactSolver().marginals(network(9, [*cycle, (6, 7)]))
    assert found.width == 2


def test_network_wider_than_allowed_is_refused(monkeypatch):
    graph = network(6, list(itertools.combinations(range(6), 2)))
    assert ExactSolver().marginals(graph).width == 5
    monkeypatch.setattr(exact, "MEMORY_BUDGET", 1024)
    with pytest.raises(WidthError, match=r"width 5 .* allowed: 1 KiB.*'gibbs'"):
        ExactSolver().marginals(graph)


def test_impossible_memory_need_is_refused_early():
    graph = network(300, [(a, c) for a in range(100) for c in range(100, 300) if (a * c) % 7 < 3])
    with pytest.raises(WidthError, match=r"width \d\d+ .*more than 10\^18 bytes; allowed: 2 GiB.*'gibbs'"):
        ExactSolver().marginals(graph)


def data_networks():
    for path in sorted((DATA / "uai_small").glob("*.uai")):
        yield path, path.with_suffix(".evid"), path.with_suffix(".MAR")
    manifest = DATA / "uai2014" / "manifest.csv"
    if manifest.is_file():
        for row in csv.DictReader(manifest.read_text("utf-8").splitlines()):
            path = manifest.parent / row["name"]
            if int(row["largest_table"]) <= 1 << 20:
                yield path, Path(f"{path}.evid"), Path(f"{path}.MAR")


NETWORKS = list(data_networks())


@pytest.mark.skipif(not (DATA / "uai2014").is_dir(), reason="no shared data")
def test_networks_with_published_marginals_are_there():
    assert len(NETWORKS) >= 19


@pytest.mark.parametrize("files", NETWORKS, ids=lambda files: files[0].stem)
def test_published_marginals(files):
    path, evidence, answer = files
    found = ExactSolver().marginals(read_uai_network(path, evidence).graph)
    expected = uai_marginals(answer)
    assert largest_error(found, dict(zip(found.probabilities, expected, strict=True))) < 1e-5


def test_sizes_are_readable():
    counts = (1023, 1024, 1_500_000_000, (1 << 60) - 1, 1 << 5000)
    shown = ["1023 bytes", "1 KiB", "1.397 GiB", "1024 PiB", "more than 10^18 bytes"]
    assert [*map(readable, counts)] == shown


def test_memory_need_counts_tables_plus_two_largest():
    assert bytes_needed(eliminate([2, 2, 2], [(0, 1, 2)])) == 8 * (8 + 4 + 2 + 2 * 8)


def test_memory_budget_respects_the_container_limit(monkeypatch, tmp_path):
    assert memory_budget() <= 1 << 31
    (tmp_path / "memory.max").write_text("67108864\n")
    (tmp_path / "unlimited").write_text("max\n")
    limits = (tmp_path / "unlimited", tmp_path / "memory.max", tmp_path / "missing")
    monkeypatch.setattr(exact, "_CONTAINER_LIMITS", limits)
    assert memory_budget() == 1 << 25
