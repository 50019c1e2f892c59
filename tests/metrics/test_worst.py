"""The least likely atoms of a run."""

from hypothesis import given
from hypothesis import strategies as st

from factreasoner.metrics.factuality import JudgedAtom
from factreasoner.metrics.worst import KEPT, WorstAtoms
from factreasoner.models import Atom

SUPPORTS = st.sampled_from(["supported", "contradicted", "unverified", "undecided"])


@given(st.lists(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.3, 0.9]), SUPPORTS), max_size=6), max_size=6))
def test_they_are_the_first_of_all_in_order(records):
    worst = WorstAtoms()
    everything = []
    for number, atoms in enumerate(records):
        judged = [JudgedAtom(Atom(id=f"a{i}", text="x"), p, label) for i, (p, label) in enumerate(atoms)]
        worst.add(f"r{number}", judged)
        everything += [(item.p_true, f"r{number}", item.atom.id, item.support) for item in judged]
    expected = sorted((item for item in everything if item[3] != "supported"), key=lambda item: item[0])
    found = [(item["p_true"], item["record"], item["atom"], item["label"]) for item in worst.content()]
    assert found == expected[:KEPT]
