import os
import shutil
from pathlib import Path

import pytest
from corpus_scene import OWN, TEXTS, bring, content, write
from filelock import FileLock
from pages import html, pdf

from factreasoner.corpus import files, indexing
from factreasoner.corpus.indexing import IndexReport, index
from factreasoner.corpus.store import Store
from factreasoner.errors import ConfigError, InputError
from factreasoner.pipeline.config import Config


@pytest.fixture
def docs(tmp_path):
    return write(tmp_path / "docs", TEXTS)


@pytest.fixture
def store(tmp_path):
    return tmp_path / "store"


def test_mixed_documents_keep_title_link_and_position(docs, store):
    assert bring(docs, store=store) == IndexReport(added=4, passages=5, total=5)
    found = {(Path(p.path).name, p.position): p for p in content(store=store).values()}
    assert found["rows.jsonl", 0].text == "Radium glows."
    assert found["rows.jsonl", 1][3:6] == (1, "Polonium", "")
    assert found["tower.md", 0].text.endswith("The tower in Paris was finished in 1889.")
    assert found["tower.md", 0].title == "Eiffel Tower"
    assert found["curie.txt", 0].title == "curie"
    assert found["rows.csv", 0].link == "https://x.example/s"
    assert {p.path for p in found.values()} == {str(docs / name) for name in TEXTS}


def test_indexing_skips_replaces_and_prunes_files(docs, store):
    bring(docs, store=store)
    before = content(store=store)
    os.utime(docs / "curie.txt", (1, 1))
    assert bring(docs, store=store) == IndexReport(unchanged=4, total=5)
    assert content(store=store) == before

    write(docs, {"curie.txt": "Marie Curie died in 1934."})
    (docs / "rows.jsonl").unlink()
    assert bring(docs, store=store) == IndexReport(replaced=1, unchanged=2, gone=1, passages=1, total=5)
    texts = {p.text for p in content(store=store).values()}
    assert "Marie Curie died in 1934." in texts
    assert "Radium glows." in texts
    assert not any("Warsaw" in text for text in texts)

    assert bring(docs, store=store, prune=True) == IndexReport(unchanged=3, dropped=1, total=3)
    assert "Radium glows." not in {p.text for p in content(store=store).values()}


def test_pruned_path_must_be_known(docs, store):
    with pytest.raises(ConfigError):
        bring(docs / "typo", store=store, prune=True)
    assert not store.exists()
    bring(docs, store=store)
    gone = docs.rename(docs.with_name("gone"))
    with pytest.raises(InputError, match="/typo: no such file"):
        bring(docs.with_name("typo"), store=store, prune=True)
    assert bring(docs / "curie.txt", store=store, prune=True) == IndexReport(dropped=1, total=4)
    assert bring(docs, store=store, prune=True).total == 0
    gone.rename(docs)


def test_a_file_that_was_moved_or_emptied(docs, store):
    bring(docs, store=store)
    (docs / "curie.txt").rename(docs / "marie.txt")
    write(docs, {"tower.md": ""})
    report = bring(docs, store=store, prune=True)
    emptied = (f"{docs}/tower.md",)
    assert report == IndexReport(
        added=1, unchanged=2, empty=1, dropped=1, passages=1, total=4, emptied=emptied
    )


@pytest.mark.parametrize("prune", [False, True])
def test_page_without_text_drops_its_passages(docs, store, prune):
    (docs / "a.html").write_bytes(html())
    (docs / "b.html").write_bytes(html(title="Other"))
    bring(docs, store=store)
    (docs / "a.html").write_text("<html><body></body></html>")
    (docs / "b.html").write_text("")
    for dropped, emptied in (("; its earlier passages are dropped", (f"{docs}/b.html",)), ("", ())):
        report = bring(docs, store=store, prune=prune)
        assert report.problems == (f"{docs}/a.html: no text in it{dropped}",)
        assert (report.total, report.empty, report.emptied) == (5, 1, emptied)
    assert not any("Otter" in passage.text for passage in content(store=store).values())


def test_prune_keeps_files_outside_paths_or_unreadable(docs, store, monkeypatch):
    bring(docs, store=store)
    assert bring(docs / "deep", store=store, prune=True) == IndexReport(unchanged=1, total=5)
    shutil.rmtree(docs / "deep")
    assert bring(docs / "curie.txt", store=store, prune=True) == IndexReport(unchanged=1, total=5)
    scandir = os.scandir

    def refusing(path):
        if str(path) == str(docs):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    with monkeypatch.context() as patch:
        patch.setattr(files.os, "scandir", refusing)
        report = bring(docs, store=store, prune=True)
    assert report == IndexReport(total=5, problems=(f"{docs}: can't be read: Permission denied",))
    assert bring(docs / "deep", store=store, prune=True) == IndexReport(dropped=1, total=4)


def test_broken_files_are_reported_and_others_indexed(docs, store):
    (docs / "a.pdf").write_bytes(b"%PDF-1.4 and no more")
    (docs / "b.txt").write_bytes(b"\0\1\2")
    (docs / "loop.txt").symlink_to("loop.txt")
    (docs / "photo.png").write_bytes(b"\x89PNG")
    (docs / "e.txt").touch()
    for _ in range(2):
        report = bring(docs, store=store)
        assert report.total == 5
        assert (report.added + report.unchanged, report.empty, report.others) == (4, 1, {".png": 1})
        assert report.problems == (
            f"{docs}/a.pdf: damaged PDF; save it again",
            f"{docs}/b.txt: binary, not text",
            f"{docs}/loop.txt: a link that leads nowhere",
        )


def test_a_file_that_breaks_keeps_its_earlier_passages(docs, store):
    bring(docs, store=store)
    (docs / "curie.txt").write_bytes(b"\0")
    problem = f"{docs}/curie.txt: binary, not text; its earlier passages stay"
    assert bring(docs, store=store, prune=True).problems == (problem,)
    assert any("Warsaw" in p.text for p in content(store=store).values())


def test_bad_rows_are_reported_until_fixed(tmp_path, store):
    good = "".join(f'{{"text": "Row {n}."}}\n' for n in range(3))
    docs = write(tmp_path / "docs", {"rows.jsonl": "no\n" * 7 + good})
    named = "; ".join(f"line {n}: not JSON" for n in range(1, 6))
    told = (f"{docs}/rows.jsonl: {named}; and 2 more",)
    assert bring(docs, store=store) == IndexReport(partly=told, passages=3, total=3)
    assert bring(docs, store=store) == IndexReport(partly=told, total=3)
    write(docs, {"rows.jsonl": good})
    assert bring(docs, store=store) == IndexReport(replaced=1, passages=3, total=3)
    assert bring(docs, store=store) == IndexReport(unchanged=1, total=3)
    write(docs, {"rows.jsonl": '{"text": ""}\nno\n'})
    told = (f"{docs}/rows.jsonl: line 1: no text; line 2: not JSON; its earlier passages stay",)
    assert bring(docs, store=store) == IndexReport(total=3, problems=told)


def test_file_changed_while_read_adds_nothing(tmp_path, store, monkeypatch):
    docs = write(tmp_path / "docs", {"rows.jsonl": "".join(f'{{"text": "Row {n}."}}\n' for n in range(6))})
    monkeypatch.setattr(indexing, "BATCH", 2)
    told = []

    def tell(step):
        told.append(step.passages)
        if step.passages == 4 and told.count(4) == 1:
            write(docs, {"rows.jsonl": '{"text": "New."}\n'})

    report = index([docs], Config(store=store), listener=tell)
    assert report.problems == (f"{docs}/rows.jsonl: changed while it was read",)
    assert report.total == 0
    assert [p.text for p in content(store=store).values()] == []
    assert bring(docs, store=store).total == 1


def test_paths_that_are_not_there(docs, store):
    (docs / "loop.txt").symlink_to("loop.txt")
    with pytest.raises(InputError) as caught:
        bring(docs, docs / "none.txt", docs / "loop.txt", store=store)
    assert [problem.where for problem in caught.value.problems] == [f"{docs}/none.txt", f"{docs}/loop.txt"]


def test_one_process_writes_at_a_time(docs, store):
    bring(docs, store=store)
    with FileLock(store / ".lock"), pytest.raises(ConfigError, match="another process is writing to it"):
        bring(docs, store=store)
    assert bring(docs, store=store).unchanged == 4


def test_a_store_remembers_its_embedding(docs, store):
    assert bring(docs, store=store, embedding=OWN).total == 5
    for other in ("none", "minilm", "own_embedding:shorter"):
        with pytest.raises(ConfigError, match=f"was made with '{OWN}', not '{other}'"):
            bring(docs, store=store, embedding=other)
    write(docs, {"new.txt": "New."})
    assert bring(docs, store=store).added == 1
    assert bring(docs, store=store, collection="others", embedding="none").total == 6


def test_failed_embedding_is_not_bound_to_collection(docs, store):
    for wrong in ("no.such:module", "own_embedding:failing"):
        with pytest.raises(ConfigError, match=wrong):
            bring(docs, store=store, embedding=wrong)
    assert bring(docs, store=store, embedding=OWN).total == 5


def test_an_embedding_that_changes_its_length_is_refused(docs, store, monkeypatch):
    import own_embedding

    bring(docs, store=store, embedding=OWN)
    monkeypatch.setattr(own_embedding, "words", own_embedding.shorter)
    write(docs, {"new.txt": "New."})
    with pytest.raises(ConfigError, match="gives vectors of 2 numbers, and those of"):
        bring(docs, store=store)


@pytest.mark.parametrize("name", ["ab", "with blank", "-x-", "a" * 201])
def test_names_that_can_not_be(docs, store, name):
    with pytest.raises(ConfigError, match="can't be a name"):
        bring(docs, store=store, collection=name)


def test_texts_with_lone_surrogates_are_kept(tmp_path, store):
    docs = write(tmp_path / "docs", {"rows.jsonl": '{"text": "Lone \\ud800 one."}\n'})
    assert bring(docs, store=store).total == 1
    assert [p.text for p in content(store=store).values()] == ["Lone ? one."]


NAMES = [
    b"M\xfcller",
    b"M\xf6ller",
    "Müller".encode(),
    "Mu\u0308ller".encode(),
    b"M\\xfcller",
    b"M\xef\xbf\xbdller",
]
NAMES += [b"\xff\xfe", b"\x80", "水".encode("gb18030"), b"a\nb", b"a\tb", b"a\x1bb", b"a'b\"c", b"a%ffb"]


def test_every_name_of_a_file_is_a_key(tmp_path, store):
    docs = tmp_path / "docs"
    docs.mkdir()
    for folder in (b".", b"sub\xfcfolder", b"sub\xf6folder"):
        Path(os.fsdecode(bytes(docs) + b"/" + folder)).mkdir(exist_ok=True)
        for name in NAMES:
            path = Path(os.fsdecode(bytes(docs) + b"/" + folder + b"/" + name + b".txt"))
            path.write_bytes(b"Text of " + repr((folder, name)).encode())
    count = 3 * len(NAMES)
    for embedding in ({}, {"embedding": OWN, "collection": "vectors"}):
        assert bring(docs, store=store, **embedding).total == count
        for _ in range(2):
            assert bring(docs, store=store, prune=True, **embedding) == IndexReport(
                unchanged=count, total=count
            )
    assert len({p.text for p in content(store=store).values()}) == count
    Path(os.fsdecode(bytes(docs) + b"/M\xfcller.txt")).unlink()
    assert bring(docs, store=store, prune=True) == IndexReport(
        unchanged=count - 1, dropped=1, total=count - 1
    )
    assert bring(docs / os.fsdecode(b"sub\xf6folder"), store=store).unchanged == len(NAMES)


def test_files_read_in_part_are_named_each_time(docs, store):
    (docs / "paper.pdf").write_bytes(pdf("One.", "", "Three."))
    told = (f"{docs}/paper.pdf: page 2 has no text",)
    first, second = bring(docs, store=store), bring(docs, store=store)
    assert (first.partly, first.added, first.passages) == (told, 4, 6)
    assert (second.partly, second.unchanged, second.passages) == (told, 4, 0)
    (docs / "paper.pdf").write_bytes(pdf("One.", "Two.", "Three."))
    assert bring(docs, store=store).partly == ()
    assert Store(Config(store=store)).collection("documents").notes() == {}


HEADER = "Year | Bridge | Length"
TABLES = {
    "a.html": "<p>Before.</p><table><tr><th>Year<th>Bridge<th>Length{}</table><p>After.</p>",
    "b.md": "Before.\n\n| Year | Bridge | Length |\n|---|---|---|\n{}\n\nAfter.",
}


@pytest.mark.parametrize("name", TABLES)
def test_passages_of_long_tables_repeat_header(tmp_path, store, name):
    form = "<tr><td>{}<td>{}<td>{}" if name == "a.html" else "| {} | {} | {} |\n"
    rows = "".join(form.format(1900 + n, f"Bridge over river number {n}", f"{n} metres") for n in range(120))
    bring(write(tmp_path / "docs", {name: TABLES[name].replace("{}", rows.rstrip())}), store=store)
    texts = [passage.text for passage in content(store=store).values()]
    assert len(texts) > 5
    for text in texts:
        assert text.count(HEADER) == 1
        assert text.index(HEADER) < text.index("Bridge over")
    assert "After." in texts[-1]
