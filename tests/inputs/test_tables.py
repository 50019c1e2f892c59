"""CSV files and JSON arrays are read where they are clean, and named where they are not."""

import csv
import gzip
import io
import json
import math

import pandas
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet as pq

from factreasoner import files
from factreasoner.corpus.documents import csv_rows
from factreasoner.errors import InputError
from factreasoner.files import zstd
from factreasoner.inputs.input import CheckedInput

ROWS = [
    {"id": "a", "output": 'She said "yes", twice.\nThen no.', "contexts": ["x", "y"], "note": "n"},
    {"id": "b", "output": "=1+1", "contexts": [{"text": "z", "title": "t"}]},
]


def records(path, content, **options):
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    checked = CheckedInput(path, **options)
    first = list(checked.records())
    assert list(checked.records()) == first
    return first


def table(rows, separator=",", write=json.dumps):
    text = io.StringIO()
    writer = csv.DictWriter(text, ["id", "output", "contexts", "note"], delimiter=separator)
    writer.writeheader()
    for row in rows:
        writer.writerow({k: write(v) if isinstance(v, list) else v for k, v in row.items()})
    return text.getvalue()


def expected(tmp_path):
    return records(tmp_path / "plain.jsonl", "".join(json.dumps(row) + "\n" for row in ROWS))


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("f.json", json.dumps(ROWS, indent=1)),
        ("f.jsonl", "\ufeff\n" + json.dumps(ROWS)),
        ("f.csv", table(ROWS)),
        ("f.csv", "\ufeff" + table(ROWS, ";")),
        ("f.csv", table(ROWS, write=repr)),
        ("f.TSV", table(ROWS, "\t")),
        ("f.csv", table(ROWS) + "\r\n\r\n"),
        ("f.csv", table(ROWS).replace("\r\n", "\r")),
        ("f.csv.gz", gzip.compress(table(ROWS).encode(), mtime=0)),
        ("f.tsv.zst", zstd.compress(table(ROWS, "\t").encode())),
    ],
)
def test_clean_files_equal_their_json_lines(tmp_path, name, content):
    assert records(tmp_path / name, content) == expected(tmp_path)


FRAME = pandas.DataFrame(ROWS).assign(contexts=lambda frame: frame["contexts"].map(json.dumps))


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME.set_axis([7, 3]),
        FRAME.set_axis([-1, 10**12]),
        FRAME.set_axis([0.0, 1.0]),
        FRAME.set_axis([0, 0]),
        FRAME.set_index(pandas.MultiIndex.from_tuples([(0, 1), (0, 2)])),
        FRAME.set_index("id"),
    ],
)
@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_index_of_a_frame_is_left_out(tmp_path, frame, separator):
    name = "f.tsv" if separator == "\t" else "f.csv"
    assert records(tmp_path / name, frame.to_csv(sep=separator)) == expected(tmp_path)


@pytest.mark.parametrize(
    ("frame", "key"),
    [
        (FRAME.rename_axis("row"), "row"),
        (FRAME.rename_axis(" row "), "row"),
        (FRAME.rename_axis("Unnamed: 0"), "Unnamed: 0"),
        (FRAME.reset_index(), "index"),
        (FRAME.reset_index(names="number"), "number"),
    ],
)
@pytest.mark.parametrize("again", [False, True])
def test_named_index_is_metadata(tmp_path, frame, key, again):
    first, second = records(tmp_path / "f.csv", frame.to_csv(index=again or frame.index.name is not None))
    assert (first.metadata[key], second.metadata[key]) == ("0", "1")
    assert [one.id for one in (first, second)] == ["a", "b"]


def test_row_numbers_alone_make_no_record(tmp_path):
    text = FRAME.drop(columns="id").to_csv() + "2,,,\n"
    first, second = records(tmp_path / "f.csv", text)
    assert (first.id, second.id, first.metadata) == ("r1", "r2", {"note": "n"})


@pytest.mark.parametrize("packed", [False, True])
def test_parquet_equals_its_json_lines(tmp_path, packed):
    path = tmp_path / "f.parquet"
    rows = [ROWS[0], {**ROWS[1], "contexts": ["z"], "note": None}]
    pq.write_table(pa.Table.from_pylist(rows), path)
    content = gzip.compress(path.read_bytes(), mtime=0) if packed else path.read_bytes()
    plain = "".join(json.dumps(row) + "\n" for row in rows)
    found, wanted = records(path, content), records(tmp_path / "plain.jsonl", plain)
    assert [record.model_copy(update={"metadata": {}}) for record in found] == [
        record.model_copy(update={"metadata": {}}) for record in wanted
    ]
    assert [record.metadata for record in found] == [{"note": "n"}, {}]


def test_parquet_bytes_are_text_if_utf8(tmp_path):
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"output": ["Größe".encode()], "contexts": [[b"x"]]}), path)
    (record,) = records(path, path.read_bytes())
    assert (record.response, record.contexts[0].text) == ("Größe", "x")
    pq.write_table(pa.table({"output": [b"Gr\xf6\xdfe"]}), path)
    with pytest.raises(InputError, match=r"f\.parquet, record 1: not UTF-8: byte 0xf6"):
        records(path, path.read_bytes())


@pytest.mark.parametrize("scores", [[math.inf], [1.0, math.nan]])
def test_non_finite_number_is_reported_with_field(tmp_path, scores):
    path = tmp_path / "f.parquet"
    pq.write_table(pa.table({"output": ["x", "y"], "scores": [[1.0], scores]}), path)
    with pytest.raises(InputError, match=r"f\.parquet, record 2: scores: holds NaN, infinity or a number"):
        records(path, path.read_bytes())


@settings(max_examples=25)
@given(st.lists(st.fixed_dictionaries({"id": st.integers(), "output": st.text(min_size=1)}), min_size=1))
def test_any_texts_come_through_an_array(tmp_path_factory, rows):
    rows = [row | {"id": number} for number, row in enumerate(rows)]
    path = tmp_path_factory.mktemp("array") / "f.json"
    assert [r.response for r in records(path, json.dumps(rows))] == [row["output"] for row in rows]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("f.json", '[{"output": "x"},', "begins as a JSON array, but is not one"),
        ("f.json", '[{"output": NaN}]', "NaN and Infinity are not JSON values"),
        ("f.json", '[{"output": "x", "score": 1e999}]', "f.json, record 1: score: holds NaN, infinity"),
        ("f.json", "[1e999]", "f.json, record 1: holds NaN, infinity"),
        ("f.json", '[{"output": "x", "output": "y"}]', 'duplicate key "output"'),
        ("f.json", b'[{"output": "\xff"}]', "not UTF-8: byte 0xff at position 13; correct it"),
        ("f.json", "[" * 100_000, "nested too deeply"),
        ("f.parquet", b"PAR1 and more", "begins as a Parquet file, but can't be read as one"),
        ("f.json", "[]", "empty"),
        ("f.json", '[[{"output": "x"}]]', "f.json, record 1: is a list; each line must be an object"),
        ("f.jsonl", "\ufeff", "f.jsonl: empty; write one JSON record"),
        ("f.json", '[{"output": "x"}, 7]', "f.json, record 2: is the number 7; each line must be an object"),
        ("f.json", '[{"output": "x", "id": 1}, {"output": "y", "id": 1}]', "is the id of record 1 too"),
        ("f.csv", "id,output\n1,a,b\n", "f.csv:2: 3 cells, but the first row names 2; quote cells"),
        ("f.csv", "\n \nid,output\n1\n", "f.csv:4: 1 cell, but"),
        (
            "f.csv",
            'id,output\n1,x\n1,"open\n2,y\n',
            "f.csv:3: not a clean table: unexpected end of data; check",
        ),
        ("f.csv", "id,,output\n1,2,3\n", "column 2 has no name"),
        ("f.csv", "id,output,id\n1,2,3\n", "two columns are called 'id'"),
        ("f.csv", b"id,output\n1,caf\xe9\n", "f.csv:2: not UTF-8: byte 0xe9; correct it"),
        ("f.csv", b"id,caf\xe9\n1,x\n", "f.csv:1: not UTF-8: byte 0xe9; correct it"),
        ("f.csv", ",\n", "f.csv:1: column 1 has no name"),
        ("f.csv", ",output\na,x\nb,y\n", "f.csv:2: the first column has no name and holds no row number"),
        ("f.csv", ",output\n0,x\n1.5,y\n", "f.csv:3: the first column has no name"),
        ("f.csv", ",output\n2020-01-01,x\n", "name the column, or write the table without it"),
        ("f.csv", ",output,\n0,x,\n", "f.csv:1: column 3 has no name"),
        ("f.csv", ",output\n0,x,y\n", "f.csv:2: 3 cells, but the first row names 2"),
        ("f.csv", "id,output,contexts\n1,x,[one text]\n", "contexts: is a list written as a string"),
        ("f.csv", "id,output\n1,\n", "f.csv, record 1: output: missing"),
        ("f.csv", "id,output\n", "one a row below a table's header"),
    ],
)
def test_unclean_tables_are_reported(tmp_path, name, content, message):
    with pytest.raises(InputError) as caught:
        records(tmp_path / name, content)
    assert message in str(caught.value)


def test_every_bad_row_is_reported_or_skipped(tmp_path):
    rows = [b"a,x", b"b,caf\xe9", b"c,y,z", b"d,\xe9", b"e,\xe9\xe8", b"f,", b"g,w"]
    content = b"\n".join([b"id,output", *rows])
    with pytest.raises(InputError) as caught:
        records(tmp_path / "f.csv", content)
    told = [(p.where.partition("f.csv")[2], p.message.partition(";")[0]) for p in caught.value.problems]
    assert told[:2] == [
        (":3 and 2 more (5, 6)", "not UTF-8: byte 0xe9"),
        (":4", "3 cells, but the first row names 2"),
    ]
    assert told[2][0] == ", record 6"
    found = records(tmp_path / "f.csv", content, skip_invalid=True)
    assert [(record.id, record.response) for record in found] == [("a", "x"), ("g", "w")]


def test_blank_rows_are_left_out_and_counted(tmp_path):
    path = tmp_path / "f.csv"
    for blank, notes in (
        ("", []),
        (",\n", [f"{path}: 1 blank row skipped"]),
        (' ,\n\n,"\n"\n', [f"{path}: 2 blank rows skipped"]),
    ):
        path.write_text(f"id,output\na,x\n{blank}b,y\n")
        checked = CheckedInput(path)
        assert (checked.ids, checked.notes) == (("a", "b"), notes)


def test_a_line_of_a_table_has_an_end(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "LONGEST_LINE", 100)
    monkeypatch.setattr(files, "LONGEST_CELL", 100)
    with pytest.raises(InputError, match=r"f\.csv:2: not a clean table: longer than"):
        records(tmp_path / "f.csv", "id,output\n1," + "x" * 100 + "\n")
    with pytest.raises(InputError, match="field larger than field limit"):
        records(tmp_path / "f.csv", 'id,output\n1,"' + "x\n" * 60 + '"\n')
    monkeypatch.undo()
    assert records(tmp_path / "f.csv", "id,output\n1," + "x" * 100 + "\n")


def test_records_and_documents_share_the_cell_limit(tmp_path):
    for read in (lambda path: records(path, table(ROWS)), lambda path: list(csv_rows(path))):
        csv.field_size_limit(131_072)  # what a process begins with
        read(tmp_path / "f.csv")
        assert csv.field_size_limit() == files.LONGEST_CELL


@pytest.mark.parametrize("cell", ['[1] says so [__import__("os")]', "[{(1, 2): 3}]"])
def test_cell_resembling_a_list_stays_text(tmp_path, cell):
    (record,) = records(tmp_path / "f.csv", table([{"id": 1, "output": cell}]))
    assert record.response == cell


def row_of(cell):
    text = io.StringIO()
    csv.writer(text).writerows([["output", "contexts"], ["x", cell]])
    return text.getvalue()


@pytest.mark.parametrize("cell", [r"""['It is tall.', "It's old."]""", r"""["It is tall.", "It's old."]"""])
def test_lists_as_python_and_json_write_them(tmp_path, cell):
    (record,) = records(tmp_path / "f.csv", row_of(cell))
    assert [context.text for context in record.contexts] == ["It is tall.", "It's old."]


@pytest.mark.parametrize(
    "cell",
    [
        r"""['It is tall.' 'It\'s old.']""",
        """['It is tall.'\n "It's old."]""",
        r"""[ 'a' 'b' "c, d" ]""",
        r"""["say \"so\"" 'x']""",
        "['a''b']",
        "['[1], [2]' '']",
    ],
)
def test_lists_without_commas_are_refused(tmp_path, cell):
    with pytest.raises(InputError, match=r"f\.csv:\d+: a list without commas.*write lists as JSON"):
        records(tmp_path / "f.csv", row_of(cell))


@pytest.mark.parametrize("cell", ["['one text']", "[1] 'a' 'b'", "['a' 'b', 'c'] etc."])
def test_texts_with_quotes_are_no_lists_without_commas(tmp_path, cell):
    (record,) = records(tmp_path / "f.csv", row_of(cell))
    assert len(record.contexts) == 1


def test_plain_text_context_is_the_only_passage(tmp_path):
    content = "output,context\nIt is tall.,It is 90 m tall.\nIt is old.,\n"
    tall, old = records(tmp_path / "f.csv", content, column_map={"context": "contexts"})
    assert [context.text for context in tall.contexts] == ["It is 90 m tall."]
    assert old.contexts is None
    (mapped,) = records(tmp_path / "f.jsonl", '{"output": "x", "retrieved_contexts": "one text"}')
    assert [context.text for context in mapped.contexts] == ["one text"]


def test_an_array_on_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(json.dumps(ROWS).encode())))
    assert list(CheckedInput("-").ids) == ["a", "b"]
