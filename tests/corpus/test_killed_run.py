import gc
import shutil
import signal
import sys
from pathlib import Path
from typing import Any, NamedTuple

import killed_run
import pytest
from corpus_scene import OWN, TEXTS, bring, content, numbered, write
from forked import Forker

from factreasoner.corpus import indexing, vectors
from factreasoner.corpus.indexing import IndexReport
from factreasoner.models import Atom, Record
from factreasoner.pipeline.config import Config
from factreasoner.retrieval.corpus import CorpusRetriever

KILLED = f"import sys; sys.path[:] = {sys.path!r}; import killed_run; killed_run.main()"
FINISHED = 4 + 8
"""Passages of the changed documents."""


class Changed(NamedTuple):
    """Documents that changed since `store` was made of them, and what an undisturbed run then has."""

    docs: Path
    store: Path
    contents: dict[str, Any]
    found: object


def found_in(place):
    atom = Atom(id="a0", text="Marie Curie died in 1934.")
    return CorpusRetriever(Config(**place)).retrieve([atom], Record(id="r", response="x")).contexts


@pytest.fixture(scope="module")
def changed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("changed")
    docs = write(folder / "docs", TEXTS)
    place = {"store": folder / "undisturbed", "embedding": OWN}
    bring(docs, **place)
    gc.collect()
    shutil.copytree(folder / "undisturbed", folder / "store")
    write(docs, {"curie.txt": "Marie Curie died in 1934.", "long.txt": numbered(130)})
    (docs / "tower.md").unlink()
    bring(docs, prune=True, **place)
    found = found_in(place)
    assert found[0].text == "Marie Curie died in 1934."
    return Changed(docs, folder / "store", content(store=folder / "undisturbed"), found)


@pytest.fixture(scope="module")
def indexers():
    """Starts processes that have what indexes imported."""
    forker = Forker("chromadb", "factreasoner.corpus.indexing")
    yield forker
    forker.close()


@pytest.mark.parametrize(
    ("method", "when", "number"), [("add", "before", 2), ("drop", "before", 1), ("finish", "before", 1)]
)
def test_a_killed_run_is_completed_by_the_next(
    tmp_path, monkeypatch, changed, indexers, method, when, number
):
    place = {"store": tmp_path / "store", "embedding": OWN}
    shutil.copytree(changed.store, place["store"])
    process = indexers.start(
        [method, when, number, changed.docs, place["store"]], folder=tmp_path, code=KILLED
    )
    _, said = process.communicate(timeout=90)
    assert process.returncode == -signal.SIGKILL, said

    monkeypatch.setattr(indexing, "BATCH", killed_run.BATCH)
    bring(changed.docs, prune=True, **place)
    contents = content(store=place["store"])
    assert contents == changed.contents
    assert len(contents) == FINISHED
    assert found_in(place) == changed.found
    assert bring(changed.docs, prune=True, **place).unchanged == 4


@pytest.fixture
def damaged(tmp_path, monkeypatch):
    """Makes a store of the folders `docs` and `more`, and harms the files of its vectors."""
    monkeypatch.setattr(vectors, "SPACE", {**vectors.SPACE, "sync_threshold": 3, "batch_size": 2})
    place = {"store": tmp_path / "store", "embedding": OWN}

    def make(damage):
        write(tmp_path / "more", {"otter.txt": "Otters swim."})
        bring(write(tmp_path / "docs", TEXTS), tmp_path / "more", **place)
        before = content(store=tmp_path / "store")
        gc.collect()
        torn = list((tmp_path / "store").glob("*/vectors/*/data_level0.bin"))
        assert torn
        for path in torn:
            if damage == "unwritten":
                path.write_bytes(bytes(path.stat().st_size))
            elif damage == "all gone":
                shutil.rmtree(path.parents[1])
            else:
                shutil.rmtree(path.parent)
        return before

    return make


def first_found(place):
    """The title of the passage whose vector is nearest."""
    atom = Atom(id="a0", text="Polonium was named after Poland.")
    found = CorpusRetriever(Config(**place, search="dense")).retrieve([atom], Record(id="r", response="x"))
    return found.contexts[0].title


@pytest.mark.parametrize("damage", ["unwritten", "gone", "all gone"])
def test_damaged_vectors_are_computed_again(tmp_path, damaged, damage):
    before = damaged(damage)
    place = {"store": tmp_path / "store", "embedding": OWN}
    assert bring(tmp_path / "docs", **place).rebuilt == (damage != "all gone")
    assert content(store=tmp_path / "store") == before
    assert first_found(place) == "Polonium"
    assert bring(tmp_path / "docs", **place) == IndexReport(unchanged=4, total=6)


@pytest.mark.parametrize(
    ("method", "when"), [("begin", "after"), ("_add_vectors", "before"), ("finish", "before")]
)
def test_killed_repair_is_completed_by_next_run(tmp_path, indexers, damaged, method, when):
    before = damaged("gone")
    arguments = [method, when, 1, tmp_path / "docs", tmp_path / "store"]
    process = indexers.start(arguments, folder=tmp_path, code=KILLED)
    _, said = process.communicate(timeout=90)
    assert process.returncode == -signal.SIGKILL, said
    assert bring(tmp_path / "docs", store=tmp_path / "store").total == 6
    assert content(store=tmp_path / "store") == before
    assert first_found({"store": tmp_path / "store"}) == "Polonium"
