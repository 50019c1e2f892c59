"""The evidence and the disputes that stand beside an atom."""

from fact_graphs import assessed, graph_of

from factreasoner.explanations import Dispute, Evidence, explain


def conflicts(graph):
    return {atom.atom_id: atom for atom in explain(assessed(graph), search_size=0).atoms}


def test_evidence_for_and_against_the_most_probable_first():
    found = conflicts(
        graph_of(
            ("c1", "a1", "entailment", 0.7),
            ("c2", "a1", "contradiction", 0.8),
            ("c3", "a1", "equivalence", 0.9),
            ("a1", "c4", "equivalence", 0.95),
            ("c6", "a1", "contradiction", 0.7),
            ("c5", "a1", "entailment", 0.5),
            ("c1", "a2", "entailment", 0.6),
        )
    )
    assert found["a1"].entailing == (
        Evidence(context_id="c4", kind="equivalence", probability=0.95),
        Evidence(context_id="c3", kind="equivalence", probability=0.9),
        Evidence(context_id="c1", kind="entailment", probability=0.7),
    )
    assert [item.context_id for item in found["a1"].contradicting] == ["c2", "c6"]
    assert [item.context_id for item in found["a2"].entailing] == ["c1"]


def test_disputes_of_an_atoms_own_evidence_only():
    found = conflicts(
        graph_of(
            ("c1", "a1", "entailment", 0.9),
            ("c2", "a2", "entailment", 0.9),
            ("c3", "c1", "contradiction", 0.8),
            ("c1", "c2", "entailment", 0.8),
            ("c2", "c4", "contradiction", 0.5),
            ("c4", "c3", "contradiction", 0.9),
        )
    )
    assert found["a1"].disputes == (Dispute(source="c3", target="c1", probability=0.8),)
    assert found["a2"].disputes == ()
    assert found.keys() == {"a1", "a2"}
