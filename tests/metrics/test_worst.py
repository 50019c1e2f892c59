"""The atoms or claims of a run to look at first."""

from hypothesis import given
from hypothesis import strategies as st

from factreasoner.metrics.worst import KEPT, Worst

SUPPORTS = st.sampled_from(["supported", "contradicted", "unverified", "conflicting"])


@given(st.lists(st.lists(st.tuples(st.sampled_from([0.1, 0.2, 0.3, 0.9]), SUPPORTS), max_size=6), max_size=6))
def test_contradicted_ones_come_first_and_then_those_of_the_lowest_p(records):
    worst = Worst("atom")
    everything = []
    for number, atoms in enumerate(records):
        for i, (p, label) in enumerate(atoms):
            worst.add(f"r{number}", f"a{i}", label, p)
            everything.append((p, f"r{number}", f"a{i}", label))
    doubtful = (item for item in everything if item[3] != "supported")
    expected = sorted(doubtful, key=lambda item: (item[3] != "contradicted", item[0]))
    found = [(item["p_true"], item["record"], item["atom"], item["label"]) for item in worst.content()]
    assert found == expected[:KEPT]


def test_what_cites_nothing_that_exists_comes_behind_the_contradicted_and_what_was_not_judged_nowhere():
    worst = Worst("claim")
    worst.add("r", "failed", None, None)
    worst.add("r", "uncited", "uncited", None)
    worst.add("r", "unlikely", "unverified", 0.01)
    worst.add("r", "strange", "unknown_source", None)
    worst.add("r", "denied", "contradicted", 0.6)
    assert [item["claim"] for item in worst.content()] == ["denied", "strange", "unlikely"]


def test_two_disputed_ones_come_last_and_take_places_of_the_least_likely():
    worst = Worst("atom")
    for i in range(KEPT):
        worst.add("r", f"low{i}", "unverified", 0.1 + i / 100)
    for name, p in (("sure", 0.99), ("less", 0.7), ("least", 0.6)):
        worst.add("r", name, "supported", p, disputed=True)
    worst.add("r", "agreed", "supported", 0.55)
    assert [item["atom"] for item in worst.content()] == ["low0", "low1", "low2", "least", "less"]
