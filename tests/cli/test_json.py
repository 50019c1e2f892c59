"""`--json`: every command that prints a table prints JSON instead, and nothing else on standard output."""

import io
import json
import subprocess
import sys

import command
import pytest
from command import printed, summary_of, write_records

from factreasoner import cli


@pytest.fixture
def data(tmp_path):
    given = {"output": "The tower is 52 metres high.", "reference": "The tower is high."}
    contexts = [{"id": "c0", "text": "The tower is 38 metres high."}]
    return write_records(tmp_path / "d.jsonl", {"id": "r0", **given, "contexts": contexts})


@pytest.mark.parametrize("task", ["run", "recall", "rag", "verify"])
def test_a_run_prints_its_summary(factreasoner, data, tmp_path, task):
    given = () if task == "verify" else ("--report",)
    found = printed(factreasoner(task, data, "--out", "run", *given, "--json"))
    assert found == summary_of(tmp_path / "run")
    assert found["records"]["total"] == 1


@pytest.mark.parametrize("task", ["recall", "rag"])
def test_json_refuses_a_table_beside_it(factreasoner, data, task, tmp_path):
    done = factreasoner(task, data, "--out", "run", "--explain", "--json", code=1)
    assert done.stdout == ""
    assert "--explain prints a table" in done.stderr
    assert not (tmp_path / "run").exists()


def test_show_gives_the_rows_that_export_does(factreasoner, data):
    factreasoner("run", data, "--out", "run", "--quiet")
    exported = factreasoner("export", "run", "--out", "-", "--format", "jsonl").stdout
    rows = [json.loads(line) for line in exported.splitlines()]
    assert printed(factreasoner("show", "run", "--json")) == rows
    assert [row["label"] for row in rows] == ["contradicted"]
    assert printed(factreasoner("show", "run", "--label", "supported", "--json")) == []


def test_check_json_keeps_rules_and_exit_code(factreasoner, data):
    factreasoner("run", data, "--out", "run", "--quiet")
    done = factreasoner("check", "run", "--min", "precision=0.5", "--max", "failures=0", "--json", code=4)
    broken, kept = printed(done)
    assert broken.items() >= {"measure": "precision", "bound": "min", "limit": 0.5, "kept": False}.items()
    assert kept["kept"]


TEXTS = "café naïve, Größe, Ελλάδα, Мост, 大桥, שלום, “quoted” 🌉 \u2028 \u200b 𝔘"
UNICODE = ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"]
ENCODINGS = [*UNICODE, "cp1252", "ascii", "latin-1", "cp437", "shift_jis"]


@pytest.fixture
def odd_run(tmp_path, factreasoner):
    given = {"id": f"r {TEXTS}", "output": f"The tower {TEXTS} is 52 metres high.", "topic": TEXTS}
    contexts = [{"id": "c0", "title": TEXTS, "text": f"The tower {TEXTS} is 38 metres high."}]
    data = write_records(tmp_path / "d.jsonl", {**given, "contexts": contexts, "facts": [TEXTS]})
    factreasoner("run", data, "--out", "run", "--quiet")
    return data


def output_in(encoding, tmp_path, *arguments, code=0):
    """Standard output, as bytes, of the command in a process whose output has that encoding."""
    environment = command.environment(tmp_path, PYTHONIOENCODING=encoding)
    call = [sys.executable, "-m", "factreasoner", *map(str, arguments)]
    done = subprocess.run(call, cwd=tmp_path, env=environment, capture_output=True, check=False)
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_json_is_json_in_every_encoding(odd_run, tmp_path, monkeypatch, capsys, encoding):
    monkeypatch.chdir(tmp_path)
    for call in (
        ("show", "run", "--json"),
        ("evaluate", "run", "--by", "topic", "--json"),
        ("explain", "run", "--json"),
        ("check", "run", "--min", "precision=0", "--json"),
        ("export", "run", "--format", "jsonl", "--out", "-"),
        ("export", "run", "--table", "records", "--format", "jsonl", "--out", "-"),
    ):
        cli.execute(call)
        plain = capsys.readouterr().out
        shown = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors="backslashreplace")
        monkeypatch.setattr("sys.stdout", shown)
        cli.execute(call)
        shown.flush()
        monkeypatch.undo()
        monkeypatch.chdir(tmp_path)
        found = shown.buffer.getvalue().decode(encoding)
        assert [json.loads(part) for part in documents(found)] == [
            json.loads(part) for part in documents(plain)
        ]
        assert "\\x" not in found
        assert "\\U" not in found


def documents(text):
    """The JSON documents of a text: the whole, or its lines."""
    text = text.removeprefix("\ufeff")
    return text.strip().split("\n") if text.startswith('{"') else [text]


@pytest.mark.parametrize("encoding", ["cp1252", "ascii", "utf-16"])
def test_json_output_is_valid_in_every_encoding(odd_run, tmp_path, encoding):
    found = json.loads(output_in(encoding, tmp_path, "show", "run", "--json").decode(encoding))
    assert found[0]["record"] == f"r {TEXTS}"


def test_csv_is_never_escaped_by_the_encoding(odd_run, tmp_path):
    exact = output_in("utf-8", tmp_path, "export", "run", "--out", "-").decode()
    assert TEXTS.split(",", maxsplit=1)[0] in exact
    assert output_in("utf-16", tmp_path, "export", "run", "--out", "-").decode("utf-16") == exact
    assert b"\\u" not in output_in("cp1252", tmp_path, "export", "run", "--out", "-", code=1)
