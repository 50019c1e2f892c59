"""Input files: other kinds of file, what is read when, what the assessor needs, and real data."""

import gzip
import io
import json
import os
import re
import threading
import tracemalloc
from pathlib import Path

import pytest

from factreasoner import files
from factreasoner.errors import InputError, InputProblem
from factreasoner.files import compressed_writer, zstd
from factreasoner.inputs import jsonl
from factreasoner.inputs.input import STDIN, CheckedInput
from factreasoner.inputs.parsing import Reader
from factreasoner.inputs.problems import merged
from factreasoner.models import Assessment
from factreasoner.pipeline.config import Config
from factreasoner.pipeline.pipeline import build_pipeline
from factreasoner.tasks.factuality import check_fits

DATA = Path(os.environ.get("FACTREASONER_DATA", Path(__file__).parents[3] / "shared" / "data"))
DATA_FILES = sorted(DATA.glob("*/records.jsonl"))


def write(path, *lines):
    texts = (json.dumps(line) if isinstance(line, dict) else line for line in lines)
    path.write_text("".join(f"{text}\n" for text in texts))
    return path


def problems_of(path, **options):
    with pytest.raises(InputError) as caught:
        CheckedInput(path, **options)
    return caught.value.problems


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("f.json", b'{\n "data": [\n{"output": "x"}]}', ["over several lines", "jq -c '.KEY[]'"]),
        ("f.jsonl", "\ufeff{}".encode("utf-16"), ["UTF-16", "iconv"]),
        ("f.csv", "output\nx\n".encode("utf-16"), ["UTF-16", "iconv"]),
        ("f.csv", "output\nx\n".encode("utf-16-le"), ["UTF-16", "save its records as JSONL or CSV"]),
        ("f.csv", b"PK\x03\x04rest", ["Excel"]),
        ("f.jsonl.gz", b"\x1f\x8b\x08\x00rest", ["gzip data is cut short in or after line 1", "gzip -t"]),
        ("f.jsonl.bz2", b"BZh91AY", ["bzip2", "bunzip2"]),
        ("f.xlsx", b"PK\x03\x04rest", ["Excel", "JSONL"]),
        ("f.parquet", b"PAR1rest", ["begins as a Parquet file"]),
        ("f.jsonl", b'output,contexts\n"It is red, yes.",x\n', ["no line", "a name that ends in .csv"]),
        ("f.jsonl", bytes(range(256)) * 20, ["a binary file", "JSONL"]),
        ("logo.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\n{", ["a binary file", "JSONL"]),
        ("f.jsonl", b"", ["empty", "one JSON record a line"]),
        ("f.jsonl", b"\n  \r\n\n", ["empty"]),
    ],
)
def test_file_of_another_kind(tmp_path, name, content, words):
    path = tmp_path / name
    path.write_bytes(content)
    for options in ({}, {"skip_invalid": True}):
        (problem,) = problems_of(path, **options)
        assert problem.where == str(path)
        for word in words:
            assert word in problem.message


@pytest.mark.parametrize("first", ["x" * 70_000, "# a comment, and more of it\n" * 4000])
def test_a_good_record_below_much_else_is_read(tmp_path, first):
    path = write(tmp_path / "f.jsonl", first, {"id": "good", "output": "x"})
    assert CheckedInput(path, skip_invalid=True).ids == ("good",)


def test_large_misnamed_table_gives_one_message(tmp_path):
    (problem,) = problems_of(write(tmp_path / "f.txt", *["output,topic"] * 9000))
    assert "a name that ends in .csv" in problem.message


def test_misnamed_column_gives_one_message(tmp_path):
    path = write(tmp_path / "f.jsonl", *({"ouput": "x", "n": i} for i in range(86)), "broken", {"output": 3})
    misnamed, broken, number = problems_of(path)
    lines = ", ".join(map(str, range(2, 22)))
    assert (misnamed.where, misnamed.field) == (f"{path}:1 and 85 more ({lines}, …)", "output")
    assert "did you mean 'output'?" in misnamed.message
    assert (broken.where, number.where) == (f"{path}:87", f"{path}:88")


@pytest.mark.parametrize("start", ["", "answers.jsonl: ", "C:/x, y.json, "])
def test_shared_problem_names_whole_record_ids(start):
    shared = [InputProblem(f"{start}record {name}", "facts", "none") for name in ("q:1", "q:2", "x: y")]
    (problem,) = merged(shared)
    assert problem.where == f"{start}record q:1 and 2 more (q:2, x: y)"


def test_misspelt_key_is_noted_and_kept(tmp_path):
    path = write(tmp_path / "f.jsonl", {"output": "x", "refrence": "y", "note": "z"}, {"output": "x"})
    checked = CheckedInput(path)
    (note,) = checked.notes
    assert note == (
        f"{path}: 'refrence' is kept as metadata; did you mean 'reference'? "
        "(`column_map={'refrence': 'reference'}`)"
    )
    assert next(checked.records()).metadata == {"refrence": "y", "note": "z"}
    assert CheckedInput(path, column_map={"refrence": "gold"}).notes == []
    both = write(tmp_path / "g.jsonl", {"output": "x", "contexts": ["y"], "context": "z", "answer_id": 1})
    assert CheckedInput(both).notes == [f"{both}: 'context' is kept as metadata; did you mean 'contexts'?"]


@pytest.mark.parametrize("limit", [None, 1])
def test_missing_mapped_key_is_reported_first(tmp_path, limit):
    path = write(tmp_path / "f.jsonl", {"reply": "x"}, {"reply": "y"}, {"reply": "z"})
    (problem,) = problems_of(path, column_map={"repyl": "output"}, limit=limit)
    assert problem.message == "no record has the key 'repyl'; did you mean 'reply'?"


def test_bom_blank_lines_and_windows_line_ends(tmp_path):
    path = tmp_path / "f.json"
    path.write_bytes(b'\xef\xbb\xbf{"output": "x"}\r\n\r\n{"output": "y\xe2\x80\xa8z"}')
    checked = CheckedInput(path)
    assert [(r.id, r.response) for r in checked.records()] == [("r1", "x"), ("r3", "y\u2028z")]


@pytest.mark.parametrize(("name", "message"), [("none.jsonl", "No such file"), ("", "directory")])
def test_unreadable_input_files_are_named(tmp_path, name, message):
    (problem,) = problems_of(tmp_path / name)
    assert message in problem.message
    assert problem.where.endswith(name)


def test_limit_counts_valid_records_and_looks_no_further(tmp_path):
    path = write(tmp_path / "f.jsonl", "broken", {"output": "x"}, {"output": "y"}, "broken")
    checked = CheckedInput(path, limit=2, skip_invalid=True)
    assert list(checked.ids) == ["r2", "r3"]
    assert [problem.where for problem in checked.problems] == [f"{path}:1"]


def test_skipping_everything_is_refused(tmp_path):
    found = problems_of(write(tmp_path / "f.jsonl", "broken", {"id": "x"}), skip_invalid=True)
    assert [problem.where.rpartition("jsonl")[2] for problem in found] == [":1", ":2", ""]
    assert "no valid record" in found[-1].message


def test_standard_input(tmp_path, monkeypatch):
    raw = b'{"output": "x"}\n{"output": "y"}\nbad\n'
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(raw)))
    checked = CheckedInput("-", skip_invalid=True)
    assert [problem.where for problem in checked.problems] == [f"{STDIN}:3"]
    first, second = checked.records(), checked.records()
    assert [next(first).response, next(second).response] == ["x", "x"]
    assert [next(first).response, next(second).response] == ["y", "y"]


@pytest.mark.parametrize("way", ["gz", "zst", "stdin", "array"])
def test_compressed_records_are_those_of_the_plain_file(tmp_path, monkeypatch, way):
    lines = [{"output": f"It was {number} that day.", "contexts": []} for number in range(300)]
    plain = write(tmp_path / "f.jsonl", *lines, "{no", lines[0])
    data = json.dumps(lines).encode() if way == "array" else plain.read_bytes()
    packed = zstd.compress(data) if way == "zst" else gzip.compress(data, mtime=0)
    path = tmp_path / f"f.jsonl.{way}"
    path.write_bytes(packed)
    if way == "stdin":
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(packed)))
        path = Path("-")
    checked = CheckedInput(path, skip_invalid=True)
    expected = [record.response for record in CheckedInput(plain, skip_invalid=True).records()]
    for _ in range(2):
        assert [record.response for record in checked.records()][:300] == expected[:300]
    if way != "array":
        assert [problem.where for problem in checked.problems] == [f"{checked.name}:301"]


def test_a_file_cut_short_is_refused_whole(tmp_path):
    lines = [
        json.dumps({"output": f"{number * 7919 % 1000} days.", "contexts": []}) for number in range(3000)
    ]
    path = tmp_path / "f.jsonl.gz"
    path.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0)[:-2000])
    for options in ({}, {"skip_invalid": True}):
        (problem,) = problems_of(path, **options)
        assert problem.where == str(path)
        assert re.search(r"cut short in or after line [12],\d\d\d; fetch", problem.message)
    assert len(CheckedInput(path, limit=10).ids) == 10


@pytest.mark.parametrize("ending", ["", ".gz", ".zst"])
def test_oversized_line_is_refused_in_bounded_memory(tmp_path, monkeypatch, ending):
    for module in (files, jsonl):
        monkeypatch.setattr(module, "LONGEST_LINE", 2**20)
    path = tmp_path / f"f.jsonl{ending}"
    long = b'{"output": "' + b"word " * 5_000_000 + b'"}'
    with path.open("wb") as file, compressed_writer(path, file) as packed:
        packed.write(b'{"output": "x"}\n' + long + b'\n{"output": "y"}\n' + long)
    del long
    tracemalloc.start()
    checked = CheckedInput(path, skip_invalid=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert [record.response for record in checked.records()] == ["x", "y"]
    assert [(p.where.rpartition(":")[2], p.message[:17]) for p in checked.problems] == [
        ("2", "longer than 64 Mi"),
        ("4", "longer than 64 Mi"),
    ]
    assert peak < 12 * 2**20


def test_pipe(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b'{"output": "x"}\n',))
    writer.start()
    checked = CheckedInput(path)
    writer.join()
    assert [record.response for record in checked.records()] == ["x"]
    assert [record.response for record in checked.records()] == ["x"]


def test_records_are_read_lazily(tmp_path):
    path = write(tmp_path / "f.jsonl", *({"id": i, "output": "a" * 100_000} for i in range(3)))
    records = CheckedInput(path).records()
    assert next(records).response == "a" * 100_000
    path.write_text(path.read_text().replace("a", "b"))
    assert next(records).id == "1"
    assert next(records).response == "b" * 100_000


def test_change_after_the_check_is_noticed(tmp_path):
    path = write(tmp_path / "f.jsonl", {"id": "a", "output": "x"}, {"id": "b", "output": "y"})
    checked = CheckedInput(path)
    write(path, {"id": "a", "output": "x"}, {"id": "d", "output": "y"})
    records = checked.records()
    assert next(records).id == "a"
    with pytest.raises(InputError, match=r":2: changed after it was checked"):
        next(records)
    write(path, {"id": "long line before", "output": "x"})
    with pytest.raises(InputError, match=r":1: changed"):
        next(checked.records())


def test_memory_does_not_grow_with_the_texts(tmp_path):
    path = tmp_path / "f.jsonl"
    with path.open("w") as file:
        for index in range(2000):
            file.write(json.dumps({"output": "word " * 2000, "n": index}) + "\n")
    assert path.stat().st_size > 20_000_000
    tracemalloc.start()
    checked = CheckedInput(path)
    seen = sum(record.metadata["n"] for record in checked.records())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert seen == 2000 * 1999 // 2
    assert peak < 2_000_000


TWO = {"output": "x", "atoms": ["t"], "contexts": ["u"]}


@pytest.mark.parametrize(
    ("record", "settings", "lacks"),
    [
        ({"output": "x"}, {}, "contexts: .*`retriever`"),
        ({"output": "x", "contexts": []}, {}, None),
        ({"output": "x"}, {"retriever": "wikipedia"}, None),
        (TWO, {"version": 1}, "atoms: .*`version=2`"),
        (TWO, {"version": 2}, None),
        (TWO, {"version": 1, "assessor": "factscore"}, None),
        (TWO | {"atoms": [{"text": "t", "contexts": ["c0"]}]}, {"version": 1}, None),
        ({"output": "x", "contexts": ["u"]}, {"version": 1, "retriever": "wikipedia"}, ".*"),
        (TWO | {"contexts": []}, {"version": 1}, None),
        ({"output": " "}, {}, None),
        ({"output": "I don't know."}, {}, None),
        ({"output": "x", "atoms": []}, {"version": 1}, None),
        ({"output": "", "atoms": ["t"]}, {}, "contexts: "),
    ],
)
def test_record_names_what_its_assessor_needs(record, settings, lacks):
    made = Reader().record(record, where="w", default_id="r1")
    problems = [f"{problem.field}: {problem.message}" for problem in check_fits(made, Config(**settings))]
    assert re.match(lacks, *problems) if lacks else problems == []


def test_needs_are_reported_with_the_line(tmp_path):
    path = write(tmp_path / "f.jsonl", {"output": "x", "contexts": []}, {"output": "y"})
    (problem,) = problems_of(path, fits=lambda record: check_fits(record, Config()))
    assert (problem.where, problem.field) == (f"{path}:2", "contexts")


@pytest.mark.skipif(not DATA_FILES, reason="the public data is not here")
@pytest.mark.parametrize("path", DATA_FILES, ids=lambda path: path.parent.name)
def test_public_data(path):
    checked = CheckedInput(path, fits=lambda record: check_fits(record, Config(version=1)))
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
    native = {"id", "input", "output", "topic", "atoms", "contexts"}
    for record, line in zip(checked.records(), lines, strict=True):
        assert (record.id, record.response) == (line["id"], line["output"])
        assert [atom.gold for atom in record.atoms or ()] == [atom["label"] for atom in line["atoms"]]
        links = {(atom["id"], context_id) for atom in line["atoms"] for context_id in atom["contexts"]}
        assert {(atom_id, c.id) for c in record.contexts or () for atom_id in c.atom_ids} == links
        assert set(record.metadata) - {"atom_fields", "context_fields"} == set(line) - native


def test_the_deepest_record_allowed_goes_through_the_journal(tmp_path):
    deep = '{"output": "", "contexts": [], "notes": ' + "[" * 189 + "]" * 189 + "}"
    (record,) = CheckedInput(write(tmp_path / "f.jsonl", deep)).records()
    assessment = build_pipeline().assess(record)
    assert Assessment.model_validate_json(assessment.model_dump_json()) == assessment
