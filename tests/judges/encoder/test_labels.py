import itertools

import pytest

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.labels import labels_of

NAMES = {
    "entailment": ["entailment", "ENTAILMENT", "Entailed", "entail", "SUPPORTS", "supported"],
    "contradiction": ["contradiction", "CONTRADICTION", "Contradict", "REFUTES", "refuted"],
    "neutral": ["neutral", "NEUTRAL", "NOT ENOUGH INFO", "nei"],
}
NOT = [
    "not_entailment",
    "NOT-ENTAILMENT",
    "not entailment",
    "non_entailment",
    "no_entailment",
    "NotSupported",
]


def config(*names):
    return {"id2label": {str(number): name for number, name in enumerate(names)}}


@pytest.mark.parametrize("order", list(itertools.permutations(NAMES)))
@pytest.mark.parametrize("writing", range(4))
def test_three_labels_in_any_order_and_writing(order, writing):
    names = [NAMES[label][writing] for label in order]
    assert labels_of(config(*names), None, "config.json") == order
    assert labels_of(config("LABEL_0", "LABEL_1", "LABEL_2"), ", ".join(names), "config.json") == order


@pytest.mark.parametrize("name", NOT)
@pytest.mark.parametrize("first", [True, False])
def test_what_is_not_entailed_is_neutral_and_never_contradicted(name, first):
    names = ["entailment", name] if first else [name, "entailment"]
    expected = ("entailment", "neutral") if first else ("neutral", "entailment")
    assert labels_of(config(*names), None, "config.json") == expected


def test_outputs_are_ordered_by_number_and_not_by_place_or_text():
    names = {str(n): "neutral" for n in range(10)} | {"10": "contradiction", "11": "entailment"}
    shuffled = dict(sorted(names.items(), reverse=True))
    found = labels_of({"id2label": shuffled}, None, "config.json")
    assert found == ("neutral",) * 10 + ("contradiction", "entailment")


@pytest.mark.parametrize(
    "names",
    [
        ["LABEL_0", "LABEL_1", "LABEL_2"],
        ["entailment", "not_contradiction"],
        ["positive", "negative"],
        ["entailment", "disentailmented"],
    ],
)
def test_names_that_can_mean_anything_need_telling(names):
    unknown = next(name for name in names if name != "entailment")
    with pytest.raises(ConfigError, match=rf"m/config.json: id2label: '{unknown}' .*--verifier-labels"):
        labels_of(config(*names), None, "m/config.json")


@pytest.mark.parametrize(
    "names", [["neutral", "contradiction"], ["entailment"], ["entailment", "entailed", "neutral"]]
)
def test_one_output_must_be_entailment(names):
    with pytest.raises(ConfigError, match="one output must be entailment"):
        labels_of(config(*names), None, "config.json")


@pytest.mark.parametrize(
    "table", [None, {}, [], {"a": "entailment", "b": "neutral"}, {"1": "entailment", "2": "neutral"}]
)
def test_a_table_that_says_nothing_is_an_error_with_its_file(table):
    with pytest.raises(ConfigError, match=r"config\.json: id2label: .*--verifier-labels"):
        labels_of({"id2label": table}, None, "config.json")
    assert labels_of({"id2label": table}, "entailment,neutral", "config.json") == ("entailment", "neutral")


def test_a_wrong_flag_is_named():
    with pytest.raises(ConfigError, match="verifier_labels: 'yes' does not say"):
        labels_of(config("entailment", "neutral"), "yes,no", "config.json")
