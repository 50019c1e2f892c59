from __future__ import annotations

import threading
from pathlib import Path

import pytest
from corpus_scene import OWN, TEXTS, bring, content, write

from factreasoner.config import Config
from factreasoner.errors import ConfigError
from factreasoner.models import Atom, Record
from factreasoner.retrieval.corpus.indexing import IndexReport
from factreasoner.retrieval.corpus.retriever import CorpusRetriever
from factreasoner.retrieval.corpus.store import Store


def test_a_server_keeps_passages_as_a_folder_does(tmp_path: Path, chroma_url: str) -> None:
    docs = write(tmp_path / "docs", TEXTS)
    there = {"chroma_url": chroma_url, "collection": "same", "embedding": OWN}
    here = {"store_dir": tmp_path / "store", "collection": "same", "embedding": OWN}
    for place in (there, here):
        assert bring(docs, **place) == IndexReport(added=4, passages=5, total=5)
        assert bring(docs, **place) == IndexReport(unchanged=4, total=5)
    write(docs, {"curie.txt": "Marie Curie died in 1934."})
    for place in (there, here):
        assert bring(docs, **place).replaced == 1
    assert content(chroma_url=chroma_url, collection="same") == content(
        store_dir=tmp_path / "store", collection="same"
    )
    found = {}
    for name, place in {"there": there, "here": here}.items():
        retriever = CorpusRetriever(Config(**place))
        atom = Atom(id="a0", text="Polonium was named after Poland.")
        found[name] = retriever.retrieve([atom], Record(id="r", response="x")).contexts
    assert found["there"] == found["here"]
    assert found["there"][0].text == "Polonium was named after Poland."


def test_two_writers_at_once_on_a_server(tmp_path: Path, chroma_url: str) -> None:
    folders = [
        write(tmp_path / name, {f"{n}.txt": f"Text {n} of {name}." for n in range(20)}) for name in ("a", "b")
    ]
    both = {"chroma_url": chroma_url, "collection": "both"}
    reports = {}

    def work(number: int) -> None:
        # Each brings a folder of its own, and both bring the first.
        reports[number] = bring(folders[0], folders[number], **both)

    bring(write(tmp_path / "first", {"x.txt": "First."}), **both)
    threads = [threading.Thread(target=work, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(not report.problems for report in reports.values())
    assert len(content(**both)) == 41
    assert bring(*folders, tmp_path / "first", **both) == IndexReport(unchanged=41, total=41)


def test_collections_of_others_are_left_alone(tmp_path: Path, chroma_url: str) -> None:
    store = Store(Config(chroma_url=chroma_url))
    store._client.create_collection("theirs", embedding_function=None)
    docs = write(tmp_path / "docs", TEXTS)
    with pytest.raises(ConfigError, match=r"'theirs' in store .* was not made by `factreasoner index`"):
        bring(docs, chroma_url=chroma_url, collection="theirs")
    assert "theirs" not in store.names()
    with pytest.raises(ConfigError, match="was not made by"):
        store.delete("theirs")


def test_a_url_with_a_query_is_none_of_a_server() -> None:
    with pytest.raises(ConfigError, match="CHROMA_TOKEN"):
        Store(Config(chroma_url="http://127.0.0.1:1/x?tenant=5"))


def test_a_server_that_is_not_there() -> None:
    with pytest.raises(ConfigError, match=r"store http://127\.0\.0\.1:9: Could not connect"):
        Store(Config(chroma_url="http://127.0.0.1:9"))
