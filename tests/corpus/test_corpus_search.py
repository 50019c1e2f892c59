import os
import shutil
import sqlite3
import tempfile
from pathlib import Path

import pytest
from corpus_scene import OWN, TEXTS, bring, write

from factreasoner.corpus.embeddings import OwnEmbedding
from factreasoner.corpus.store import Store
from factreasoner.errors import ConfigError, StoreError
from factreasoner.models import Atom, Record, StageError
from factreasoner.pipeline.config import Config
from factreasoner.protocols import Retrieved
from factreasoner.retrieval.corpus import CorpusRetriever
from factreasoner.retrieval.per_atom import Query


@pytest.fixture
def place(tmp_path):
    bring(write(tmp_path / "docs", TEXTS), store=tmp_path / "store", embedding=OWN)
    return {"store": tmp_path / "store"}


def titles(place, text, **settings):
    found = CorpusRetriever(Config.model_validate({**place, **settings})).search(Query(text))
    return [passage.title for passage in found]


def test_contexts_name_their_origin(tmp_path, place):
    atoms = [Atom(id="a0", text="Radium glows in the dark."), Atom(id="a1", text="The tower is old.")]
    record = Record(id="r", response="x", prompt="What of Poland?")
    found = CorpusRetriever(Config.model_validate({**place, "search": "bm25"})).retrieve(atoms, record)
    assert [(c.id, c.atom_ids, c.title, c.link) for c in found.contexts] == [
        ("c_a0_0", ("a0",), "Radium", "https://x.example/radium"),
        ("c_a1_0", ("a1",), "Eiffel Tower", ""),
        ("c_q_0", (), "Polonium", ""),
    ]
    assert found.contexts[2].note == f"{tmp_path}/docs/rows.jsonl, passage 2"
    assert found.failures == ()


def test_ways_of_searching(place):
    assert titles(place, "radium", search="bm25") == ["Radium"]
    assert titles(place, "zzz", search="bm25") == []
    dense = titles(place, "radium glows", search="dense", retrieve_k=5)
    assert (dense[0], len(dense)) == ("Radium", 5)
    for search in ("hybrid", "auto"):
        both = titles(place, "radium glows", search=search, retrieve_k=2)
        assert (both[0], len(both)) == ("Radium", 2)


def test_keyword_query_falls_back_to_the_text(place):
    retriever = CorpusRetriever(Config.model_validate({**place, "search": "bm25"}))
    assert [f.title for f in retriever.search(Query("It glows.", worded="Poland"))] == ["Polonium"]
    assert [f.title for f in retriever.search(Query("It glows.", worded="qwertz"))] == ["Radium"]
    assert retriever.search(Query("zzz", worded="qwertz")) == []


def test_one_text_in_two_files_is_found_once(tmp_path):
    docs = write(
        tmp_path / "docs", {"a.txt": "Otters swim.", "b.txt": "Otters swim.", "c.txt": "Otters eat."}
    )
    bring(docs, store=tmp_path / "store")
    found = CorpusRetriever(Config(store=tmp_path / "store")).search(Query("otters swim"))
    assert [passage.text for passage in found] == ["Otters swim.", "Otters eat."]


def test_a_retriever_goes_on_while_passages_are_dropped(tmp_path, place):
    retriever = CorpusRetriever(Config.model_validate({**place, "search": "bm25"}))
    (tmp_path / "docs" / "tower.md").unlink()
    bring(tmp_path / "docs", prune=True, store=tmp_path / "store")
    assert [f.title for f in retriever.search(Query("Paris tower"))] == ["Sorbonne", "curie"]


def test_impossible_corpus_retriever_is_refused(tmp_path, place):
    bring(tmp_path / "docs", collection="words", store=tmp_path / "store")
    bring(write(tmp_path / "none", {"a.txt": ""}), collection="empty", store=tmp_path / "store")
    for settings, words in {
        ("collection", "nope"): "no 'nope' in store .*; there: documents, empty, words",
        ("collection", "empty"): "'empty' in store .* is empty",
        ("embedding", "minilm"): "was made with 'own_embedding:words', not 'minilm'",
        ("store", tmp_path / "nowhere"): "make one with `factreasoner index PATH...`",
    }.items():
        with pytest.raises(ConfigError, match=words):
            titles({**place, settings[0]: settings[1]}, "x")
    for search in ("dense", "hybrid"):
        with pytest.raises(ConfigError, match="needs vectors, and collection 'words' was made without"):
            titles({**place, "collection": "words"}, "x", search=search)


def test_damaged_database_is_named(tmp_path):
    write(tmp_path / "store", {"documents/passages.sqlite": "no database" * 1000})
    with pytest.raises(ConfigError, match=r"/documents: passages.sqlite is damaged; put back a copy"):
        titles({"store": tmp_path / "store"}, "x")


@pytest.mark.parametrize("command", [titles, lambda place, text: bring(place["store"].parent, **place)])
def test_store_of_earlier_version_is_refused(tmp_path, command):
    write(tmp_path / "store", {"chroma.sqlite3": "SQLite format 3"})
    with pytest.raises(ConfigError, match="of another version; delete it and run `factreasoner index PATH"):
        command({"store": tmp_path / "store"}, "x")


def test_failing_embedding_raises_store_error(place, monkeypatch):
    retriever = CorpusRetriever(Config.model_validate(place))

    def failing(embedding, texts):
        raise StoreError("no vectors today")

    monkeypatch.setattr(OwnEmbedding, "embed", failing)
    with pytest.raises(StoreError, match="no vectors today"):
        retriever.search(Query("x"))


def test_collection_that_cannot_be_deleted_is_named(place, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(shutil, "rmtree", refuse)
    with pytest.raises(StoreError, match="documents can't be deleted: Permission denied"):
        Store(Config.model_validate(place)).delete("documents")


def test_store_lists_and_deletes_collections(tmp_path, place):
    bring(tmp_path / "docs", collection="other", store=tmp_path / "store")
    store = Store(Config.model_validate(place))
    assert store.names() == ["documents", "other"]
    store.delete("other")
    assert store.names() == ["documents"]
    assert not (tmp_path / "store" / "other").exists()
    with pytest.raises(ConfigError, match="no 'other' in store"):
        store.delete("other")


@pytest.fixture
def read_only(monkeypatch):
    """Makes a store read-only, in a folder that everybody may read, and acts as a user without rights."""
    user = os.geteuid()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as cache:
        monkeypatch.setenv("FACTREASONER_CACHE_DIR", cache)
        for path in (folder, cache):
            Path(path).chmod(0o777)
        store = Path(folder, "store")

        def make(place):
            shutil.copytree(place["store"], store)
            for path in (*store.rglob("*"), store):
                path.chmod(0o555 if path.is_dir() else 0o444)
            if user == 0:
                os.seteuid(65534)
            return {"store": store}

        yield make
        os.seteuid(user)
        for path in (store, *store.rglob("*")):
            path.chmod(0o755)


@pytest.mark.parametrize("search", ["bm25", "dense", "hybrid"])
def test_store_without_write_permission_is_searched(place, read_only, search):
    assert titles(read_only(place), "radium glows", search=search, retrieve_k=1) == ["Radium"]


def test_interrupted_read_only_store_names_missing_permission(place, read_only):
    writer = sqlite3.connect(place["store"] / "documents" / "passages.sqlite", isolation_level=None)
    writer.executescript("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE")
    writer.executemany("INSERT INTO passages (text) VALUES (?)", [["x" * 4000]] * 500)
    with pytest.raises(ConfigError, match="what an interrupted index run left needs write permission"):
        titles(read_only(place), "radium glows", search="bm25")
    writer.close()


def test_changed_collection_is_reopened_with_its_state(tmp_path, place):
    record, atoms = Record(id="r", response="x"), [Atom(id="a0", text="Otters live in the river.")]
    retriever = CorpusRetriever(Config.model_validate({**place, "search": "bm25", "retrieve_k": 1}))
    (before,) = retriever.collections
    assert retriever.retrieve(atoms, record) == Retrieved((), (), (before,))
    docs = write(tmp_path / "docs", {"otters.txt": "Otters live in rivers."})
    bring(docs, store=tmp_path / "store")
    found = retriever.retrieve(atoms, record)
    assert [context.title for context in found.contexts] == ["otters"]
    assert found.searched == retriever.collections != (before,)
    with Store.writing(Config(store=tmp_path / "store")) as store:
        store.collection("documents").begin()
        for _ in range(2):
            half = retriever.retrieve(atoms, record)
            assert (half.contexts, half.searched) == (found.contexts, ("documents@unfinished-6",))


def test_lost_store_fails_the_record(place, monkeypatch):
    retriever = CorpusRetriever(Config.model_validate(place))

    def failing(name):
        raise StoreError("the server is busy")

    monkeypatch.setattr(Store, "collection", lambda store, name: failing(name))
    with pytest.raises(StageError, match="the server is busy"):
        retriever.retrieve([Atom(id="a0", text="Radium glows.")], Record(id="r", response="x"))
