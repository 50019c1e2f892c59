from __future__ import annotations

import gc
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import killed_run
import pytest
from corpus_scene import OWN, TEXTS, bring, content, numbered, write

from factreasoner.config import Config
from factreasoner.models import Atom, Record
from factreasoner.retrieval.corpus import indexing, store
from factreasoner.retrieval.corpus.retriever import CorpusRetriever


@pytest.mark.parametrize(
    ("method", "when", "number"),
    [("add", "before", 2), ("add", "after", 1), ("drop", "before", 1), ("finish", "before", 1)],
)
def test_a_killed_run_is_completed_by_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, when: str, number: int
) -> None:
    docs = write(tmp_path / "docs", TEXTS)
    places = [{"store_dir": tmp_path / name, "embedding": OWN} for name in ("killed", "undisturbed")]
    for place in places:
        bring(docs, **place)
    gc.collect()
    write(docs, {"curie.txt": "Marie Curie died in 1934.", "long.txt": numbered(130)})
    (docs / "tower.md").unlink()
    arguments = [method, when, str(number), str(docs), str(tmp_path / "killed")]
    path = os.pathsep.join(filter(None, sys.path))
    done = subprocess.run(
        [sys.executable, killed_run.__file__, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (tmp_path / "killed" / ".writer.json").exists()

    monkeypatch.setattr(indexing, "BATCH", 4)
    for place in places:
        bring(docs, prune=True, **place)
    contents = [content(store_dir=place["store_dir"]) for place in places]
    assert contents[0] == contents[1]
    assert len(contents[0]) == 4 + 8
    atom = Atom(id="a0", text="Marie Curie died in 1934.")
    record = Record(id="r", response="x")
    found = [CorpusRetriever(Config(**place)).retrieve([atom], record).contexts for place in places]
    assert found[0] == found[1]
    assert found[0][0].text == "Marie Curie died in 1934."
    assert bring(docs, prune=True, **places[0]).unchanged == 4


@pytest.mark.parametrize("damage", ["unwritten", "gone"])
def test_torn_files_of_vectors_are_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    monkeypatch.setattr(store, "VECTORS", {**store.VECTORS, "sync_threshold": 3, "batch_size": 2})
    docs = write(tmp_path / "docs", TEXTS)
    place = {"store_dir": tmp_path / "store", "embedding": OWN}
    bring(docs, **place)
    before = content(store_dir=tmp_path / "store")
    gc.collect()
    torn = list((tmp_path / "store").glob("*/data_level0.bin"))
    assert torn
    for path in torn:
        if damage == "unwritten":
            path.write_bytes(bytes(path.stat().st_size))
        else:
            shutil.rmtree(path.parent)
    report = bring(docs, **place)
    assert content(store_dir=tmp_path / "store") == before
    found = CorpusRetriever(Config(**place, search="dense")).retrieve(
        [Atom(id="a0", text="Polonium was named after Poland.")], Record(id="r", response="x")
    )
    assert found.contexts[0].title == "Polonium"
    assert report.rebuilt
    assert bring(docs, **place).unchanged == 4
