from __future__ import annotations

from pathlib import Path

import pytest

from factreasoner.corpus import rows
from factreasoner.corpus.rows import BadRow, Document, csv_rows, json_rows


def jsonl(tmp_path: Path, data: bytes) -> list[Document | BadRow]:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(data)
    return list(json_rows(path))


def table(tmp_path: Path, data: bytes) -> list[Document | BadRow]:
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    return list(csv_rows(path))


def test_json_lines(tmp_path: Path) -> None:
    data = b'\xef\xbb\xbf{"text": "a", "title": " b\\n c ", "link": "d "}\n\n{"content": "e", "url": "f"}'
    assert jsonl(tmp_path, data) == [Document("a", "b c", "d"), Document("e", "", "f")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"{", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b'"text"', "not an object"),
        (b'{"text": null}', "no column 'text' or 'content' or 'passage'"),
        (b'{"text": 5}', "text is not a text"),
        (b'{"text": "a", "title": ["t"]}', "title is not a text"),
        (b'{"text": "caf\xe9"}', "not UTF-8"),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_read(tmp_path: Path, line: bytes, reason: str) -> None:
    found = jsonl(tmp_path, b'{"text": "a"}\n' + line + b'\n{"text": "z"}\n')
    assert found == [Document("a"), BadRow(2, reason), Document("z")]
    assert str(found[1]) == f"line 2: {reason}"


def test_a_line_too_long_for_memory_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LONGEST_ROW", 40)
    long = b'{"text": "' + b"x" * 100 + b'"}'
    found = jsonl(tmp_path, long + b'\n{"text": "a"}\n' + long)
    assert [type(row) for row in found] == [BadRow, Document, BadRow]
    assert "longer than" in str(found[2])
    assert [row.line for row in found if isinstance(row, BadRow)] == [1, 3]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_csv_with_any_delimiter_and_columns_in_any_case(tmp_path: Path, mark: str) -> None:
    text = f'\ufeffTITLE{mark} Text {mark}url\r\nb{mark}"two\r\nlines {mark} ""q"""{mark}d\r\n'
    assert table(tmp_path, text.encode()) == [Document(f'two\r\nlines {mark} "q"', "b", "d")]


def test_csv_rows_may_be_short_or_long(tmp_path: Path) -> None:
    assert table(tmp_path, b"title,text\nt\nt,x,more\n") == [Document("", "t"), Document("x", "t")]


def test_an_empty_csv(tmp_path: Path) -> None:
    assert table(tmp_path, b"") == []


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (b"caf\xe9,x\n", "line 3: not UTF-8"),
        (b'"cut off\nhere', "not CSV"),
    ],
)
def test_csv_is_read_up_to_where_it_breaks(tmp_path: Path, damage: bytes, reason: str) -> None:
    good, bad = table(tmp_path, b"text,title\ngood,t\n" + damage)
    assert good == Document("good", "t")
    assert reason in str(bad)
    assert "from here on nothing is read" in str(bad)


def test_a_csv_line_too_long_for_memory_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "LONGEST_ROW", 40)
    good, bad = table(tmp_path, b"text\ngood\n" + b"x" * 100 + b"\nmore\n")
    assert good == Document("good")
    assert "longer than" in str(bad)
