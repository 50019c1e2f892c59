import math

from hypothesis import given
from hypothesis import strategies as st

from merlin_bridge import Network, evidence_text, network_text


def test_the_layout_is_that_of_merlins_documentation():
    network = Network([2, 2, 3], [((0,), [0.436, 0.564]), ((2, 1), [0.21, 0.811, 0.333, 0.0, 0.457, 1e-07])])
    assert network_text(network).splitlines() == [
        "MARKOV",
        "3",
        "2 2 3",
        "2",
        "1 0",
        "2 2 1",
        "",
        "2",
        " 0.436 0.564",
        "",
        "6",
        " 0.21 0.811 0.333 0.0 0.457 1e-07",
    ]


def test_evidence_is_one_line_sorted_by_variable():
    assert evidence_text({2: 1, 1: 0}) == "2 1 0 2 1\n"
    assert evidence_text({}) == "0\n"


@given(st.lists(st.floats(5e-324, 1e308), min_size=2, max_size=2))
def test_every_double_reads_back_as_itself(values):
    assert [float(word) for word in network_text(Network([2], [((0,), values)])).split()[-2:]] == values


@given(st.lists(st.integers(1, 4), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_any_cardinalities_and_scope_orders_are_written_whole(sizes, random):
    scope = list(range(len(sizes)))
    random.shuffle(scope)
    values = [float(k + 1) for k in range(math.prod(sizes))]
    lines = network_text(Network(sizes, [(scope, values)])).splitlines()
    assert lines[2] == " ".join(map(str, sizes))
    assert lines[4] == " ".join(map(str, [len(scope), *scope]))
    assert [float(word) for word in lines[-1].split()] == values
