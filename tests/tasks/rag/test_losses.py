"""Where the loss is, in words."""

import pytest

from factreasoner.tasks.rag.losses import losses
from factreasoner.tasks.rag.table import RAG

NONE = dict.fromkeys(RAG.metrics)
ALL = {"lost_in_retrieval": 0.1, "lost_in_generation": 0.1, "hallucination": 0.1, "faithfulness": 0.5}


@pytest.mark.parametrize(
    ("changed", "worst"),
    [
        ({"lost_in_retrieval": 0.4}, "Most claims are lost by the retriever."),
        ({"lost_in_generation": 0.4}, "Most claims are lost by the generator."),
        ({"hallucination": 0.4}, "Most claims are lost by the generator."),
        ({"hallucination": None, "faithfulness": 0.5}, "Most claims are lost by the generator."),
        ({}, "Most claims are lost by the retriever and the generator."),
        (dict.fromkeys(ALL, 0.0), "Nothing is lost."),
    ],
)
def test_largest_loss_is_named(changed, worst):
    told = losses(NONE | ALL | changed)
    assert told[-1] == worst
    assert all(any(f"{100 * value:.0f} %" in one for one in told) for value in changed.values() if value)


def test_loss_sentences_state_their_metric():
    found = {"lost_in_retrieval": 0.16, "lost_in_generation": 0.23, "hallucination": 0.13}
    assert losses(NONE | found)[:-1] == [
        "Retriever: 16 % of reference claims are in no context and missing from the answers.",
        "Generator: 23 % of reference claims are in a context but missing from the answers.",
        "Generator: 13 % of answer claims are in no context and not in the reference (hallucination).",
    ]


def test_losses_without_reference_name_only_faithfulness():
    assert losses(NONE) == []
    assert losses(NONE | {"faithfulness": 0.75}) == [
        "Generator: 25 % of answer claims are supported by no context."
    ]
