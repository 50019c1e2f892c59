"""Tables of runs: every value comes back from a file, no cell of CSV is a formula; which claims are shown."""

import csv
import gzip
import io
import json

import pytest
from assessments import assessment
from hypothesis import example, given
from hypothesis import strategies as st
from run_folders import run_folder

from factreasoner.analysis.tables import (
    FORMULA_SIGNS,
    ClaimFilter,
    RunTable,
    export,
    select_claims,
    text_lines,
)
from factreasoner.errors import ConfigError
from factreasoner.models import Assessment, Failure
from factreasoner.runs.finished import FinishedRun
from factreasoner.tasks.evidence_text import WithoutClaims
from factreasoner.tasks.factuality import TASK

COLUMNS = {"name": str, "p": float, "count": int, "ids": list}
TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.none() | TEXTS,
            "p": st.none() | st.floats(-1, 1),
            "count": st.none() | st.integers(-5, 5),
            "ids": st.lists(TEXTS, max_size=2),
        }
    ),
    max_size=4,
)


def table(rows):
    return RunTable("test", COLUMNS, lambda: iter(rows))


def read_csv(rows):
    text = "\n".join(text_lines(table(rows), "csv")) + "\n"
    return list(csv.reader(io.StringIO(text, newline="")))


@given(ROWS)
@example([{"name": "=1+1", "p": -0.5, "count": -3, "ids": []}])
@example([{"name": " \n@x", "p": None, "count": None, "ids": ["=a"]}])
@example([{"name": "\tx", "p": 0.0, "count": 0, "ids": ["a,b", 'c"d']}])
def test_csv_has_every_value_and_no_formula(rows):
    header, *lines = read_csv(rows)
    assert header == list(COLUMNS)
    for row, (name, p, count, ids) in zip(rows, lines, strict=True):
        assert not name.strip().startswith(tuple(FORMULA_SIGNS))
        assert name in (row["name"] or "", f"'{row['name']}")
        assert (p, count) == tuple("" if value is None else str(value) for value in (row["p"], row["count"]))
        assert json.loads(ids) == row["ids"]


@pytest.mark.parametrize(
    ("texts", "before"),
    [
        (["=cmd|' /C calc'!A0", "+1", "-2+3", "@SUM(A1)", "＝1", " =1", "\ufeff=1", "\t1"], "'"),
        (["a=b", "1932", "'quoted'", "", "2 - 1"], ""),
    ],
)
def test_formula_text_gets_an_apostrophe(texts, before):
    _, *rows = read_csv([{"name": text, "p": None, "count": None, "ids": []} for text in texts])
    assert [name for name, *_ in rows] == [f"{before}{text}" for text in texts]


@given(ROWS)
def test_json_lines_have_every_value(rows):
    assert [json.loads(line) for line in text_lines(table(rows), "jsonl")] == rows


def test_markdown_has_every_value_and_marks_up_nothing():
    row = {"name": "a|b\n*c*", "p": 0.5, "count": None, "ids": ["a0"]}
    head, sides, line = text_lines(table([row]), "md")
    assert (head, sides) == ("| name | p | count | ids |", "| --- | ---: | ---: | --- |")
    assert line == '| a&#124;b &#42;c&#42; | 0.5 |  | ["a0"] |'


@pytest.mark.parametrize("count", [0, 3, 4001])
def test_parquet_has_every_value_with_its_type(tmp_path, count):
    from pyarrow import parquet

    rows = [
        {"name": f"={i}", "p": None if i % 2 else i / 7, "count": -i, "ids": [f"a{i}"] * (i % 3)}
        for i in range(count)
    ]
    export(table(rows), "parquet", tmp_path / "t.parquet")
    found = parquet.read_table(tmp_path / "t.parquet")
    assert found.column_names == list(COLUMNS)
    assert found.to_pylist() == rows
    assert [path.name for path in tmp_path.iterdir()] == ["t.parquet"]


def test_a_compressed_table_is_the_table(tmp_path):
    rows = [{"name": "é", "p": 0.5, "count": 1, "ids": []}]
    for form in ("csv", "jsonl"):
        export(table(rows), form, tmp_path / f"t.{form}")
        export(table(rows), form, tmp_path / f"t.{form}.gz")
        plain, packed = ((tmp_path / name).read_bytes() for name in (f"t.{form}", f"t.{form}.gz"))
        assert gzip.decompress(packed) == plain
    with pytest.raises(ConfigError, match=r"already compressed; name it t\.parquet$"):
        export(table(rows), "parquet", tmp_path / "t.parquet.gz")


def test_failing_export_keeps_the_old_file(tmp_path):
    def breaking():
        yield {"name": "a", "p": 0.1, "count": 1, "ids": []}
        raise RuntimeError("damaged")

    for form in ("csv", "jsonl", "parquet"):
        path = tmp_path / f"t.{form}"
        path.write_text("old")
        with pytest.raises(RuntimeError, match="damaged"):
            export(RunTable("test", COLUMNS, breaking), form, path)
        assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 3


def test_a_folder_that_is_not_there_is_made(tmp_path):
    export(table([]), "csv", tmp_path / "new" / "folder" / "t.csv")
    assert (tmp_path / "new" / "folder" / "t.csv").read_text().startswith("name,")


def test_equal_probabilities_keep_run_order(tmp_path):
    path = run_folder(
        tmp_path, assessment([0.9, 0.2], record_id="one"), assessment([0.2, 0.5, 0.1], record_id="two")
    )
    run = FinishedRun(path, TASK)
    rows = list(select_claims(run, ClaimFilter(), WithoutClaims(), by_p=True))
    assert [row.p_true for row in rows] == [0.1, 0.2, 0.2, 0.5, 0.9]
    assert [row.record for row in rows] == ["two", "one", "two", "two", "one"]
    assert list(select_claims(run, ClaimFilter(limit=2), WithoutClaims(), by_p=True)) == rows[:2]


def test_records_without_claims_are_named_or_counted(tmp_path):
    empty = (
        Assessment(record_id=f"r{n}", status="no_atoms", assessor="factreasoner", response=" ")
        for n in range(5)
    )
    without = WithoutClaims()
    assert list(select_claims(FinishedRun(run_folder(tmp_path, *empty), TASK), ClaimFilter(), without)) == []
    assert without.summary("atom") == "No atoms in 5 records: an empty answer (r0, r1, r2 and 2 more)."


def test_unjudged_claims_show_their_first_failure(tmp_path):
    lost = [
        Failure(stage="judge", item_id=item, error_type="LLMError", message=f"lost {item}")
        for item in ("c1->a0", "c0->a1", "c1->a1")
    ]
    partly = assessment([0.9, None], record_id="r1", outcome={"failures": tuple(lost)})
    whole = Failure(stage="judge", item_id="r2", error_type="PluginError", message="a fault of its own")
    failed = assessment([None], record_id="r2").model_copy(update={"failures": (whole,)})
    searched = assessment([0.9], record_id="r3").model_copy(update={"failures": (lost[0],)})
    without = WithoutClaims()
    run = FinishedRun(run_folder(tmp_path, partly, failed, searched), TASK)
    assert len(list(select_claims(run, ClaimFilter(), without))) == 4
    said = "Not all atoms judged in 2 records: lost c0->a1 (r1), a fault of its own (r2)."
    assert without.summary("atom") == said
