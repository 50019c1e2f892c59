import functools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from merlin_stand_in import script
from oracle import brute_force, networks

from merlin_bridge import (
    ALGORITHMS,
    EXACT_ALGORITHMS,
    MerlinFailedError,
    MerlinInputError,
    MerlinNotFoundError,
    MerlinOutputError,
    Network,
    run,
)

EXACT = pytest.mark.parametrize("algorithm", sorted(EXACT_ALGORITHMS))
PAIR = Network([2, 2], [((0,), [0.4, 0.6]), ((0, 1), [0.9, 0.1, 0.2, 0.8])])


def calls(merlin):
    return [json.loads(line) for line in (merlin.parent / "calls.jsonl").read_text().splitlines()]


@EXACT
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=networks())
def test_marginals_equal_brute_force(any_merlin, algorithm, graph):
    network = Network(graph.cardinalities, [(factor.scope, factor.table.ravel()) for factor in graph.factors])
    result = run(network, binary=any_merlin, algorithm=algorithm, evidence=graph.evidence)
    for found, expected in zip(result.marginals, brute_force(graph).values(), strict=True):
        assert found == pytest.approx(expected, abs=2e-6)


@EXACT
def test_fewer_factors_than_variables_do_not_crash_it(any_merlin, algorithm):
    table = [0.128, 0.872, 0.920, 0.080]
    scopes = [((0, 2), table), ((0, 1), table), ((1, 3), table), ((2, 4), table), ((1, 4, 5), table * 2)]
    found = run(Network([2] * 6, scopes), binary=any_merlin, algorithm=algorithm).marginals
    expected = ((0.5, 0.5), (0.524, 0.476), (0.524, 0.476), (0.504992, 0.495008), (0.504992, 0.495008))
    assert found[:5] == expected
    assert found[5] == pytest.approx((0.520046, 0.479954), abs=1e-6)


@pytest.mark.parametrize("algorithm", ["wmb", "ijgp", "lbp"])
def test_on_a_tree_approximations_are_exact(any_merlin, algorithm):
    rng = np.random.default_rng(0)
    scopes = [(i,) for i in range(8)] + [(i, i + 1) for i in range(7)]
    network = Network([2] * 8, [(scope, rng.uniform(0.2, 1.0, 2 ** len(scope)).tolist()) for scope in scopes])
    found = run(network, binary=any_merlin, algorithm=algorithm, ibound=4, iterations=50).marginals
    exact = run(network, binary=any_merlin, algorithm="cte").marginals
    for probabilities, expected in zip(found, exact, strict=True):
        assert probabilities == pytest.approx(expected, abs=1e-4)


def test_result_describes_its_run(merlin):
    result = run(PAIR, binary=merlin, algorithm="wmb", ibound=3, iterations=7, evidence={1: 1})
    assert result.marginals == ((0.076923, 0.923077), (0.0, 1.0))
    assert (result.algorithm, result.ibound, result.iterations) == ("wmb", 3, 7)
    assert result.seconds > 0


def test_the_command_line_is_merlins(merlin):
    run(PAIR, binary=merlin, algorithm="wmb", evidence={1: 1})
    call = calls(merlin)[-1]
    words = call["words"]
    assert words[::2] == [
        "--input-file",
        "--task",
        "--algorithm",
        "--ibound",
        "--iterations",
        "--evidence-file",
        "--output-format",
        "--output-file",
    ]
    options = dict(zip(words[::2], words[1::2], strict=True))
    assert (options["--task"], options["--output-format"]) == ("MAR", "json")
    assert (options["--ibound"], options["--iterations"]) == ("6", "10")
    folder = Path(options["--input-file"]).parent
    assert folder == Path(options["--output-file"]).parent == Path(options["--evidence-file"]).parent
    assert folder.resolve() == Path(call["cwd"]).resolve()
    assert not folder.exists()


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_algorithm_gets_the_options_it_takes(merlin, algorithm):
    result = run(PAIR, binary=merlin, algorithm=algorithm, ibound=4, iterations=20)
    words = calls(merlin)[-1]["words"]
    assert words[words.index("--algorithm") + 1] == algorithm
    assert ("--ibound" in words) == (algorithm in {"wmb", "ijgp"}) == (result.ibound == 4)
    assert ("--iterations" in words) == (algorithm not in {"cte", "bte"}) == (result.iterations == 20)
    assert "--evidence-file" not in words


def test_the_binary_is_found_by_the_environment(merlin, monkeypatch):
    monkeypatch.setenv("MERLIN_PATH", str(merlin))
    assert run(PAIR).marginals == ((0.4, 0.6), (0.48, 0.52))
    monkeypatch.setenv("MERLIN_PATH", str(merlin) + "-missing")
    with pytest.raises(MerlinNotFoundError):
        run(PAIR)


@EXACT
def test_unusual_variables_still_have_marginals(any_merlin, algorithm):
    run_it = functools.partial(run, binary=any_merlin, algorithm=algorithm)
    network = Network([3, 1, 2, 2, 2], [((2, 1, 3), [0.1, 0.9, 0.8, 0.2])])
    uniform = (pytest.approx(1 / 3, abs=1e-6),) * 3
    assert run_it(network).marginals == (uniform, (1.0,), (0.5, 0.5), (0.45, 0.55), (0.5, 0.5))
    given_3 = run_it(network, evidence={3: 0, 4: 1})
    assert given_3.marginals == (uniform, (1.0,), (0.111111, 0.888889), (1.0, 0.0), (0.0, 1.0))
    everything = run_it(network, evidence={0: 2, 2: 0, 3: 1, 4: 0})
    assert everything.marginals == ((0.0, 0.0, 1.0), (1.0,), (1.0, 0.0), (0.0, 1.0), (1.0, 0.0))


@EXACT
def test_many_unconnected_parts_neither_overflow_nor_vanish(any_merlin, algorithm):
    count = 600
    for weight in (1e-3, 1.0, 1e3):
        factors = [((i,), [weight, 3 * weight]) for i in range(count)]
        result = run(Network([2] * count, factors), binary=any_merlin, algorithm=algorithm)
        assert result.marginals == ((0.25, 0.75),) * count


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"algorithm": "exact"}, "unknown algorithm 'exact'; known: wmb, bte, cte"),
        ({"ibound": 0}, "ibound"),
        ({"ibound": 2.5}, "ibound"),
        ({"iterations": -1}, "iterations"),
        ({"timeout": 0}, "timeout"),
        ({"timeout": math.nan}, "timeout"),
        ({"timeout": math.inf}, "timeout"),
        ({"evidence": {7: 0}}, "evidence"),
    ],
)
def test_wrong_options_are_refused_before_anything_runs(tmp_path, options, message):
    marker = script(tmp_path, "answer('')")
    with pytest.raises(MerlinInputError, match=message):
        run(PAIR, binary=marker, **options)
    assert not (tmp_path / "calls.jsonl").exists()


@pytest.mark.parametrize(
    ("body", "kind", "message"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", MerlinFailedError, "died of SIGSEGV"),
        ("answer('')\nos.kill(os.getpid(), signal.SIGABRT)", MerlinFailedError, "died of SIGABRT"),
        ("sys.exit('Algorithm is not supported.')", MerlinFailedError, "(?s)exit code 1.*not supported"),
        ("", MerlinOutputError, "answer.MAR.json can't be read"),
        ("answer('')", MerlinOutputError, "the answer is empty"),
        ("answer('MAR 2')\nprint('odd', file=sys.stderr)", MerlinOutputError, "(?s)not JSON.*stderr: odd"),
        ('answer(\'{ "value" : -inf, "status" : "false" }\')', MerlinOutputError, "merlin gave up"),
    ],
)
def test_failing_run_is_reported_and_leaves_nothing(tmp_path, monkeypatch, body, kind, message):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    merlin = script(tmp_path, body)
    with pytest.raises(kind, match=message) as error:
        run(PAIR, binary=merlin)
    assert f"command: {merlin} --input-file" in str(error.value)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert len(calls(merlin)) == 1
