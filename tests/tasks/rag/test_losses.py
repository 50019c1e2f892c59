"""Where the loss is, in words."""

import pytest

from factreasoner.tasks.rag.losses import losses
from factreasoner.tasks.rag.table import RAG

NONE = dict.fromkeys(RAG.metrics)
ALL = {
    "claim_recall": 0.6,
    "lost_in_retrieval": 0.1,
    "lost_in_generation": 0.1,
    "hallucination": 0.1,
    "beyond_reference": 0.1,
    "against_reference": 0.1,
    "faithfulness": 0.5,
}


def told_of(values, **records):
    return losses(values, dict.fromkeys(RAG.metrics, 13) | records)


@pytest.mark.parametrize(
    ("changed", "worst"),
    [
        ({"lost_in_retrieval": 0.4}, "Most claims are lost by the retriever."),
        ({"lost_in_generation": 0.4}, "Most claims are lost by the generator."),
        ({"hallucination": 0.4}, "Most claims are lost by the generator."),
        ({"hallucination": 0.4, "beyond_reference": 0.5}, "Most claims are lost by the generator."),
        ({}, "Most claims are lost by the retriever and the generator."),
        (dict.fromkeys(ALL, 0.0), "Nothing is lost."),
    ],
)
def test_the_part_where_most_is_lost_is_named(changed, worst):
    told = told_of(NONE | ALL | changed)
    assert told[-1] == worst
    assert all(any(f"{100 * value:.0f} %" in one for one in told) for value in changed.values() if value)
    gold = [one for one in told if one.startswith("Reference: ")]
    assert len(gold) == (changed.get("beyond_reference", 0.1) > 0)


def test_each_number_is_of_what_its_sentence_says():
    found = {"claim_recall": 0.81, "lost_in_retrieval": 0.16, "lost_in_generation": 0.23}
    found |= {"hallucination": 0.13, "beyond_reference": 0.07, "against_reference": 0.02}
    assert told_of(NONE | found)[:-1] == [
        "Retriever: 19 % of reference claims are in no context (claim recall 0.81); "
        "16 % are also missing from the answers.",
        "Generator: 23 % of reference claims are in a context but missing from the answers.",
        "Generator: 13 % of answer claims are in no context and not in the reference (hallucination).",
        "Noise: 9 % of answer claims come from a context but not the reference, "
        "which contradicts 2 % and is silent on 7 %.",
        "Reference: silent on 7 % of answer claims that a context supports. If it is "
        "incomplete, true correctness is higher.",
    ]
    without = told_of(NONE | found | {"beyond_reference": 0.0, "against_reference": 0.0})
    assert not any(said.startswith(("Noise", "Reference")) for said in without)


def test_the_retriever_is_named_beside_what_relevant_contexts_say_of_it():
    lost = NONE | ALL | {"lost_in_retrieval": 0.4}
    *_, worst, beside = told_of(lost | {"retrieval_recall": 0.95})
    assert worst == "Most claims are lost by the retriever."
    assert beside.startswith("By your relevance marks, the retriever missed 5 % (retrieval rec")
    by_generator = NONE | ALL | {"lost_in_generation": 0.4, "retrieval_recall": 0.95}
    assert told_of(by_generator)[-1] == "Most claims are lost by the generator."


@pytest.mark.parametrize(
    ("values", "records"),
    [
        ({"claim_recall": None, "against_reference": None}, {}),
        ({}, {"claim_recall": 9, "against_reference": 11}),
    ],
)
def test_a_share_that_is_not_known_or_of_other_records_is_left_out(values, records):
    told = told_of(NONE | ALL | values, **records)
    assert told[0] == "Retriever: 10 % of reference claims are in no context and missing from the answers."
    assert not any("contradicts" in sentence for sentence in told)
    assert told_of(NONE | ALL, noise_sensitivity_in_relevant=11) == told_of(NONE | ALL)


def test_shares_of_other_records_are_compared_with_a_word_on_it():
    assert told_of(NONE | ALL, hallucination=1)[-1] == (
        "Most claims are lost by the retriever and the generator. This compares answers of 1 record "
        "with references of 13 records."
    )


def test_without_a_reference_only_what_is_known_is_said():
    assert told_of(NONE) == []
    assert told_of(NONE | {"faithfulness": 0.75}) == [
        "Generator: 25 % of answer claims are supported by no context."
    ]
