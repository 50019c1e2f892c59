import sys

import numpy as np
import pytest
from hypothesis import given
from oracle import networks

from merlin_bridge import MerlinInputError, Network, beliefs
from merlin_bridge.safe_input import safe_input


def network_of(graph):
    return Network(graph.cardinalities, [(factor.scope, factor.table.ravel()) for factor in graph.factors])


def log_joint(network, evidence):
    """log of the product of all factors in every joint state, -inf where the evidence is not met."""
    sizes = network.cardinalities
    joint = np.zeros(sizes)
    with np.errstate(divide="ignore"):
        for scope, values in network.factors:
            table = np.log(np.reshape(values, [sizes[i] for i in scope]))
            order = sorted(range(len(scope)), key=scope.__getitem__)
            joint += table.transpose(order).reshape(
                [size if i in scope else 1 for i, size in enumerate(sizes)]
            )
        for i, state in evidence.items():
            observed = np.log(np.arange(sizes[i]) == state)
            joint += observed.reshape([-1 if k == i else 1 for k in range(len(sizes))])
    return joint


def log_sum(logs):
    return float(logs.max() + np.log(np.exp(logs - logs.max()).sum()))


def check_form(safe):
    sizes = safe.network.cardinalities
    alone = {factor.scope[0] for factor in safe.network.factors if len(factor.scope) == 1}
    assert alone == set(range(len(sizes)))
    assert all(factor.scope for factor in safe.network.factors)
    assert all(sizes[i] > 1 for i in range(len(sizes)) if i not in safe.evidence)
    assert len(safe.evidence) < len(sizes)
    for factor in safe.network.factors:
        assert all(value == 0.0 or sys.float_info.min <= value < 2.0**1000 for value in factor.values)


@given(networks())
def test_the_distribution_stays_the_same(graph):
    network = network_of(graph)
    safe = safe_input(network, graph.evidence)
    check_form(safe)
    before = log_joint(network, dict(graph.evidence))
    after = log_joint(safe.network, safe.evidence)
    if len(safe.network.cardinalities) > len(network.cardinalities):
        after = np.logaddexp(after[..., 0], after[..., 1])
    possible = np.isfinite(before)
    assert (np.isfinite(after) == possible).all()
    shift = log_sum(before) - log_sum(after)
    np.testing.assert_allclose(after[possible] + shift, before[possible], atol=1e-8)
    assert abs(log_sum(after)) < 100


def test_constants_are_left_out():
    safe = safe_input(Network([2], [((), [1e300]), ((), [1e300])]), {})
    check_form(safe)
    assert [factor.values for factor in safe.network.factors] == [(0.5, 0.5)]


def test_fully_observed_network_keeps_a_free_variable():
    safe = safe_input(Network([2, 1], [((0, 1), [0.25, 0.75])]), {0: 1})
    assert safe.network.cardinalities == (2, 1, 2)
    assert safe.evidence == {0: 1, 1: 0}
    assert safe.variables == 2
    check_form(safe)


def test_a_factor_the_evidence_makes_zero_is_refused():
    network = Network([2, 2], [((0,), [1, 1]), ((0, 1), [0, 1, 0, 1])])
    with pytest.raises(MerlinInputError, match=r"factor 1 over \(0, 1\) is 0 throughout"):
        safe_input(network, {1: 0})


def test_tiny_values_stay_positive():
    safe = safe_input(Network([2], [((0,), [5e-324, 1.0])]), {})
    assert safe.network.factors[0].values[0] == sys.float_info.min


def test_excluded_huge_value_does_not_overflow():
    safe = safe_input(Network([2, 2], [((0, 1), [1e-300, 1e300, 1e-300, 1e300])]), {1: 0})
    check_form(safe)


def chain_log_z(network):
    """log Z of a chain 0 - 1 - 2 - ... with tables of one and of two neighbouring variables."""
    count = len(network.cardinalities)
    singles, pairs = np.zeros((count, 2)), np.zeros((count, 2, 2))
    for scope, values in network.factors:
        if len(scope) == 1:
            singles[scope[0]] += np.log(values)
        else:
            pairs[scope[0]] += np.log(values).reshape(2, 2)
    message = np.zeros(2)
    for i in range(count):
        message = np.logaddexp(*(message + singles[i])[:, None] + pairs[i]) if i < count - 1 else message
    return log_sum(message + singles[-1])


STRONG = [30.0, 1.0, 2.0, 50.0]
PAIRS = [[0.5, 0.5, 0.1, 0.9], [0.9, 0.1, 0.1, 0.9], [1e-9, 1e-9, 1e-9, 2e-9]]


@pytest.mark.parametrize(
    ("pair", "limit"), [*((pair, 1_000_000) for pair in (*PAIRS, STRONG)), *((pair, 0) for pair in PAIRS)]
)
def test_long_chain_log_z_is_near_zero(monkeypatch, pair, limit):
    monkeypatch.setattr(beliefs, "WORK_LIMIT", limit)
    count = 1000
    network = Network(
        [2] * count,
        [((i,), [0.1, 0.9]) for i in range(count)] + [((i, i + 1), pair) for i in range(count - 1)],
    )
    safe = safe_input(network, {})
    assert abs(chain_log_z(safe.network)) < 600


def test_agreeing_sources_log_z_is_near_zero():
    # 1,000 atoms, each entailed by three contexts of prior 0.9: scaled to mean 1, log Z would be 940.
    factors = []
    for a in range(1000):
        factors.append(([4 * a], [0.5, 0.5]))
        for c in range(4 * a + 1, 4 * a + 4):
            factors += [([c], [0.1, 0.9]), ([c, 4 * a], [0.5, 0.5, 0.1, 0.9])]
    safe = safe_input(Network([2] * 4000, factors), {})
    parts = [[] for _ in range(1000)]
    for factor in safe.network.factors:
        parts[factor.scope[0] // 4].append(([i % 4 for i in factor.scope], factor.values))
    assert abs(sum(log_sum(log_joint(Network([2] * 4, part), {})) for part in parts)) < 400
