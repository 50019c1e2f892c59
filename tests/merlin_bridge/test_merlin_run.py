import json
import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from merlin_stand_in import script
from oracle import brute_force, networks

from merlin_bridge import (
    ALGORITHMS,
    MerlinFailedError,
    MerlinInputError,
    MerlinNotFoundError,
    MerlinOutputError,
    Network,
    run,
)

PAIR = Network([2, 2], [((0,), [0.4, 0.6]), ((0, 1), [0.9, 0.1, 0.2, 0.8])])


def calls(merlin):
    return [json.loads(line) for line in (merlin.parent / "calls.jsonl").read_text().splitlines()]


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(graph=networks())
def test_marginals_equal_brute_force(merlin, graph):
    network = Network(graph.cardinalities, [(factor.scope, factor.table.ravel()) for factor in graph.factors])
    result = run(network, binary=merlin, evidence=graph.evidence)
    for found, expected in zip(result.marginals, brute_force(graph).values(), strict=True):
        assert found == pytest.approx(expected, abs=1e-6)


def test_a_result_says_what_was_run(merlin):
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


def test_variables_without_factors_observed_and_one_state_ones_have_marginals(merlin):
    network = Network([3, 1, 2, 2, 2], [((2, 1, 3), [0.1, 0.9, 0.8, 0.2])])
    uniform = (pytest.approx(1 / 3, abs=1e-6),) * 3
    assert run(network, binary=merlin).marginals == (uniform, (1.0,), (0.5, 0.5), (0.45, 0.55), (0.5, 0.5))
    given_3 = run(network, binary=merlin, evidence={3: 0, 4: 1})
    assert given_3.marginals == (uniform, (1.0,), (0.111111, 0.888889), (1.0, 0.0), (0.0, 1.0))
    everything = run(network, binary=merlin, evidence={0: 2, 2: 0, 3: 1, 4: 0})
    assert everything.marginals == ((0.0, 0.0, 1.0), (1.0,), (1.0, 0.0), (0.0, 1.0), (1.0, 0.0))


def test_many_unconnected_parts_neither_overflow_nor_vanish(merlin):
    count = 600
    for weight in (1e-3, 1.0, 1e3):
        factors = [((i,), [weight, 3 * weight]) for i in range(count)]
        result = run(Network([2] * count, factors), binary=merlin)
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
def test_a_run_that_goes_wrong_says_how_and_leaves_nothing(tmp_path, monkeypatch, body, kind, message):
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    merlin = script(tmp_path, body)
    with pytest.raises(kind, match=message) as error:
        run(PAIR, binary=merlin)
    assert f"command: {merlin} --input-file" in str(error.value)
    assert list((tmp_path / "temporary").iterdir()) == []
    assert len(calls(merlin)) == 1
