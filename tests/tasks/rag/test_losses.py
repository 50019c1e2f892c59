"""Where the loss is, in words."""

import pytest

from factreasoner.tasks.rag.losses import losses
from factreasoner.tasks.rag.table import RAG

NONE = dict.fromkeys(RAG.metrics)
ALL = {
    "claim_recall": 0.6,
    "context_utilization": 0.9,
    "lost_in_retrieval": 0.1,
    "lost_in_generation": 0.1,
    "hallucination": 0.1,
    "beyond_reference": 0.1,
    "noise_sensitivity_in_relevant": 0.15,
    "noise_sensitivity_in_irrelevant": 0.05,
    "faithfulness": 0.5,
}


@pytest.mark.parametrize(
    ("name", "worst"),
    [
        ("lost_in_retrieval", "retriever"),
        ("lost_in_generation", "generator"),
        ("hallucination", "generator"),
        ("beyond_reference", "gold answer"),
    ],
)
def test_the_part_where_most_is_lost_is_named(name, worst):
    told = losses(NONE | ALL | {name: 0.4})
    assert told[-1] == f"Most is lost by the {worst}."
    assert any("40 %" in sentence for sentence in told)


def test_equal_losses_are_all_named_and_none_is_said():
    assert losses(NONE | ALL)[-1] == "Most is lost by the retriever and the generator and the gold answer."
    assert losses(NONE | ALL | dict.fromkeys(ALL, 0.0))[-1] == "Nothing is lost."


def test_a_share_that_is_not_known_is_left_out():
    assert "in the answers (utilization 0.90)." in losses(NONE | ALL)[1]
    told = losses(NONE | ALL | {"context_utilization": None})[1]
    assert told == "Generator: 10 % of what references state is in a context, and missing in the answers."


def test_without_a_reference_only_what_is_known_is_said():
    assert losses(NONE) == []
    assert losses(NONE | {"faithfulness": 0.75}) == [
        "Generator: 25 % of what answers state is borne out by no context."
    ]
