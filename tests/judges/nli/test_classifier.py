import json
import random

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper
from scipy.special import softmax
from tiny_classifiers import SPECIAL, THREE, WORDS, byte_tokenizer, overlap, pooled, save, tokenizer
from tokenizers import Tokenizer

from factreasoner.config import Config
from factreasoner.errors import ConfigError
from factreasoner.judges.nli.classifier import batches, classifier_of, position_limit
from factreasoner.judges.nli.files import model_files

TWO = ("entailment", "not_entailment")


def nli(folder, **settings):
    return Config(judge="nli", nli_model=str(folder), **settings)


def pairs(number, seed=0, longest=25):
    draw = random.Random(seed)
    return [
        tuple(" ".join(draw.choices(WORDS, k=draw.randint(1, longest))) for _ in range(2))
        for _ in range(number)
    ]


def alone(folder, pair):
    """The classifier's own softmax of one pair, by onnxruntime and the tokenizer alone."""
    session = onnxruntime.InferenceSession(
        str(next(folder.rglob("*.onnx"))), providers=["CPUExecutionProvider"]
    )
    made = Tokenizer.from_file(str(folder / "tokenizer.json"))
    made.no_truncation()
    made.no_padding()
    encoding = made.encode(*pair)
    values = {
        "input_ids": encoding.ids,
        "attention_mask": encoding.attention_mask,
        "token_type_ids": encoding.type_ids,
    }
    kinds = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
    feed = {
        given.name: np.array([values[given.name]], dtype=kinds[given.type]) for given in session.get_inputs()
    }
    return softmax(session.run(["logits"], feed)[0][0].astype(float))


MODELS = {
    "three labels": (lambda: pooled(), {}),
    "two labels": (lambda: pooled(outputs=2), {"labels": TWO}),
    "without parts": (lambda: pooled(parts=False), {}),
    "without parts, two labels": (lambda: pooled(parts=False, outputs=2), {"labels": TWO}),
    "32-bit inputs": (lambda: pooled(dtype=TensorProto.INT32), {}),
    "dynamically quantized": (lambda: pooled(quantized=True), {}),
    "bytes, padding 1": (
        lambda: pooled(parts=False, positions=300),
        {
            "made": byte_tokenizer(),
            "pad_token_id": 1,
            "model_type": "roberta",
            "max_position_embeddings": 300,
        },
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_equal_to_the_classifier_s_own_softmax_in_batches_of_any_size(tmp_path, name):
    model, settings = MODELS[name]
    folder = save(tmp_path / "m", model(), **settings)
    asked = pairs(40)
    expected = np.array([alone(folder, pair) for pair in asked])
    for batch in (1, 3, 32):
        found = classifier_of(nli(folder, nli_batch=batch)).probabilities(asked)
        assert found == pytest.approx(expected, abs=1e-5), batch


def test_any_number_of_pairs_in_their_order(tmp_path, monkeypatch):
    classifier = classifier_of(nli(save(tmp_path, pooled())))
    expected = classifier.probabilities(pairs(40))
    monkeypatch.setattr("factreasoner.judges.nli.classifier._ENCODED", 7)
    assert classifier.probabilities(pairs(40)) == pytest.approx(expected, abs=1e-6)
    assert classifier.probabilities([]).shape == (0, 3)


def test_outputs_hang_on_both_texts_and_their_order(tmp_path):
    """So that a test of equality can fail."""
    for number, parts in enumerate((True, False)):
        classifier = classifier_of(nli(save(tmp_path / str(number), pooled(parts=parts))))
        given = [("marie was born", "a lake"), ("marie was born", "a river"), ("a lake", "marie was born")]
        rows = classifier.probabilities(given)
        assert all(abs(rows[a] - rows[b]).max() > 0.01 for a, b in ((0, 1), (0, 2), (1, 2)))


def test_scores_of_a_shared_scale_would_hang_on_the_company(tmp_path):
    """What batches of one guard against: the same pair in a padded batch has other numbers."""
    folder = save(tmp_path, pooled(quantized=True))
    session = onnxruntime.InferenceSession(str(folder / "onnx/model.onnx"))
    ids = np.zeros((8, 30), dtype=np.int64)
    ids[0, :5] = (1, 5, 2, 6, 2)
    ids[1:] = np.random.default_rng(0).integers(4, 60, (7, 30))
    feed = {
        "input_ids": ids,
        "attention_mask": (ids > 0).astype(np.int64),
        "token_type_ids": np.zeros_like(ids),
    }
    together = session.run(None, feed)[0][0]
    by_itself = session.run(None, {name: values[:1, :5] for name, values in feed.items()})[0][0]
    assert abs(together - by_itself).max() > 1e-4


def test_batches_are_of_like_lengths_and_limited():
    lengths = [9, 1, 300, 5, 5, 8, 2, 200]
    found = list(batches(lengths, 20))
    assert sorted(n for batch in found for n in batch) == list(range(8))
    assert all(len(batch) == 1 or len(batch) * max(lengths[n] for n in batch) <= 20 for batch in found)
    assert [max(lengths[n] for n in batch) for batch in found] == sorted(
        max(lengths[n] for n in b) for b in found
    )
    assert [len(batch) for batch in batches(lengths, 0)] == [1] * 8
    assert list(batches([], 20)) == []


def test_a_pair_that_is_too_long_is_never_cut(tmp_path):
    classifier = classifier_of(nli(save(tmp_path, pooled())))
    assert classifier.longest == 63
    assert classifier.probabilities([("a " * 40, "b " * 20)]).shape == (1, 3)
    with pytest.raises(ValueError, match="64 tokens, and the model takes 63"):
        classifier.probabilities([("a " * 40, "b " * 21)])


@pytest.mark.parametrize(
    ("settings", "tokenizer_settings", "limit"),
    [
        ({"max_position_embeddings": 512}, {"model_max_length": 512}, 512),
        ({"max_position_embeddings": 512}, {"model_max_length": int(1e30)}, 512),
        ({"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1}, {}, 512),
        ({"max_position_embeddings": 8194, "model_type": "xlm-roberta", "pad_token_id": 1}, {}, 8192),
        ({"max_position_embeddings": 1024, "model_type": "bart", "pad_token_id": 1}, {}, 1024),
        ({"max_position_embeddings": 8192}, {"model_max_length": 256}, 256),
        ({}, {"model_max_length": 1e30}, None),
        ({"max_position_embeddings": -1}, {}, None),
    ],
)
def test_the_longest_pair_by_the_model_s_settings(tmp_path, settings, tokenizer_settings, limit):
    folder = save(tmp_path, overlap())
    files = model_files(nli(folder))._replace(settings=settings, tokenizer_settings=tokenizer_settings)
    assert position_limit(files) == limit


def test_a_window_shortens_and_never_lengthens(tmp_path):
    folder = save(tmp_path, pooled())
    assert classifier_of(nli(folder, nli_window=32)).longest == 32
    assert classifier_of(nli(folder, nli_window=5000)).longest == 63


def test_a_classifier_is_loaded_once_a_process_and_anew_when_changed(tmp_path):
    folder = save(tmp_path, pooled())
    first = classifier_of(nli(folder))
    assert classifier_of(nli(folder, k=3)) is first
    assert classifier_of(nli(folder, nli_labels="entailment,neutral,contradiction")) is not first
    save(tmp_path, pooled(seed=1))
    assert classifier_of(nli(folder)) is not first


def test_cuda_without_its_provider_is_an_error_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["CPUExecutionProvider"])
    with pytest.raises(ConfigError, match=r"no CUDAExecutionProvider: .*onnxruntime-gpu"):
        classifier_of(nli(save(tmp_path, pooled()), nli_device="cuda"))


@pytest.mark.filterwarnings("ignore:Specified provider")
def test_cuda_that_does_not_start_is_no_silent_cpu(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("onnxruntime.get_available_providers", lambda: ["CUDAExecutionProvider"])
    with pytest.raises(ConfigError, match="could not start CUDA"):
        classifier_of(nli(save(tmp_path, pooled()), nli_device="cuda"))


def renamed_input(model, old, new):
    for node in model.graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
    next(given for given in model.graph.input if given.name == old).name = new
    return model


def fixed_shape(model):
    for given in model.graph.input:
        given.type.tensor_type.shape.dim[1].dim_value = 128
    return model


def cubic_output(model):
    model.graph.node.append(helper.make_node("Unsqueeze", ["logits", "axis"], ["deep"]))
    del model.graph.output[:]
    model.graph.output.append(helper.make_tensor_value_info("deep", TensorProto.FLOAT, ["a", "b", "c"]))
    return model


@pytest.mark.parametrize(
    ("model", "settings", "message"),
    [
        (renamed_input(pooled(), "token_type_ids", "pixel_values"), {}, "input 'pixel_values'"),
        (fixed_shape(pooled()), {}, "fixed shape"),
        (pooled(outputs=2), {}, r"shape .*\(contradiction, entailment, neutral\); .*--nli-labels"),
        (pooled(), {"labels": TWO}, r"shape .*\(entailment, neutral\)"),
        (cubic_output(pooled()), {}, "has the shape"),
        (pooled(), {"pad_token_id": None}, "pad_token_id: missing"),
    ],
)
def test_models_that_are_no_such_classifiers_are_named(tmp_path, model, settings, message):
    with pytest.raises(ConfigError, match=message):
        classifier_of(nli(save(tmp_path, model, **settings)))


@pytest.mark.parametrize("spoilt", ["onnx/model.onnx", "tokenizer.json"])
def test_damaged_files_are_named(tmp_path, spoilt):
    folder = save(tmp_path, pooled())
    (folder / spoilt).write_bytes(b"\x08\x01 no such thing")
    with pytest.raises(ConfigError, match=spoilt):
        classifier_of(nli(folder))


def test_padding_may_be_named_by_the_tokenizer_alone(tmp_path):
    folder = save(tmp_path, pooled(), pad_token_id=None)
    (folder / "tokenizer_config.json").write_text(json.dumps({"pad_token": {"content": "[PAD]"}}))
    expected = np.array([alone(folder, pair) for pair in pairs(5)])
    assert classifier_of(nli(folder)).probabilities(pairs(5)) == pytest.approx(expected, abs=1e-5)


def test_what_the_saved_tokenizer_cuts_is_not_cut(tmp_path):
    assert tokenizer().encode("a " * 30, "the " * 30).ids.__len__() == 16
    classifier = classifier_of(nli(save(tmp_path, overlap(THREE))))
    assert len(classifier.encode("a " * 30)) == 30
    assert classifier.encode("zzz").tokens == [SPECIAL[3]]
