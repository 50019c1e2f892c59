import sys

import pytest
from corpus_scene import TEXTS, bring, write

from factreasoner.corpus.collection import Collection, StoredPassage
from factreasoner.corpus.store import Store
from factreasoner.corpus.word_index import word_index
from factreasoner.errors import MissingExtraError
from factreasoner.pipeline.config import Config


@pytest.fixture
def collection(tmp_path):
    bring(write(tmp_path / "docs", TEXTS), store=tmp_path / "store")
    return Store(Config(store=tmp_path / "store")).collection("documents")


def found(collection, query):
    """Titles of what is found."""
    return [passage.title for passage in collection.with_ids(word_index(collection).best(query, 3))]


def test_words_match_by_stem_title_and_number(collection):
    assert found(collection, "the finishing of towers") == ["Eiffel Tower"]
    assert found(collection, "sorbonne") == ["Sorbonne"]
    assert found(collection, "1,867") == ["curie"]
    assert found(collection, "was the in") == []
    assert found(collection, "") == []


def test_word_index_is_stored_beside_collection(collection, monkeypatch):
    def unasked(self):
        raise AssertionError("made anew")

    monkeypatch.setattr(Collection, "passages", unasked)
    assert found(collection, "radium") == ["Radium"]


@pytest.mark.parametrize("name", ["about.json", "data.csc.index.npy"])
def test_damaged_word_index_is_rebuilt(collection, name):
    (kept,) = (collection.folder / "words").iterdir()
    (kept / name).write_bytes(b"{")
    assert found(collection, "radium") == ["Radium"]


def test_index_is_rebuilt_per_search_while_writing(collection):
    collection.begin()
    collection.add([StoredPassage("Gallium melts.", "x", "h", 0, "Gallium", last=True)])
    assert found(collection, "gallium") == ["Gallium"]
    assert len(list((collection.folder / "words").iterdir())) == 1
    collection.finish()
    assert found(collection, "gallium") == ["Gallium"]
    (kept,) = (collection.folder / "words").iterdir()
    assert kept.name == collection.made.revision


def test_without_bm25s_the_extra_is_named(monkeypatch):
    for module, missing in (("vectors", "chromadb"), ("word_index", "bm25s")):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, missing, None)
            patch.delitem(sys.modules, f"factreasoner.corpus.{module}", raising=False)
            with pytest.raises(MissingExtraError, match=r"pip install '\.\[corpus\]'"):
                __import__(f"factreasoner.corpus.{module}")
