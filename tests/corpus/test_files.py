import os

import pytest
from corpus_scene import TEXTS, write

from factreasoner.corpus import files
from factreasoner.corpus.files import find_files, kind_of
from factreasoner.errors import DocumentError


def test_known_kinds_are_found_in_folder_order(tmp_path):
    write(tmp_path, {**TEXTS, ".hidden.txt": "x", ".git/x.txt": "x", "photo.jpg": "x", "UPPER.TXT.gz": "x"})
    found = find_files([tmp_path])
    assert [str(path.relative_to(tmp_path)) for path in found.files] == [
        "UPPER.TXT.gz",
        "curie.txt",
        "rows.jsonl",
        "tower.md",
        "deep/er/rows.csv",
    ]
    assert (found.missing, found.others, found.unreadable) == ((), {".jpg": 1}, {})


def test_unsupported_documents_are_named_with_the_fix(tmp_path):
    write(tmp_path, {"a.DOC": "x", "in/b.xlsx": "x", "c": "x", "d.png": "x", "e.PNG": "x"})
    found = find_files([tmp_path])
    assert found.files == ()
    assert found.unread == {
        tmp_path / "a.DOC": ".doc is not read; save it as docx",
        tmp_path / "in" / "b.xlsx": ".xlsx is not read; save it as csv, with a column `text`",
    }
    assert found.others == {"": 1, ".png": 2}
    with pytest.raises(DocumentError, match=r"a\.DOC: \.doc is not read; save it as docx"):
        kind_of(tmp_path / "a.DOC")


def test_duplicate_file_and_store_are_skipped(tmp_path):
    write(tmp_path, {"a.txt": "x", "store/b.txt": "x"})
    found = find_files([tmp_path, tmp_path / "a.txt"], outside=tmp_path / "store")
    assert found.files == (tmp_path / "a.txt",)


def test_named_file_is_read_and_missing_one_reported(tmp_path):
    write(tmp_path, {".notes": "x"})
    found = find_files([tmp_path / ".notes", tmp_path / "none.txt"])
    assert found.files == (tmp_path / ".notes",)
    assert found.missing == (tmp_path / "none.txt",)
    with pytest.raises(DocumentError, match=r"unknown kind of file; known: \.txt"):
        kind_of(tmp_path / ".notes")


def test_broken_links_are_reported_and_circles_end(tmp_path):
    (tmp_path / "loop.txt").symlink_to("loop.txt")
    (tmp_path / "gone.md").symlink_to("nowhere.md")
    (tmp_path / "circle").symlink_to(".")
    os.mkfifo(tmp_path / "pipe.txt")
    found = find_files([tmp_path, tmp_path / "loop.txt"])
    assert found.files == ()
    assert found.missing == (tmp_path / "loop.txt",)
    assert found.unreadable == {
        tmp_path / "gone.md": "a link that leads nowhere",
        tmp_path / "loop.txt": "a link that leads nowhere",
        tmp_path / "pipe.txt": "no regular file",
    }


def test_links_lead_nowhere_out_of_the_folder(tmp_path):
    write(tmp_path, {"in/a.txt": "x", "in/deep/b.txt": "x", "out/secret.txt": "x", "inside/c.txt": "x"})
    (tmp_path / "in" / "passwd.txt").symlink_to("/etc/passwd")
    (tmp_path / "in" / "deep" / "up.txt").symlink_to("../../out/secret.txt")
    (tmp_path / "in" / "neighbour.txt").symlink_to("../inside/c.txt")
    (tmp_path / "hop.txt").symlink_to("out/secret.txt")
    (tmp_path / "in" / "hops.txt").symlink_to("../hop.txt")
    (tmp_path / "in" / "fine.txt").symlink_to("deep/b.txt")
    (tmp_path / "way in").symlink_to("in")
    for folder in (tmp_path / "in", tmp_path / "way in"):
        found = find_files([folder])
        assert {path.name for path in found.files} == {"a.txt", "b.txt", "fine.txt"}
        assert {path.name for path in found.unreadable} == {
            "passwd.txt",
            "up.txt",
            "neighbour.txt",
            "hops.txt",
        }
    assert "out of the folder" in found.unreadable[tmp_path / "way in" / "passwd.txt"]
    assert find_files([tmp_path / "in" / "deep" / "up.txt"]).files == (tmp_path / "in" / "deep" / "up.txt",)


def test_unreadable_folder_is_reported(tmp_path, monkeypatch):
    write(tmp_path, {"a.txt": "x", "shut/b.txt": "x"})
    scandir = os.scandir

    def refusing(path):
        if str(path).endswith("shut"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    # Rights don't bind the user that many test machines run as.
    monkeypatch.setattr(files.os, "scandir", refusing)
    found = find_files([tmp_path])
    assert found.files == (tmp_path / "a.txt",)
    assert found.unreadable == {tmp_path / "shut": "can't be read: Permission denied"}
