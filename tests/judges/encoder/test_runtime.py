import itertools

import pytest

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.runtime import labels_of

NAMES = {
    "entailment": ["entailment", "Entailed", "SUPPORTS", "supported"],
    "contradiction": ["contradiction", "Contradict", "REFUTES", "refuted"],
    "neutral": ["neutral", "NEUTRAL", "NOT ENOUGH INFO", "nei"],
}
NOT = ["not_entailment", "NOT-ENTAILMENT", "non_entailment", "no_entailment", "NotSupported"]


def config(*names):
    return {"id2label": {str(number): name for number, name in enumerate(names)}}


@pytest.mark.parametrize("order", list(itertools.permutations(NAMES)))
@pytest.mark.parametrize("writing", range(4))
def test_three_labels_in_any_order_and_writing(order, writing):
    names = [NAMES[label][writing] for label in order]
    assert labels_of(config(*names), "config.json") == order


@pytest.mark.parametrize("name", NOT)
def test_two_label_model_never_contradicts(name):
    assert labels_of(config("entailment", name), "config.json") == ("entailment", "neutral")
    assert labels_of(config(name, "entailment"), "config.json") == ("neutral", "entailment")


def test_outputs_are_ordered_by_number():
    names = {str(n): "neutral" for n in range(10)} | {"10": "contradiction", "11": "entailment"}
    shuffled = dict(sorted(names.items(), reverse=True))
    found = labels_of({"id2label": shuffled}, "config.json")
    assert found == ("neutral",) * 10 + ("contradiction", "entailment")


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["LABEL_0", "LABEL_1", "LABEL_2"], "'LABEL_0' does not say .*a TOML file"),
        (["entailment", "not_contradiction"], "'not_contradiction' does not say"),
        (["entailment", "disentailmented"], "'disentailmented' does not say"),
        (["neutral", "contradiction"], "one output must be entailment"),
        (["entailment"], "one output must be entailment"),
        (["entailment", "entailed", "neutral"], "one output must be entailment"),
    ],
)
def test_ambiguous_label_names_are_refused(names, message):
    with pytest.raises(ConfigError, match=f"m/config.json: id2label: .*{message}"):
        labels_of(config(*names), "m/config.json")


@pytest.mark.parametrize(
    "table", [None, {}, [], {"a": "entailment", "b": "neutral"}, {"1": "entailment", "2": "neutral"}]
)
def test_missing_label_table_names_its_file(table):
    with pytest.raises(ConfigError, match=r"config\.json: id2label: missing.*a TOML file"):
        labels_of({"id2label": table}, "config.json")
