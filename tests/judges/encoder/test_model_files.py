import os
import re
import shutil
from fnmatch import fnmatch
from pathlib import Path

import onnx
import pytest
from tiny_classifiers import overlap, pooled, save, tokenizer

from factreasoner.errors import ConfigError
from factreasoner.judges.encoder.model_files import ModelFiles, chosen_graph, model_files
from factreasoner.pipeline.config import Config

KINDS = ("", "_O1", "_O2", "_O4", "_qint8_arm64", "_qint8_avx512", "_quint8_avx2")
HUB = [*(f"onnx/model{kind}.onnx" for kind in KINDS), "README.md", "config.json", "model.safetensors"]


def files(config, **more):
    return model_files(config, "make it", **more)


def nli(folder, **settings):
    return Config(judge="verifier", verifier="nli", verifier_model=str(folder), **settings)


@pytest.mark.parametrize(
    ("names", "wanted", "chosen"),
    [
        (HUB, None, "onnx/model.onnx"),
        (HUB, "model_qint8_arm64.onnx", "onnx/model_qint8_arm64.onnx"),
        (HUB, "onnx/model_O2.onnx", "onnx/model_O2.onnx"),
        (["config.json", "model.onnx", "tokenizer.json"], None, "model.onnx"),
        (["model_quantized.onnx", "config.json"], None, "model_quantized.onnx"),
    ],
)
def test_graph_choice_follows_name_and_default(names, wanted, chosen):
    assert chosen_graph(names, wanted, "m", "") == chosen


@pytest.mark.parametrize(
    ("names", "wanted", "message"),
    [
        (["a/int8.onnx", "a/b.onnx", "c.json"], None, r"m/FILE\.onnx; it has a/int8\.onnx, a/b\."),
        (["a/m.onnx", "b/m.onnx"], "m.onnx", r"'m\.onnx': 2 files of m fit; it has a/m\.onnx, b/m"),
        (["a/m.onnx", "b/m.onnx"], "nothing.onnx", r"'nothing\.onnx': 0 files of m fit; it has a/m"),
        (["config.json", "model.safetensors"], None, r"m: it has no \.onnx file; make one: .*, then EXPORT"),
    ],
)
def test_missing_or_ambiguous_graph_lists_candidates(names, wanted, message):
    with pytest.raises(ConfigError, match=message):
        chosen_graph(names, wanted, "m", "EXPORT")


@pytest.mark.parametrize("graph", ["model.onnx", "onnx/model.onnx"])
def test_settings_lie_beside_or_above_the_graph(tmp_path, graph):
    save(tmp_path, overlap(), graph=graph)
    found = files(nli(tmp_path))
    assert found == files(nli(tmp_path / graph))
    assert found.graph == tmp_path / graph
    assert found.tokenizer == tmp_path / "tokenizer.json"
    if "/" in graph:
        shutil.copy(tmp_path / "config.json", tmp_path / "onnx")
        assert files(nli(tmp_path)).settings_path == tmp_path / "onnx/config.json"


def test_slow_tokenizer_error_names_the_conversion(tmp_path):
    save(tmp_path, overlap())
    (tmp_path / "tokenizer.json").rename(tmp_path / "spm.model")
    with pytest.raises(ConfigError, match=r"tokenizer\.json is missing, it has only spm\.model; .*save_pre"):
        files(nli(tmp_path))
    (tmp_path / "spm.model").unlink()
    with pytest.raises(ConfigError, match="no tokenizer at all"):
        files(nli(tmp_path))


def test_missing_config_json_error_shows_a_template(tmp_path):
    save(tmp_path, overlap())
    (tmp_path / "config.json").unlink()
    with pytest.raises(ConfigError, match=r"config\.json is missing.* write one .*") as told:
        files(nli(tmp_path))
    (tmp_path / "config.json").write_text(str(told.value).rpartition("order: ")[2])
    assert files(nli(tmp_path)).settings["id2label"] == {"0": "entailment", "1": "neutral"}


@pytest.mark.parametrize("content", ["", "[]", "{", '{"id2label": '])
def test_a_damaged_config_is_named(tmp_path, content):
    save(tmp_path, overlap())
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(ConfigError, match=re.escape(str(tmp_path / "config.json"))):
        files(nli(tmp_path))


@pytest.mark.parametrize("name", ["./nothing", "/nothing/here", "a/b/c", "no such model"])
def test_a_path_to_nothing_is_no_id(name):
    with pytest.raises(ConfigError, match="no such file or folder"):
        files(nli(name))


def test_the_digest_is_of_the_content_alone(tmp_path):
    first = files(nli(save(tmp_path / "a", pooled()))).identity
    assert files(nli(save(tmp_path / "b", pooled(), graph="model.onnx"))).identity == first
    assert files(nli(save(tmp_path / "c", pooled(seed=1)))).identity != first
    assert files(nli(save(tmp_path / "d", pooled(), labels=("entailment", "neutral", "c")))).identity != first
    changed = save(tmp_path / "e", pooled())
    tokenizer(cut=False).save(str(changed / "tokenizer.json"))
    assert files(nli(changed)).identity != first


def save_with_weights_outside(graph, name, seed=0):
    onnx.save(pooled(seed=seed), graph, save_as_external_data=True, location=name, size_threshold=100)


@pytest.mark.parametrize("name", ["model.onnx_data", "model.onnx.data", "Constant_7_attr__value"])
def test_weights_outside_the_graph_count(tmp_path, name):
    digests = set()
    for seed in (0, 1):
        folder = save(tmp_path / str(seed), pooled(seed=seed))
        save_with_weights_outside(folder / "onnx/model.onnx", name, seed)
        digests.add(files(nli(folder)).identity.digest)
        (folder / "onnx/model_O4.onnx_data").write_text("of another graph")
        digests.add(files(nli(folder)).identity.digest)
    graphs = [(tmp_path / seed / "onnx/model.onnx").read_bytes() for seed in "01"]
    assert graphs[0] == graphs[1]
    assert len(digests) == 2


def test_batch_dependent_graph_is_detected(tmp_path):
    assert not files(nli(save(tmp_path / "a", pooled()))).identity.batch_dependent
    assert files(nli(save(tmp_path / "b", pooled(quantized=True)))).identity.batch_dependent


@pytest.mark.parametrize(
    ("settings", "limit"),
    [
        ({"max_position_embeddings": 512}, 512),
        ({"max_position_embeddings": 514, "model_type": "roberta", "pad_token_id": 1}, 512),
        ({"max_position_embeddings": 1024, "model_type": "bart", "pad_token_id": 1}, 1024),
        ({"max_position_embeddings": 512, "model_type": "deberta-v2", "position_biased_input": False}, None),
        ({"model_type": "t5", "n_positions": 512}, None),
        ({"max_position_embeddings": -1}, None),
    ],
)
def test_how_many_positions_a_model_has(settings, limit):
    assert ModelFiles(Path(), Path(), Path(), settings, {}).positions == limit


class TestTheHub:
    """A local cache as the hub's library lays it out; sockets other than loopback are blocked."""

    COMMIT = "0123456789abcdef0123456789abcdef01234567"

    @pytest.fixture
    def cache(self, tmp_path, monkeypatch):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
        model = tmp_path / "hub/models--acme--tiny"
        for path in save(tmp_path / "source", overlap()).rglob("*.*"):
            blob = model / "blobs" / path.name
            blob.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, blob)
            link = model / "snapshots" / self.COMMIT / path.relative_to(tmp_path / "source")
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(os.path.relpath(blob, link.parent))
        (model / "refs").mkdir()
        (model / "refs/main").write_text(self.COMMIT)
        return model

    @pytest.mark.parametrize("name", ["acme/tiny", "acme/tiny@main", f"acme/tiny@{COMMIT}"])
    def test_a_cached_model_is_found(self, cache, name):
        assert files(nli(name)).graph == cache / "snapshots" / self.COMMIT / "onnx/model.onnx"

    @pytest.mark.parametrize("name", ["acme/tiny/onnx/model.onnx", "acme/tiny/model.onnx@main"])
    def test_a_file_of_a_cached_model_is_named(self, cache, name):
        assert files(nli(name)).graph == cache / "snapshots" / self.COMMIT / "onnx/model.onnx"
        with pytest.raises(ConfigError, match=r"verifier_model: 'other\.onnx': 0 files of acme/tiny fit"):
            files(nli("acme/tiny/other.onnx"))

    @pytest.mark.parametrize("name", ["acme/tiny@v2", "acme/other", "acme/tiny@" + "f" * 40])
    def test_nothing_is_downloaded_without_request(self, cache, name):
        told = rf"nothing is downloaded unless asked for; .* --verifier-model {name} --download"
        with pytest.raises(ConfigError, match=told):
            files(nli(name))

    def test_download_fetches_one_graph_with_weights(self, cache, monkeypatch):
        folder = cache / "snapshots" / self.COMMIT
        (folder / "onnx/model.onnx").unlink()
        (folder / "tokenizer.json").rename(folder / "later.json")
        save_with_weights_outside(folder / "onnx/model.onnx", "Constant_7_attr__value")
        asked = []

        def fetched(name, *, revision, allow_patterns, local_files_only=False):
            if local_files_only:
                return str(folder)
            asked.append((name, revision, allow_patterns))
            if not (folder / "tokenizer.json").exists():
                (folder / "later.json").rename(folder / "tokenizer.json")
            return str(folder)

        listed = [*HUB, "onnx/Constant_7_attr__value", "onnx/model_O4.onnx_data"]
        monkeypatch.setattr("huggingface_hub.snapshot_download", fetched)
        monkeypatch.setattr("huggingface_hub.HfApi.list_repo_files", lambda self, name, revision: listed)
        for _ in range(2):  # what is there is not fetched again
            assert files(nli("acme/tiny@main"), download=True).graph == folder / "onnx/model.onnx"
        (first, second) = (patterns for *_, patterns in asked)
        assert {(name, revision) for name, revision, _ in asked} == {("acme/tiny", "main")}
        fetched = [name for name in listed if any(fnmatch(name, pattern) for pattern in (*first, *second))]
        assert fetched == ["onnx/model.onnx", "config.json", "onnx/Constant_7_attr__value"]

    def test_unreachable_hub_is_a_config_error(self, cache, monkeypatch):
        monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
        with pytest.raises(ConfigError, match="'acme/other' can't be downloaded: "):
            files(nli("acme/other"), download=True)
        assert files(nli("acme/tiny"), download=True).graph.is_file()
