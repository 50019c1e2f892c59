import math
import pickle

import numpy as np
import pytest

from merlin_bridge import Factor, MerlinInputError, MerlinRunError, Network
from merlin_bridge.network import check_evidence


def test_numpy_input_becomes_plain_numbers():
    network = Network(np.array([2, 3]), [(np.array([1]), np.array([0.1, 0.2, 0.7]))])
    assert network.cardinalities == (2, 3)
    assert network.factors == (Factor((1,), (0.1, 0.2, 0.7)),)
    assert all(type(value) is float for value in network.factors[0].values)
    assert all(type(i) is int for i in (*network.cardinalities, *network.factors[0].scope))


@pytest.mark.parametrize(
    ("cardinalities", "factors", "message"),
    [
        ([], [], "at least one variable"),
        ([2, 0], [], "variable 1 has 0 states"),
        ([2.5], [], "must be an integer"),
        ([2], [((1,), [1, 1])], "there is no variable 1"),
        ([2], [((-1,), [1, 1])], "there is no variable -1"),
        ([2, 2], [((0, 0), [1, 1, 1, 1])], "stands twice"),
        ([2], [((0.0,), [1, 1])], "must be an integer"),
        ([2, 2], [((0,), [1, 1]), ((0, 1), [1, 1, 1])], "factor 1: 3 values for the 4 states"),
        ([2], [((0,), [1, -0.1])], "not a finite number"),
        ([2], [((0,), [1, math.nan])], "not a finite number"),
        ([2], [((0,), [1, math.inf])], "not a finite number"),
        ([2], [((0,), [0, 0])], "every value is 0"),
        ([2], [((), [0])], "every value is 0"),
    ],
)
def test_dangerous_networks_are_refused(cardinalities, factors, message):
    with pytest.raises(MerlinInputError, match=message):
        Network(cardinalities, factors)


def test_evidence_is_checked_and_sorted():
    network = Network([2, 3])
    assert list(check_evidence(network, {1: np.int64(2), 0: 0}).items()) == [(0, 0), (1, 2)]
    for evidence in ({2: 0}, {-1: 0}, {0: 2}, {1: -1}, {0: 0.5}):
        with pytest.raises(MerlinInputError, match="evidence"):
            check_evidence(network, evidence)


def test_errors_survive_pickling():
    error = pickle.loads(pickle.dumps(MerlinRunError("it broke", ["merlin", "a b"], "why")))
    assert (error.reason, error.command, error.stderr) == ("it broke", ("merlin", "a b"), "why")
    assert str(error) == "it broke\ncommand: merlin 'a b'\nstderr: why"
