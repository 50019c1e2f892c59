"""Names that are not UTF-8, hold control characters, or lead round in a circle."""

import os
from xml.etree import ElementTree

import pytest
from command import write_records

SAID = "The tower was finished in 1889."
RECORD = {"id": "a", "output": SAID, "contexts": [SAID]}
NAMES = [b"R\xfcn", b"\xff\xfe", b"R\x01\x1b[31m\n\x7f\x85n", "R\ufffen".encode(), b'<R & "n">']


@pytest.fixture
def run(factreasoner, tmp_path):
    """A finished run, copied under a name."""
    factreasoner("run", write_records(tmp_path / "r.jsonl", RECORD), "--out", "run", "--quiet")

    def named(name):
        return (tmp_path / "run").rename(tmp_path / os.fsdecode(name))

    return named


@pytest.mark.parametrize("name", NAMES)
def test_oddly_named_run_gives_valid_files(factreasoner, run, tmp_path, name):
    folder = run(name)
    factreasoner("report", folder)
    assert "The tower was finished" in (folder / "report.html").read_text(encoding="utf-8")
    for command in (("show",), ("score", "--out", "scored"), ("export", "--table", "atoms")):
        factreasoner(command[0], folder, *command[1:])
    factreasoner("check", folder, "--min", "precision=0.1", "--max", "atoms=0", "--junit", "j.xml", code=4)
    suite = ElementTree.parse(tmp_path / "j.xml").getroot()
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert suite.get("name").startswith("factreasoner check ")


@pytest.mark.parametrize(
    "command",
    [
        ("run", "a.jsonl"),
        ("recall", "a.jsonl"),
        ("verify", "a.jsonl"),
        ("run", "r.jsonl", "--out", "a.jsonl"),
        ("report", "a.jsonl"),
        ("show", "a.jsonl"),
        ("score", "a.jsonl"),
        ("compare", "a.jsonl", "b.jsonl"),
        ("solve", "a.jsonl"),
        ("run", "r.jsonl", "--config", "a.jsonl"),
    ],
)
def test_links_in_a_circle_are_named(factreasoner, tmp_path, command):
    write_records(tmp_path / "r.jsonl", RECORD)
    (tmp_path / "a.jsonl").symlink_to("b.jsonl")
    (tmp_path / "b.jsonl").symlink_to("a.jsonl")
    said = factreasoner(*command, code=1).stderr
    assert "a.jsonl" in said
    assert "Internal error" not in said


def test_names_that_are_not_utf8_print_differently(factreasoner, tmp_path):
    docs = tmp_path / "docs"
    docs.mkdir()
    for name in (b"M\xfcller.csv", b"M\xf6ller.csv"):
        (docs / os.fsdecode(name)).write_text(
            "text\nThe mill burned down.\n \n\udcff\n", errors="surrogateescape"
        )
    printed = factreasoner("index", docs, "--store", "store", code=3)
    listed = factreasoner("index", "--list", "--store", "store").stdout
    for shown in (printed.stderr, listed):
        assert r"M\xfcller.csv" in shown
        assert r"M\xf6ller.csv" in shown
