"""Texts where files belong, files where texts do, and files with some invalid records."""

import json

import pandas
import pytest

TEXT = "The tower opened in 1932. It is 52 m high."
VALID = {"output": TEXT, "contexts": [TEXT], "facts": [TEXT], "reference": TEXT}


@pytest.fixture
def files(tmp_path):
    """Prose in files of several kinds, and a passage."""
    for name in ("leaflet.txt", "my leaflet.txt", "leaflet.md", "leaflet", "page.html", "c.txt"):
        (tmp_path / name).write_text(TEXT, encoding="utf-8")
    (tmp_path / "folder").mkdir()


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("leaflet.txt", "factreasoner assess --context c.txt --file leaflet.txt"),
        ("my leaflet.txt", "factreasoner assess --context c.txt --file 'my leaflet.txt'"),
        (" leaflet.txt\n", "--file leaflet.txt"),
        ("folder", "folder is a folder: name one file with --file FILE"),
        ("https://example.org/a", "save the page, and name the file with --file FILE"),
    ],
)
def test_assess_refuses_a_file_as_its_text(factreasoner, text, told):
    done = factreasoner("assess", text, "--context", "c.txt", code=2)
    assert told in done.stderr
    assert done.stdout == ""
    assert told.rpartition("--file")[2] in factreasoner("assess", text, code=2).stderr


@pytest.mark.usefixtures("files")
def test_assess_judges_other_texts(factreasoner):
    done = factreasoner("assess", "none.txt", "--context", "c.txt")
    assert done.stderr.startswith('Judging the text "none.txt": no file has that name.')
    assert factreasoner("assess", "The text of leaflet.txt is old.", "--context", "c.txt").stderr == ""
    assert factreasoner("assess", "-", "--context", "c.txt", stdin="leaflet.txt is old.").stderr == ""


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("assess", "--file", TEXT, "--context", "c.txt"), "--file needs a file"),
        (("assess", TEXT, "--context", TEXT), "--context needs a file"),
        (("assess", TEXT, "--context", "c.txt", "--prompt", "c.txt"), '--prompt "$(cat FILE)"'),
        (("assess", TEXT, "--context", "c.txt", "--topic", "c.txt"), "--topic c.txt is a file"),
        (("verify", "--text", TEXT, "--source", "c.txt"), "--text needs a file"),
        (("verify", "--text", "c.txt", "--source", TEXT), "--source needs a file"),
        (("verify", "--text", "c.txt", "--source", "大桥于1932年开通。"), "--source needs a file"),
        (("verify", "--text", "c.txt", "--source", "c.txt", "--prompt", "c.txt"), "--prompt c.txt is a file"),
    ],
)
def test_flags_name_what_they_need(factreasoner, command, told):
    assert told in factreasoner(*command, code=2).stderr


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize(
    ("command", "for_text", "for_file"),
    [
        ("run", "assess TEXT --context FILE", "assess --file my.txt --context FILE"),
        ("verify", "verify --text FILE --source", "verify --text my.txt --source FILE_OR_URL"),
        ("rag", '{"output": "...", "contexts": ["..."]}', ".jsonl file"),
        ("recall", '{"output": "...", "facts": ["..."]}', ".jsonl file"),
    ],
)
@pytest.mark.parametrize("text", [TEXT, TEXT * 20, "大桥于1932年开通。", "Two\nlines", "Est-ce vrai ?"])
def test_data_is_no_text(factreasoner, tmp_path, command, for_text, for_file, text):
    assert for_text in factreasoner(command, text, code=2).stderr
    (tmp_path / "my.txt").write_text(text, encoding="utf-8")
    assert for_file in factreasoner(command, "my.txt", code=2).stderr
    assert "pipe it in" in factreasoner(command, json.dumps(VALID), code=2).stderr


@pytest.mark.usefixtures("files")
def test_comparison_of_assessors_refuses_a_text(factreasoner):
    for data in (TEXT, "leaflet.txt"):
        assert "factreasoner assess" in factreasoner("compare", data, "--assessors", "fr1,fr2", code=2).stderr


def test_records_in_a_text_file_are_read(factreasoner, tmp_path):
    (tmp_path / "records.txt").write_text(json.dumps(VALID), encoding="utf-8")
    factreasoner("run", "records.txt", "--quiet")
    assert "give the path of a JSONL file" in factreasoner("run", "no file.jsonl", code=1).stderr


WRONG = VALID | {"output": 5}
ALONE = "add --skip-invalid to use only the 1 valid record."


def jsonl(path, rows):
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def csv(path, rows):
    lines = [row | {"output": ""} if row["output"] == 5 else row for row in rows]
    pandas.DataFrame(
        [{k: json.dumps(v) if k != "output" else v for k, v in row.items()} for row in lines]
    ).to_csv(path, index=False)


WRITERS = {
    "d.jsonl": jsonl,
    "d.json": lambda path, rows: path.write_text(json.dumps(rows), encoding="utf-8"),
    "d.csv": csv,
}


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("command", ["run", "recall", "rag", "verify"])
def test_invalid_records_name_skip_invalid(factreasoner, tmp_path, name, command):
    WRITERS[name](tmp_path / name, [VALID, WRONG])
    assert ALONE in factreasoner(command, name, "--out", "out", code=1).stderr
    assert ALONE in factreasoner(command, name, "--out", "out", "--dry-run", code=1).stderr
    assert "Skipped 1 of 2" in factreasoner(command, name, "--out", "out", "--skip-invalid", code=None).stderr


@pytest.mark.parametrize("line", ["{", "[]", '{"output": NaN}', '{"output": "x", "contexts": 1}', "text"])
def test_every_wrong_line_names_skip_invalid(factreasoner, tmp_path, line):
    (tmp_path / "d.jsonl").write_text(f"{json.dumps(VALID)}\n{line}\n", encoding="utf-8")
    assert ALONE in factreasoner("run", "d.jsonl", code=1).stderr
    assert ALONE in factreasoner("compare", "d.jsonl", "--assessors", "fr2,fr3", code=1).stderr
