from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from corpus_scene import OWN, TEXTS, bring, content, write

from factreasoner.config import Config
from factreasoner.errors import ConfigError, StoreError
from factreasoner.models import Atom, Record
from factreasoner.retrieval.corpus import writers
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


HOLDER = """
import sys, time
from factreasoner.config import Config
from factreasoner.retrieval.corpus import writers
from factreasoner.retrieval.corpus.store import Store
writers.BEAT_SECONDS = 0.2
with Store.writing(Config(chroma_url=sys.argv[1], collection=sys.argv[2])) as store:
    print("held", flush=True)
    time.sleep(300)
"""


@pytest.fixture
def hold(chroma_url: str) -> Iterator[Callable[[str], subprocess.Popen[str]]]:
    """Another process that has the right to write to a collection, until it is killed."""
    holders = []

    def start(collection: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-c", HOLDER, chroma_url, collection]
        holders.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert holders[-1].stdout is not None
        assert holders[-1].stdout.readline() == "held\n"
        return holders[-1]

    yield start
    for holder in holders:
        holder.kill()
        holder.communicate()


def test_another_writer_is_named_and_a_killed_one_outlived(
    tmp_path: Path,
    chroma_url: str,
    hold: Callable[[str], subprocess.Popen[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(writers, "POLL_SECONDS", 0.1)
    docs = write(tmp_path / "docs", TEXTS)
    place = {"chroma_url": chroma_url, "collection": "held"}
    holder = hold("held")
    words = rf"process {holder.pid} on \S+ is writing to collection 'held' since .* UTC; wait for it or end"
    for _ in range(2):
        with pytest.raises(ConfigError, match=words):
            bring(docs, **place)
    assert bring(docs, chroma_url=chroma_url, collection="free").added == 4
    holder.send_signal(signal.SIGKILL)
    holder.wait()
    monkeypatch.setattr(writers, "LEASE_SECONDS", 1.0)
    assert bring(docs, **place).added == 4
    assert bring(docs, **place).unchanged == 4
    store = Store(Config(chroma_url=chroma_url))
    assert not [c.name for c in store.client.list_collections() if "held." in c.name]


def test_a_writer_that_was_taken_for_dead_writes_no_more(
    chroma_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writers, "POLL_SECONDS", 0.05)
    monkeypatch.setattr(writers, "LEASE_SECONDS", 0.5)  # shorter than a beat: whoever holds it seems dead
    config = Config(chroma_url=chroma_url, collection="silent")
    with Store.writing(config) as first:
        first.open("silent", None)
        with Store.writing(config) as second:
            time.sleep(0.3)
            with pytest.raises(
                StoreError, match="this process was silent for more than 0 s, and another one"
            ):
                first.open("silent", None)
            second.open("silent", None)
        with Store.writing(config) as third:
            third.delete("silent")


def test_of_many_writers_one_wins(chroma_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writers, "BEAT_SECONDS", 0.1)
    monkeypatch.setattr(writers, "POLL_SECONDS", 0.1)
    start, told = threading.Barrier(6), threading.Barrier(6)
    won, refused = [], []

    def work(number: int) -> None:
        start.wait()
        try:
            with Store.writing(Config(chroma_url=chroma_url, collection="many")):
                won.append(number)
                told.wait()
        except ConfigError:
            refused.append(number)
            told.wait()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (len(won), len(refused)) == (1, 5)


def test_a_collection_in_the_place_of_the_lease_is_told(chroma_url: str) -> None:
    store = Store(Config(chroma_url=chroma_url))
    store.client.create_collection("x-y.writer", embedding_function=None)
    with (
        pytest.raises(ConfigError, match=r"'x-y\.writer' in store .* is in the way"),
        Store.writing(Config(chroma_url=chroma_url, collection="x-y")),
    ):
        pass


def test_collections_of_others_are_left_alone(tmp_path: Path, chroma_url: str) -> None:
    store = Store(Config(chroma_url=chroma_url))
    store.client.create_collection("theirs", embedding_function=None)
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
